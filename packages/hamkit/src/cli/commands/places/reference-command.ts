/** `hamkit reference`: parks, summits, nature reserves and island groups, by reference or near a place. */
import { Option, type Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import { integerFrom } from "../../input/integer-option.js";
import type { ReferenceOptions } from "../../reports/places/reference-report.js";
import type { Session } from "../../session.js";

const EXAMPLES = [
  { line: "hamkit reference US-0001 DLFF-0001", shows: "names and places of references" },
  { line: "hamkit reference --near JN48QM", shows: "the nearest parks" },
  { line: "hamkit reference --near DL1ABC --program sota --limit 3", shows: "the three nearest summits" },
  { line: "hamkit reference DM/BW-001 --file summitslist.csv", shows: "in a local copy of the list" },
];

export function addReferenceCommand(program: Command, session: Session): void {
  program
    .command("reference")
    .summary("parks, summits, nature reserves and island groups")
    .description(
      "Looks up references of POTA, SOTA, WWFF and IOTA, or finds those near a place. The programs' lists are downloaded when " +
        "they are needed, and cached for a week.",
    )
    .argument("[reference...]", "US-0001, DM/BW-001, DLFF-0001 or EU-005; - reads standard input")
    .option("--near <place>", "the references nearest to a locator or callsign instead")
    .addOption(
      new Option(
        "--program <name>",
        "the award program; default: by the form of the reference, pota with --near",
      ).choices(["pota", "sota", "wwff", "iota"]),
    )
    .option("--limit <number>", "with --near: maximum number of references; default 10", integerFrom(1, 9999))
    .option("--file <path>", "read this copy of the list, or its http address")
    .option("--offline", "use the cached lists, whatever their age, without network access")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (references: string[], options: ReferenceOptions) => {
      const { reportReferences } = await import("../../reports/places/reference-report.js");
      session.present(await reportReferences(references, options, session), options);
    });
}
