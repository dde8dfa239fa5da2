/** The files of `hamkit annotate`: the log, which is never changed, and the new one. */
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";

import { LogError } from "../../errors.js";
import { UsageError } from "../exit-code.js";

/** The new file's name when nobody says one: `log.annotated.adi` beside `log.adi`. */
export function outputPath(input: string, format: string): string {
  return join(dirname(input), `${basename(input, extname(input))}.annotated.${format}`);
}

/**
 * @throws {LogError} The log is so large that reading it makes no sense. A file that isn't there has no size, and is
 *   told of where it is read.
 */
export async function requireMaxSize(input: string, maxBytes: number): Promise<void> {
  const { size = 0n } = (await statIfThere(input)) ?? {};
  if (size <= maxBytes) return;
  const expected = `a log of ${megabytes(maxBytes)} or less`;
  throw new LogError({ file: input, expected, found: `one of ${megabytes(Number(size))}` });
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MB`;
}

/**
 * @throws {UsageError} The new file would be standard output, or is the log itself, by whatever name, or is there already and may not be replaced.
 */
export async function requireFreePath(output: string, input: string, force = false): Promise<void> {
  // Other commands take it for standard output, where the account of the work goes here.
  if (output === "-") throw new UsageError("annotate writes a file: name it with -o");
  const [there, log] = await Promise.all([statIfThere(output), statIfThere(input)]);
  if (there === undefined) return;
  if (there.dev === log?.dev && there.ino === log.ino) {
    throw new UsageError(`${output} is the log itself, which is never changed: name another file with -o`);
  }
  if (there.isDirectory()) throw new UsageError(`${output} is a folder: name a file with -o`);
  if (!force) throw new UsageError(`${output} is there already: --force replaces it, -o names another file`);
}

async function statIfThere(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(() => undefined);
}
