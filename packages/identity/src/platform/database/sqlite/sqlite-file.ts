/**
 * Whether the files of an open database are those at its path. SQLite does not notice that they were renamed, replaced or deleted:
 * it writes on to the files that it has open, and everything is lost when it closes them.
 */
import { realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";

export interface SqliteFile {
  /** What happened to the files, in a sentence; `undefined` if they are in place. It costs some microseconds. */
  fault(): string | undefined;
}

/** A database in memory, which has no files. */
export const NO_FILE: SqliteFile = { fault: () => undefined };

/** The time of a folder's last change may be so far behind. */
const SETTLED_MS = 100;

/** @param path Of a database that this process has open and has read: SQLite keeps its log and the log's index next to it. */
export function watchSqliteFile(path: string): SqliteFile {
  const real = realpathSync(path);
  const files = [path, `${real}-wal`, `${real}-shm`].flatMap((name) => {
    const opened = identify(name);
    return opened === undefined ? [] : [{ name, opened }];
  });
  const folders = [...new Set([dirname(path), dirname(real)])];
  let unchanged: string | undefined;

  function faultOfFiles(): string | undefined {
    for (const { name, opened } of files) {
      const current = identify(name);
      if (current === undefined) return describe(name, "was deleted or moved");
      if (current.ino !== opened.ino || current.dev !== opened.dev)
        return describe(name, "was replaced by another file");
    }
    return undefined;
  }

  /** Of the folders: it changes when a file in them is created, renamed or deleted. `undefined` if that was just now. */
  function stateOfFolders(): string | undefined {
    let state = "";
    for (const folder of folders) {
      const found = identify(folder);
      if (found === undefined || Date.now() - found.mtimeMs < SETTLED_MS) return undefined;
      state += `${found.dev} ${found.ino} ${found.mtimeMs} `;
    }
    return state;
  }

  return {
    fault() {
      const state = stateOfFolders();
      if (state !== undefined && state === unchanged) return undefined;
      const fault = faultOfFiles();
      unchanged = fault === undefined ? state : undefined;
      return fault;
    },
  };
}

function describe(name: string, event: string): string {
  return (
    `The database's file ${basename(name)} ${event} while this process had it open: changes are refused, as they would be lost. ` +
    "Put the former file back, or restart the service to use the file that is there now."
  );
}

/** `undefined` if the file does not exist or its folder can't be searched. */
function identify(name: string): Stats | undefined {
  try {
    return statSync(name, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
