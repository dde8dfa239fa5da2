/** The user list of the log service: download and parsing. */
import { IOError } from "../errors.js";
import type { Logger } from "../io/default-logger.js";
import { unzipOne } from "../io/unzip.js";
import { getUsers, textOf, type ListFile, type PublishedList, type UserListOptions } from "./list-file.js";
import { toLogsiteUser, type LogsiteUsers } from "./log-service-record.js";
import { scanUsers } from "./log-service-scan.js";
import { noOmissions, omit, warnOfOmissions, type Omissions } from "./omissions.js";

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
