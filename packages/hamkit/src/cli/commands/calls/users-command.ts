/** `hamkit users`: searches callsigns in the user lists of the log service, the card service and the logbook. */
import { InvalidArgumentError, Option, type Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import type { Session } from "../../session.js";
import { LIST_NAMES, type ListName } from "../../databases/user-list-names.js";
import type { UsersOptions } from "../../reports/calls/users-report.js";

const EXAMPLES = [
  { line: "hamkit users W1AW", shows: "one callsign: a card" },
  { line: "hamkit users W1AW DH1TW DL1ABC", shows: "several: a table" },
  { line: "hamkit users W1AW --list logbook", shows: "only in the list of the logbook" },
  { line: "hamkit users W1AW --logbook-from users.csv", shows: "with a local copy of that list" },
  { line: "hamkit users - --offline < calls.txt", shows: "one callsign per line, without network" },
];

export function addUsersCommand(program: Command, session: Session): void {
  program
    .command("users")
    .summary("callsigns in the user lists of the logbook, the log service and the card service")
    .description(
      "Searches callsigns in the user lists of the logbook (lotw.arrl.org), the log service (clublog.org) and the " +
        "card service (eqsl.cc), and shows their last upload. Downloaded lists are cached for a day.",
    )
    .argument("<call...>", "callsigns; - reads them from standard input, one per line")
    .addOption(listOption())
    .option("--logbook-from <path>", "file or http address of the logbook's list (CSV)")
    .option("--logsite-from <path>", "file or http address of the log service's list (zip)")
    .option("--cardsite-from <path>", "file or http address of the card service's list (text)")
    .option("--offline", "use the cached lists, whatever their age, without network access")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (calls: string[], options: UsersOptions) => {
      const { reportUsers } = await import("../../reports/calls/users-report.js");
      session.present(await reportUsers(calls, options, session), options);
    });
}

/** `--list`, which can be repeated. */
function listOption(): Option {
  return new Option("--list <name>", "search only this list; can be repeated")
    .choices(LIST_NAMES)
    .argParser((text: string, before: readonly ListName[] | undefined) => {
      const name = LIST_NAMES.find((known) => known === text);
      if (name === undefined) throw new InvalidArgumentError(`Allowed choices are ${LIST_NAMES.join(", ")}.`);
      return [...(before ?? []), name];
    });
}
