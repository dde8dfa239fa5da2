/**
 * Seals secrets at rest: AES-256-GCM with a master key (key-encryption key) that is not in the database.
 *
 * A sealed secret is bound to its place (`signing-key/7`, `protocol/idp1/openid/client_secret`) as additional authenticated data,
 * so that an attacker with write access to the database can't swap secrets. It carries the id of its key, for clear errors.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from "node:crypto";

import type { Queries } from "../database/database.js";

/** Layout: format (1 byte), key id (8), nonce (12), tag (16), ciphertext. */
const FORMAT = 1;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const NONCE_START = 1 + KEY_ID_BYTES;
const TAG_START = NONCE_START + NONCE_BYTES;
const SECRET_START = TAG_START + 16;

/** A key-encryption key. Its id reveals nothing of the key. In a running service both change when the operator replaces the key. */
export interface MasterKey {
  /** 16 hexadecimal digits. */
  readonly id: string;
  readonly key: KeyObject;
}

/** A sealed secret in the database. */
export interface SealedSecret {
  /** The place it is bound to. */
  readonly place: string;
  readonly sealed: Uint8Array;
  /** Stores the resealed secret. */
  replace(transaction: Queries, sealed: Buffer): Promise<unknown>;
}

/** A secret can't be unsealed. */
export class SealError extends Error {
  override readonly name = "SealError";
  readonly code: "seal/damaged" | "seal/wrong-key";
  /** The place of the secret. */
  readonly place: string;

  constructor(code: SealError["code"], place: string, reason: string) {
    super(`The secret at ${place} can't be unsealed: ${reason}`);
    this.code = code;
    this.place = place;
  }
}

/** @throws {RangeError} Not 32 bytes. */
export function toMasterKey(bytes: Uint8Array): MasterKey {
  if (bytes.length !== 32) throw new RangeError(`A master key has 32 bytes, not ${bytes.length}`);
  const id = createHash("sha256").update("master-key-id\0").update(bytes).digest("hex");
  return { id: id.slice(0, KEY_ID_BYTES * 2), key: createSecretKey(bytes) };
}

/** Seals a secret. It can be unsealed only for the same place with the same key. */
export function sealSecret(masterKey: MasterKey, secret: Uint8Array, place: string): Buffer {
  return sealWith(masterKey, secret, { place, nonce: randomBytes(NONCE_BYTES) });
}

/**
 * Seals a sealed secret with another key. It keeps its nonce, which identifies this version of the secret ({@link versionOf}).
 * A nonce is random, so it is not used for a second secret under the other key either.
 *
 * @throws {SealError} `from` can't unseal it.
 */
export function resealSecret(
  { from, to }: { readonly from: MasterKey; readonly to: MasterKey },
  sealed: Uint8Array,
  place: string,
): Buffer {
  const secret = unsealSecret(from, sealed, place);
  return sealWith(to, secret, { place, nonce: nonceOf(sealed) });
}

function sealWith(
  { id, key }: MasterKey,
  secret: Uint8Array,
  { place, nonce }: { readonly place: string; readonly nonce: Buffer },
): Buffer {
  const head = Buffer.concat([Buffer.from([FORMAT]), Buffer.from(id, "hex")]);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(boundTo(head, place));
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), sealed]);
}

/**
 * Unseals a secret.
 *
 * @throws {SealError} Another key sealed it (`seal/wrong-key`), or it was sealed for another place or modified (`seal/damaged`).
 */
export function unsealSecret({ id, key }: MasterKey, sealed: Uint8Array, place: string): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  if (!isSealed(bytes)) throw new SealError("seal/damaged", place, "unknown format");
  const sealer = idOfSealer(bytes);
  if (sealer !== id)
    throw new SealError("seal/wrong-key", place, `sealed with master key ${sealer}, this service has ${id}`);

  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(NONCE_START, TAG_START))
    .setAAD(boundTo(bytes.subarray(0, NONCE_START), place))
    .setAuthTag(bytes.subarray(TAG_START, SECRET_START));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(SECRET_START)), decipher.final()]);
  } catch {
    throw new SealError("seal/damaged", place, "it was modified, or sealed for another place");
  }
}

/** The id of the master key that sealed a secret; `undefined` if the bytes are not a sealed secret. */
export function sealedBy(sealed: Uint8Array): string | undefined {
  return isSealed(sealed) ? idOfSealer(sealed) : undefined;
}

/** What identifies a version of the secret at a place: the same after resealing, and another once the secret is replaced. */
export function versionOf(sealed: Uint8Array): string {
  return nonceOf(sealed).toString("base64");
}

function nonceOf(sealed: Uint8Array): Buffer {
  return Buffer.from(sealed.subarray(NONCE_START, TAG_START));
}

function isSealed(bytes: Uint8Array): boolean {
  return bytes.length >= SECRET_START && bytes[0] === FORMAT;
}

function idOfSealer(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(1, NONCE_START)).toString("hex");
}

function boundTo(head: Uint8Array, place: string): Buffer {
  return Buffer.concat([head, Buffer.from(place)]);
}
