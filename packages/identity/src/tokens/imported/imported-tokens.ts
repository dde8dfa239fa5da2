/**
 * Tokens that an imported Keystone issued: they stay valid until they expire.
 *
 * Its keys only verify, and only tokens issued before the import. They are deleted once no such token can be read any more, or by
 * `hamkit-identity keys drop-imported`.
 */
import type { FastifyBaseLogger } from "fastify";

import type { Platform } from "../../area.js";
import { HOUR_MS, type Clock, type Moment } from "../../platform/clock.js";
import { createRevisionCache } from "../../platform/concurrency/revision-cache.js";
import type { Database, Queries } from "../../platform/database/database.js";
import { sealingIn, unsealStored } from "../../platform/secrets/master-key-in-force.js";
import type { MasterKey } from "../../platform/secrets/sealing.js";
import { decryptFernet, toFernetKey, createTokenDecoder, type FernetKey } from "../fernet.js";
import { nextPosition } from "../revocation-store.js";
import type { TokenPayload } from "../token-payload.js";
import {
  deleteImportedKeys,
  findImportedKeys,
  IMPORTED_KEYS_PLACE,
  replaceImportedKeys,
  type StoredImportedKeys,
} from "./imported-key-store.js";
import { decodeKeystonePayload } from "./keystone-payload.js";

const KEY_BYTES = 32;
/** Trusts whose users are cached. */
const MAX_TRUSTS = 10_000;

export interface ImportedTokensDeps extends Pick<Platform, "database" | "masterKey"> {
  /** The user of a trust's tokens: Keystone's payloads name the trustee, also with impersonation. `undefined` if the trust ended. */
  readonly trustUser: (trustId: string) => Promise<string | undefined>;
}

/** The payload of an imported token; `undefined` if no imported key verifies it, or it was issued after the import. */
export type ReadImportedToken = (text: string) => Promise<TokenPayload | undefined>;

interface ImportedKeyRing extends Omit<StoredImportedKeys, "sealed"> {
  readonly keys: readonly FernetKey[];
}

/** Reads imported tokens. The keys are cached until a replica imports or drops keys. */
export function createImportedTokens({
  database,
  masterKey,
  trustUser,
}: ImportedTokensDeps): ReadImportedToken {
  const revision = () => database.revision("facts");
  const rings = createRevisionCache<ImportedKeyRing | undefined>({ revision, maxEntries: 1 });
  const trustUsers = createRevisionCache<string | undefined>({ revision, maxEntries: MAX_TRUSTS });
  const decodeWith = createTokenDecoder(decode);
  /**
   * The same object while the keys are the same, also when they are sealed with another master key: each import has a position of its
   * own. Decoded tokens are cached by it.
   */
  let last: ImportedKeyRing | undefined;

  async function currentRing(): Promise<ImportedKeyRing | undefined> {
    const stored = await findImportedKeys(database);
    if (stored === undefined) {
      last = undefined;
    } else if (last?.position !== stored.position) {
      last = toRing(stored, masterKey);
    }
    return last;
  }

  return async (text) => {
    const ring = await rings.get("", () => currentRing());
    const payload = ring && decodeWith(ring, text);
    const trustId = payload?.delegation?.trustId;
    if (payload === undefined || trustId === undefined) return payload;
    const userId = await trustUsers.get(trustId, () => trustUser(trustId));
    return userId === undefined ? payload : { ...payload, userId };
  };
}

function toRing({ sealed, ...terms }: StoredImportedKeys, masterKey: MasterKey): ImportedKeyRing {
  const bytes = unsealStored(masterKey, sealed, IMPORTED_KEYS_PLACE);
  const keys = Array.from({ length: bytes.length / KEY_BYTES }, (_, index) =>
    toFernetKey(bytes.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES)),
  );
  return { ...terms, keys };
}

function decode(ring: ImportedKeyRing, text: string): TokenPayload | undefined {
  const { keys, authMethods, issuedBefore, lifetimeMs, position } = ring;
  const decrypted = decryptFernet(keys, text);
  if (decrypted === undefined) return undefined;
  const issuedAt = decrypted.madeAtSeconds * 1000;
  if (issuedAt >= issuedBefore) return undefined;
  const payload = decodeKeystonePayload(decrypted.payload, { authMethods, issuedAt });
  if (payload === undefined || payload.expiresAt > issuedAt + lifetimeMs) return undefined;
  return { ...payload, isImported: true, positions: { proof: position, scope: position } };
}

export interface ImportedKeys {
  /** 32 bytes each. */
  readonly keys: readonly Buffer[];
  readonly authMethods: readonly string[];
  readonly lifetimeMs: number;
  /** How long after their expiry tokens can be read with `allow_expired`. */
  readonly expiredWindowMs: number;
}

export interface StoreImportedKeysOptions {
  readonly kind: Database["kind"];
  readonly masterKey: MasterKey;
  /** The moment of the import. */
  readonly now: Moment;
}

/**
 * Stores the keys of a Keystone instead of those stored before, in a transaction with `changes: ["facts", "revocations"]`. Call it
 * after the rows and the revocation events were written.
 *
 * @throws {MasterKeyNotInForce}
 */
export async function storeImportedKeys(
  transaction: Queries,
  { keys, authMethods, lifetimeMs, expiredWindowMs }: ImportedKeys,
  { kind, masterKey, now }: StoreImportedKeysOptions,
): Promise<void> {
  const seal = await sealingIn(transaction, { kind, masterKey });
  await replaceImportedKeys(transaction, {
    sealed: seal(Buffer.concat(keys), IMPORTED_KEYS_PLACE),
    authMethods,
    lifetimeMs,
    issuedBefore: now,
    position: await nextPosition(transaction, now),
    keptUntil: now + lifetimeMs + expiredWindowMs,
  });
}

/** Deletes the imported keys: tokens that they verify are invalid at once, on all replicas. @returns Whether there were any. */
export function dropImportedKeys(database: Database): Promise<boolean> {
  return database.transaction((transaction) => deleteImportedKeys(transaction), { changes: ["facts"] });
}

export interface ImportedKeyExpiryOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "error">;
}

/** Deletes imported keys that are no longer needed, checked hourly. @returns A function that stops it. */
export function deleteImportedKeysOnSchedule(options: ImportedKeyExpiryOptions): () => void {
  const timer = setInterval(() => void deleteExpiredImportedKeys(options), HOUR_MS).unref();
  return () => clearInterval(timer);
}

/** Never rejects: the next hour retries. */
export async function deleteExpiredImportedKeys({
  database,
  clock,
  log,
}: ImportedKeyExpiryOptions): Promise<void> {
  try {
    const stored = await findImportedKeys(database);
    if (stored === undefined || clock.now() < stored.keptUntil) return;
    const wereDeleted = await database.transaction(
      (transaction) => deleteImportedKeys(transaction, { keptUntil: clock.now() }),
      { changes: ["facts"] },
    );
    if (wereDeleted) log.info("imported keys deleted: their tokens have expired");
  } catch (error) {
    log.error({ err: error }, "imported keys not deleted");
  }
}
