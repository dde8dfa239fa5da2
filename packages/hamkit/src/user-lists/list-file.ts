/** Loads a user list from its service or from a local file, and decodes its text; dates and omissions of all lists. */
import { ArgumentTypeError, IOError } from "../errors.js";
import { defaultLogger, type Logger } from "../io/default-logger.js";
import { download } from "../io/download.js";
import { readBytes } from "../io/file.js";
import { checkTimeout } from "../io/timers.js";
import { showValue } from "../show-value.js";

/** The source of a list, and the logger for skipped entries. */
export interface UserListOptions {
  /** Address of the list (http or https); default: that of the service. */
  readonly url?: string;
  /** A local copy of the list, in the service's format; no request is made then. */
  readonly filename?: string;
  /** Receives one warning per call if entries were skipped; default: Node's process warnings. */
  readonly logger?: Logger;
  /** Idle timeout of each of up to three attempts, in milliseconds; default 10000. */
  readonly timeoutMs?: number;
}

/** The content of a list. */
export interface ListFile {
  /** Its address or path, for messages. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** A list that a service publishes. */
export interface PublishedList<Users> {
  /** Address at the service. */
  readonly url: string;
  /**
   * Parses a file that is neither empty nor a web page.
   *
   * @throws {IOError} @throws {UserListError} The file is not this list, or is damaged.
   */
  readonly read: (file: ListFile, logger: Logger) => Users | Promise<Users>;
}

/** The lists have 1 to 3 MB (2024). */
export const MAX_LIST_BYTES = 32 * 1024 * 1024;

/**
 * Loads and parses a list from its service, or from the source in the options.
 *
 * @throws {IOError} It can't be loaded, or is not a list.
 * @throws {UserListError} It is not this list.
 * @throws {ArgumentTypeError} @throws {ValueError} An option is invalid.
 */
export async function getUsers<Users>(list: PublishedList<Users>, options: UserListOptions): Promise<Users> {
  checkOptions(options);
  const { url = list.url, filename, timeoutMs, logger = defaultLogger } = options;
  const content = filename === undefined ? await downloadList(url, timeoutMs) : await readBytes(filename);
  return readUsers(list, { name: filename ?? url, content }, logger);
}

/**
 * Parses a list.
 *
 * @throws {IOError} It is empty, a web page, or another file.
 * @throws {UserListError} It is not this list.
 */
export async function readUsers<Users>(
  { read }: PublishedList<Users>,
  file: ListFile,
  logger: Logger,
): Promise<Users> {
  const first = file.content.find((byte) => !BLANKS.has(byte));
  if (first === undefined) throw new IOError(file.name, "the list is empty");
  if (first === LESS_THAN) throw new IOError(file.name, "expected the list, found a web page");
  return read(file, logger);
}

/** Decodes UTF-8, or Windows-1252 if the bytes are not UTF-8: some services still write that. */
export function textOf(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("windows-1252").decode(content);
  }
}

const LESS_THAN = 60;
/** Tab, line ends, space, and the three bytes of the byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf]);

async function downloadList(url: string, timeoutMs: number | undefined): Promise<Uint8Array> {
  // An invalid address is not worth a retry, and an address must not open local files.
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new IOError(url, "not an http or https address");
  const result = await download(url, {
    ...(timeoutMs !== undefined && { timeoutMs }),
    maxBytes: MAX_LIST_BYTES,
  });
  if (result.kind === "unchanged")
    throw new IOError(url, "the server responded with HTTP 304 to an unconditional request");
  return result.content;
}

function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null)
    throw new ArgumentTypeError({ argument: "options", value: options, expected: "an object" });
  const { url, filename, timeoutMs }: { url?: unknown; filename?: unknown; timeoutMs?: unknown } = options;
  for (const [argument, value] of Object.entries({ url, filename })) {
    if (value !== undefined && typeof value !== "string")
      throw new ArgumentTypeError({ argument, value, expected: "a string" });
  }
  checkTimeout(timeoutMs);
}

/**
 * An object of values by call, from two lists in the same order; of equal calls the last one applies. It has no
 * prototype, so that `__proto__` is an ordinary key.
 *
 * All values exist before the first is stored: storing each value as it is created makes the garbage collector scan the
 * growing table again and again, which costs 15 ms for 100,000 keys.
 */
export function byCall<Value>(calls: readonly string[], values: readonly Value[]): Record<string, Value> {
  const users = Object.create(null) as Record<string, Value>;
  let index = 0;
  for (const call of calls) users[call] = values[index++] as Value;
  return users;
}

export interface Omissions {
  count: number;
  /** Place and value of the first one, for messages. */
  first: string;
}

export function noOmissions(): Omissions {
  return { count: 0, first: "" };
}

/** Counts one more. The value may be anything, so it is escaped and truncated. */
export function omit(omissions: Omissions, where: string, value: unknown): void {
  omissions.count++;
  if (omissions.count === 1) omissions.first = `${where}: ${showValue(value)}`;
}

/** Logs one warning, if entries were skipped. */
export function warnOfOmissions(logger: Logger, list: string, entries: string, omissions: Omissions): void {
  const { count, first } = omissions;
  if (count > 0) logger.warn(`${list}: skipped ${count} ${entries} as invalid, the first is ${first}`);
}

// Parses the dates and times of user lists in place.
//
// A list has hundreds of thousands of them: slicing each and parsing it with `Date` takes several times as long. Days and
// seconds are small integers, which need no allocation.

/** Days of a common year before each month, and at its end. */
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** Days from 0001-01-01 to 1970-01-01 in the Gregorian calendar. */
const DAYS_BEFORE_1970 = 719_162;

const HYPHEN = 45;
const COLON = 58;

/** The date of a day and a second of that day, as counted by {@link dayAt} and {@link secondAt}. */
export function dateOf(day: number, second: number): Date {
  return new Date((day * 86_400 + second) * 1000);
}

/** The day `YYYY-MM-DD` at an index of a text, counted from 1970; `undefined` if it is not a valid date. */
export function dayAt(text: string, index: number): number | undefined {
  if (text.charCodeAt(index + 4) !== HYPHEN || text.charCodeAt(index + 7) !== HYPHEN) return undefined;
  const year = twoDigitsAt(text, index) * 100 + twoDigitsAt(text, index + 2);
  const month = twoDigitsAt(text, index + 5);
  const day = twoDigitsAt(text, index + 8);
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1)) return undefined;

  const leapDay = isLeapYear(year) ? 1 : 0;
  const before = (DAYS_BEFORE[month - 1] ?? 0) + (month > 2 ? leapDay : 0);
  const after = (DAYS_BEFORE[month] ?? 0) + (month >= 2 ? leapDay : 0);
  return before + day > after ? undefined : daysBeforeYear(year) + before + day - 1 - DAYS_BEFORE_1970;
}

/** The time of day `HH:MM:SS` at an index of a text, in seconds; `undefined` if it is not a valid time. */
export function secondAt(text: string, index: number): number | undefined {
  if (text.charCodeAt(index + 2) !== COLON || text.charCodeAt(index + 5) !== COLON) return undefined;
  const hour = twoDigitsAt(text, index);
  const minute = twoDigitsAt(text, index + 3);
  const second = twoDigitsAt(text, index + 6);
  return hour < 24 && minute < 60 && second < 60 ? hour * 3600 + minute * 60 + second : undefined;
}

/** A number of two digits; `NaN` for other characters. */
function twoDigitsAt(text: string, index: number): number {
  const tens = text.charCodeAt(index) - 48;
  const ones = text.charCodeAt(index + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysBeforeYear(year: number): number {
  const past = year - 1;
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
}
