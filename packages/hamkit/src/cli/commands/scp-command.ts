/** `hamkit scp`: calls by a part of them, or by what one may have misheard. */
import { InvalidArgumentError, Option, type Command } from "commander";

import { examplesText } from "../terminal/help-text.js";
import type { ScpOptions } from "../reports/scp-report.js";
import type { Session } from "../session.js";

const EXAMPLES = [
  { line: "hamkit scp 1TW", shows: "the calls with this part" },
  { line: "hamkit scp D?1TW", shows: "? is any one character; quote it in zsh" },
  { line: "hamkit scp DL1TW --near", shows: "the calls that one change makes of it" },
  { line: "hamkit scp DL1TW --distance 2 --limit 20", shows: "or two changes; the best 20" },
  { line: "hamkit scp 1TW --file MASTER.SCP", shows: "in a list of your own" },
];

export function addScpCommand(program: Command, session: Session): void {
  program
    .command("scp")
    .summary("calls by part or similarity, in a list of calls heard in contests")
    .description(
      "Finds calls that contain a part, or that are near a call, in the list of calls heard in contests from " +
        "supercheckpartial.com, which is kept for a week, or in a list of your own.",
    )
    .argument("<pattern...>", "letters, digits, / and ? for any one character; - reads standard input")
    .option("--near", "calls that a character more, less or other, or two swapped, make of the pattern")
    .addOption(
      new Option("--distance <changes>", "with --near: how many such changes; 1 when left out")
        .choices(["1", "2"])
        .implies({ near: true }),
    )
    .option("--limit <number>", "the most calls to show for a pattern; 50 when left out", requireLimit)
    .option("--file <path>", "search this list: a file with a call on each line, or its http address")
    .option("--offline", "search the list that was kept, however old, without asking the network")
    .option("--json", "answer in JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (patterns: string[], options: ScpOptions) => {
      const { reportScp } = await import("../reports/scp-report.js");
      session.present(await reportScp(patterns, options, session), options);
    });
}

function requireLimit(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 1.");
}
