/** Reads lines from standard input. */
import { IOError } from "../../errors.js";

/**
 * The non-blank lines, trimmed, without comments (lines that begin with #).
 *
 * @throws {IOError} The stream fails.
 */
export async function readLines(stream: AsyncIterable<Uint8Array | string>): Promise<string[]> {
  const text = await readText(stream);
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The arguments, with the first "-" replaced by the lines of standard input. */
export async function withInputLines(
  words: readonly string[],
  stdin: () => AsyncIterable<Uint8Array | string>,
): Promise<readonly string[]> {
  const place = words.indexOf("-");
  if (place < 0) return words;
  const rest = words.slice(place + 1).filter((word) => word !== "-");
  return [...words.slice(0, place), ...(await readLines(stdin())), ...rest];
}

/**
 * Yields each line as soon as it is complete, without its line end. A line without an end is split at a maximum length, so
 * that no stream can exhaust the memory.
 *
 * @throws {IOError} The stream fails.
 */
export async function* streamLines(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  for await (const lines of streamBatches(stream)) yield* lines;
}

/**
 * The arguments, in which the first "-" stands for the lines of standard input, in batches: the lines that arrive together are
 * one. Blank lines and comments are left out, as in `readLines`.
 *
 * @throws {IOError} The stream fails.
 */
export async function* streamInputs(
  words: readonly string[],
  stdin: () => AsyncIterable<Uint8Array | string>,
): AsyncGenerator<readonly string[]> {
  const place = words.indexOf("-");
  const [before, after] = place < 0 ? [words, []] : [words.slice(0, place), words.slice(place + 1)];
  if (before.length > 0) yield before;
  if (place >= 0) {
    for await (const lines of streamBatches(stdin())) {
      const inputs = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
      if (inputs.length > 0) yield inputs;
    }
  }
  const rest = after.filter((word) => word !== "-");
  if (rest.length > 0) yield rest;
}

/** The lines that each chunk of a stream completes. */
async function* streamBatches(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string[]> {
  let rest = "";
  for await (const text of textsOf(stream)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_LENGTH) {
      lines.push(rest);
      rest = "";
    }
    if (lines.length > 0) yield lines.map((line) => line.replace(/\r$/, ""));
  }
  if (rest !== "") yield [rest];
}

const MAX_LINE_LENGTH = 10_000;

async function readText(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  let text = "";
  for await (const piece of textsOf(stream)) text += piece;
  return text;
}

/** The chunks of a stream as text; a character may span two chunks. */
async function* textsOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) {
      yield typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new IOError("standard input", `can't be read: ${reason}`, { cause });
  }
  yield decoder.decode();
}
