/** The file that notes what was uploaded: a line for each contact that was accepted, written before the next request. */
import { appendFileSync, closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";

import { IOError } from "../../../errors.js";
import type { UploadJournal } from "../../../uploads.js";
import { UsageError } from "../../exit-code.js";

/** The journal, for reading only. */
export function readJournal(path: string): UploadJournal {
  const keys = new Set(journalText(path).split("\n"));
  return { has: (key) => keys.has(key), add: () => {} };
}

/**
 * The journal, for one run at a time: two runs would send the same contacts.
 *
 * @throws {UsageError} Another run has it open.
 * @throws {IOError} It can't be read or written.
 */
export function openJournal(path: string): UploadJournal & { readonly close: () => void } {
  const lock = `${path}.lock`;
  takeLock(lock);
  try {
    const text = journalText(path);
    const keys = new Set(text.split("\n"));
    const file = writing(path, () => openSync(path, "a"));
    const append = (line: string) => writing(path, () => appendFileSync(file, line));
    // A line that a power failure cut off.
    if (text !== "" && !text.endsWith("\n")) append("\n");
    return {
      has: (key) => keys.has(key),
      add(key) {
        append(`${key}\n`);
        keys.add(key);
      },
      close() {
        closeSync(file);
        releaseLock(lock);
      },
    };
  } catch (failure) {
    releaseLock(lock);
    throw failure;
  }
}

/** Those of this process: its number may be that of an earlier one, as in a container. */
const HELD = new Set<string>();

function takeLock(lock: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      writeFileSync(lock, `${process.pid}\n`, { flag: "wx" });
      HELD.add(lock);
      return;
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw notWritable(lock, cause);
      const pid = Number.parseInt(journalText(lock), 10);
      if (attempt === 2 || isRunning(pid, lock))
        throw new UsageError(
          `another upload of this log runs (process ${pid}); if none does, delete ${lock}`,
        );
      rmSync(lock, { force: true }); // of a run that was killed
    }
  }
}

function releaseLock(lock: string): void {
  HELD.delete(lock);
  rmSync(lock, { force: true });
}

function isRunning(pid: number, lock: string): boolean {
  if (pid === process.pid) return HELD.has(lock);
  try {
    process.kill(pid, 0); // asks only
    return true;
  } catch (failure) {
    return codeOf(failure) !== "ESRCH"; // a process of another user, or a lock that is being written
  }
}

/** @throws {IOError} The file can't be written. */
function writing<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    throw notWritable(path, cause);
  }
}

function notWritable(path: string, cause: unknown): IOError {
  return new IOError(path, "the journal of uploads can't be written", { cause });
}

function journalText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return "";
    throw new IOError(path, "the journal of uploads can't be read", { cause });
  }
}

function codeOf(failure: unknown): unknown {
  return failure instanceof Error && "code" in failure ? failure.code : undefined;
}
