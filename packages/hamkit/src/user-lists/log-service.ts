/** Who uses the log service, and what it tells of them. */
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
 * The users of the log service, with what it tells of each.
 *
 * The service's list is a zip archive with one JSON file. A single value that can't be read, such as a date of
 * 0000-00-00, is left out alone, its user stays; a user that is none is left out; the logger is told how many. A list
 * without a single user is an error, and so is an archive whose content has more than 64 MiB.
 *
 * @param options Where the list comes from; the service itself when left out.
 * @returns The record of each user by callsign, spelled as in the list. The object has no prototype, so `in` and
 *   `Object.keys` find users alone.
 * @throws {IOError} The network, the server or the file failed, or it is not the list: a web page, an archive that is cut
 *   off or damaged, or no JSON. `cause` has the failure itself.
 * @throws {ArgumentTypeError} @throws {ValueError} The options can't be used.
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

interface Reading {
  readonly users: LogsiteUsers;
  readonly omissions: Omissions;
}

function readJson(text: string, name: string): Reading {
  const omissions = noOmissions();
  const users = scanUsers(text, omissions);
  return users ? { users, omissions } : parseUsers(text, name);
}

/** The users in JSON of any layout. */
function parseUsers(text: string, name: string): Reading {
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
  if (isEmpty) throw new IOError(name, `this is not the list of users. It has ${omissions.first}`);
  return { users, omissions };
}

function parseObject(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new IOError(name, `the list is no JSON: ${String(cause)}`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new IOError(name, "the list is no JSON object of users by callsign");
  return value as Record<string, unknown>;
}

/** Whether the value can be what is known of a user. Where nothing is, PHP may write an empty array. */
function isFields(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(Array.isArray(value) && value.length > 0);
}
