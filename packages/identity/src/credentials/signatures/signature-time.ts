/** When requests were signed: a signature is accepted for a limited time, so that a captured one can't be replayed for ever. */
import type { Moment } from "../../platform/clock.js";

/** Signers may choose an expiry instead of a time; as in AWS, of at most a week. */
const MAX_EXPIRY_MS = 7 * 86_400_000;

/** The time of a request, and the lifetime of signatures. */
export interface SignatureClock {
  readonly now: Moment;
  readonly lifetimeMs: number;
}

/** Whether a signature of a moment is neither too old, nor from the future by more than its lifetime. */
export function isRecent(signedAt: Moment | undefined, { now, lifetimeMs }: SignatureClock): boolean {
  return signedAt !== undefined && Math.abs(now - signedAt) <= lifetimeMs;
}

/** Whether an expiry that the signer chose is in the future. */
export function isBeforeExpiry(expiresAt: Moment | undefined, { now }: SignatureClock): boolean {
  return expiresAt !== undefined && expiresAt > now && expiresAt - now <= MAX_EXPIRY_MS;
}

/** `20260102T030405Z`; `undefined` if it is another format. */
export function parseBasicTime(text: string): Moment | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  return toMoment(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** `2026-01-02T03:04:05Z`, with fractions of a second, another offset, or none for UTC. */
export function parseExtendedTime(text: string): Moment | undefined {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  return parts === null ? undefined : toMoment(`${parts[1]}${parts[2] ?? "Z"}`);
}

/** `Fri, 02 Jan 2026 03:04:05 GMT`, with any numeric offset. */
export function parseHttpTime(text: string): Moment | undefined {
  return /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]\d{4})$/.test(text)
    ? toMoment(text)
    : undefined;
}

function toMoment(text: string): Moment | undefined {
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}
