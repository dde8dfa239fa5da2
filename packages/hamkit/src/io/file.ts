/** Reads and writes files, with IOError for failures. */
import { IOError } from "../errors.js";
import { nodeModule } from "./node-modules.js";

/**
 * The bytes of a file.
 *
 * @throws {IOError} The file can't be read; `cause` has the reason.
 */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readAtOnce(path);
  } catch (cause) {
    throw new IOError(path, `the file can't be read: ${reason(cause)}`, { cause });
  }
}

/** `readFile` reads in pieces of half a megabyte; a single read saves 10 ms on a file of 13 MB. */
async function readAtOnce(path: string): Promise<Uint8Array> {
  const { open } = nodeModule("node:fs/promises");
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.allocUnsafe(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    // A pipe has size 0, and a file may be growing.
    return size > 0 && bytesRead === size ? bytes : await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The bytes of a file; `undefined` if it can't be read. */
export async function readBytesIfExists(path: string): Promise<Uint8Array | undefined> {
  try {
    return await nodeModule("node:fs/promises").readFile(path);
  } catch {
    return undefined;
  }
}

/**
 * Writes or replaces a file atomically: readers see the old content or the new content, never a part.
 *
 * @throws {IOError} The file can't be written; the old file is unchanged.
 */
export async function writeAtomically(path: string, content: Uint8Array | string): Promise<void> {
  const { rename } = nodeModule("node:fs/promises");
  await writeDraft(path, content, (draft) => rename(draft, path));
}

/**
 * Creates a new file atomically.
 *
 * @throws {IOError} It can't be written, or the path already exists, which is then left unchanged.
 */
export async function createAtomically(path: string, content: Uint8Array | string): Promise<void> {
  await writeDraft(path, content, (draft) => placeNew(draft, path));
}

async function placeNew(draft: string, path: string): Promise<void> {
  const { link, rename, rm, writeFile } = nodeModule("node:fs/promises");
  try {
    await link(draft, path);
    await rm(draft, { force: true });
  } catch (failure) {
    if (alreadyExists(failure)) throw failure;
    // Some file systems have no hard links: reserve the name, then replace the empty file.
    await writeFile(path, "", { flag: "wx" });
    await rename(draft, path);
  }
}

/**
 * Gives a file that was written beside it its name.
 *
 * @throws {IOError} It can't be written, or the path already exists, and may not be replaced.
 */
export async function placeDraft(
  draft: string,
  path: string,
  { mayReplace }: { readonly mayReplace: boolean },
): Promise<void> {
  try {
    await (mayReplace ? nodeModule("node:fs/promises").rename(draft, path) : placeNew(draft, path));
  } catch (cause) {
    const why = alreadyExists(cause) ? "it already exists" : reason(cause);
    throw new IOError(path, `the file can't be written: ${why}`, { cause });
  }
}

function alreadyExists(failure: unknown): boolean {
  return failure instanceof Error && "code" in failure && failure.code === "EEXIST";
}

async function writeDraft(
  path: string,
  content: Uint8Array | string,
  place: (draft: string) => Promise<void>,
): Promise<void> {
  const { mkdir, rm, writeFile } = nodeModule("node:fs/promises");
  const folder = nodeModule("node:path").dirname(path);
  const draft = `${path}.${nodeModule("node:crypto").randomUUID()}.tmp`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(draft, content);
    await place(draft);
  } catch (cause) {
    const why = alreadyExists(cause) ? "it already exists" : reason(cause);
    throw new IOError(path, `the file can't be written: ${why}`, { cause });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/**
 * Writes to a path that the user named, without a temporary file: it may be a link or a device.
 *
 * @returns Whether it was written; `false` if the file already exists and may not be replaced.
 * @throws {IOError} The file can't be written; a new file is removed again.
 */
export async function writeDirectly(
  path: string,
  content: Uint8Array | string,
  { mayReplace }: { readonly mayReplace: boolean },
): Promise<boolean> {
  const { open, rm } = nodeModule("node:fs/promises");
  let isNew = false;
  try {
    const handle = await open(path, mayReplace ? "w" : "wx");
    isNew = !mayReplace;
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    return true;
  } catch (cause) {
    if (alreadyExists(cause)) return false;
    if (isNew) await rm(path, { force: true }).catch(() => undefined);
    throw new IOError(path, `the file can't be written: ${reason(cause)}`, { cause });
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
