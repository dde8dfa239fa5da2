/** Implements `hamkit annotate`: reads a log, looks up its callsigns, writes the new log, and reports the result. */
import { basename, dirname, extname, join } from "node:path";

import { locatorToPosition } from "../../../geo/locator.js";
import { readBytes } from "../../../io/file.js";
import {
  createAnnotation,
  type AnnotatedLog,
  type Annotation,
  type AnnotationOptions,
} from "../../../logs/annotation/annotation.js";
import type { Log, Qso } from "../../../logs/log.js";
import { readLog } from "../../../logs/read-log.js";
import { formatOf, writeLog, type OutputFormat } from "../../../logs/write-log.js";
import { annotationErrors, annotationLines } from "./annotate-text.js";
import { openDatabase, type CallsignDatabase } from "../../databases/callsign-database.js";
import { EXIT } from "../../exit-code.js";
import { requireFreePath, requireMaxSize, writeNewFile } from "../../input/log-files.js";
import type { DataOptions } from "../../databases/lookup-options.js";
import { createProgress } from "../../terminal/progress.js";
import type { Report, Session } from "../../session.js";

export interface AnnotateOptions extends DataOptions {
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
export async function reportAnnotation(
  input: string,
  options: AnnotateOptions,
  session: Session,
): Promise<Report> {
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
