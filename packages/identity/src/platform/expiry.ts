/** The moment until which a resource is valid, as clients write it. */
import type { Moment } from "./clock.js";
import { errorClass, InvalidError } from "./errors.js";

/** The moment of expiry is malformed or past. */
export class ExpiryError extends errorClass(
  InvalidError,
  "request/expiry",
  (fault: string) =>
    `${fault} The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
) {}

const FORM = /^(?<day>\d{4}-\d\d-\d\d)[T ](?<time>\d\d:\d\d:\d\d)(?<fraction>\.\d{1,6})?Z?$/;

/**
 * @param text `2026-12-31T23:59:59`, with up to six decimals and with or without a `Z`: UTC.
 * @throws {ExpiryError} Another form, no such moment, or one that is past.
 */
export function readExpiry(text: string, now: Moment): Moment {
  const { day, time, fraction = "" } = FORM.exec(text)?.groups ?? {};
  const moment = Date.parse(`${day}T${time}${fraction}Z`);
  // JavaScript accepts 31 February, and 24:00:00.
  const isReal = !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(`${day}T${time}`);
  if (!isReal) throw new ExpiryError("Timestamp not in expected format.");
  if (moment < now) throw new ExpiryError("The 'expires_at' must not be before now.");
  return moment;
}
