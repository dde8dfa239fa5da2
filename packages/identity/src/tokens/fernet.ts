/**
 * Fernet: a short secret text that only the holder of a key can make or read, with the second it was made at.
 *
 * version 0x80 | seconds since 1970 (8 bytes) | IV (16) | AES-128-CBC of the payload | HMAC-SHA256 of all before (32),
 * in the URL-safe base64. Keys are tried in their order; the first one encrypts.
 *
 * @see https://github.com/fernet/spec/blob/master/Spec.md
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  type KeyObject,
} from "node:crypto";

import { randomBytes } from "../platform/secrets/random.js";

const VERSION = 0x80;
const IV_START = 9;
const CIPHERTEXT_START = 25;
const BLOCK_BYTES = 16;
const HMAC_BYTES = 32;
const LEAST_BYTES = CIPHERTEXT_START + BLOCK_BYTES + HMAC_BYTES;

/** How far the clock of the machine that made a text may be ahead of ours, in seconds: a constant of the specification. */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** The longest text that is looked at, unless said otherwise: a header of Node's holds 16 KiB. */
const DEFAULT_MAX_LENGTH = 8192;

/** A key, ready for use. */
export interface FernetKey {
  readonly signing: KeyObject;
  readonly encryption: KeyObject;
}

export interface EncryptOptions {
  /** When it is made, in milliseconds since 1970; the text keeps whole seconds. */
  readonly at: number;
  /** 16 bytes that were never used with this key before; random ones when left out. */
  readonly iv?: Uint8Array;
}

export interface DecryptOptions {
  /** The longest text to look at, in characters; 8192 when left out. */
  readonly maxLength?: number;
  /** The age in seconds above which a text is refused, and the present in milliseconds; any age when left out. */
  readonly freshness?: { readonly ttlSeconds: number; readonly now: number };
}

/** What a text held. */
export interface Decrypted {
  readonly payload: Buffer;
  /** When it was made, in whole seconds since 1970. */
  readonly madeAtSeconds: number;
}

/**
 * The key that 32 bytes make: the first half signs, the second encrypts.
 *
 * @throws {RangeError} There are not 32 bytes.
 */
export function toFernetKey(bytes: Uint8Array): FernetKey {
  if (bytes.length !== 32) throw new RangeError(`A Fernet key has 32 bytes, not ${bytes.length}`);
  return {
    signing: createSecretKey(bytes.subarray(0, 16)),
    encryption: createSecretKey(bytes.subarray(16)),
  };
}

/** The payload under a key, as text without the `=` at its end, which would have to be quoted in a URL. */
export function encryptFernet(key: FernetKey, payload: Uint8Array, { at, iv }: EncryptOptions): string {
  const head = Buffer.alloc(CIPHERTEXT_START);
  head[0] = VERSION;
  head.writeBigUInt64BE(BigInt(Math.floor(at / 1000)), 1);
  head.set(iv ?? randomBytes(BLOCK_BYTES), IV_START);
  const cipher = createCipheriv("aes-128-cbc", key.encryption, head.subarray(IV_START));
  const signed = Buffer.concat([head, cipher.update(payload), cipher.final()]);
  return Buffer.concat([signed, hmac(key, signed)]).toString("base64url");
}

/** What the text holds; `undefined` if none of the keys made it, whatever the reason is: nobody has to learn it. */
export function decryptFernet(
  keys: readonly FernetKey[],
  text: string,
  options: DecryptOptions = {},
): Decrypted | undefined {
  if (text.length > (options.maxLength ?? DEFAULT_MAX_LENGTH)) return undefined;
  const bytes = fromBase64Url(text);
  if (bytes === undefined || bytes.length < LEAST_BYTES || bytes[0] !== VERSION) return undefined;
  const signed = bytes.subarray(0, -HMAC_BYTES);
  if ((signed.length - CIPHERTEXT_START) % BLOCK_BYTES !== 0) return undefined;

  const key = keys.find((each) => timingSafeEqual(hmac(each, signed), bytes.subarray(-HMAC_BYTES)));
  if (key === undefined) return undefined;
  const madeAtSeconds = Number(bytes.readBigUInt64BE(1));
  if (options.freshness !== undefined && !isFresh(madeAtSeconds, options.freshness)) return undefined;
  const payload = decipher(key, signed);
  return payload && { payload, madeAtSeconds };
}

function hmac({ signing }: FernetKey, signed: Uint8Array): Buffer {
  return createHmac("sha256", signing).update(signed).digest();
}

function isFresh(madeAtSeconds: number, { ttlSeconds, now }: { ttlSeconds: number; now: number }): boolean {
  const ageSeconds = now / 1000 - madeAtSeconds;
  return ageSeconds <= ttlSeconds && ageSeconds >= -MAX_CLOCK_SKEW_SECONDS;
}

/** Only after the signature was found right, so that a wrong padding tells nothing about the payload. */
function decipher(key: FernetKey, signed: Buffer): Buffer | undefined {
  const iv = signed.subarray(IV_START, CIPHERTEXT_START);
  const cipher = createDecipheriv("aes-128-cbc", key.encryption, iv);
  try {
    return Buffer.concat([cipher.update(signed.subarray(CIPHERTEXT_START)), cipher.final()]);
  } catch {
    return undefined;
  }
}

/** Node passes over what is no base64, and over bits behind the last byte; one payload has one text here. */
function fromBase64Url(text: string): Buffer | undefined {
  const unpadded = text.replace(/={1,2}$/, "");
  const bytes = Buffer.from(unpadded, "base64url");
  return bytes.toString("base64url") === unpadded ? bytes : undefined;
}
