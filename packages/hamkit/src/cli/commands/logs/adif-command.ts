/** `hamkit adif`: checks, repairs and converts ADIF files. */
import { basename, dirname, extname, join } from "node:path";

import { InvalidArgumentError, Option, type Command } from "commander";

import type { Session, Report } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import type { AdifHeader, AdifFileFinding } from "../../../adif/parse-adif.js";
import type { AdifRepair } from "../../../adif/repair-adif.js";
import type { ValidateRecordOptions } from "../../../adif/validate-record.js";
import { LogError } from "../../../errors.js";
import { readBytes } from "../../../io/file.js";
import { identify, loadEmbeddedCountryFile } from "../../../lookup.js";
import { userDefinedNames } from "../../../logs/adif-text/adx-writer.js";
import type { LogProblem } from "../../../logs/log.js";
import { otherFileKind, readLog } from "../../../logs/read-log.js";
import { writeLog, type OutputFormat, type WriteLogOptions } from "../../../logs/write-log.js";
import { EXIT } from "../../exit-code.js";
import { requireFreePath, requireMaxSize, writeNewFile } from "../../input/log-files.js";
import { readRecords } from "../../input/log-records.js";
import { showValue } from "../../../show-value.js";
import { toPrintable } from "../../terminal/terminal.js";

const EXAMPLES = [
  { line: "hamkit adif check mylog.adi", shows: "what is wrong with the values of a log" },
  { line: "hamkit adif repair mylog.adi", shows: "writes mylog.repaired.adi" },
  { line: "hamkit adif convert mylog.adi --to adx", shows: "writes mylog.adx" },
  { line: "hamkit adif convert activation.txt", shows: "FLE becomes ADIF: writes activation.adi" },
  {
    line: "hamkit adif convert test.adi --to cabrillo --header CATEGORY-BAND=ALL",
    shows: "writes test.cbr",
  },
];

const REPAIRS = `
Repairs what has only one plausible reading: wrong lengths, line ends, dates, times, decimal commas, units,
modes that are submodes, names instead of codes. Each repair is listed. Text between records is not kept.`;

export function defineAdifCommand(command: Command, { ink, present }: Session): void {
  command
    .description("Checks, repairs and converts logs in ADIF 3.1.7 (.adi, .adx, JSON).")
    .addHelpText("after", examplesText(EXAMPLES, ink));

  command
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
      present(await reportAdifCheck(log, options), options);
    });

  addOutputOptions(
    command
      .command("repair")
      .summary("a repaired copy of a log")
      .description(`Writes a repaired copy of a log.\n${REPAIRS}`)
      .argument("<log>", "the input log, which is never changed"),
    "LOG.repaired.FORMAT",
    ["adi", "adx", "json", "csv"],
  ).action(async (log: string, options: AdifOutputOptions) => {
    present(await reportAdifRepair(log, options), options);
  });

  addOutputOptions(
    command
      .command("convert")
      .summary("a copy of a log in another format")
      .description("Writes a copy of a log in ADIF, Cabrillo, EDI (REG1TEST) or FLE in another format.")
      .argument("<log>", "the input log, which is never changed"),
    "LOG.FORMAT",
    ["adi", "adx", "json", "csv", "cabrillo", "edi"],
  )
    .option("--header <tag=text>", "a line of a Cabrillo or EDI header; may be repeated", addHeader)
    .option("--columns <fields>", "Cabrillo: the exchanges, such as: RST_SENT STX CALL RST_RCVD SRX")
    .option("--band <band>", "EDI: the band to write, such as 2m, if the log has several")
    .option("--interpolate", "from FLE: QSOs without a time get one between those around them")
    .option("--consecutive", "from FLE: QSOs without a sent number get the next one")
    .action(async (log: string, options: AdifConvertOptions) => {
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

interface AdifCheckOptions {
  readonly entities?: boolean;
  readonly info?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

interface AdifOutputOptions {
  readonly output?: string;
  readonly to?: OutputFormat;
  readonly force?: boolean;
  readonly json?: boolean;
}

interface AdifConvertOptions extends AdifOutputOptions, Pick<WriteLogOptions, "header" | "columns" | "band"> {
  readonly interpolate?: boolean;
  readonly consecutive?: boolean;
}

/** Findings that are listed; more are only counted, since a broken log has millions. */
const MAX_LISTED = 10_000;

/**
 * Checks a log.
 *
 * @throws {IOError} The file can't be read.
 */
async function reportAdifCheck(input: string, options: AdifCheckOptions): Promise<Report> {
  const { validateRecord } = await import("../../../adif/validate-record.js");
  const { info = false, all = false, entities = false } = options;
  const findings: ListedFinding[] = [];
  const counts = new Map<string, number>();
  const add = (finding: ListedFinding) => {
    if (finding.level === "info" && !info) return;
    counts.set(finding.rule, (counts.get(finding.rule) ?? 0) + 1);
    if (findings.length < MAX_LISTED) findings.push(finding);
  };
  const validation = entities ? await entityValidation() : {};
  let records = 0;
  let last: AdifHeader | undefined;
  let userDefined: ReadonlySet<string> = new Set();
  for await (const { record, header, index } of readRecords(input, { onFinding: add })) {
    if (header !== last) {
      last = header;
      userDefined = userDefinedNames(Object.entries(header.fields).map(([name, value]) => ({ name, value })));
    }
    for (const finding of validateRecord(record, { ...validation, userDefined }))
      add({ record: index, call: record["CALL"], ...finding });
    records++;
  }
  if (records === 0) add({ level: "error", rule: "no-records", message: "the file has no records" });
  const total = Array.from(counts.values()).reduce((sum, count) => sum + count, 0);
  const isClean = total === 0;
  return {
    document: { input, records, findingCount: total, rules: Object.fromEntries(counts), findings },
    lines: () => adifCheckLines({ input, records, findings, counts, all }),
    exitCode: isClean ? EXIT.success : EXIT.notFound,
  };
}

async function entityValidation(): Promise<ValidateRecordOptions> {
  const table = await loadEmbeddedCountryFile();
  return {
    entityOf: (callsign, at) => {
      const result = identify(callsign, { table, ...(at !== undefined && { at }) });
      return result.kind === "identified" ? result.record.adif : undefined;
    },
  };
}

/**
 * Writes a repaired copy of a log.
 *
 * @throws {LogError} The input is an archive or another file that is no text, or has no records.
 * @throws {IOError} A file can't be read or written.
 * @throws {UsageError} The output file is the input log, or already exists.
 */
async function reportAdifRepair(input: string, options: AdifOutputOptions): Promise<Report> {
  const { to: format = "adi", force = false } = options;
  const output = options.output ?? pathBeside(input, `.repaired.${format}`);
  await requireMaxSize(input);
  await requireFreePath(output, input, force);
  const bytes = await readBytes(input);
  const expected = "a log in ADIF (.adi, .adx, JSON)";
  const other = otherFileKind(bytes);
  if (other !== undefined) throw new LogError({ file: input, expected, found: other });
  const { repairLog } = await import("../../../adif/repair-adif.js");
  const { log, repairs, findings } = repairLog(bytes);
  const records = log.qsos.length;
  // Rather another file than a log without contacts.
  if (records === 0) throw new LogError({ file: input, expected, found: "no records" });
  await writeNewFile(output, writeLog(log, { format }), force);
  return {
    document: { input, output, format, records, repairs, findings },
    lines: () => adifRepairLines({ output, records, repairs }),
    errors: damageLines(findings),
  };
}

/**
 * Writes a copy of a log in another format.
 *
 * @throws {LogError} The input is not a log, or lacks what the format requires.
 * @throws {IOError} A file can't be read or written.
 * @throws {UsageError} The output file is the input log, or already exists.
 */
async function reportAdifConversion(input: string, options: AdifConvertOptions): Promise<Report> {
  const { to: format = "adi", force = false, header, columns, band } = options;
  const output = options.output ?? pathBeside(input, format === "cabrillo" ? ".cbr" : `.${format}`);
  await requireMaxSize(input);
  await requireFreePath(output, input, force);
  const log = await readLog(await readBytes(input), {
    name: input,
    interpolateTimes: options.interpolate,
    consecutiveNumbers: options.consecutive,
  });
  const changes: LogProblem[] = [];
  const written = writeLog(log, {
    format,
    header,
    columns,
    band,
    onProblem: (change) => changes.push(change),
  });
  await writeNewFile(output, written, force);
  const { problems, problemCount } = log;
  return {
    document: { input, output, format, records: log.qsos.length, problems, problemCount, changes },
    lines: () => [`${log.qsos.length} QSOs written to ${output}`],
    errors: [
      ...problems.map(({ line, message }) => `line ${line}: ${message}`),
      ...changes.map(({ line, message }) => `line ${line} of ${output}: ${message}`),
    ],
    exitCode: problemCount > 0 ? EXIT.notFound : EXIT.success,
  };
}

/** A path in the folder of a file, with another ending. */
export function pathBeside(input: string, ending: string): string {
  return join(dirname(input), `${basename(input, extname(input))}${ending}`);
}

/** A finding with the call of its record, by which a user finds it. */
interface ListedFinding extends AdifFileFinding {
  readonly call?: string | undefined;
}

/** Findings and repairs that are listed of each rule, unless all are asked for. */
const MAX_EXAMPLES = 3;

interface CheckResult {
  readonly input: string;
  readonly records: number;
  readonly findings: readonly ListedFinding[];
  /** Number of findings by rule. */
  readonly counts: ReadonlyMap<string, number>;
  readonly all: boolean;
}

function adifCheckLines({ input, records, findings, counts, all }: CheckResult): string[] {
  const lines = [`${toPrintable(input)}: ${records} records`];
  for (const [rule, count] of counts) {
    const listed = findings.filter((finding) => finding.rule === rule);
    const shown = all ? listed : listed.slice(0, MAX_EXAMPLES);
    lines.push("", `${rule} (${count})`, ...shown.map(findingLine), ...restLine(count - shown.length));
  }
  if (counts.size === 0) lines.push("no findings");
  return lines;
}

/** Lines about text of a log that is damaged or was not read. What is only information, and what was repaired, is left out. */
export function damageLines(findings: readonly AdifFileFinding[]): string[] {
  const damage = findings.filter(
    ({ level, rule }) => (level === "error" && rule !== "not-adif") || LOST.test(rule),
  );
  const shown = damage.slice(0, MAX_EXAMPLES).map(placedMessage);
  return damage.length === 0
    ? []
    : [...shown, ...restLine(damage.length - shown.length).map((line) => line.trim())];
}

/** Rules of warnings about what no record has. Those of other formats than ADIF have the name of the format. */
const LOST =
  /^(?:(?:cabrillo|edi|fle)-.*|colon-missing|length-(?:missing|negative|not-a-number)|text-in-record|tag-damaged|header-in-the-middle|eoh-missing|eor-missing|duplicate-field)$/;

function findingLine(finding: ListedFinding): string {
  return `  ${finding.level}: ${placedMessage(finding)}`;
}

function placedMessage({ record, call, message }: ListedFinding): string {
  const place = record === undefined ? "file" : `record ${record + 1}${call === undefined ? "" : ` ${call}`}`;
  return `${toPrintable(place)}: ${toPrintable(message)}`;
}

interface RepairResult {
  readonly output: string;
  readonly records: number;
  readonly repairs: readonly AdifRepair[];
}

function adifRepairLines({ output, records, repairs }: RepairResult): string[] {
  const byRule = new Map<string, AdifRepair[]>();
  for (const repair of repairs) {
    const list = byRule.get(repair.rule);
    if (list === undefined) byRule.set(repair.rule, [repair]);
    else list.push(repair);
  }
  const lines = [`${records} records written to ${toPrintable(output)}, ${repairs.length} values repaired`];
  for (const [rule, list] of byRule) {
    const shown = list.slice(0, MAX_EXAMPLES).map(repairLine);
    lines.push("", `${rule} (${list.length})`, ...shown, ...restLine(list.length - shown.length));
  }
  return lines;
}

function repairLine({ record, field, before, after }: AdifRepair): string {
  const change = `${valueText(before)} becomes ${valueText(after)}`;
  return `  record ${record + 1}: ${toPrintable(field)}: ${toPrintable(change)}`;
}

function valueText(value: string | undefined): string {
  return value === undefined ? "no value" : showValue(value);
}

function restLine(count: number): string[] {
  return count > 0 ? [`  and ${count} more`] : [];
}
