/** `hamkit log`: merges logs, finds dupes, and matches the reports of services with a log. */
import type { Command } from "commander";

import type { AdifFileFinding, AdifHeader, AdifRecord } from "../../../adif/parse-adif.js";
import { LogError } from "../../../errors.js";
import type { ReportMatcher } from "../../../merge.js";
import { EXIT, UsageError } from "../../exit-code.js";
import { integerFrom } from "../../input/integer-option.js";
import { ANY_LOG } from "../../../logs/read-log.js";
import { requireFreePath } from "../../input/log-files.js";
import { readRecords } from "../../input/log-records.js";
import { createFileStore, openOutput } from "../../input/record-files.js";
import type { Report, Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { damageLines, pathBeside } from "./adif-command.js";
import { defineFetchCommand } from "./log-fetch.js";
import {
  createExamples,
  dupeLines,
  matchLines,
  mergeLines,
  adiField,
  adiRecord,
  type Examples,
} from "./log-text.js";

const EXAMPLES = [
  { line: "hamkit log merge old.adi new.adi -o all.adi", shows: "each contact once; conflicts are listed" },
  { line: "hamkit log fetch lotw --since 2026-01-01", shows: "LoTW's confirmations into lotw.adi" },
  { line: "hamkit log match mylog.adi lotw.adi", shows: "confirmations into mylog.matched.adi" },
  { line: "hamkit log dupes mylog.adi", shows: "contacts that are in the log several times" },
  { line: "hamkit log merge mylog.adi -o clean.adi", shows: "the log without its dupes" },
];

export function defineLogCommand(command: Command, session: Session): void {
  command
    .description(
      "Brings logs together, and writes ADIF. Contacts are the same with one call and band, in one group of modes (such as DATA, MFSK and FT4), " +
        "within minutes. Nothing is overwritten silently: where values contradict, the first log's is kept, and both are listed.",
    )
    .addHelpText("after", examplesText(EXAMPLES, session.ink));

  outputOptions(command.command("merge"), "LOG.merged.adi", 10)
    .summary("logs into one, each contact once")
    .description("Merges logs, also one log with itself. What a contact lacks is taken from the others.")
    .argument("<log...>", "the logs; the first one's values are kept")
    .action(async (logs: readonly string[], options: LogOptions) => {
      session.present(await reportMerge(logs, options), options);
    });
  outputOptions(command.command("match"), "LOG.matched.adi", 30)
    .summary("reports of LoTW, eQSL or QRZ with a log")
    .description(
      "Adds the confirmations of reports to a copy of a log, and lists what has no contact in the log.",
    )
    .argument("<log>", "the log, which is never changed")
    .argument("<report...>", "reports of LoTW, inboxes of eQSL, logbooks of QRZ, or logs of another program")
    .option("--source <name>", "lotw, eqsl, qrz or log; default: by the records")
    .action(async (log: string, reports: readonly string[], options: LogOptions) => {
      session.present(await reportMatch(log, reports, options), options);
    });
  defineFetchCommand(command.command("fetch"), session);
  commonOptions(command.command("dupes"), 10)
    .summary("contacts that are in a log several times")
    .description("Lists contacts that a log has several times, with what differs.")
    .argument("<log>", "the log")
    .action(async (log: string, options: LogOptions) => {
      session.present(await reportDupes(log, options), options);
    });
}

function commonOptions(command: Command, minutes: number): Command {
  return command
    .option(
      "--window <minutes>",
      `minutes between two times of a contact; default: ${minutes}`,
      integerFrom(0, 1440),
    )
    .option("--all", "list all, not only the first ten of each kind")
    .option("--json", "output JSON");
}

function outputOptions(command: Command, output: string, minutes: number): Command {
  return commonOptions(command, minutes)
    .option("-o, --output <path>", `output file; default: ${output}`)
    .option("--force", "replace an existing output file");
}

interface LogOptions {
  readonly window?: number;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly output?: string;
  readonly force?: boolean;
  readonly source?: string;
}

/** Findings that are kept: a broken log has millions. */
const MAX_FINDINGS = 1000;

interface Reading {
  readonly findings: AdifFileFinding[];
  header: AdifHeader | undefined;
}

/** The records of a log. @throws {LogError} It has none. */
async function* recordsOf(path: string, reading: Reading): AsyncGenerator<AdifRecord> {
  const onFinding = (finding: AdifFileFinding) => {
    if (reading.findings.length < MAX_FINDINGS) reading.findings.push(finding);
  };
  let count = 0;
  for await (const { record, header } of readRecords(path, { onFinding })) {
    reading.header ??= header;
    count++;
    yield record;
  }
  if (count > 0) return;
  const isPage = reading.findings.some(({ rule }) => rule === "html-instead-of-adif");
  throw new LogError({
    file: path,
    expected: ANY_LOG,
    found: isPage ? "a web page, as services send where a login failed" : "no records",
  });
}

async function reportMerge(inputs: readonly string[], options: LogOptions): Promise<Report> {
  const { createLogMerger } = await import("../../../merge.js");
  const output = await outputOf(inputs, options, ".merged.adi");
  const store = createFileStore();
  const reading: Reading = { findings: [], header: undefined };
  const examples = createExamples(options);
  const counts: { input: string; records: number }[] = [];
  try {
    const merger = createLogMerger({ windowMinutes: options.window, store });
    for (const input of inputs) {
      let records = 0;
      for await (const record of recordsOf(input, reading)) {
        merger.add(record);
        records++;
      }
      counts.push({ input, records });
    }
    store.ready();
    await writeRecords(output, { header: reading.header, force: options.force }, async (write) => {
      for (const input of inputs)
        for await (const record of recordsOf(input, { findings: [], header: undefined })) {
          const merged = merger.next(record);
          if (merged === undefined) continue;
          if (merged.repeated > 0) examples.add(merged);
          write(merged.record);
        }
    });
    const { contacts, repeated, incomparable } = merger;
    const result = { inputs: counts, output, contacts, repeated, incomparable, ...examples.summary() };
    return { document: result, lines: () => mergeLines(result), errors: damageLines(reading.findings) };
  } finally {
    store.close();
  }
}

async function reportMatch(input: string, reports: readonly string[], options: LogOptions): Promise<Report> {
  const { createReportMatcher, REPORT_SOURCES } = await import("../../../merge.js");
  const source = REPORT_SOURCES.find((name) => name === options.source);
  if (options.source !== undefined && source === undefined)
    throw new UsageError(`--source: ${options.source} is none of ${REPORT_SOURCES.join(", ")}`);
  const output = await outputOf([input, ...reports], options, ".matched.adi");
  const store = createFileStore();
  const reading: Reading = { findings: [], header: undefined };
  const examples = createExamples(options);
  try {
    const matcher = createReportMatcher({ source, windowMinutes: options.window, store });
    let contacts = 0;
    for await (const record of recordsOf(input, reading)) {
      matcher.addContact(record);
      contacts++;
    }
    const counts = await addReports(reports, { matcher, examples, findings: reading.findings });
    store.ready();
    let matched = 0;
    await writeRecords(output, { header: reading.header, force: options.force }, async (write) => {
      for await (const record of recordsOf(input, { findings: [], header: undefined })) {
        const found = matcher.next(record);
        if (found !== undefined) {
          matched++;
          examples.add(found);
        }
        write(found?.record ?? record);
      }
    });
    const result = { input, output, contacts, ...counts, matched, ...examples.summary() };
    return {
      document: result,
      lines: () => matchLines(result),
      errors: damageLines(reading.findings),
      exitCode: matched === 0 ? EXIT.notFound : EXIT.success,
    };
  } finally {
    store.close();
  }
}

interface Matching {
  readonly matcher: ReportMatcher;
  readonly examples: Examples;
  readonly findings: AdifFileFinding[];
}

async function addReports(
  reports: readonly string[],
  { matcher, examples, findings }: Matching,
): Promise<{ reports: readonly object[]; confirmed: number; unmatched: number }> {
  const sums = { confirmed: 0, unmatched: 0 };
  const files: { input: string; records: number }[] = [];
  for (const report of reports) {
    let records = 0;
    for await (const record of recordsOf(report, { findings, header: undefined })) {
      records++;
      const match = matcher.addReport(record);
      if (match === undefined) {
        sums.unmatched++;
        examples.addUnmatched(record);
      } else if (match.isConfirmed) sums.confirmed++;
    }
    files.push({ input: report, records });
  }
  return { reports: files, ...sums };
}

async function reportDupes(input: string, options: LogOptions): Promise<Report> {
  const { createLogMerger } = await import("../../../merge.js");
  const store = createFileStore();
  const reading: Reading = { findings: [], header: undefined };
  const examples = createExamples(options);
  try {
    const merger = createLogMerger({ windowMinutes: options.window, store });
    for await (const record of recordsOf(input, reading)) merger.add(record);
    store.ready();
    if (merger.repeated > 0)
      for await (const record of recordsOf(input, { findings: [], header: undefined })) {
        const merged = merger.next(record);
        if (merged !== undefined && merged.repeated > 0) examples.add(merged);
      }
    const { contacts, repeated, incomparable } = merger;
    const result = { input, contacts, repeated, incomparable, ...examples.summary() };
    return {
      document: result,
      lines: () => dupeLines(result),
      errors: damageLines(reading.findings),
      exitCode: repeated > 0 ? EXIT.notFound : EXIT.success,
    };
  } finally {
    store.close();
  }
}

async function outputOf(
  [first = "", ...others]: readonly string[],
  { output: path, force = false }: LogOptions,
  ending: string,
): Promise<string> {
  const output = path ?? pathBeside(first, ending);
  for (const input of [first, ...others]) await requireFreePath(output, input, force);
  return output;
}

interface OutputOptions {
  readonly header: AdifHeader | undefined;
  readonly force: boolean | undefined;
}

async function writeRecords(
  path: string,
  { header, force = false }: OutputOptions,
  work: (write: (record: AdifRecord) => void) => Promise<void>,
): Promise<void> {
  const output = openOutput(path, force);
  try {
    output.write(headerText(header));
    await work((record) => output.write(`${adiRecord(record)}\n`));
    await output.finish();
  } catch (error) {
    output.abandon();
    throw error;
  }
}

function headerText(header: AdifHeader | undefined): string {
  const text = (header?.text.trim() ?? "").replaceAll("<", "(") || "ADIF log";
  const fields = Object.entries(header?.fields ?? {}).map(([name, value]) => adiField(name, value));
  return [text, ...fields, "<EOH>", ""].join("\n");
}
