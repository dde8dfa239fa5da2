/** The user list of the logbook: download and parsing. */
import { UserListError } from "../errors.js";
import type { Logger } from "../io/default-logger.js";
import {
  byCall,
  getUsers,
  textOf,
  type ListFile,
  type PublishedList,
  type UserListOptions,
  noOmissions,
  omit,
  warnOfOmissions,
  type Omissions,
  dateOf,
  dayAt,
  secondAt,
} from "./list-file.js";

/** The moment of each user's last upload, by callsign. An object without a prototype. */
export type LogbookUsers = Record<string, Date>;

/** The list that the logbook publishes. */
export const LOGBOOK: PublishedList<LogbookUsers> = {
  url: "https://lotw.arrl.org/lotw-user-activity.csv",
  read: readLogbook,
};

/** With more invalid lines the file is not this list. */
const MAX_SKIPPED = 10;

/**
 * The users of the logbook, with the moment of their last upload.
 *
 * The service's list has one line per user: `CALL,YYYY-MM-DD,HH:MM:SS`, in UTC. A line without a time of day means 00:00.
 * Up to ten invalid lines are skipped; the logger receives their number.
 *
 * @param options The source of the list; default: the service.
 * @returns The moment of the last upload by callsign, spelled as in the list, to the second. The object has no prototype,
 *   so `in` and `Object.keys` find only users.
 * @throws {IOError} The network, the server or the file failed, or the content is empty or a web page. `cause` has the
 *   original error.
 * @throws {UserListError} More than ten lines are invalid, or all of them; a `ValueError`.
 * @throws {ValueError} An option is invalid.
 * @throws {ArgumentTypeError} An option has the wrong type.
 * @example
 * async function monthsSinceUpload(callsign: string): Promise<number | undefined> {
 *   const uploads = await getLogbookUsers({ timeoutMs: 20_000 });
 *   const last = uploads[callsign];
 *   return last && (Date.now() - last.getTime()) / (30 * 86_400_000);
 * }
 */
export async function getLogbookUsers(options: UserListOptions = {}): Promise<LogbookUsers> {
  return getUsers(LOGBOOK, options);
}

function readLogbook({ name, content }: ListFile, logger: Logger): LogbookUsers {
  const { users, lines, omissions } = readLines(textOf(content));
  const isReadable = omissions.count <= MAX_SKIPPED && omissions.count < lines;
  if (!isReadable) {
    const expected = "lines such as W1AW,2024-05-01,23:59:59";
    const found = `${omissions.count} invalid lines of ${lines}, the first is ${omissions.first}`;
    throw new UserListError({ file: name, expected, found });
  }
  warnOfOmissions(logger, name, `of ${lines} lines`, omissions);
  return users;
}

interface ParsedLines {
  readonly users: LogbookUsers;
  /** Number of lines that are not blank. */
  readonly lines: number;
  readonly omissions: Omissions;
}

function readLines(text: string): ParsedLines {
  const calls: string[] = [];
  const uploads: Date[] = [];
  const omissions = noOmissions();
  let number = 0;
  let comma = -1;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = indexOrEnd(text, "\n", start);
    number++;
    // Searched once, so that a text without commas is not scanned again for each line.
    if (comma < start) comma = indexOrEnd(text, ",", start);
    const upload = comma < end ? uploadAt(text, comma + 1, end) : undefined;
    const call = upload ? text.slice(start, comma).trim() : "";
    if (upload && call !== "") {
      calls.push(call);
      uploads.push(upload);
    } else if (!isBlank(text, start, end)) omit(omissions, `line ${number}`, text.slice(start, end).trim());
  }
  return { users: byCall(calls, uploads), lines: calls.length + omissions.count, omissions };
}

const COMMA = 44;

/** The moment after the first comma of a line; the end of the line or of the column must follow it. */
function uploadAt(text: string, start: number, lineEnd: number): Date | undefined {
  const day = dayAt(text, start);
  if (day === undefined) return undefined;
  const dayEnd = start + 10;
  if (text.charCodeAt(dayEnd) !== COMMA) return isBlank(text, dayEnd, lineEnd) ? dateOf(day, 0) : undefined;
  const second = secondAt(text, dayEnd + 1);
  const timeEnd = dayEnd + 9;
  const isWhole = text.charCodeAt(timeEnd) === COMMA || isBlank(text, timeEnd, lineEnd);
  return second !== undefined && isWhole ? dateOf(day, second) : undefined;
}

function isBlank(text: string, start: number, end: number): boolean {
  return start >= end || text.slice(start, end).trim() === "";
}

function indexOrEnd(text: string, character: string, start: number): number {
  const index = text.indexOf(character, start);
  return index < 0 ? text.length : index;
}
