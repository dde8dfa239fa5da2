/**
 * One-time codes by time, for enrolment: the same as the service's (SHA-1, 6 digits, steps of 30 seconds).
 *
 * @see https://datatracker.ietf.org/doc/html/rfc6238
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** As RFC 4226 recommends for SHA-1. */
const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;

/** A new secret in base32. */
export function newSecret(): string {
  return toBase32(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** Without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    for (count += 8; count >= 5; count -= 5) text += BASE32[(bits >> (count - 5)) & 31] ?? "";
  }
  return count === 0 ? text : text + (BASE32[(bits << (5 - count)) & 31] ?? "");
}

export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const letter of text) {
    bits = ((bits << 5) | BASE32.indexOf(letter)) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  return Uint8Array.from(bytes);
}

/** The address that authenticator apps read from a QR code. */
export function otpauthUri({
  secret,
  issuer,
  user,
}: {
  secret: string;
  issuer: string;
  user: string;
}): string {
  const query = new URLSearchParams({
    secret,
    issuer,
    algorithm: "SHA1",
    digits: String(DIGITS),
    period: "30",
  });
  // Apps don't read + as a space.
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(user)}?${query.toString().replaceAll("+", "%20")}`;
}

/**
 * Whether a code is that of now, or of the step before or after it.
 *
 * @returns `undefined` where the browser can't calculate it: on plain HTTP.
 */
export async function isCodeOf(secret: string, code: string, now: Date): Promise<boolean | undefined> {
  if (crypto.subtle === undefined) return undefined;
  const step = Math.floor(now.getTime() / STEP_MS);
  const codes = await Promise.all([step - 1, step, step + 1].map((each) => codeAt(secret, each)));
  return codes.includes(code);
}

/** The code of a step. @param step Steps of 30 seconds since 1970. */
export async function codeAt(secret: string, step: number): Promise<string> {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const key = await crypto.subtle.importKey(
    "raw",
    fromBase32(secret),
    { name: "HMAC", hash: "SHA-1" },
    false,
    ["sign"],
  );
  const digest = new DataView(await crypto.subtle.sign("HMAC", key, counter.buffer));
  const offset = digest.getUint8(digest.byteLength - 1) & 0xf;
  return String((digest.getUint32(offset) & 0x7fff_ffff) % 10 ** DIGITS).padStart(DIGITS, "0");
}
