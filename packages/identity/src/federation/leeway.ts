/** The accepted clock skew, one for SAML and OpenID Connect, and how log lines describe a time that is out of range. */
import type { Moment } from "../platform/clock.js";

/** Accepted clock skew between the service and identity providers. */
export const LEEWAY_SECONDS = 60;
export const LEEWAY_MS = LEEWAY_SECONDS * 1000;

/** A received time and its offset: `2026-11-21T12:03:11Z, 40 s ago (leeway 60 s); check the clocks of both`. */
export function describeTime(moment: Moment, now: Moment): string {
  const seconds = Math.round(Math.abs(now - moment) / 1000);
  const offset = moment > now ? `in ${seconds} s` : `${seconds} s ago`;
  return `${isoTime(moment)}, ${offset} (leeway ${LEEWAY_SECONDS} s); check the clocks of both`;
}

/** Without milliseconds where they are zero. */
export function isoTime(moment: Moment): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime())
    ? `${moment / 1000} s since 1970`
    : date.toISOString().replace(".000Z", "Z");
}
