/** `hamkit wsjtx`: a live table of what WSJT-X decodes. */
import type { Command } from "commander";

import { addDataOptions } from "../../databases/lookup-options.js";
import { integerFrom } from "../../input/integer-option.js";
import type { WsjtxOptions } from "../../reports/live/wsjtx-report.js";
import type { Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";

const EXAMPLES = [
  { line: "hamkit wsjtx", shows: "what WSJT-X, JTDX or MSHV decodes on this computer" },
  { line: "hamkit wsjtx --log mylog.adi", shows: "with marks for new entities, bands and calls" },
  { line: "hamkit wsjtx --group 224.0.0.1", shows: "together with other programs that listen" },
  { line: "hamkit wsjtx --json", shows: "one JSON object per datagram" },
];

export function addWsjtxCommand(program: Command, session: Session): void {
  addDataOptions(program.command("wsjtx"))
    .summary("what WSJT-X decodes, with country, distance and new ones")
    .description(
      "Listens to the UDP datagrams of WSJT-X, JTDX and MSHV and writes each decode immediately, with country, distance and " +
        "heading of its sender, until it is interrupted. Set the programs to send to this computer, port 2237.",
    )
    .option("--from <locator>", "own locator; default: that of the program")
    .option(
      "--log <path>",
      "a log in ADIF, Cabrillo or EDI: marks entities, bands and calls that are not in it",
    )
    .option("--port <number>", "the UDP port; default 2237", integerFrom(1, 65_535))
    .option("--address <address>", "the local address to listen at; default 127.0.0.1")
    .option("--group <address>", "the multicast group that the programs send to, such as 224.0.0.1")
    .option("--interface <address>", "with --group: the local address of one network interface; default: all")
    .option("--count <number>", "end after this number of decodes", integerFrom(1, 1_000_000_000))
    .option("--json", "output JSON: one object per datagram")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (options: WsjtxOptions) => {
      const { reportWsjtx } = await import("../../reports/live/wsjtx-report.js");
      await reportWsjtx(options, session);
    });
}
