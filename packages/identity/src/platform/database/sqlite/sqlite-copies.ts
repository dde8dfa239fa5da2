/**
 * Backup and restore of a SQLite file. A backup can run while the service writes.
 *
 * Both write a draft next to the target, check it, and move it into place atomically.
 */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { openSqliteFile } from "./sqlite-library.js";

/** A backup or restore failed. No file was changed. */
export class CopyError extends Error {
  override readonly name = "CopyError";
  readonly code: "copy/damaged" | "copy/exists" | "copy/in-use" | "copy/missing" | "copy/refused";

  constructor(code: CopyError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface CopyPlaces {
  readonly from: string;
  readonly to: string;
}

/**
 * Copies a database into a new file (mode 600). Does not block concurrent writers.
 *
 * @throws {CopyError} The target exists (`exists`), or the source is not a database (`missing`, `damaged`).
 */
export function backUp({ from, to }: CopyPlaces): void {
  if (existsSync(to)) throw new CopyError("copy/exists", `${to} already exists`);
  whileDrafted({ from, to }, (draft) => {
    try {
      linkSync(draft, to);
    } catch (cause) {
      throw new CopyError("copy/exists", `${to} can't be created`, { cause });
    }
  });
}

export interface RestoreOptions extends CopyPlaces {
  /** Why a file is not acceptable, given its migration steps; `undefined` if it is. */
  readonly objection: (steps: readonly string[]) => string | undefined;
}

/**
 * Replaces a database that no process has open by a copy.
 *
 * @returns The new path of the replaced file; `undefined` if none existed.
 * @throws {CopyError} Another process has the file open (`in-use`), there is an objection (`refused`), or the copy is not a
 *   database (`missing`, `damaged`).
 */
export function restore({ from, to, objection }: RestoreOptions): string | undefined {
  let former: string | undefined;
  whileDrafted({ from, to }, (draft) => {
    const reason = objection(stepsIn(draft));
    if (reason !== undefined) throw new CopyError("copy/refused", `${from} ${reason}`);
    const isPresent = existsSync(to);
    const unlock = isPresent ? lockExclusively(to) : removeLog(to);
    former = isPresent ? keepAside(to) : undefined;
    renameSync(draft, to);
    unlock();
  });
  return former;
}

function whileDrafted({ from, to }: CopyPlaces, use: (draft: string) => void): void {
  if (!existsSync(from)) throw new CopyError("copy/missing", `File ${from} does not exist`);
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
    const source = openSqliteFile(from);
    source.exec("pragma busy_timeout = 5000");
    source.prepare("vacuum into ?").run(draft);
    source.close();
    const copied = openSqliteFile(draft);
    const faults = copied
      .prepare("pragma integrity_check")
      .all()
      .flatMap((row) => Object.values(row as object));
    copied.close();
    if (faults.join() !== "ok") throw new Error(String(faults[0]));
  } catch (cause) {
    throw new CopyError("copy/damaged", `${from} can't be copied as a database`, { cause });
  }
  sync(draft);
}

function stepsIn(path: string): string[] {
  const database = openSqliteFile(path);
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
 * Locks the file for this process, after a checkpoint of its log. While other processes have it open SQLite refuses to leave WAL
 * mode.
 *
 * @returns Releases the lock.
 */
function lockExclusively(path: string): () => void {
  try {
    const database = openSqliteFile(path);
    database.exec("pragma busy_timeout = 0");
    database.exec("pragma journal_mode = delete");
    database.exec("begin exclusive");
    return () => database.close();
  } catch (cause) {
    throw new CopyError("copy/in-use", `${path} is in use, or not a database: stop the service first`, {
      cause,
    });
  }
}

/** SQLite would apply a leftover log to the next file of this name. */
function removeLog(path: string): () => void {
  for (const end of ["-wal", "-shm", "-journal"]) rmSync(path + end, { force: true });
  return () => {};
}

/** Adds a second link, so that the path always has a file. */
function keepAside(path: string): string {
  const aside = `${path}.before-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  linkSync(path, aside);
  return aside;
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
