/** `hamkit call`: what is known of callsigns. */
import type { Command } from "commander";

import { examplesText } from "../terminal/help-text.js";
import { addLookupOptions } from "../databases/lookup-options.js";
import type { CallOptions } from "../reports/call-report.js";
import type { Session } from "../session.js";

const EXAMPLES = [
  { line: "hamkit call DH1TW", shows: "one callsign: a card" },
  { line: "hamkit call HC2/DH1TW W1AW/6 9H1XYZ/MM", shows: "several: a table" },
  { line: "hamkit call VK9XNA --at 2001-06-30", shows: "by the rules of that time" },
  { line: "hamkit call DH1TW --file cty.dat", shows: "by a country file of your own" },
  { line: "hamkit call - --json < calls.txt", shows: "a callsign per line, answers for programs" },
];

export function addCallCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("call"))
    .summary("country, zones and position of callsigns")
    .description("Country, zones, position and locator of callsigns, and which part of them told it.")
    .argument("<call...>", "callsigns; - reads them from standard input, one per line")
    .option("--json", "answer in JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (calls: string[], options: CallOptions) => {
      const { reportCalls } = await import("../reports/call-report.js");
      session.present(await reportCalls(calls, options, session), options);
    });
}
