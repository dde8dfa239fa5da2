/** Logs that another program writes: counted once, then each new contact when the file has grown, or anew when it was rewritten. */
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";

import { parseAdif, type AdifRecord } from "../../../adif.js";
import type { AwardCounter, CountAwardsOptions, Need, SpottedStation } from "../../../awards.js";
import { readRecords } from "../../input/log-records.js";

/** A log as it is shown to a page. */
export interface LogStatus {
  readonly name: string;
  readonly contacts: number;
  /** Why it can't be read, or not any more; what was counted before still counts. */
  readonly problem?: string | undefined;
}

export interface WatchedLogs {
  readonly paths: readonly string[];
  /** In the order of the paths. */
  statuses(): readonly LogStatus[];
  /** What a station would be for the awards of all logs together. */
  needs(station: SpottedStation): readonly Need[];
  /** Counts a contact that a program has just logged, before its file has it. */
  add(record: AdifRecord): void;
  /** Looks for changes now; otherwise it does every second. */
  check(): Promise<void>;
  close(): void;
}

export interface WatchedLogsOptions extends CountAwardsOptions {
  /** Called after the counts have changed. */
  readonly onChange: () => void;
}

/** A file, and how far it was counted. */
interface LogFile {
  readonly path: string;
  size: number;
  modified: number;
  /** Where the last record ends; what is written behind it is new. -1: the file has to be counted as a whole. */
  end: number;
  /** What stands before the end: it tells whether the file was only extended. */
  mark: string;
  contacts: number;
  problem: string | undefined;
}

const CHECK_MS = 1000;
/** What another program appends at once; more is counted as a whole. */
const MAX_APPENDED = 4 * 1024 * 1024;
const MARK_BYTES = 256;
/** Contacts of programs that are counted again with a file that was rewritten: it may not have them. */
const MAX_LOGGED = 10_000;

/** Opens and counts the logs; a log that can't be read has a problem, and is read when it can be. */
export async function watchLogs(
  paths: readonly string[],
  { onChange, ...options }: WatchedLogsOptions,
): Promise<WatchedLogs> {
  const { createAwardCounter, needs, spotContact } = await import("../../../awards.js");
  const { zonesAt } = await import("../../../zones.js");
  const create = () => createAwardCounter({ zonesAt, ...options });
  const files: LogFile[] = paths.map((path) => ({
    path,
    size: -1,
    modified: -1,
    end: -1,
    mark: "",
    contacts: 0,
    problem: undefined,
  }));
  let counter = create();
  const logged: AdifRecord[] = [];

  /** Counts what is new, or all files. @returns Whether something has changed. */
  async function update(): Promise<boolean> {
    let hasChanged = false;
    let isRewritten = false;
    for (const file of files) {
      try {
        const { size, mtimeMs } = await stat(file.path);
        if (size === file.size && mtimeMs === file.modified) continue;
        hasChanged = true;
        if (!(await countAppended(file, size, counter))) isRewritten = true;
        else Object.assign(file, { size, modified: mtimeMs, problem: undefined });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        hasChanged ||= file.problem !== problem;
        Object.assign(file, { problem, size: -1 }); // read when it is there again
      }
    }
    if (isRewritten) await countAll();
    return hasChanged;
  }

  /** The former counts answer until all files are counted. */
  async function countAll(): Promise<void> {
    const next = create();
    for (const file of files) {
      try {
        await countFile(file, next);
      } catch (error) {
        file.problem = error instanceof Error ? error.message : String(error);
      }
    }
    for (const record of logged) next.add(record);
    counter = next;
  }

  let checking: Promise<void> | undefined;
  let isClosed = false;
  async function checkOnce(): Promise<void> {
    try {
      if ((await update()) && !isClosed) onChange();
    } finally {
      checking = undefined;
    }
  }
  const check = () => (checking ??= checkOnce());
  await countAll();
  const timer = setInterval(() => void check(), CHECK_MS);
  timer.unref();
  return {
    paths,
    statuses: () => files.map(({ path, contacts, problem }) => ({ name: basename(path), contacts, problem })),
    needs: (station) => needs(counter, spotContact(station)),
    add(record) {
      counter.add(record);
      if (logged.length < MAX_LOGGED) logged.push(record);
      onChange();
    },
    check,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

async function countFile(file: LogFile, counter: AwardCounter): Promise<void> {
  const { size, mtimeMs } = await stat(file.path);
  Object.assign(file, { size, modified: mtimeMs, end: -1, contacts: 0 });
  for await (const { record } of readRecords(file.path, { end: size })) {
    counter.add(record);
    file.contacts++;
  }
  Object.assign(file, await findEnd(file.path, size), { problem: undefined });
}

/** Counts the records behind the end. @returns False: the file was changed before that, or isn't one that is extended by appending. */
async function countAppended(file: LogFile, size: number, counter: AwardCounter): Promise<boolean> {
  const { end, mark } = file;
  if (end < 0 || size < end || size - end > MAX_APPENDED) return false;
  const start = end - mark.length;
  const text = await readPart(file.path, start, size);
  if (!text.startsWith(mark)) return false;
  const appended = text.slice(mark.length);
  const length = endIn(appended);
  // A record that is still being written is read with its end.
  if (length < 0) return true;
  const whole = appended.slice(0, length);
  const { records } = parseAdif(Buffer.from(whole.trimStart(), "latin1"));
  for (const record of records) counter.add(record);
  file.contacts += records.length;
  file.end = end + length;
  file.mark = (mark + whole).slice(-MARK_BYTES);
  return true;
}

/** The end of the last record of a file in ADI. */
async function findEnd(path: string, size: number): Promise<{ end: number; mark: string }> {
  const start = Math.max(0, size - MAX_APPENDED);
  const text = await readPart(path, start, size);
  const length = /^\s*[{[]|<adx>/i.test(text) ? -1 : endIn(text);
  return length < 0
    ? { end: -1, mark: "" }
    : { end: start + length, mark: text.slice(Math.max(0, length - MARK_BYTES), length) };
}

function endIn(text: string): number {
  const found = text.toLowerCase().lastIndexOf("<eor>");
  return found < 0 ? -1 : found + "<eor>".length;
}

/** Bytes as characters of the same number. */
async function readPart(path: string, start: number, end: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
