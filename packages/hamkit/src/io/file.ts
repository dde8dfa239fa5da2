/** Reading and writing files. */
import { IOError } from "../errors.js";
import { nodeModule } from "./node-modules.js";

/**
 * The bytes of a file.
 *
 * @throws {IOError} The file can't be read; `cause` says why.
 */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readAtOnce(path);
  } catch (cause) {
    throw new IOError(path, `the file can't be read: ${reason(cause)}`, { cause });
  }
}

/** `readFile` goes to the disk for each half megabyte; with one read a file of 13 MB is there 10 ms earlier. */
async function readAtOnce(path: string): Promise<Uint8Array> {
  const { open } = nodeModule("node:fs/promises");
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.allocUnsafe(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    // A pipe has no size, and a file may be growing.
    return size > 0 && bytesRead === size ? bytes : await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The bytes of a file, or `undefined` where there is none. */
export async function readBytesIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await nodeModule("node:fs/promises").readFile(path);
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
  const { rename } = nodeModule("node:fs/promises");
  await writeDraft(path, content, (draft) => rename(draft, path));
}

/**
 * Writes a file that is not there yet, as a whole or not at all.
 *
 * @throws {IOError} It can't be written, or something of this name is there, which is left as it is.
 */
export async function writeNew(path: string, content: Uint8Array | string): Promise<void> {
  const { link, rename, writeFile } = nodeModule("node:fs/promises");
  await writeDraft(path, content, async (draft) => {
    try {
      await link(draft, path);
    } catch (failure) {
      if (isThere(failure)) throw failure;
      // Some file systems have no second names for a file. Taking the name first is the next best.
      await writeFile(path, "", { flag: "wx" });
      await rename(draft, path);
    }
  });
}

function isThere(failure: unknown): boolean {
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
    const why = isThere(cause) ? "there is something of this name already" : reason(cause);
    throw new IOError(path, `the file can't be written: ${why}`, { cause });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/**
 * Writes a file under a name that somebody chose: through links and to devices too, and never over a file that is there
 * unless it may be replaced.
 *
 * @returns Whether it was written; `false` where there is a file, which is left as it was.
 * @throws {IOError} The file can't be written; none is left behind where none was.
 */
export async function writeChosen(
  path: string,
  content: string,
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
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return false;
    if (isNew) await rm(path, { force: true }).catch(() => undefined);
    throw new IOError(path, `the file can't be written: ${reason(cause)}`, { cause });
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
