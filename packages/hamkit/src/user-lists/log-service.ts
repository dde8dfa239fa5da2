/** The user list of the log service: download and parsing. */
import { IOError } from "../errors.js";
import type { Logger } from "../io/default-logger.js";
import { unzipOne } from "../io/unzip.js";
import {
  getUsers,
  textOf,
  type ListFile,
  type PublishedList,
  type UserListOptions,
  byCall,
  noOmissions,
  omit,
  warnOfOmissions,
  type Omissions,
  dateOf,
  dayAt,
  secondAt,
} from "./list-file.js";

/** The list that the log service publishes. */
export const LOGSITE: PublishedList<LogsiteUsers> = {
  url: "https://cdn.clublog.org/clublog-users.json.zip",
  read: readLogsite,
};

/** The list of 2018 has 11 MB. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/**
 * The users of the log service with their records.
 *
 * The service's list is a zip archive with one JSON file. An invalid value, such as the date 0000-00-00, is skipped and
 * its user stays; an entry that is not a user is skipped; the logger receives their number. A list without users is an
 * error, and so is an archive whose content exceeds 64 MiB.
 *
 * @param options The source of the list; default: the service.
 * @returns The record of each user by callsign, spelled as in the list. The object has no prototype, so `in` and
 *   `Object.keys` find only users.
 * @throws {IOError} The network, the server or the file failed, or the content is not the list: a web page, a truncated or
 *   damaged archive, or not JSON. `cause` has the original error.
 * @throws {ArgumentTypeError} @throws {ValueError} An option is invalid.
 * @example
 * async function takesRequestsOnline(callsign: string): Promise<boolean> {
 *   const users = await getLogsiteUsers();
 *   return users[callsign]?.oqrs ?? false;
 * }
 */
export async function getLogsiteUsers(options: UserListOptions = {}): Promise<LogsiteUsers> {
  return getUsers(LOGSITE, options);
}

async function readLogsite({ name, content }: ListFile, logger: Logger): Promise<LogsiteUsers> {
  const json = await unzipOne(content, { name, suffix: ".json", maxBytes: MAX_UNPACKED_BYTES });
  const { users, omissions } = readJson(textOf(json), name);
  warnOfOmissions(logger, name, "values or users", omissions);
  return users;
}

interface ParsedList {
  readonly users: LogsiteUsers;
  readonly omissions: Omissions;
}

function readJson(text: string, name: string): ParsedList {
  const omissions = noOmissions();
  const users = scanUsers(text, omissions);
  return users ? { users, omissions } : parseUsers(text, name);
}

/** Parses JSON of any layout. */
function parseUsers(text: string, name: string): ParsedList {
  const omissions = noOmissions();
  const users = Object.create(null) as LogsiteUsers;
  let isEmpty = true;
  for (const [call, fields] of Object.entries(parseObject(text, name))) {
    if (isFields(fields)) {
      users[call] = toLogsiteUser(call, fields, omissions);
      isEmpty = false;
    } else omit(omissions, `user ${JSON.stringify(call)}`, fields);
  }
  if (isEmpty && omissions.count === 0) throw new IOError(name, "the list has no users");
  if (isEmpty) throw new IOError(name, `the content is not the user list: ${omissions.first}`);
  return { users, omissions };
}

function parseObject(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new IOError(name, `the list is not JSON: ${String(cause)}`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new IOError(name, "the list is not a JSON object of users by callsign");
  return value as Record<string, unknown>;
}

/** Whether the value can be a user's record. PHP may write an empty one as an empty array. */
function isFields(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(Array.isArray(value) && value.length > 0);
}

// Fast parser for the log service's JSON in the service's own layout: compact, with the fields in a fixed order.
//
// `JSON.parse` would create a string for each date; one pass over the text takes half the time. Any other layout, valid JSON or
// not, ends the scan without a result.

const QUOTE = 34;
const COMMA = 44;
const SLASH = 47;
const COLON = 58;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;

/** The users in a text of this layout; `undefined` for any other text. */
export function scanUsers(text: string, omissions: Omissions): LogsiteUsers | undefined {
  const calls: string[] = [];
  const users: LogsiteUser[] = [];
  let position = 0;
  let call = "";
  /** The character required before the next field. */
  let separator = OPEN;
  let isOurLayout = true;

  function takeCode(code: number): boolean {
    if (text.charCodeAt(position) !== code) return false;
    position++;
    return true;
  }

  function take(word: string): boolean {
    if (!text.startsWith(word, position)) return false;
    position += word.length;
    return true;
  }

  /** Skips the name of a field, if it is this one. */
  function takeName(name: string): boolean {
    if (text.charCodeAt(position) !== separator || !text.startsWith(name, position + 1)) return false;
    position += 1 + name.length;
    separator = COMMA;
    return true;
  }

  /** A quoted string; the only supported escape is that of slashes, which the service writes. */
  function takeText(): string {
    const start = position + 1;
    const end = endOfText(text, position);
    if (end < 0) {
      isOurLayout = false;
      return "";
    }
    position = end + 1;
    const taken = text.slice(start, end);
    return taken.includes("\\") ? taken.replaceAll("\\/", "/") : taken;
  }

  function takeDate(key: DateKey): Date | undefined {
    if (text.charCodeAt(position) !== QUOTE) {
      isOurLayout &&= take("null");
      return undefined;
    }
    const hasLength = text.charCodeAt(position + MOMENT_LENGTH + 1) === QUOTE;
    const date = hasLength ? momentAt(text, position + 1) : undefined;
    if (date) position += MOMENT_LENGTH + 2;
    else omitValue(omissions, call, key, takeText());
    return date;
  }

  function takeUser(): LogsiteUser {
    const user: LogsiteUser = {};
    separator = OPEN;
    const firstqso = takeName('"firstqso":') ? takeDate("firstqso") : undefined;
    if (firstqso) user.firstqso = firstqso;
    const lastqso = takeName('"lastqso":') ? takeDate("lastqso") : undefined;
    if (lastqso) user.lastqso = lastqso;
    const lastupload = takeName('"lastupload":') ? takeDate("lastupload") : undefined;
    if (lastupload) user.lastupload = lastupload;
    if (takeName('"locator":') && !take("null")) user.locator = takeText();
    if (takeName('"oqrs":') && !take("null")) {
      user.oqrs = take("true");
      isOurLayout &&= user.oqrs || take("false");
    }
    const logbook = takeName('"last-lotw":') ? takeDate("last-logbook") : undefined;
    if (logbook) user["last-logbook"] = logbook;
    isOurLayout &&= (separator === COMMA || takeCode(OPEN)) && takeCode(CLOSE);
    return user;
  }

  if (!takeCode(OPEN)) return undefined;
  while (isOurLayout) {
    call = takeText();
    isOurLayout &&= takeCode(COLON);
    users.push(takeUser());
    calls.push(call);
    if (takeCode(CLOSE)) break;
    isOurLayout &&= takeCode(COMMA);
  }
  return isOurLayout && /^[ \t\r\n]*$/.test(text.slice(position)) ? byCall(calls, users) : undefined;
}

/** Index of the closing quote of the string that opens at an index; -1 without one, or with unsupported escapes. */
function endOfText(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1;
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH && text.charCodeAt(++at) !== SLASH) return -1;
    // Control characters must be escaped in JSON; beyond the end of the text the code is NaN.
    if (!(code >= 32)) return -1;
  }
}

/** A user of the log service. Unknown values are absent. */
export interface LogsiteUser {
  /** The first contact in the user's log. */
  firstqso?: Date;
  /** The last contact in the user's log. */
  lastqso?: Date;
  /** When the user last uploaded contacts to the logbook. */
  "last-logbook"?: Date;
  /** When the user last uploaded a log to the log service. */
  lastupload?: Date;
  /** The user's Maidenhead locator. */
  locator?: string;
  /** Whether the user accepts online QSL requests (OQRS). */
  oqrs?: boolean;
}

/** The users by callsign, in the service's spelling. An object without a prototype. */
export type LogsiteUsers = Record<string, LogsiteUser>;

type DateKey = Exclude<keyof LogsiteUser, "locator" | "oqrs">;

/** Our key for each key of the service. The service's `last-lotw` is `last-logbook` here. */
const KEYS: ReadonlyMap<string, keyof LogsiteUser> = new Map([
  ["firstqso", "firstqso"],
  ["lastqso", "lastqso"],
  ["lastupload", "lastupload"],
  ["locator", "locator"],
  ["oqrs", "oqrs"],
  ["last-lotw", "last-logbook"],
  ["last-logbook", "last-logbook"],
]);

/**
 * The record of one user.
 *
 * Invalid values and unknown fields are skipped; the other fields of the user stay.
 */
export function toLogsiteUser(call: string, fields: object, omissions: Omissions): LogsiteUser {
  const user: LogsiteUser = {};
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    const key = KEYS.get(name);
    if (key === undefined || value === null) continue;
    if (!takeValue(user, key, value)) omitValue(omissions, call, key, value);
  }
  return user;
}

/** Counts an invalid value. */
function omitValue(omissions: Omissions, call: string, key: keyof LogsiteUser, value: unknown): void {
  omit(omissions, `${key} of ${JSON.stringify(call)}`, value);
}

/** The length of `YYYY-MM-DD HH:MM:SS`. */
const MOMENT_LENGTH = 19;

/** The moment `YYYY-MM-DD HH:MM:SS` (UTC) at an index of a text; `undefined` for anything else. */
function momentAt(text: string, index: number): Date | undefined {
  if (text.charCodeAt(index + 10) !== BLANK) return undefined;
  const day = dayAt(text, index);
  const second = secondAt(text, index + 11);
  return day === undefined || second === undefined ? undefined : dateOf(day, second);
}

const BLANK = 32;

/** Sets the key if the value is valid for it; returns whether it was. */
function takeValue(user: LogsiteUser, key: keyof LogsiteUser, value: unknown): boolean {
  if (key === "oqrs") {
    if (typeof value === "boolean") user.oqrs = value;
    return typeof value === "boolean";
  }
  if (typeof value !== "string") return false;
  if (key === "locator") {
    user.locator = value;
    return true;
  }
  const date = value.length === MOMENT_LENGTH ? momentAt(value, 0) : undefined;
  if (date) user[key] = date;
  return date !== undefined;
}
