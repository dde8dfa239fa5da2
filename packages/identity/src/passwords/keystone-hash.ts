/** Makes password hashes in formats that Keystone reads, at the cost of Keystone's defaults. */
import { createHmac, randomBytes, scrypt, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";

import { BCRYPT_BYTES } from "./imported-password.js";

const deriveScrypt = promisify<Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** 64 MiB, and some 200 ms of a core. */
const SCRYPT = { logN: 16, r: 8, p: 1 } as const;
const SCRYPT_BYTES = 128 * 2 ** SCRYPT.logN * SCRYPT.r * SCRYPT.p;
/** Some 250 ms of a core. */
const BCRYPT_COST = 12;

/** The beginnings of hashes at the present cost. */
export const SCRYPT_PREFIX = `$scrypt$ln=${SCRYPT.logN},r=${SCRYPT.r},p=${SCRYPT.p}$`;
export const BCRYPT_PREFIX = `$2b$${BCRYPT_COST}$`;
export const BCRYPT_SHA256_PREFIX = `$bcrypt-sha256$v=2,t=2b,r=${BCRYPT_COST}$`;

export async function hashScrypt(password: Buffer): Promise<string> {
  const salt = randomBytes(16);
  const { logN, r, p } = SCRYPT;
  const digest = await deriveScrypt(password, salt, 32, { N: 2 ** logN, r, p, maxmem: 2 * SCRYPT_BYTES });
  return `${SCRYPT_PREFIX}${toBase64(salt)}$${toBase64(digest)}`;
}

/** A password beyond bcrypt's limit is hashed as `bcrypt-sha256`: plain bcrypt would ignore its rest (CVE-2021-3563). */
export async function hashBcrypt(password: Buffer): Promise<string> {
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
