/** `hamkit annotate`: adds country, zones, distance and heading to a copy of a log. */
import { basename, dirname, extname, join } from "node:path";

import { Option, type Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import { addDataOptions, type DataOptions } from "../../databases/lookup-options.js";
import type { Session, Report } from "../../session.js";
import { locatorToPosition } from "../../../geo/locator.js";
import { readBytes } from "../../../io/file.js";
import {
  createAnnotation,
  type AnnotatedLog,
  type Annotation,
  type AnnotationOptions,
  type UnidentifiedQso,
} from "../../../logs/annotation/annotation.js";
import type { Log, Qso } from "../../../logs/log.js";
import { readLog } from "../../../logs/read-log.js";
import { formatOf, writeLog, type OutputFormat } from "../../../logs/write-log.js";
import { openDatabase, type CallsignDatabase } from "../../databases/callsign-database.js";
import { EXIT } from "../../exit-code.js";
import { requireFreePath, requireMaxSize, writeNewFile } from "../../input/log-files.js";
import { createProgress } from "../../terminal/progress.js";
import { dataText, layOutTable, printable, type Column } from "../../terminal/text-table.js";

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

export function defineAnnotateCommand(command: Command, session: Session): void {
  command
    .description(
      `Reads a log in ADIF (.adi, .adx, JSON), Cabrillo, EDI or FLE and writes an annotated copy.\n${ADDS}`,
    )
    .argument("<log>", "the input log, which is never changed")
    .option("-o, --output <path>", "output file; default: LOG.annotated.FORMAT")
    .addOption(
      new Option(
        "--to <format>",
        "output format; default: that of the log, adi for Cabrillo, EDI, FLE",
      ).choices(["adi", "adx", "json", "csv"]),
    )
    .option("--from <locator>", "own locator; default: the location in the log")
    .option("--overwrite", "replace values of the log that differ")
    .option("--force", "replace an existing output file");
  addDataOptions(command)
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (log: string, options: AnnotateOptions) => {
      session.present(await reportAnnotation(log, options, session), options);
    });
}

interface AnnotateOptions extends DataOptions {
  readonly output?: string;
  readonly to?: OutputFormat;
  readonly from?: string;
  readonly overwrite?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/**
 * Annotates a log into a new file.
 *
 * @throws {LogError} The input is not a log.
 * @throws {IOError} A file can't be read or written.
 * @throws {UsageError} The output file is the input log, or already exists.
 * @throws {LocatorError} `--from` is not a locator.
 */
async function reportAnnotation(input: string, options: AnnotateOptions, session: Session): Promise<Report> {
  const { from, overwrite = false, force = false } = options;
  const place = from === undefined ? undefined : locatorToPosition(from.trim(), "--from", "center");
  await requireMaxSize(input);
  const log = await readLog(await readBytes(input), { name: input });
  const format = options.to ?? formatOf(log);
  const output = options.output ?? outputPath(input, format);
  await requireFreePath(output, input, force);

  const database = await openDatabase(options, session);
  const annotated = await annotate(log, { from: place, overwrite, database }, session);
  await writeNewFile(output, writeLog(annotated.log, { format }), force);

  const { summary, unidentified, disagreements, problems, problemCount } = annotated;
  const { name, date = null } = database;
  const data = { name, date };
  return {
    document: { input, output, format, data, summary, unidentified, disagreements, problems, problemCount },
    lines: () => annotationLines({ annotated, output, overwrite, database }, session),
    errors: annotationErrors(annotated),
    exitCode: unidentified.length > 0 || problemCount > 0 ? EXIT.notFound : EXIT.success,
  };
}

interface Task extends Pick<AnnotationOptions, "from" | "overwrite"> {
  readonly database: CallsignDatabase;
}

/** QSOs that are looked up at once: services accept many calls in one request. */
const CHUNK = 1000;

/** Like `annotateLog`, but with an asynchronous database. */
async function annotate(
  log: Log,
  { from, overwrite, database }: Task,
  { io }: Session,
): Promise<AnnotatedLog> {
  const annotation = createAnnotation(log, {
    from,
    overwrite,
    now: io.now().getTime(),
    entityName: (adif) => database.entityName(adif),
  });
  const { length } = log.qsos;
  const progress = createProgress(io, "Annotating", length);
  try {
    for (let start = 0; start < length; start += CHUNK) {
      await annotateQsos(annotation, log.qsos.slice(start, start + CHUNK), database);
      progress.show(Math.min(start + CHUNK, length));
    }
  } finally {
    progress.end();
  }
  return annotation.finish();
}

async function annotateQsos(
  annotation: Annotation,
  qsos: readonly Qso[],
  database: CallsignDatabase,
): Promise<void> {
  const pending = qsos.map((qso) => ({ qso, query: annotation.query(qso) }));
  const queries = pending.flatMap(({ query: { call, ownCall, at } }) =>
    [call, ownCall].flatMap((callsign) => (callsign === undefined ? [] : { callsign, at })),
  );
  const results = (await database.identifyMany(queries)).values();
  const next = (call: string | undefined) => (call === undefined ? undefined : results.next().value);
  for (const { qso, query } of pending) {
    const other = next(query.call);
    annotation.apply(qso, query, { other, own: next(query.ownCall) });
  }
}

/** The default output file: `log.annotated.adi` next to `log.adi`. */
function outputPath(input: string, format: string): string {
  return join(dirname(input), `${basename(input, extname(input))}.annotated.${format}`);
}

interface AnnotateOutcome {
  readonly annotated: AnnotatedLog;
  readonly output: string;
  readonly overwrite: boolean;
  readonly database: CallsignDatabase;
}

/** Maximum number of listed entities, and of lines in each other list; `--json` has all. */
const MAX_ENTITIES = 15;
const MAX_LINES = 10;

function annotationLines(outcome: AnnotateOutcome, session: Session): string[] {
  const { annotated, output, database } = outcome;
  const { summary } = annotated;
  const { ink } = session;
  const values = `${count(summary.added, "value")} added`;
  const replaced = summary.replaced > 0 ? `, ${count(summary.replaced, "value")} replaced` : "";
  return [
    `${ink("bold", printable(output, 200))}: ${count(summary.qsos, "QSO")}, ${values}${replaced}`,
    ...entityLines(annotated, session),
    ...tallyLines(
      "CQ zones",
      summary.cqZones.map(({ cqz, qsos }) => [String(cqz), qsos]),
      session,
    ),
    ...tallyLines(
      "Bands",
      summary.bands.map(({ band, qsos }) => [band, qsos]),
      session,
    ),
    ...issueLines(outcome, session),
    "",
    ink("dim", dataText(database)),
  ];
}

/** The lines on standard error. */
function annotationErrors({ summary, unidentified, problemCount }: AnnotatedLog): string[] {
  const unknown = `no result for ${unidentified.length} of ${count(summary.qsos, "QSO")}`;
  const problems = `${count(problemCount, "problem")} in the log`;
  return [...(unidentified.length > 0 ? [unknown] : []), ...(problemCount > 0 ? [problems] : [])];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

type Entity = AnnotatedLog["summary"]["entities"][number];

const COLUMNS: readonly Column<Entity>[] = [
  { title: "Entity", cell: ({ adif, country }) => (adif === 0 ? "none, at sea or in the air" : country) },
  { title: "DXCC", cell: ({ adif }) => String(adif), align: "right" },
  { title: "QSOs", cell: ({ qsos }) => String(qsos), align: "right" },
];

function entityLines({ summary: { entities } }: AnnotatedLog, { ink }: Session): string[] {
  if (entities.length === 0) return [];
  const shown = entities.slice(0, MAX_ENTITIES);
  const { lines } = layOutTable(
    shown.map((row) => ({ row })),
    COLUMNS,
    { ink },
  );
  return ["", ...lines, ...more(entities.length - shown.length, ink)];
}

/** "14: 1203   15: 88", wrapped to the terminal width. */
function tallyLines(
  title: string,
  tally: readonly (readonly [name: string, qsos: number])[],
  { ink, io }: Session,
): string[] {
  if (tally.length === 0) return [];
  const width = Math.min(io.stdout.columns ?? 100, 100);
  const lines: string[] = [];
  let line = "";
  for (const [name, qsos] of tally) {
    const item = `${printable(name)}: ${qsos}`;
    if (line !== "" && line.length + 3 + item.length > width) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? item : `   ${item}`;
  }
  return ["", ink("bold", title), ...lines, line];
}

const REASONS: Readonly<Record<UnidentifiedQso["reason"], string>> = {
  unknown: "unknown callsign",
  "invalid-operation": "does not count for DXCC",
  "no-call": "has no CALL",
};

function issueLines({ annotated, overwrite }: AnnotateOutcome, session: Session): string[] {
  const { unidentified, disagreements, problems, problemCount } = annotated;
  const action = overwrite ? "replaced" : "kept";
  return [
    ...listLines(
      `Not identified: ${count(unidentified.length, "QSO")}`,
      unidentified.map(({ line, call, reason }) => ({ line, text: `${call} ${REASONS[reason]}`.trim() })),
      unidentified.length,
      session,
    ),
    ...listLines(
      `Differing values of the log (${action}): ${disagreements.length}`,
      disagreements.map(({ line, call, field, logged, found }) => ({
        line,
        text: `${call} ${field} ${logged} in the log, ${found} found`,
      })),
      disagreements.length,
      session,
    ),
    ...listLines(
      `Problems in the log: ${problemCount}`,
      problems.map(({ line, message }) => ({ line, text: message })),
      problemCount,
      session,
    ),
  ];
}

function listLines(
  title: string,
  items: readonly { readonly line: number; readonly text: string }[],
  total: number,
  { ink }: Session,
): string[] {
  if (total === 0) return [];
  const shown = items.slice(0, MAX_LINES);
  const lines = shown.map(({ line, text }) => `  line ${line}  ${printable(text, 120)}`);
  return ["", ink("yellow", title), ...lines, ...more(total - shown.length, ink)];
}

function more(left: number, ink: Session["ink"]): string[] {
  return left > 0 ? [ink("dim", `  and ${left} more; --json has all`)] : [];
}
