/** `hamkit sun`: when the sun rises and sets at a place, and where it stands. */
import type { Command } from "commander";

import { examplesText, placesText } from "../terminal/help-text.js";
import { addLookupOptions } from "../databases/lookup-options.js";
import type { SunOptions } from "../reports/sun-report.js";
import type { Session } from "../session.js";

const EXAMPLES = [
  { line: "hamkit sun JN48QM", shows: "from now on" },
  { line: "hamkit sun W1AW --at 2024-06-20T12:00", shows: "from a moment on, at a callsign's place" },
  { line: "hamkit sun JQ78 --at 2024-12-21 --json", shows: "polar night, for programs" },
];

export function addSunCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("sun"))
    .summary("next dawn, sunrise, sunset and dusk, and where the sun stands")
    .description(
      "When the sun next rises and sets at a place, when civil twilight (6° below the horizon) begins and ends, and where the sun stands.",
    )
    .argument("<place>", "locator or callsign")
    .option("--json", "answer in JSON")
    .addHelpText("after", placesText(session.ink))
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (place: string, options: SunOptions) => {
      const { reportSun } = await import("../reports/sun-report.js");
      session.present(await reportSun(place, options, session), options);
    });
}
