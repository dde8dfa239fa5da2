/** The files of commands that read a log piece by piece, or write a copy of it. */
import { createReadStream, type BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";

import { IOError, LogError } from "../../errors.js";
import { createAtomically, writeAtomically } from "../../io/file.js";
import { ANY_LOG, otherFileKind, MAX_LOG_BYTES } from "../../logs/read-log.js";
import { UsageError } from "../exit-code.js";

/**
 * The pieces of a log.
 *
 * @param end The number of bytes to read of a file that another program extends; default all.
 * @throws {IOError} It can't be read.
 * @throws {LogError} It is an archive, or another file that is not text.
 */
export async function* piecesOf(path: string, end = Infinity): AsyncGenerator<Uint8Array> {
  if (end === 0) return;
  try {
    let isFirst = true;
    for await (const piece of createReadStream(path, { highWaterMark: 1 << 18, end: end - 1 })) {
      const found = isFirst ? otherFileKind(piece as Uint8Array) : undefined;
      if (found !== undefined) throw new LogError({ file: path, expected: ANY_LOG, found });
      isFirst = false;
      yield piece as Uint8Array;
    }
  } catch (error) {
    if (error instanceof LogError) throw error;
    throw new IOError(path, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Writes the output file; without `force` it must not exist, even if another process has created it since. */
export async function writeNewFile(output: string, bytes: Uint8Array, force = false): Promise<void> {
  await (force ? writeAtomically : createAtomically)(output, bytes);
}

/** @throws {LogError} The log is too large. A missing file has no size, and fails when it is read. */
export async function requireMaxSize(input: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  const { size = 0n } = (await statIfExists(input)) ?? {};
  if (size <= maxBytes) return;
  const expected = `a log of ${megabytes(maxBytes)} or less`;
  throw new LogError({ file: input, expected, found: `one of ${megabytes(Number(size))}` });
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MB`;
}

/** @throws {UsageError} The output is "-", a folder, the input log under any name, or exists and may not be replaced. */
export async function requireFreePath(output: string, input: string, force = false): Promise<void> {
  // Other commands accept "-" as standard output, which has the report here.
  if (output === "-")
    throw new UsageError("--output: expected a file name, got -: the report goes to standard output");
  const [existing, log] = await Promise.all([statIfExists(output), statIfExists(input)]);
  if (existing === undefined) return;
  if (existing.dev === log?.dev && existing.ino === log.ino)
    throw new UsageError(
      `--output: ${output} is the input log, which is never changed; name another file with -o`,
    );
  if (existing.isDirectory()) throw new UsageError(`--output: ${output} is a folder; name a file with -o`);
  if (!force)
    throw new UsageError(`--output: ${output} already exists; --force replaces it, -o names another file`);
}

async function statIfExists(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(() => undefined);
}
