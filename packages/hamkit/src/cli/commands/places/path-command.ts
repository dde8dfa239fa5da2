/** `hamkit path`: distance and heading between two places. */
import type { Command } from "commander";

import { examplesText, placesText } from "../../terminal/help-text.js";
import { addLookupOptions } from "../../databases/lookup-options.js";
import type { PathReportOptions } from "../../reports/places/path-report.js";
import type { Session } from "../../session.js";

const EXAMPLES = [
  { line: "hamkit path JN48QM FN31PR", shows: "between two locators" },
  { line: "hamkit path JN48QM VK9XX", shows: "from a locator to a callsign" },
  { line: "hamkit path JN48QM FN31PR --wgs84", shows: "also on the WGS84 ellipsoid" },
  { line: "hamkit path JN48QM FN31PR --map ways.svg", shows: "with a map of both paths" },
];

export function addPathCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("path"))
    .summary("distance and heading between two places, short and long path")
    .description(
      "Shows distance and heading between two places on the short and the long path, on the sphere of 6371 km.",
    )
    .argument("<from>", "locator or callsign")
    .argument("<to>", "locator or callsign")
    .option("--wgs84", "add the shortest path on the WGS84 ellipsoid")
    .option("--map <path>", "write an SVG map of both paths to this file, with day and night at --at or now")
    .option("--force", "replace an existing file of --map")
    .option("--json", "output JSON")
    .addHelpText("after", placesText(session.ink))
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (from: string, to: string, options: PathReportOptions) => {
      const { reportPath } = await import("../../reports/places/path-report.js");
      session.present(await reportPath({ from, to }, options, session), options);
    });
}
