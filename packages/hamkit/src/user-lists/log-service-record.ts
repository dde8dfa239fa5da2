/** The record of a user of the log service, and the parsing of its values. */
import { omit, type Omissions } from "./omissions.js";
import { dateOf, dayAt, secondAt } from "./utc-time.js";

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

export type DateKey = Exclude<keyof LogsiteUser, "locator" | "oqrs">;

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
    if (!take(user, key, value)) omitValue(omissions, call, key, value);
  }
  return user;
}

/** Counts an invalid value. */
export function omitValue(omissions: Omissions, call: string, key: keyof LogsiteUser, value: unknown): void {
  omit(omissions, `${key} of ${JSON.stringify(call)}`, value);
}

/** The length of `YYYY-MM-DD HH:MM:SS`. */
export const MOMENT_LENGTH = 19;

/** The moment `YYYY-MM-DD HH:MM:SS` (UTC) at an index of a text; `undefined` for anything else. */
export function momentAt(text: string, index: number): Date | undefined {
  if (text.charCodeAt(index + 10) !== BLANK) return undefined;
  const day = dayAt(text, index);
  const second = secondAt(text, index + 11);
  return day === undefined || second === undefined ? undefined : dateOf(day, second);
}

const BLANK = 32;

/** Sets the key if the value is valid for it; returns whether it was. */
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
