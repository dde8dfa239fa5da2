/** The work of `hamkit annotate`: a log read, looked up and written, and an account of it. */
import { locatorToPosition } from "../../geo/locator.js";
import { readBytes, createAtomically, writeAtomically } from "../../io/file.js";
import {
  createAnnotation,
  type AnnotatedLog,
  type Annotation,
  type AnnotationOptions,
} from "../../logs/annotation/annotation.js";
import type { Log, Qso } from "../../logs/log.js";
import { MAX_LOG_BYTES, readLog } from "../../logs/read-log.js";
import { formatOf, writeLog, type OutputFormat } from "../../logs/write-log.js";
import { annotationErrors, annotationLines } from "./annotate-text.js";
import { openDatabase, type CallsignDatabase } from "../databases/callsign-database.js";
import { EXIT } from "../exit-code.js";
import type { DataOptions } from "../databases/lookup-options.js";
import { outputPath, requireFreePath, requireMaxSize } from "./annotate-files.js";
import { createProgress } from "../terminal/progress.js";
import type { Report, Session } from "../session.js";

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
 * @throws {LogError} It is no log.
 * @throws {IOError} A file can't be read or written.
 * @throws {UsageError} The new file is the log, or is there already.
 * @throws {LocatorError} `--from` is no locator.
 */
export async function reportAnnotation(
  input: string,
  options: AnnotateOptions,
  session: Session,
): Promise<Report> {
  const { from, overwrite = false, force = false } = options;
  const place = from === undefined ? undefined : locatorToPosition(from.trim(), "--from", "center");
  await requireMaxSize(input, MAX_LOG_BYTES);
  const log = await readLog(await readBytes(input), { name: input });
  const format = options.to ?? formatOf(log);
  const output = options.output ?? outputPath(input, format);
  await requireFreePath(output, input, force);

  const database = await openDatabase(options, session);
  const annotated = await annotate(log, { from: place, overwrite, database }, session);
  await (force ? writeAtomically : createAtomically)(output, writeLog(annotated.log, { format }));

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

/** So many QSOs are looked up at once: services take many questions in one request. */
const CHUNK = 1000;

/** As `annotateLog`, with a database that may have to ask elsewhere. */
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
  const asked = qsos.map((qso) => ({ qso, query: annotation.ask(qso) }));
  const queries = asked.flatMap(({ query: { call, ownCall, at } }) =>
    [call, ownCall].flatMap((callsign) => (callsign === undefined ? [] : { callsign, at })),
  );
  const answers = (await database.identifyMany(queries)).values();
  const next = (call: string | undefined) => (call === undefined ? undefined : answers.next().value);
  for (const { qso, query } of asked) {
    const other = next(query.call);
    annotation.answer(qso, query, { other, own: next(query.ownCall) });
  }
}
