/** A key repository of Keystone: a folder of Fernet keys in files named `0`, `1`, ... */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { messageOf } from "@hamkit/identity/import-support/command-line";
import { randomBytes } from "@hamkit/identity/import-support/storage";

/** A folder or file that holds no keys. The message names it. */
export class KeyFolderError extends Error {
  override readonly name: string = "KeyFolderError";
  readonly code = "import/key-folder";
}

/** The folder does not exist, or has no key files. */
export class NoKeysError extends KeyFolderError {
  override readonly name = "NoKeysError";
}

export interface KeyFile {
  readonly number: number;
  readonly path: string;
  /** The content, as Keystone hashes it. */
  readonly content: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/**
 * The keys of a folder, the primary one (of the highest number) first. As in Keystone, other names and empty files are ignored.
 *
 * @throws {NoKeysError} {@link KeyFolderError} The folder or a file can't be read, or a file is not a key.
 */
export function readKeyFolder(folder: string): KeyFile[] {
  const numbers = namesIn(folder)
    .filter((name) => /^\d{1,9}$/.test(name))
    .map(Number)
    .toSorted((one, other) => other - one);
  const keys = numbers.flatMap((number) => readKey(join(folder, String(number)), number));
  if (keys.length === 0)
    throw new NoKeysError(`${folder} has no keys: expected files named 0, 1, ..., with a Fernet key each`);
  return keys;
}

/**
 * Creates a folder with two new keys, the staged and the primary one, as `keystone-manage credential_setup` does.
 *
 * @returns Removes them again.
 * @throws {KeyFolderError} The folder exists, or can't be created.
 */
export function createKeyFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    for (const number of ["0", "1"]) {
      const key = randomBytes(32).toString("base64url");
      writeFileSync(join(folder, number), `${key}=`, { mode: 0o600, flag: "wx" });
    }
  } catch (error) {
    throw new KeyFolderError(`The key folder ${folder} can't be created: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return () => rmSync(folder, { recursive: true, force: true });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name);
  } catch (error) {
    const Fault = (error as NodeJS.ErrnoException).code === "ENOENT" ? NoKeysError : KeyFolderError;
    throw new Fault(`The key folder ${folder} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

function readKey(path: string, number: number): KeyFile[] {
  const content = contentOf(path);
  const text = content.trim();
  if (text === "") return [];
  const key = Buffer.from(text.replaceAll("-", "+").replaceAll("_", "/"), "base64");
  if (!/^[A-Za-z0-9_+/-]{43}=?$/.test(text) || key.length !== 32)
    throw new KeyFolderError(`${path} is not a Fernet key: expected 32 bytes in URL-safe base64`);
  return [{ number, path, content, key }];
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new KeyFolderError(`The key ${path} can't be read: ${messageOf(error)}`, { cause: error });
  }
}
