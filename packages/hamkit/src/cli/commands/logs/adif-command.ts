/** `hamkit adif`: checks, repairs and converts ADIF files. */
import { InvalidArgumentError, Option, type Command } from "commander";

import type {
  AdifCheckOptions,
  AdifConvertOptions,
  AdifOutputOptions,
} from "../../reports/logs/adif-report.js";
import type { Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";

const EXAMPLES = [
  { line: "hamkit adif check mylog.adi", shows: "what is wrong with the values of a log" },
  { line: "hamkit adif repair mylog.adi", shows: "writes mylog.repaired.adi" },
  { line: "hamkit adif convert mylog.adi --to adx", shows: "writes mylog.adx" },
  {
    line: "hamkit adif convert test.adi --to cabrillo --header CATEGORY-BAND=ALL",
    shows: "writes test.cbr",
  },
];

const REPAIRS = `
Repairs what has only one plausible reading: wrong lengths, line ends, dates, times, decimal commas, units,
modes that are submodes, names instead of codes. Each repair is listed. Text between records is not kept.`;

export function addAdifCommand(program: Command, { ink, present }: Session): void {
  const adif = program
    .command("adif")
    .summary("check, repair and convert ADIF files")
    .description("Checks, repairs and converts logs in ADIF 3.1.7 (.adi, .adx, JSON).")
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
      const { reportAdifCheck } = await import("../../reports/logs/adif-report.js");
      present(await reportAdifCheck(log, options), options);
    });

  addOutputOptions(
    adif
      .command("repair")
      .summary("a repaired copy of a log")
      .description(`Writes a repaired copy of a log.\n${REPAIRS}`)
      .argument("<log>", "the input log, which is never changed"),
    "LOG.repaired.FORMAT",
    ["adi", "adx", "json", "csv"],
  ).action(async (log: string, options: AdifOutputOptions) => {
    const { reportAdifRepair } = await import("../../reports/logs/adif-report.js");
    present(await reportAdifRepair(log, options), options);
  });

  addOutputOptions(
    adif
      .command("convert")
      .summary("a copy of a log in another format")
      .description("Writes a copy of a log in ADIF, Cabrillo or EDI (REG1TEST) in another format.")
      .argument("<log>", "the input log, which is never changed"),
    "LOG.FORMAT",
    ["adi", "adx", "json", "csv", "cabrillo", "edi"],
  )
    .option("--header <tag=text>", "a line of a Cabrillo or EDI header; may be repeated", addHeader)
    .option("--columns <fields>", "Cabrillo: the exchanges, such as: RST_SENT STX CALL RST_RCVD SRX")
    .option("--band <band>", "EDI: the band to write, such as 2m, if the log has several")
    .action(async (log: string, options: AdifConvertOptions) => {
      const { reportAdifConversion } = await import("../../reports/logs/adif-report.js");
      present(await reportAdifConversion(log, options), options);
    });
}

function addHeader(text: string, lines: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, tag, value] = /^([A-Za-z][A-Za-z\d-]*)=(.*)$/s.exec(text) ?? [];
  if (tag === undefined || value === undefined)
    throw new InvalidArgumentError("Expected a tag and a text, such as CATEGORY-BAND=ALL.");
  const before = Object.hasOwn(lines, tag) ? `${lines[tag]}\n` : "";
  return { ...lines, [tag]: before + value };
}

function addOutputOptions(command: Command, output: string, formats: readonly string[]): Command {
  return command
    .option("-o, --output <path>", `output file; default: ${output}`)
    .addOption(new Option("--to <format>", "output format; default: adi").choices(formats))
    .option("--force", "replace an existing output file")
    .option("--json", "output JSON");
}
