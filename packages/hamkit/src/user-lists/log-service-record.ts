/** What the log service tells of a user, and how its values are read. */
import { omit, type Omissions } from "./omissions.js";
import { dateOf, dayAt, secondAt } from "./utc-time.js";

/** A user of the log service. What the service does not know of a user is missing. */
export interface LogsiteUser {
  /** The first contact in the user's log. */
  firstqso?: Date;
  /** The last contact in the user's log. */
  lastqso?: Date;
  /** When the user last sent contacts to the logbook. */
  "last-logbook"?: Date;
  /** When the user last sent a log to the log service. */
  lastupload?: Date;
  /** The user's place, as a Maidenhead locator. */
  locator?: string;
  /** Whether the user takes requests for cards online. */
  oqrs?: boolean;
}

/** The users by callsign, spelled as the service does. An object without a prototype: every name is only a name. */
export type LogsiteUsers = Record<string, LogsiteUser>;

export type DateKey = Exclude<keyof LogsiteUser, "locator" | "oqrs">;

/** Our key for each of the service's. The logbook has changed its name since the service named that field. */
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
 * A value that can't be read is left out, and it alone; fields that nobody knows are, too.
 */
export function toLogsiteUser(call: string, fields: object, omissions: Omissions): LogsiteUser {
  const user: LogsiteUser = {};
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    const key = KEYS.get(name);
    if (key === undefined || value === null) continue;
    if (!take(user, key, value)) omitValue(omissions, call, key, value);
  }
  return user;
}

/** Counts a value that can't be read. */
export function omitValue(omissions: Omissions, call: string, key: keyof LogsiteUser, value: unknown): void {
  omit(omissions, `${key} of ${JSON.stringify(call)}`, value);
}

/** The length of `YYYY-MM-DD HH:MM:SS`. */
export const MOMENT_LENGTH = 19;

/** The moment `YYYY-MM-DD HH:MM:SS` (UTC) at an index of a text; `undefined` where there is none. */
export function momentAt(text: string, index: number): Date | undefined {
  if (text.charCodeAt(index + 10) !== BLANK) return undefined;
  const day = dayAt(text, index);
  const second = secondAt(text, index + 11);
  return day === undefined || second === undefined ? undefined : dateOf(day, second);
}

const BLANK = 32;

/** Whether the value is one that this key can have; then the user has it. */
function take(user: LogsiteUser, key: keyof LogsiteUser, value: unknown): boolean {
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
