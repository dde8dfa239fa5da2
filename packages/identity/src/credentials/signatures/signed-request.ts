/** Signed requests: what signers describe of them, the texts that signatures are made of, and when they were signed. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

import type { Moment } from "../../platform/clock.js";
import { InvalidError, errorClass } from "../../platform/errors.js";

export interface SignedRequest {
  readonly access: string;
  readonly signature: string;
  readonly verb: string;
  readonly host: string;
  readonly path: string;
  /** Of the query, or of the form in the body. */
  readonly parameters: ReadonlyMap<string, string>;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** SHA-256 of the body in hexadecimal digits; empty if it was not sent. */
  readonly bodyHash: string;
}

/** A part of the description is missing or malformed. */
export class SignedRequestError extends errorClass(
  InvalidError,
  "credentials/signed-request",
  (part: string, expected: string) => `Invalid input for field/attribute ${part}: expected ${expected}`,
) {}

/** @throws {SignedRequestError} */
export function readSignedRequest(
  { access, signature }: Pick<SignedRequest, "access" | "signature">,
  description: Readonly<Record<string, unknown>>,
): SignedRequest {
  const headers = textsIn(description, "headers");
  return {
    access,
    signature,
    verb: textOf(description, "verb"),
    host: textOf(description, "host"),
    path: textOf(description, "path"),
    parameters: textsIn(description, "params"),
    headers: new Map(Array.from(headers, ([name, value]) => [name.toLowerCase(), value])),
    bodyHash: "body_hash" in description ? textOf(description, "body_hash") : "",
  };
}

function textOf(description: Readonly<Record<string, unknown>>, part: string): string {
  const value = description[part];
  if (typeof value !== "string") throw new SignedRequestError(part, "a string");
  return value;
}

/** Names and values; only headers may be left out. */
function textsIn(description: Readonly<Record<string, unknown>>, part: "headers" | "params") {
  const given = description[part] ?? (part === "headers" ? {} : undefined);
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  const entries = isObject ? Object.entries(given) : undefined;
  if (entries === undefined || entries.some(([, value]) => typeof value !== "string"))
    throw new SignedRequestError(part, "an object whose values are strings");
  return new Map(entries as [string, string][]);
}

export function hmacSha256(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares a signature in a time that does not depend on its characters. */
export function isSameSignature(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Sorted and percent-encoded parameters, without the signature itself. */
export function canonicalQuery(parameters: ReadonlyMap<string, string>, signatureName: string): string {
  return [...parameters]
    .filter(([name]) => name !== signatureName)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`)
    .join("&");
}

/** All but RFC 3986's unreserved characters. */
function percentEncoded(text: string): string {
  // A half of a surrogate pair, which has no encoding, becomes U+FFFD.
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Signers may choose an expiry instead of a time; as in AWS, of at most a week. */
const MAX_EXPIRY_MS = 7 * 86_400_000;

/** The time of a request, and the lifetime of signatures, so that a captured one can't be replayed for ever. */
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
