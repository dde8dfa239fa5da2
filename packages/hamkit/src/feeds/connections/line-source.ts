/** Lines from anywhere as a source: a file, a web socket, another library. */
import { ArgumentTypeError } from "../../errors.js";
import { parseFeedLine, type FeedFormat } from "../lines/parse-feed-line.js";
import type { FeedSource } from "./feed-source.js";

/** Options of `lineSource`. */
export interface LineSourceOptions {
  /** The name of the source. */
  readonly name: string;
  /** The format; default: by the form of each line. */
  readonly format?: FeedFormat | undefined;
}

/**
 * Any lines, or objects of JSON, as a source for `openFeed`. It ends with them, and is not connected again.
 *
 * @throws {ArgumentTypeError} `lines` is not an iterable of lines.
 * @example
 * const lines = ["DX de DH1TW:     14025.0  JA1ABC       cq                             1200Z"];
 * const calls: string[] = [];
 * for await (const { dx } of openFeed([lineSource(lines, { name: "a file" })])) calls.push(dx);
 * calls; // => ["JA1ABC"]
 */
export function lineSource(
  lines: AsyncIterable<string | object> | Iterable<string | object>,
  { name, format }: LineSourceOptions,
): FeedSource {
  // A string is an iterable of its characters.
  if (
    typeof lines !== "object" ||
    lines === null ||
    !(Symbol.iterator in lines || Symbol.asyncIterator in lines)
  ) {
    throw new ArgumentTypeError({ argument: "lines", value: lines, expected: "an iterable of lines" });
  }
  return {
    name,
    once: true,
    async connect({ signal, onItem, onOpen, now, room }) {
      onOpen();
      for await (const line of untilAborted(lines, signal)) {
        const item = parseFeedLine(line, { format, now: now() });
        if (item.kind !== "unknown") onItem(item);
        await room();
      }
    },
  };
}

/** The values before the signal is aborted, also where the next one never comes. */
async function* untilAborted<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value, void, undefined> {
  const iterator =
    Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  let stop: (() => void) | undefined;
  const abort = () => stop?.();
  signal.addEventListener("abort", abort, { once: true });
  let isOver = false;
  try {
    while (!signal.aborted) {
      const result = await new Promise<IteratorResult<Value, unknown> | undefined>((resolve, reject) => {
        stop = () => resolve(undefined);
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      if (result === undefined) return;
      isOver = result.done === true;
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    // Not awaited: the generator of a stream ends when its value comes.
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
