/** Where the master key comes from: the environment, or a file that nobody else can read, made on the first start. */
import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { toMasterKey, type MasterKey } from "./sealing.js";

/** There is no usable master key. */
export class MasterKeyError extends Error {
  override readonly name = "MasterKeyError";
  readonly code:
    "master-key/malformed" | "master-key/missing" | "master-key/readable-by-others" | "master-key/unreadable";

  constructor(code: MasterKeyError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface MasterKeySource {
  /** The value of `IDENTITY_MASTER_KEY`: 32 bytes in base64. Goes before the file. */
  readonly text?: string | undefined;
  /** The value of `IDENTITY_MASTER_KEY_FILE`: a file with such a text. */
  readonly file: string;
  /** Whether a missing file is made, as it is right while nothing is sealed yet. */
  readonly mayCreate: boolean;
}

/**
 * The master key.
 *
 * @throws {MasterKeyError} The text or the file's content is no key; the file is missing and must not be made, can't be read, or
 *   may be read by other users of the machine.
 */
export async function loadMasterKey({ text, file, mayCreate }: MasterKeySource): Promise<MasterKey> {
  if (text !== undefined) return parse(text, "IDENTITY_MASTER_KEY");
  const found = await read(file);
  if (found !== undefined) return parse(found, file);
  if (!mayCreate)
    throw new MasterKeyError(
      "master-key/missing",
      `The database has secrets sealed by a master key, and ${file} (IDENTITY_MASTER_KEY_FILE) is not there`,
    );
  await create(file);
  // Another process may have been faster, so what counts is what lies there now.
  const created = await read(file);
  return parse(created ?? "", file);
}

function parse(text: string, source: string): MasterKey {
  const trimmed = text.trim().replace(/=$/, "");
  const bytes = Buffer.from(trimmed, "base64");
  const isExact = [bytes.toString("base64").replace(/=$/, ""), bytes.toString("base64url")].includes(trimmed);
  if (!isExact || bytes.length !== 32)
    throw new MasterKeyError("master-key/malformed", `${source} does not hold 32 bytes in base64`);
  return toMasterKey(bytes);
}

/** The content of a file that belongs to its owner alone; `undefined` if there is none. */
async function read(file: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0 && process.platform !== "win32")
      throw new MasterKeyError(
        "master-key/readable-by-others",
        `${file} may be read by other users (mode ${(mode & 0o777).toString(8)}): chmod 600 it, and consider a new key`,
      );
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof MasterKeyError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(file, error);
  }
}

/** Appears whole or not at all, and never in the place of another. */
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
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unreadable(file, error);
  } finally {
    await rm(draft, { force: true });
  }
}

function unreadable(file: string, cause: unknown): MasterKeyError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new MasterKeyError("master-key/unreadable", `The master key at ${file} is out of reach: ${reason}`, {
    cause,
  });
}
