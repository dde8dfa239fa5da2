/** Until when a resource is valid: UTC with microseconds and without a zone, as Keystone's clients read and write it. */
import type { Moment } from "./clock.js";
import { errorClass, InvalidError } from "./errors.js";

/** The moment of expiry is malformed or past. */
export class ExpiryError extends errorClass(
  InvalidError,
  "request/expiry",
  (fault: string) =>
    `${fault} The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
) {}

const FORM = /^(?<day>\d{4}-\d\d-\d\d)[T ](?<time>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d{1,6}))?Z?$/;

/**
 * @param text `2026-12-31T23:59:59`, with up to six decimals and with or without a `Z`.
 * @returns With six decimals and no `Z`.
 * @throws {ExpiryError} Another form, no such moment, or one that is past.
 */
export function readExpiry(text: string, now: Moment): string {
  const { day, time, fraction = "" } = FORM.exec(text)?.groups ?? {};
  const second = `${day}T${time}`;
  const expiry = `${second}.${fraction.padEnd(6, "0")}`;
  const moment = expiryMoment(expiry);
  // JavaScript accepts 31 February, and 24:00:00.
  const isReal = !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(second);
  if (!isReal) throw new ExpiryError("Timestamp not in expected format.");
  if (moment < now) throw new ExpiryError("The 'expires_at' must not be before now.");
  return expiry;
}

/** The moment, in whole milliseconds. */
export function expiryMoment(expiry: string): Moment {
  return Date.parse(`${expiry}Z`);
}
