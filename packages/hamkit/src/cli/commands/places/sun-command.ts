/** `hamkit sun`: sunrise, sunset, civil twilight and position of the sun at a place. */
import type { Command } from "commander";

import { examplesText, placesText } from "../../terminal/help-text.js";
import { addLookupOptions } from "../../databases/lookup-options.js";
import type { SunOptions } from "../../reports/places/sun-report.js";
import type { Session } from "../../session.js";

const EXAMPLES = [
  { line: "hamkit sun JN48QM", shows: "from now on" },
  { line: "hamkit sun W1AW --at 2024-06-20T12:00", shows: "from a given time, at a callsign's position" },
  { line: "hamkit sun JQ78 --at 2024-12-21 --json", shows: "polar night, as JSON" },
];

export function addSunCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("sun"))
    .summary("next dawn, sunrise, sunset and dusk, and the position of the sun")
    .description(
      "Shows the next sunrise and sunset at a place, begin and end of civil twilight (6° below the horizon), and the position of the sun.",
    )
    .argument("<place>", "locator or callsign")
    .option("--json", "output JSON")
    .addHelpText("after", placesText(session.ink))
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (place: string, options: SunOptions) => {
      const { reportSun } = await import("../../reports/places/sun-report.js");
      session.present(await reportSun(place, options, session), options);
    });
}
