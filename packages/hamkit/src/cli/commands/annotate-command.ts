/** `hamkit annotate`: a copy of a log, with what its callsigns tell. */
import { Option, type Command } from "commander";

import type { AnnotateOptions } from "../reports/annotate-report.js";
import { examplesText } from "../terminal/help-text.js";
import { addDataOptions } from "../databases/lookup-options.js";
import type { Session } from "../session.js";

const EXAMPLES = [
  { line: "hamkit annotate mylog.adi --from JN48QM", shows: "writes mylog.annotated.adi" },
  { line: "hamkit annotate contest.cbr --from JN48QM -o contest.adi", shows: "Cabrillo becomes ADIF" },
  { line: "hamkit annotate mylog.adi --to csv", shows: "for a spreadsheet" },
  { line: "hamkit annotate mylog.adi --overwrite", shows: "puts right what the log has, too" },
];

const ADDS = `
Adds COUNTRY, DXCC, CQZ, ITUZ and CONT to each QSO, by the rules of its own time, and with one's own
place DISTANCE in km and APP_HAMKIT_HEADING in degrees. What the log has already is kept, and where it
differs is told.`;

export function addAnnotateCommand(program: Command, session: Session): void {
  const command = program
    .command("annotate")
    .summary("a copy of a log with country, zones, distance and heading")
    .description(`Reads a log in ADIF (.adi, .adx) or Cabrillo and writes an annotated copy.\n${ADDS}`)
    .argument("<log>", "the log; it is never changed")
    .option("-o, --output <path>", "the new file; LOG.annotated.adi and the like when left out")
    .addOption(
      new Option(
        "--to <format>",
        "format of the new file; the log's own, or adi for Cabrillo, when left out",
      ).choices(["adi", "adx", "json", "csv"]),
    )
    .option("--from <locator>", "one's own place; what the log says of it when left out")
    .option("--overwrite", "replace values of the log that differ")
    .option("--force", "replace the new file where there is one already");
  addDataOptions(command)
    .option("--json", "answer in JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (log: string, options: AnnotateOptions) => {
      const { reportAnnotation } = await import("../reports/annotate-report.js");
      session.present(await reportAnnotation(log, options, session), options);
    });
}
