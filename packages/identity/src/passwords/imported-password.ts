/**
 * Password hashes as Keystone writes them, checked so that its users can be taken over with their passwords:
 * `$2b$` and its elder kin, `$bcrypt-sha256$`, `$scrypt$`, `$pbkdf2-sha512$`.
 */
import { createHmac, createHash, pbkdf2, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";

const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** What bcrypt takes of a password. Keystone cuts a longer one there, and so is it here, for the hash is of the part. */
const BCRYPT_BYTES = 72;

/** What a hash may cost: a foreign one must not be able to take the machine. Keystone's default needs 64 MiB. */
const MAX_SCRYPT_BYTES = 256 * 1024 * 1024;
const MAX_PBKDF2_ROUNDS = 10_000_000;
const MAX_BCRYPT_COST = 16;

interface Form {
  readonly pattern: RegExp;
  readonly check: (password: Buffer, parts: Readonly<Record<string, string>>) => Promise<boolean>;
}

const FORMS: readonly Form[] = [
  {
    pattern: /^\$2[abxy]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
    check: async (password, { cost, hash }) => {
      if (Number(cost) > MAX_BCRYPT_COST) return false;
      return verifyBcrypt(password.subarray(0, BCRYPT_BYTES), hash ?? "");
    },
  },
  {
    // bcrypt of a digest that no 72 bytes can exceed: HMAC under the salt, and SHA-256 alone before version 2.
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
    pattern:
      /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,3})\$(?<salt>[^$]*)\$(?<digest>[^$]+)$/,
    check: async (password, { ln, r, p, salt, digest }) => {
      const options = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: MAX_SCRYPT_BYTES };
      if (128 * options.N * options.r * options.p > MAX_SCRYPT_BYTES / 2) return false;
      const expected = bytesOf(digest);
      return isSame(await deriveScrypt(password, bytesOf(salt), expected.length, options), expected);
    },
  },
  {
    pattern: /^\$pbkdf2-sha512\$(?<rounds>\d{1,8})\$(?<salt>[^$]*)\$(?<digest>[^$]+)$/,
    check: async (password, { rounds, salt, digest }) => {
      if (Number(rounds) < 1 || Number(rounds) > MAX_PBKDF2_ROUNDS) return false;
      const expected = bytesOf(digest);
      const found = await derivePbkdf2(password, bytesOf(salt), Number(rounds), expected.length, "sha512");
      return isSame(found, expected);
    },
  },
];

/** Whether a text is a hash of a form that can be taken over. */
export function isImportedHash(stored: string): boolean {
  return FORMS.some(({ pattern }) => pattern.test(stored));
}

/** Whether a password belongs to a hash of another system; not if the hash has no known form, or would cost too much. */
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

/** Loaded when somebody comes from another system: most services never need it. */
async function verifyBcrypt(password: Buffer | string, hash: string): Promise<boolean> {
  const { verify } = await import("@node-rs/bcrypt");
  return verify(password, hash);
}
