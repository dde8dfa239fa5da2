/** `hamkit adif`: checks, repairs and converts ADIF files. */
import { Option, type Command } from "commander";

import type { AdifCheckOptions, AdifOutputOptions } from "../reports/adif-report.js";
import type { Session } from "../session.js";
import { examplesText } from "../terminal/help-text.js";

const EXAMPLES = [
  { line: "hamkit adif check mylog.adi", shows: "what is wrong with the values of a log" },
  { line: "hamkit adif repair mylog.adi", shows: "writes mylog.repaired.adi" },
  { line: "hamkit adif convert mylog.adi --to adx", shows: "writes mylog.adx" },
];

const REPAIRS = `
Repairs what has only one plausible reading: wrong lengths, line ends, dates, times, decimal commas, units,
modes that are submodes, names instead of codes. Each repair is listed. Text between records is not kept.`;

export function addAdifCommand(program: Command, { ink, present }: Session): void {
  const adif = program
    .command("adif")
    .summary("check, repair and convert ADIF files")
    .description("Checks, repairs and converts logs in ADIF 3.1.7 (.adi, .adx).")
    .addHelpText("after", examplesText(EXAMPLES, ink));

  adif
    .command("check")
    .summary("findings by record and field")
    .description(
      "Checks data types, ranges, enumerations and contradictions. A log of any size is read piece by piece.",
    )
    .argument("<log>", "the log")
    .option("--entities", "also compare DXCC with the call, by the embedded country file of today")
    .option("--info", "also list what is legal, but worth knowing")
    .option("--all", "list all findings, not only the first of each rule")
    .option("--json", "output JSON")
    .action(async (log: string, options: AdifCheckOptions) => {
      const { reportAdifCheck } = await import("../reports/adif-report.js");
      present(await reportAdifCheck(log, options), options);
    });

  addOutputOptions(
    adif
      .command("repair")
      .summary("a repaired copy of a log")
      .description(`Writes a repaired copy of a log.\n${REPAIRS}`)
      .argument("<log>", "the input log, which is never changed"),
    "LOG.repaired.FORMAT",
  ).action(async (log: string, options: AdifOutputOptions) => {
    const { reportAdifRepair } = await import("../reports/adif-report.js");
    present(await reportAdifRepair(log, options), options);
  });

  addOutputOptions(
    adif
      .command("convert")
      .summary("a copy of a log in another format")
      .description("Writes a copy of a log in ADIF or Cabrillo in another format.")
      .argument("<log>", "the input log, which is never changed"),
    "LOG.FORMAT",
  ).action(async (log: string, options: AdifOutputOptions) => {
    const { reportAdifConversion } = await import("../reports/adif-report.js");
    present(await reportAdifConversion(log, options), options);
  });
}

function addOutputOptions(command: Command, output: string): Command {
  return command
    .option("-o, --output <path>", `output file; default: ${output}`)
    .addOption(
      new Option("--to <format>", "output format; default: adi").choices(["adi", "adx", "json", "csv"]),
    )
    .option("--force", "replace an existing output file")
    .option("--json", "output JSON");
}
