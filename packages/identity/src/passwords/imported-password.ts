/**
 * Verifies password hashes in Keystone's formats, so that users migrate with their passwords: `$2b$` and its older variants,
 * `$bcrypt-sha256$`, `$scrypt$`, `$pbkdf2-sha512$`, and `$6$` of early releases.
 */
import { createHmac, createHash, pbkdf2, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";

import { parseSha512Crypt, SHA512_CRYPT, sha512Crypt } from "./sha512-crypt.js";

const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** bcrypt's input limit. Keystone truncates longer passwords there, so these hashes are of the truncated password. */
export const BCRYPT_BYTES = 72;

/** Limits on the cost of an imported hash, so that it can't exhaust the machine. Keystone's default needs 64 MiB. */
const MAX_SCRYPT_BYTES = 256 * 1024 * 1024;
const MAX_PBKDF2_ROUNDS = 10_000_000;
const MAX_BCRYPT_COST = 16;

/** The formats, by the names that Keystone's option `password_hash_algorithm` gives them. */
export const IMPORTED_HASH_KINDS = [
  "bcrypt",
  "bcrypt_sha256",
  "scrypt",
  "pbkdf2_sha512",
  "sha512_crypt",
] as const;
export type ImportedHashKind = (typeof IMPORTED_HASH_KINDS)[number];

interface Form {
  readonly kind: ImportedHashKind;
  readonly pattern: RegExp;
  readonly check: (password: Buffer, parts: Readonly<Record<string, string>>) => Promise<boolean>;
}

const FORMS: readonly Form[] = [
  {
    kind: "bcrypt",
    pattern: /^\$2[abxy]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
    check: async (password, { cost, hash }) => {
      if (Number(cost) > MAX_BCRYPT_COST) return false;
      return verifyBcrypt(password.subarray(0, BCRYPT_BYTES), hash ?? "");
    },
  },
  {
    kind: "bcrypt_sha256",
    // bcrypt of a digest shorter than 72 bytes: HMAC keyed with the salt, plain SHA-256 before version 2.
    pattern:
      /^\$bcrypt-sha256\$(?<version>v=2,)?(?:t=)?(?<ident>2[ab]),(?:r=)?(?<cost>\d{1,2})\$(?<salt>[./A-Za-z0-9]{22})\$(?<digest>[./A-Za-z0-9]{31})$/,
    check: async (password, { version, ident, cost = "", salt = "", digest }) => {
      if (Number(cost) > MAX_BCRYPT_COST) return false;
      const hash = version === undefined ? createHash("sha256") : createHmac("sha256", salt);
      const inner = hash.update(password).digest("base64");
      return verifyBcrypt(inner, `$${ident}$${cost.padStart(2, "0")}$${salt}${digest}`);
    },
  },
  {
    kind: "scrypt",
    pattern:
      /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,3})\$(?<salt>[A-Za-z0-9./+]{0,200})\$(?<digest>[A-Za-z0-9./+]{43})$/,
    check: async (password, { ln, r, p, salt, digest }) => {
      const options = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: MAX_SCRYPT_BYTES };
      if (128 * options.N * options.r * options.p > MAX_SCRYPT_BYTES / 2) return false;
      const expected = bytesOf(digest);
      return isSame(await deriveScrypt(password, bytesOf(salt), expected.length, options), expected);
    },
  },
  {
    kind: "pbkdf2_sha512",
    pattern:
      /^\$pbkdf2-sha512\$(?<rounds>\d{1,8})\$(?<salt>[A-Za-z0-9./+]{0,200})\$(?<digest>[A-Za-z0-9./+]{86})$/,
    check: async (password, { rounds, salt, digest }) => {
      if (Number(rounds) < 1 || Number(rounds) > MAX_PBKDF2_ROUNDS) return false;
      const expected = bytesOf(digest);
      const found = await derivePbkdf2(password, bytesOf(salt), Number(rounds), expected.length, "sha512");
      return isSame(found, expected);
    },
  },
  {
    kind: "sha512_crypt",
    pattern: SHA512_CRYPT,
    check: async (password, { digest = "", ...parts }) => {
      const found = await sha512Crypt(password, parseSha512Crypt(parts));
      return found !== undefined && isSame(Buffer.from(found), Buffer.from(digest));
    },
  },
];

/** The format of a hash; `undefined` if it is not supported. */
export function importedHashKind(stored: string): ImportedHashKind | undefined {
  return FORMS.find(({ pattern }) => pattern.test(stored))?.kind;
}

/** Verifies a password against an imported hash. False if the format is unknown, or the cost exceeds the limits. */
export async function verifyImported(password: Buffer, stored: string): Promise<boolean> {
  for (const { pattern, check } of FORMS) {
    const parts = pattern.exec(stored)?.groups;
    if (parts !== undefined) return check(password, { ...parts, hash: stored });
  }
  return false;
}

/** passlib writes base64 with `.` for `+`, and no padding. */
function bytesOf(text = ""): Buffer {
  return Buffer.from(text.replaceAll(".", "+"), "base64");
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Loaded on first use: most deployments have no such hashes. */
async function verifyBcrypt(password: Buffer | string, hash: string): Promise<boolean> {
  const { verify } = await import("@node-rs/bcrypt");
  return verify(password, hash);
}
