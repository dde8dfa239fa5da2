/** Loads the master key from the environment, or from a file readable by its owner alone, created on the first start. */
import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { notAFile, unreadableReason } from "../readable-file.js";
import { toMasterKey, type MasterKey } from "./sealing.js";

/** The master key is missing or invalid. */
export class MasterKeyError extends Error {
  override readonly name = "MasterKeyError";
  readonly code:
    | "master-key/malformed"
    | "master-key/missing"
    | "master-key/not-wrapped"
    | "master-key/readable-by-others"
    | "master-key/unreadable";

  constructor(code: MasterKeyError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface MasterKeySource {
  /** The value of `IDENTITY_MASTER_KEY`: 32 bytes in base64. Takes precedence over the file. */
  readonly text?: string | undefined;
  /** The value of `IDENTITY_MASTER_KEY_FILE`: a file with such a value. */
  readonly file: string;
  /** Whether to create a missing file: only while the database has no sealed secrets. */
  readonly mayCreate: boolean;
}

const SETTING = "IDENTITY_MASTER_KEY_FILE";

/**
 * @throws {MasterKeyError} The value or file is not a key; the file is missing and must not be created, can't be read, or is
 *   readable by other users.
 */
export async function loadMasterKey({ text, file, mayCreate }: MasterKeySource): Promise<MasterKey> {
  if (text !== undefined) return parse(text, "IDENTITY_MASTER_KEY");
  const found = await read(file);
  if (found !== undefined) return parse(found, file);
  if (!mayCreate)
    throw new MasterKeyError(
      "master-key/missing",
      `The database has secrets sealed with a master key, but ${file} (${SETTING}) does not exist`,
    );
  await create(file);
  // Another process may have created it first: use the file's content.
  const created = await read(file);
  return parse(created ?? "", file);
}

function parse(text: string, source: string): MasterKey {
  if (text.trim() === "")
    throw new MasterKeyError("master-key/malformed", `${source} is empty, expected 32 bytes in base64`);
  const trimmed = text.trim().replace(/=$/, "");
  const bytes = Buffer.from(trimmed, "base64");
  const isExact = [bytes.toString("base64").replace(/=$/, ""), bytes.toString("base64url")].includes(trimmed);
  if (!isExact || bytes.length !== 32)
    throw new MasterKeyError("master-key/malformed", `${source} does not hold 32 bytes in base64`);
  return toMasterKey(bytes);
}

/** Reads a file that only its owner may read; `undefined` if it does not exist. */
async function read(file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    const { mode } = stats;
    const reason = notAFile(stats);
    if (reason !== undefined)
      throw new MasterKeyError("master-key/unreadable", `${file} (${SETTING}) ${reason}`);
    if ((mode & 0o077) !== 0 && process.platform !== "win32")
      throw new MasterKeyError(
        "master-key/readable-by-others",
        `${file} is readable by other users (mode ${(mode & 0o777).toString(8)}, expected 600): chmod 600 it, and consider a new key`,
      );
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof MasterKeyError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(file, error);
  }
}

/** Creates the file atomically, and never overwrites one. */
async function create(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(`${randomBytes(32).toString("base64")}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    const reason = `can't be created: ${(error as Error).message}`;
    throw new MasterKeyError("master-key/unreadable", `${file} (${SETTING}) ${reason}`, { cause: error });
  } finally {
    await rm(draft, { force: true });
  }
}

function unreadable(file: string, cause: unknown): MasterKeyError {
  return new MasterKeyError("master-key/unreadable", `${file} (${SETTING}) ${unreadableReason(cause)}`, {
    cause,
  });
}
