/** Lines of standard input. */
import { IOError } from "../errors.js";

/**
 * The lines that have something in them, without the blanks around it. Lines that begin with # are remarks.
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

async function readText(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of stream) {
      text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new IOError("standard input", `can't be read: ${reason}`, { cause });
  }
  return text + decoder.decode();
}
