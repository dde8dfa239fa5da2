/** The output of `hamkit call -`: callsigns are identified as they arrive, and each batch is written before the next one is read. */
import { openDatabase, type CallsignDatabase } from "../../databases/callsign-database.js";
import { identifyCalls, type KnownCall } from "../../databases/identify-calls.js";
import { exitCodeOf, problemOf, type ExitCode, type Problem } from "../../exit-code.js";
import { streamInputs } from "../../input/input-lines.js";
import { isFailure, worstExitCode, type QueryResult } from "../../query-result.js";
import { toJson, writeDiagnostic, type Session } from "../../session.js";
import { openTextTable } from "../../terminal/text-table.js";
import { COLUMNS, footerOf, omittedNote, rowOf, type CallOptions } from "./call-report.js";

type Call = QueryResult<KnownCall>;
type Writer = ListWriter<Call>;

/** The output format. `begin` is written with the first rows, `end` also where there are none. */
export interface ListWriter<Item> {
  begin(): readonly string[];
  row(item: Item, index: number): string;
  end(count: number, problem?: Problem): readonly string[];
}

/** Identifies the callsigns of the arguments and, for "-", of standard input, until it ends or standard output is closed. */
export async function streamCalls(
  words: readonly string[],
  options: CallOptions,
  session: Session,
): Promise<void> {
  const { io } = session;
  const database = await openDatabase(options, session);
  const writer = options.json
    ? jsonWriter(database, options, session)
    : textWriter(database, options, session);
  let failed = 0;
  let only: Call | undefined;
  const streamed = await streamAnswers(words, session, {
    writer,
    async answer(inputs) {
      const calls = await identifyCalls(inputs, { database, at: options.at ?? io.now() });
      failed += calls.filter(isFailure).length;
      [only] = calls;
      return calls;
    },
    exitCode: worstExitCode,
  });
  if (options.json || streamed === undefined) return;
  const { count, problem } = streamed;
  if (problem !== undefined) writeDiagnostic(io, "error", problem.message);
  else if (failed > 0) writeDiagnostic(io, "error", failureText(failed, count, only));
}

/** What is done with the callsigns. */
export interface Answering<Item> {
  readonly writer: ListWriter<Item>;
  answer(inputs: readonly string[]): Promise<readonly Item[]>;
  exitCode(items: readonly Item[]): ExitCode;
}

interface Streamed {
  readonly count: number;
  /** The failure that ended the input. */
  readonly problem: Problem | undefined;
}

/**
 * Answers each batch of callsigns before the next one is read, and sets the exit code.
 *
 * @returns `undefined` where standard output was closed.
 */
export async function streamAnswers<Item>(
  words: readonly string[],
  session: Session,
  answering: Answering<Item>,
): Promise<Streamed | undefined> {
  const { io, print } = session;
  const { writer } = answering;
  let count = 0;
  let problem: Problem | undefined;
  let exitCode = session.exitCode();
  try {
    for await (const inputs of streamInputs(words, io.stdin)) {
      const items = await answering.answer(inputs);
      const lines = items.map((item, index) => writer.row(item, count + index));
      print(count === 0 ? [...writer.begin(), ...lines] : lines);
      count += items.length;
      exitCode = worstOf(exitCode, answering.exitCode(items));
      if (!(await io.stdout.ready())) return undefined;
    }
  } catch (failure) {
    problem = problemOf(failure);
    exitCode = worstOf(exitCode, exitCodeOf(problem));
  }
  print(writer.end(count, problem));
  session.finish(exitCode);
  return { count, problem };
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
 * The document of `hamkit call`, with one callsign per line. The member `at` is the start of the run unless --at is given;
 * callsigns are answered for the moment they arrive.
 */
function jsonWriter({ name, date }: CallsignDatabase, options: CallOptions, { io }: Session): Writer {
  const at = options.at ?? io.now();
  return jsonListWriter({ at, data: { name, date: date ?? null } }, "calls");
}

/** A document with a list as its last member. A failure of standard input after its first item is one more member, `error`. */
export function jsonListWriter<Item extends object>(head: object, member: string): ListWriter<Item> {
  const begin = (): string[] => [`${toJson(head, 0).slice(0, -1)},"${member}":[`];
  return {
    begin,
    row: (item, index) => `${index === 0 ? "" : ","}${toJson(item, 0)}`,
    end(count, problem) {
      const end = problem === undefined ? "]}" : `],${toJson({ error: problem }, 0).slice(1)}`;
      return count === 0 ? [...begin(), end] : [end];
    },
  };
}
