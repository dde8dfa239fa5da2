/**
 * Fernet: authenticated encryption of short texts, with the time of encryption in seconds.
 *
 * version 0x80 | seconds since 1970 (8 bytes) | IV (16) | AES-128-CBC of the payload | HMAC-SHA256 of all before (32),
 * in URL-safe base64. The first key encrypts; decryption tries the keys in their order.
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

import { randomBytes } from "../platform/ids.js";
import type { TokenPayload } from "./token-payload.js";

const VERSION = 0x80;
const IV_START = 9;
const CIPHERTEXT_START = 25;
const BLOCK_BYTES = 16;
const HMAC_BYTES = 32;
const MIN_BYTES = CIPHERTEXT_START + BLOCK_BYTES + HMAC_BYTES;

/** Accepted clock skew of the encrypting machine: a constant of the specification. */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Characters. Node accepts headers of 16 KiB in total. */
const DEFAULT_MAX_LENGTH = 8192;

/** A key, split into its halves. */
export interface FernetKey {
  readonly signing: KeyObject;
  readonly encryption: KeyObject;
}

export interface EncryptOptions {
  /** The time of encryption, in milliseconds since 1970; stored in whole seconds. */
  readonly at: number;
  /** 16 bytes, never used with this key before; random if left out. */
  readonly iv?: Uint8Array;
}

export interface DecryptOptions {
  /** Longer texts are rejected; 8192 characters if left out. */
  readonly maxLength?: number;
  /** The maximum age in seconds, and the current time in milliseconds; any age if left out. */
  readonly freshness?: { readonly ttlSeconds: number; readonly now: number };
}

/** A decrypted text. */
export interface Decrypted {
  readonly payload: Buffer;
  /** The time of encryption, in whole seconds since 1970. */
  readonly madeAtSeconds: number;
}

/**
 * A key from 32 bytes: the first half signs, the second encrypts.
 *
 * @throws {RangeError} Not 32 bytes.
 */
export function toFernetKey(bytes: Uint8Array): FernetKey {
  if (bytes.length !== 32) throw new RangeError(`A Fernet key has ${bytes.length} bytes, expected 32`);
  return {
    signing: createSecretKey(bytes.subarray(0, 16)),
    encryption: createSecretKey(bytes.subarray(16)),
  };
}

/** Encrypts a payload. The text omits trailing `=`, which URLs would have to escape. */
export function encryptFernet(key: FernetKey, payload: Uint8Array, { at, iv }: EncryptOptions): string {
  const head = Buffer.alloc(CIPHERTEXT_START);
  head[0] = VERSION;
  head.writeBigUInt64BE(BigInt(Math.floor(at / 1000)), 1);
  head.set(iv ?? randomBytes(BLOCK_BYTES), IV_START);
  const cipher = createCipheriv("aes-128-cbc", key.encryption, head.subarray(IV_START));
  const signed = Buffer.concat([head, cipher.update(payload), cipher.final()]);
  return Buffer.concat([signed, hmac(key, signed)]).toString("base64url");
}

/** Decrypts a text; `undefined` if it fails any check: callers never learn which. */
export function decryptFernet(
  keys: readonly FernetKey[],
  text: string,
  options: DecryptOptions = {},
): Decrypted | undefined {
  if (text.length > (options.maxLength ?? DEFAULT_MAX_LENGTH)) return undefined;
  const bytes = fromBase64Url(text);
  if (bytes === undefined || bytes.length < MIN_BYTES || bytes[0] !== VERSION) return undefined;
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

/** Only after the HMAC is verified: no padding oracle. */
function decipher(key: FernetKey, signed: Buffer): Buffer | undefined {
  const iv = signed.subarray(IV_START, CIPHERTEXT_START);
  const cipher = createDecipheriv("aes-128-cbc", key.encryption, iv);
  try {
    return Buffer.concat([cipher.update(signed.subarray(CIPHERTEXT_START)), cipher.final()]);
  } catch {
    return undefined;
  }
}

/** Strict: Node's decoder ignores invalid characters and trailing bits; here one payload has one text. */
function fromBase64Url(text: string): Buffer | undefined {
  const unpadded = text.replace(/={1,2}$/, "");
  const bytes = Buffer.from(unpadded, "base64url");
  return bytes.toString("base64url") === unpadded ? bytes : undefined;
}

/** The tokens that a process caches decoded, and what requests show of them: two kilobytes each. */
const MAX_DECODED_TOKENS = 1000;

/** The payload of a token's text; `undefined` if no key verifies it. */
export type TokenDecoder<Keys> = (keys: Keys, text: string) => TokenPayload | undefined;

/** Caches what another decoder returns, until the keys are others: tokens of deleted keys are no longer valid. */
export function createTokenDecoder<Keys extends object>(decode: TokenDecoder<Keys>): TokenDecoder<Keys> {
  let known = new Map<string, TokenPayload>();
  let knownBy: Keys | undefined;
  return (keys, text) => {
    if (keys !== knownBy) {
      known = new Map();
      knownBy = keys;
    }
    const last = known.get(text);
    if (last !== undefined) return last;
    const payload = decode(keys, text);
    if (payload === undefined) return undefined;
    const [oldest] = known.keys();
    if (known.size >= MAX_DECODED_TOKENS && oldest !== undefined) known.delete(oldest);
    known.set(text, payload);
    return payload;
  };
}
