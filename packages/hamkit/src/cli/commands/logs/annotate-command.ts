/** `hamkit annotate`: adds country, zones, distance and heading to a copy of a log. */
import { Option, type Command } from "commander";

import type { AnnotateOptions } from "../../reports/logs/annotate-report.js";
import { examplesText } from "../../terminal/help-text.js";
import { addDataOptions } from "../../databases/lookup-options.js";
import type { Session } from "../../session.js";

const EXAMPLES = [
  { line: "hamkit annotate mylog.adi --from JN48QM", shows: "writes mylog.annotated.adi" },
  { line: "hamkit annotate contest.cbr --from JN48QM -o contest.adi", shows: "Cabrillo becomes ADIF" },
  { line: "hamkit annotate mylog.adi --to csv", shows: "for a spreadsheet" },
  { line: "hamkit annotate mylog.adi --overwrite", shows: "replaces values of the log that differ" },
];

const ADDS = `
Adds COUNTRY, DXCC, CQZ, ITUZ and CONT to each QSO, as valid at the time of the QSO. If the own location
is known, adds DISTANCE in km and APP_HAMKIT_HEADING in degrees. Values of the log are kept; values that
differ are reported.`;

export function addAnnotateCommand(program: Command, session: Session): void {
  const command = program
    .command("annotate")
    .summary("a copy of a log with country, zones, distance and heading")
    .description(
      `Reads a log in ADIF (.adi, .adx, JSON), Cabrillo or EDI and writes an annotated copy.\n${ADDS}`,
    )
    .argument("<log>", "the input log, which is never changed")
    .option("-o, --output <path>", "output file; default: LOG.annotated.FORMAT")
    .addOption(
      new Option(
        "--to <format>",
        "output format; default: that of the log, adi for Cabrillo and EDI",
      ).choices(["adi", "adx", "json", "csv"]),
    )
    .option("--from <locator>", "own locator; default: the location in the log")
    .option("--overwrite", "replace values of the log that differ")
    .option("--force", "replace an existing output file");
  addDataOptions(command)
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (log: string, options: AnnotateOptions) => {
      const { reportAnnotation } = await import("../../reports/logs/annotate-report.js");
      session.present(await reportAnnotation(log, options, session), options);
    });
}
