/**
 * Copies of a SQLite file: one that is taken while the service writes, and one that takes the place of the file.
 *
 * Both are written beside their place, checked, and appear there whole or not at all.
 */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import Libsql from "libsql";

/** A copy can't be made. Nothing was changed. */
export class CopyError extends Error {
  override readonly name = "CopyError";
  readonly code: "copy/damaged" | "copy/exists" | "copy/in-use" | "copy/missing" | "copy/refused";

  constructor(code: CopyError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Which file, and where to. */
export interface CopyPlaces {
  readonly from: string;
  readonly to: string;
}

/**
 * Writes what a file holds at this moment into another one, for its owner alone. Who writes to the file meanwhile is not held up.
 *
 * @throws {CopyError} There is something at that place already (`exists`), or no database to copy (`missing`, `damaged`).
 */
export function backUp({ from, to }: CopyPlaces): void {
  if (existsSync(to)) throw new CopyError("copy/exists", `${to} is there already`);
  whileDrafted({ from, to }, (draft) => {
    try {
      linkSync(draft, to);
    } catch (cause) {
      throw new CopyError("copy/exists", `${to} can't be made`, { cause });
    }
  });
}

export interface RestoreOptions extends CopyPlaces {
  /** Why a file must not be the database, by the names of the steps that it has taken; `undefined` if it may. */
  readonly objection: (steps: readonly string[]) => string | undefined;
}

/**
 * Puts a copy in the place of a file that no process has open.
 *
 * @returns Where the file is that was there before; `undefined` if there was none.
 * @throws {CopyError} Another process has the file open (`in-use`), there is an objection (`refused`), or the copy is none
 *   (`missing`, `damaged`).
 */
export function restore({ from, to, objection }: RestoreOptions): string | undefined {
  let former: string | undefined;
  whileDrafted({ from, to }, (draft) => {
    const reason = objection(stepsIn(draft));
    if (reason !== undefined) throw new CopyError("copy/refused", `${from} ${reason}`);
    const isThere = existsSync(to);
    const unlock = isThere ? takeAlone(to) : removeLog(to);
    former = isThere ? keepAside(to) : undefined;
    renameSync(draft, to);
    unlock();
  });
  return former;
}

function whileDrafted({ from, to }: CopyPlaces, use: (draft: string) => void): void {
  if (!existsSync(from)) throw new CopyError("copy/missing", `There is no file ${from}`);
  const draft = join(dirname(to), `.${basename(to)}.${randomUUID()}`);
  try {
    copy(from, draft);
    use(draft);
    sync(dirname(to));
  } finally {
    for (const path of [draft, `${draft}-journal`]) rmSync(path, { force: true });
  }
}

function copy(from: string, draft: string): void {
  closeSync(openSync(draft, "wx", 0o600));
  try {
    const source = new Libsql(from);
    source.pragma("busy_timeout = 5000");
    source.prepare("vacuum into ?").run(draft);
    source.close();
    const copied = new Libsql(draft);
    const faults = copied.prepare("pragma integrity_check").raw().all().flat();
    copied.close();
    if (faults.join() !== "ok") throw new Error(String(faults[0]));
  } catch (cause) {
    throw new CopyError("copy/damaged", `${from} can't be copied as a database`, { cause });
  }
  sync(draft);
}

function stepsIn(path: string): string[] {
  const database = new Libsql(path);
  try {
    const rows = database.prepare("select name from schema_migration order by position").all();
    return rows.map((row) => (row as { readonly name: string }).name);
  } catch {
    return [];
  } finally {
    database.close();
  }
}

/**
 * Has the file for this process alone, with all that its log held in it. While others have it open SQLite refuses to leave the
 * mode with a log.
 *
 * @returns Lets go of it.
 */
function takeAlone(path: string): () => void {
  try {
    const database = new Libsql(path);
    database.pragma("busy_timeout = 0");
    database.pragma("journal_mode = delete");
    database.exec("begin exclusive");
    return () => database.close();
  } catch (cause) {
    throw new CopyError("copy/in-use", `${path} is in use, or no database: stop the service first`, {
      cause,
    });
  }
}

/** SQLite would take what a log holds whose file is gone for changes of the next file of this name. */
function removeLog(path: string): () => void {
  for (const end of ["-wal", "-shm", "-journal"]) rmSync(path + end, { force: true });
  return () => {};
}

/** A second name for the file, so that its first one is never without. */
function keepAside(path: string): string {
  const aside = `${path}.before-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  linkSync(path, aside);
  return aside;
}

/** Has what was written reach the disk. */
function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
