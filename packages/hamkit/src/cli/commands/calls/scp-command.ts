/** `hamkit scp`: partial and similarity search in a list of contest calls. */
import { Option, type Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import { integerFrom } from "../../input/integer-option.js";
import type { ScpOptions } from "../../reports/calls/scp-report.js";
import type { Session } from "../../session.js";

const EXAMPLES = [
  { line: "hamkit scp 1TW", shows: "calls that contain this part" },
  { line: "hamkit scp D?1TW", shows: "? is any one character; quote it in zsh" },
  { line: "hamkit scp DL1TW --near", shows: "calls at edit distance 1" },
  { line: "hamkit scp DL1TW --distance 2 --limit 20", shows: "up to edit distance 2; the best 20" },
  { line: "hamkit scp 1TW --file MASTER.SCP", shows: "in your own list" },
];

export function addScpCommand(program: Command, session: Session): void {
  program
    .command("scp")
    .summary("partial and similarity search in a list of contest calls")
    .description(
      "Finds calls that contain a part, or that are similar to a call, in the list of contest calls of " +
        "supercheckpartial.com, which is cached for a week, or in your own list.",
    )
    .argument("<pattern...>", "letters, digits, / and ? for any one character; - reads standard input")
    .option("--near", "similarity search: insertions, deletions, substitutions, swaps of adjacent characters")
    .addOption(
      new Option("--distance <changes>", "with --near: maximum edit distance; default 1")
        .choices(["1", "2"])
        .implies({ near: true }),
    )
    .option(
      "--limit <number>",
      "maximum number of calls per pattern; default 50",
      integerFrom(1, 1_000_000_000),
    )
    .option("--file <path>", "search this list: a file with one call per line, or its http address")
    .option("--offline", "search the cached list, whatever its age, without network access")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (patterns: string[], options: ScpOptions) => {
      const { reportScp } = await import("../../reports/calls/scp-report.js");
      session.present(await reportScp(patterns, options, session), options);
    });
}
