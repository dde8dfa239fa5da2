/** `hamkit spots`: annotates the lines of a DX cluster. */
import type { Command } from "commander";

import { examplesText } from "../terminal/help-text.js";
import { addLookupOptions } from "../databases/lookup-options.js";
import type { Session } from "../session.js";
import type { SpotsOptions } from "../reports/spots-report.js";

const EXAMPLES = [
  { line: "hamkit spots < spots.txt", shows: "the lines of a file" },
  { line: "hamkit spots --from JN48QM < spots.txt", shows: "with distance and heading" },
  { line: "hamkit spots --at 2024-06-30 < spots.txt", shows: "lines received on that day" },
  { line: "hamkit spots --json < spots.txt", shows: "one JSON object per line" },
];

export function addSpotsCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("spots"))
    .summary("lines of a DX cluster, with country, zones and distance")
    .description(
      "Reads the lines of a DX cluster from standard input and writes each immediately, with country, zones, distance " +
        "and heading of the station. Decodes spots (DX de, PC11, PC61), announcements, and the reports WWV and WCY; " +
        "other lines are passed through.",
    )
    .option("--from <locator>", "own locator, for distances and headings")
    .option("--json", "output JSON: one object for each line that is not blank")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (options: SpotsOptions) => {
      const { reportSpots } = await import("../reports/spots-report.js");
      await reportSpots(options, session);
    });
}
