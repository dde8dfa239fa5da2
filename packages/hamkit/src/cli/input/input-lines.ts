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
  let rest = "";
  for await (const text of textsOf(stream)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.replace(/\r$/, "");
    if (rest.length > MAX_LINE_LENGTH) {
      yield rest;
      rest = "";
    }
  }
  if (rest !== "") yield rest;
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
