/**
 * One-time codes by time: HMAC-SHA-1, 6 digits, steps of 30 seconds.
 *
 * @see https://datatracker.ietf.org/doc/html/rfc6238
 * @see https://datatracker.ietf.org/doc/html/rfc4226#section-5.3
 */
import { createHmac, timingSafeEqual } from "node:crypto";

import type { Moment } from "../../platform/clock.js";

const STEP_MS = 30_000;
const DIGITS = 6;
/** The code of the step before is accepted too, for a code that was read shortly before its step ended. */
const PREVIOUS_STEPS = 1;
/** 80 bits, as authenticator apps have them. */
const MIN_SECRET_BYTES = 10;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The code of a step. @param step Steps since 1970. */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The accepted step whose code this is; `undefined` if it is none. The time does not depend on the digits. */
export function stepOfCode(secret: Buffer, code: string, now: Moment): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const given = Buffer.from(code);
  const current = Math.floor(now / STEP_MS);
  let found: number | undefined;
  for (let step = current - PREVIOUS_STEPS; step <= current; step++)
    if (timingSafeEqual(given, Buffer.from(codeAt(secret, step)))) found = step;
  return found;
}

/** The secret in base32, with or without padding; `undefined` if it is malformed, or shorter than 80 bits. */
export function decodeTotpSecret(text: string): Buffer | undefined {
  const letters = text.toUpperCase().replace(/={0,6}$/, "");
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const letter of letters) {
    const value = BASE32.indexOf(letter);
    if (value < 0) return undefined;
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  return bytes.length < MIN_SECRET_BYTES ? undefined : Buffer.from(bytes);
}
