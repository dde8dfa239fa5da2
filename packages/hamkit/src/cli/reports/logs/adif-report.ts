/** Implements `hamkit adif`. */
import { basename, dirname, extname, join } from "node:path";

import { readAdif } from "../../../adif/parse-adif.js";
import type { AdifHeader } from "../../../adif/record-collector.js";
import { repairLog } from "../../../adif/repair-adif.js";
import { validateRecord, type ValidateRecordOptions } from "../../../adif/validate-record.js";
import { LogError } from "../../../errors.js";
import { readBytes } from "../../../io/file.js";
import { identify, loadEmbeddedCountryFile } from "../../../lookup.js";
import { userDefinedNames } from "../../../logs/adif/user-defined.js";
import { readLog } from "../../../logs/read-log.js";
import { writeLog, type OutputFormat, type WriteLogOptions } from "../../../logs/write-log.js";
import { EXIT } from "../../exit-code.js";
import { piecesOf, requireFreePath, requireMaxSize, writeNewFile } from "../../input/log-files.js";
import type { Report } from "../../session.js";
import { adifCheckLines, adifRepairLines, type ListedFinding } from "./adif-text.js";

export interface AdifCheckOptions {
  readonly entities?: boolean;
  readonly info?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

export interface AdifOutputOptions {
  readonly output?: string;
  readonly to?: OutputFormat;
  readonly force?: boolean;
  readonly json?: boolean;
}

export interface AdifConvertOptions
  extends AdifOutputOptions, Pick<WriteLogOptions, "header" | "columns" | "band"> {}

/** Findings that are listed; more are only counted, since a broken log has millions. */
const MAX_LISTED = 10_000;

/**
 * Checks a log.
 *
 * @throws {IOError} The file can't be read.
 */
export async function reportAdifCheck(input: string, options: AdifCheckOptions): Promise<Report> {
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
  const stream = readAdif(piecesOf(input), { onFinding: add });
  for await (const { record, header, index } of stream) {
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
 * @throws {LogError} The input has no records.
 * @throws {IOError} A file can't be read or written.
 * @throws {UsageError} The output file is the input log, or already exists.
 */
export async function reportAdifRepair(input: string, options: AdifOutputOptions): Promise<Report> {
  const { to: format = "adi", force = false } = options;
  const output = options.output ?? pathBeside(input, `.repaired.${format}`);
  await requireMaxSize(input);
  await requireFreePath(output, input, force);
  const { log, repairs, findings } = repairLog(await readBytes(input));
  const records = log.qsos.length;
  // Rather another file than a log without contacts.
  if (records === 0)
    throw new LogError({ file: input, expected: "a log in ADIF (.adi, .adx, JSON)", found: "no records" });
  await writeNewFile(output, writeLog(log, { format }), force);
  return {
    document: { input, output, format, records, repairs, findings },
    lines: () => adifRepairLines({ output, records, repairs }),
  };
}

/**
 * Writes a copy of a log in another format.
 *
 * @throws {LogError} The input is not a log, or lacks what the format requires.
 * @throws {IOError} A file can't be read or written.
 * @throws {UsageError} The output file is the input log, or already exists.
 */
export async function reportAdifConversion(input: string, options: AdifConvertOptions): Promise<Report> {
  const { to: format = "adi", force = false, header, columns, band } = options;
  const output = options.output ?? pathBeside(input, format === "cabrillo" ? ".cbr" : `.${format}`);
  await requireMaxSize(input);
  await requireFreePath(output, input, force);
  const log = await readLog(await readBytes(input), { name: input });
  await writeNewFile(output, writeLog(log, { format, header, columns, band }), force);
  const { problems, problemCount } = log;
  return {
    document: { input, output, format, records: log.qsos.length, problems, problemCount },
    lines: () => [`${log.qsos.length} QSOs written to ${output}`],
    errors: problems.map(({ line, message }) => `line ${line}: ${message}`),
    exitCode: problemCount > 0 ? EXIT.notFound : EXIT.success,
  };
}

function pathBeside(input: string, ending: string): string {
  return join(dirname(input), `${basename(input, extname(input))}${ending}`);
}
