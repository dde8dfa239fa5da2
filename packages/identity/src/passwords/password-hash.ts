/**
 * Password hashes: argon2id for new ones, and those of other systems read until they are renewed.
 *
 * Hashing is done outside the event loop, a few at a time: each takes 19 MiB, and a core for some 15 ms.
 */
import { randomBytes } from "node:crypto";

import { hash as hashArgon2, verify as verifyArgon2 } from "@node-rs/argon2";

import { createBoundedQueue } from "../platform/concurrency/bounded-queue.js";
import { isImportedHash, verifyImported } from "./imported-password.js";

/** OWASP's password storage cheat sheet: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const PREFIX = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/** The longest password, in bytes: Keystone's `max_password_length`, whose default and maximum it is. */
export const MAX_PASSWORD_BYTES = 4096;

/** What comes of checking a password. */
export interface PasswordVerdict {
  readonly matches: boolean;
  /** Whether the hash, now that the password is known, should be made anew: it is another system's, or of a lower cost. */
  readonly needsRehash: boolean;
}

const NO_MATCH: PasswordVerdict = { matches: false, needsRehash: false };

export interface PasswordHasherOptions {
  /** How many are hashed at a time: each needs a core and 19 MiB. One core should be left to everything else. */
  readonly concurrency: number;
  /** How many may wait for their turn. */
  readonly maxWaiting: number;
}

export interface PasswordHasher {
  /**
   * The hash of a new password.
   *
   * @throws {RangeError} It has more than 4096 bytes in UTF-8: callers check that first.
   * @throws {BusyError} Too many wait.
   */
  hash(password: string): Promise<string>;
  /**
   * Whether a password belongs to a hash. Without a hash, because there is no such user, or none that may log in with a
   * password, the answer is no, and takes the time that a hash of ours takes.
   *
   * @throws {BusyError} Too many wait.
   */
  verify(password: string, stored: string | undefined): Promise<PasswordVerdict>;
}

/** Hashes and checks passwords, in one line for the whole process. */
export function createPasswordHasher(options: PasswordHasherOptions): PasswordHasher {
  const queue = createBoundedQueue(options);
  return {
    async hash(password) {
      const bytes = Buffer.from(password);
      if (bytes.length > MAX_PASSWORD_BYTES)
        throw new RangeError(`A password of ${bytes.length} bytes is longer than ${MAX_PASSWORD_BYTES}`);
      return queue.run(async () => hashArgon2(bytes, COST));
    },
    async verify(password, stored) {
      const bytes = Buffer.from(password);
      const isTooLong = bytes.length > MAX_PASSWORD_BYTES;
      const isKnown = stored !== undefined && !isTooLong && isKnownPasswordHash(stored);
      if (isKnown) return queue.run(async () => verifyStored(bytes, stored));
      await queue.run(async () => verifyArgon2(decoy(), bytes.subarray(0, MAX_PASSWORD_BYTES)));
      return NO_MATCH;
    },
  };
}

/** Whether a text is a password hash that can be checked: to be asked when users are taken over from another system. */
export function isKnownPasswordHash(stored: string): boolean {
  return isOurs(stored) || isImportedHash(stored);
}

function isOurs(stored: string): boolean {
  return /^\$argon2id\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,2}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/.test(
    stored,
  );
}

async function verifyStored(password: Buffer, stored: string): Promise<PasswordVerdict> {
  const matches = isOurs(stored)
    ? await verifyArgon2(stored, password)
    : await verifyImported(password, stored);
  return { matches, needsRehash: matches && !stored.startsWith(PREFIX) };
}

/** A hash of no password, and of the cost that a real one has. */
function decoy(): string {
  const [salt, digest] = [randomBytes(16), randomBytes(32)].map((bytes) =>
    bytes.toString("base64").replaceAll("=", ""),
  );
  return `${PREFIX}${salt}$${digest}`;
}
