/**
 * Password hashes: of the kind that the operator chose for new ones; other formats are verified until they are rehashed.
 *
 * Hashing runs outside the event loop, a few at a time: argon2id takes 19 MiB, and some 15 ms of a core.
 */
import { createHmac, randomBytes, scrypt, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";

import { hash as hashArgon2, verify as verifyArgon2 } from "@node-rs/argon2";

import { createBoundedQueue } from "../platform/concurrency/bounded-queue.js";
import { traced } from "../platform/tracing/tracing.js";
import {
  importedHashKind,
  verifyImported,
  BCRYPT_BYTES,
  type ImportedHashKind,
} from "./imported-password.js";
import { DEFAULT_HASH_KIND, type NewHashKind } from "./password-options.js";

const deriveScrypt = promisify<Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** 64 MiB, and some 200 ms of a core. */
const SCRYPT = { logN: 16, r: 8, p: 1 } as const;
const SCRYPT_BYTES = 128 * 2 ** SCRYPT.logN * SCRYPT.r * SCRYPT.p;
/** Some 250 ms of a core. */
const BCRYPT_COST = 12;

/** The beginnings of hashes at the present cost. */
const SCRYPT_PREFIX = `$scrypt$ln=${SCRYPT.logN},r=${SCRYPT.r},p=${SCRYPT.p}$`;
const BCRYPT_PREFIX = `$2b$${BCRYPT_COST}$`;
const BCRYPT_SHA256_PREFIX = `$bcrypt-sha256$v=2,t=2b,r=${BCRYPT_COST}$`;

async function hashScrypt(password: Buffer): Promise<string> {
  const salt = randomBytes(16);
  const { logN, r, p } = SCRYPT;
  const digest = await deriveScrypt(password, salt, 32, { N: 2 ** logN, r, p, maxmem: 2 * SCRYPT_BYTES });
  return `${SCRYPT_PREFIX}${toBase64(salt)}$${toBase64(digest)}`;
}

/** A password beyond bcrypt's limit is hashed as `bcrypt-sha256`: plain bcrypt would ignore its rest (CVE-2021-3563). */
async function hashBcrypt(password: Buffer): Promise<string> {
  const { genSalt, hash } = await import("@node-rs/bcrypt");
  if (password.length <= BCRYPT_BYTES) return hash(password, { cost: BCRYPT_COST, version: "2b" });
  const saltText = await genSalt({ cost: BCRYPT_COST, version: "2b" });
  const salt = saltText.slice(BCRYPT_PREFIX.length);
  const inner = createHmac("sha256", salt).update(password).digest("base64");
  const digest = (await hash(inner, { salt: saltText })).slice(saltText.length);
  return `${BCRYPT_SHA256_PREFIX}${salt}$${digest}`;
}

/** passlib writes base64 without padding. */
function toBase64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

/** OWASP's password storage cheat sheet: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const PREFIX = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

interface HashMaker {
  readonly hash: (password: Buffer) => Promise<string>;
  /** The beginnings of its hashes at the present cost: others are rehashed. */
  readonly prefixes: readonly string[];
}

const MAKERS: Readonly<Record<NewHashKind, HashMaker>> = {
  argon2id: { hash: (password) => hashArgon2(password, COST), prefixes: [PREFIX] },
  scrypt: { hash: hashScrypt, prefixes: [SCRYPT_PREFIX] },
  bcrypt: { hash: hashBcrypt, prefixes: [BCRYPT_PREFIX, BCRYPT_SHA256_PREFIX] },
};

/** Bytes of a password in UTF-8: the default and maximum of Keystone's `max_password_length`. */
export const MAX_PASSWORD_BYTES = 4096;

/** The result of verifying a password. */
export interface PasswordVerdict {
  readonly matches: boolean;
  /** Whether the hash should be replaced: it is imported, or of another cost. */
  readonly needsRehash: boolean;
}

const NO_MATCH: PasswordVerdict = { matches: false, needsRehash: false };

export interface PasswordHasherOptions {
  /** The kind of new hashes; {@link DEFAULT_HASH_KIND} if left out. */
  readonly kind?: NewHashKind;
  /** Hashes computed at a time: each needs a core and 19 MiB. Leave one core to other requests. */
  readonly concurrency: number;
  /** Passwords that may wait in the queue. */
  readonly maxWaiting: number;
}

export interface PasswordHasher {
  /**
   * @throws {RangeError} The password has more than 4096 bytes in UTF-8: callers check that first.
   * @throws {BusyError} The queue is full.
   */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password. Without a hash (the user does not exist, or has no password) it fails after the time of a real
   * verification, so that timing does not reveal which users exist.
   *
   * @throws {BusyError} The queue is full.
   */
  verify(password: string, stored: string | undefined): Promise<PasswordVerdict>;
}

/** One queue for all hashing of the process. */
export function createPasswordHasher({
  kind = DEFAULT_HASH_KIND,
  ...options
}: PasswordHasherOptions): PasswordHasher {
  const queue = createBoundedQueue(options);
  const { hash, prefixes } = MAKERS[kind];

  async function verifyStored(password: Buffer, stored: string): Promise<PasswordVerdict> {
    const matches = isOurs(stored)
      ? await verifyArgon2(stored, password)
      : await verifyImported(password, stored);
    return { matches, needsRehash: matches && !prefixes.some((prefix) => stored.startsWith(prefix)) };
  }

  return {
    async hash(password) {
      const bytes = Buffer.from(password);
      if (bytes.length > MAX_PASSWORD_BYTES)
        throw new RangeError(`A password of ${bytes.length} bytes is longer than ${MAX_PASSWORD_BYTES}`);
      return queue.run(() => traced("password", "hash", () => hash(bytes)));
    },
    async verify(password, stored) {
      const bytes = Buffer.from(password);
      const isTooLong = bytes.length > MAX_PASSWORD_BYTES;
      const isKnown = stored !== undefined && !isTooLong && isKnownPasswordHash(stored);
      if (isKnown) return queue.run(() => traced("password", "compare", () => verifyStored(bytes, stored)));
      // Making a hash takes as long as verifying one.
      await queue.run(() => traced("password", "compare", () => hash(bytes.subarray(0, MAX_PASSWORD_BYTES))));
      return NO_MATCH;
    },
  };
}

/** Whether a text is a password hash that can be verified. For imports of users. */
export function isKnownPasswordHash(stored: string): boolean {
  return passwordHashKind(stored) !== undefined;
}

/** The kind of a hash; `undefined` if it can't be verified. */
export function passwordHashKind(stored: string): "argon2id" | ImportedHashKind | undefined {
  return isOurs(stored) ? "argon2id" : importedHashKind(stored);
}

const ARGON2ID =
  /^\$argon2id\$v=19\$m=(?<kib>\d{1,7}),t=(?<passes>\d{1,3}),p=\d{1,2}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;
/** Limits on the cost of a stored hash, so that it can't exhaust the machine: 256 MiB, and that memory 16 times. */
const MAX_ARGON2_KIB = 262_144;
const MAX_ARGON2_WORK = 16 * MAX_ARGON2_KIB;

function isOurs(stored: string): boolean {
  const { kib = Infinity, passes = Infinity } = ARGON2ID.exec(stored)?.groups ?? {};
  return Number(kib) <= MAX_ARGON2_KIB && Number(kib) * Number(passes) <= MAX_ARGON2_WORK;
}
