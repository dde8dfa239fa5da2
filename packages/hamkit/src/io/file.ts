/** Reading and writing files. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { IOError } from "../errors.js";

/**
 * The bytes of a file.
 *
 * @throws {IOError} The file can't be read; `cause` says why.
 */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new IOError(path, `the file can't be read: ${reason(cause)}`, { cause });
  }
}

/** The bytes of a file, or `undefined` where there is none. */
export async function readBytesIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined;
  }
}

/**
 * Writes a file as a whole or not at all: readers see the old content or the new one, never a part.
 *
 * @throws {IOError} The file can't be written; the old one is as it was.
 */
export async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, content);
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new IOError(path, `the file can't be written: ${reason(cause)}`, { cause });
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
