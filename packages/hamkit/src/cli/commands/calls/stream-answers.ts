/** Answers callsigns as they arrive: each batch is written before the next one is read. */
import { exitCodeOf, problemOf, type ExitCode, type Problem } from "../../exit-code.js";
import { streamInputs } from "../../input/input-lines.js";
import { toJson, type Session } from "../../session.js";

/** The output format. `begin` is written with the first rows, `end` also where there are none. */
export interface ListWriter<Item> {
  begin(): readonly string[];
  row(item: Item, index: number): string;
  end(count: number, problem?: Problem): readonly string[];
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

/** Codes are ordered by severity. */
function worstOf(one: ExitCode, other: ExitCode): ExitCode {
  return one > other ? one : other;
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
