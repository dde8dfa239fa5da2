/** `hamkit call`: country, zones and position of callsigns. */
import type { Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import { addLookupOptions } from "../../databases/lookup-options.js";
import type { CallOptions } from "../../reports/calls/call-report.js";
import type { Session } from "../../session.js";

const EXAMPLES = [
  { line: "hamkit call DH1TW", shows: "one callsign: a card" },
  { line: "hamkit call HC2/DH1TW W1AW/6 9H1XYZ/MM", shows: "several: a table" },
  { line: "hamkit call VK9XNA --at 2001-06-30", shows: "as of that date" },
  { line: "hamkit call DH1TW --file cty.dat", shows: "with your own country file" },
  { line: "hamkit call --explain 3Y0PI", shows: "why: entry, other entries, how sure" },
  { line: "hamkit call - --json < calls.txt", shows: "one callsign per line, JSON output" },
];

export function addCallCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("call"))
    .summary("country, zones and position of callsigns")
    .description(
      "Shows country, zones, position and locator of callsigns, and which part of the callsign matched.",
    )
    .argument(
      "<call...>",
      "callsigns; - reads them from standard input, one per line, and answers each as it arrives",
    )
    .option("--explain", "explain how each callsign matches; several databases with --in are compared")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (calls: string[], options: CallOptions) => {
      if (options.explain) {
        const { explainCalls } = await import("../../reports/calls/explain-report.js");
        await explainCalls(calls, options, session);
        return;
      }
      if (calls.includes("-")) {
        const { streamCalls } = await import("../../reports/calls/call-stream.js");
        await streamCalls(calls, options, session);
        return;
      }
      const { reportCalls } = await import("../../reports/calls/call-report.js");
      session.present(await reportCalls(calls, options, session), options);
    });
}
