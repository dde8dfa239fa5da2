/** The output of `hamkit call -`: callsigns are identified as they arrive, and each batch is written before the next one is read. */
import { openDatabase, type CallsignDatabase } from "../databases/callsign-database.js";
import { identifyCalls, type KnownCall } from "../databases/identify-calls.js";
import { exitCodeOf, problemOf, type ExitCode, type Problem } from "../exit-code.js";
import { streamInputs } from "../input/input-lines.js";
import { isFailure, worstExitCode, type QueryResult } from "../query-result.js";
import { toJson, writeDiagnostic, type Session } from "../session.js";
import { openTextTable } from "../terminal/text-table.js";
import { COLUMNS, footerOf, omittedNote, rowOf, type CallOptions } from "./call-report.js";

type Call = QueryResult<KnownCall>;

/** The output format. `begin` is written with the first rows. */
interface Writer {
  begin(): readonly string[];
  row(call: Call, index: number): string;
  /** Of text output only if there was a row. */
  end(count: number, problem?: Problem): readonly string[];
}

/** Identifies the callsigns of the arguments and, for "-", of standard input, until it ends or standard output is closed. */
export async function streamCalls(
  words: readonly string[],
  options: CallOptions,
  session: Session,
): Promise<void> {
  const { io, print } = session;
  const database = await openDatabase(options, session);
  const writer = options.json
    ? jsonWriter(database, options, session)
    : textWriter(database, options, session);
  let count = 0;
  let failed = 0;
  let only: Call | undefined;
  let problem: Problem | undefined;
  let exitCode = session.exitCode();
  try {
    for await (const inputs of streamInputs(words, io.stdin)) {
      const calls = await identifyCalls(inputs, { database, at: options.at ?? io.now() });
      const lines = calls.map((call, index) => writer.row(call, count + index));
      print(count === 0 ? [...writer.begin(), ...lines] : lines);
      count += calls.length;
      failed += calls.filter(isFailure).length;
      [only] = calls;
      exitCode = worstOf(exitCode, worstExitCode(calls));
      if (!(await io.stdout.ready())) return;
    }
  } catch (failure) {
    problem = problemOf(failure);
    exitCode = worstOf(exitCode, exitCodeOf(problem));
  }
  const end = writer.end(count, problem);
  print(count === 0 && options.json ? [...writer.begin(), ...end] : end);
  session.finish(exitCode);
  if (options.json) return;
  if (problem !== undefined) writeDiagnostic(io, "error", problem.message);
  else if (failed > 0) writeDiagnostic(io, "error", failureText(failed, count, only));
}

function failureText(failed: number, count: number, only: Call | undefined): string {
  return count === 1 && only !== undefined && isFailure(only)
    ? only.error.message
    : `no result for ${failed} of ${count} callsigns`;
}

/** Codes are ordered by severity. */
function worstOf(one: ExitCode, other: ExitCode): ExitCode {
  return one > other ? one : other;
}

function textWriter(database: CallsignDatabase, options: CallOptions, { ink, io }: Session): Writer {
  const table = openTextTable(COLUMNS, { ink, width: io.stdout.columns });
  return {
    begin: () => [table.head],
    row: (call) => table.row(rowOf(call)),
    end: (count) =>
      count === 0 ? [] : ["", ...omittedNote(table.omitted, ink), ink("dim", footerOf(database, options))],
  };
}

/**
 * The document of `hamkit call`, with one callsign per line. A failure of standard input after the first one is its last member,
 * `error`. The member `at` is the start of the run unless --at is given; callsigns are answered for the moment they arrive.
 */
function jsonWriter({ name, date }: CallsignDatabase, options: CallOptions, { io }: Session): Writer {
  const at = options.at ?? io.now();
  return {
    begin: () => [`${toJson({ at, data: { name, date: date ?? null } }, 0).slice(0, -1)},"calls":[`],
    row: (call, index) => `${index === 0 ? "" : ","}${toJson(call, 0)}`,
    end: (_, problem) => [problem === undefined ? "]}" : `],${toJson({ error: problem }, 0).slice(1)}`],
  };
}
