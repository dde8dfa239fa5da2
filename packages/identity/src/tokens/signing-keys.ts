/**
 * The keys that sign tokens: stored in the database, sealed by the master key, and rotated without ending sessions.
 *
 * Keys are numbered. The greatest number is the staged key: replicas load it before it signs. The next is the primary, which signs;
 * the others only verify. A rotation adds a key: the staged key becomes primary, the primary secondary, and the oldest keys are
 * deleted. A token outlives its key only if it lives longer than `maxActiveKeys` - 2 rotations.
 */
import { randomBytes } from "node:crypto";

import type { Platform } from "../area.js";
import type { Clock, Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { MasterKeyNotInForce, sealingIn, unsealStored } from "../platform/secrets/master-key-in-force.js";
import type { MasterKey, SealedSecret } from "../platform/secrets/sealing.js";
import { toFernetKey, type FernetKey } from "./fernet.js";

export interface SigningKeysDeps extends Pick<Platform, "database" | "clock" | "masterKey"> {
  /** At least 3, which is Keystone's default; includes the staged key and the primary. */
  readonly maxActiveKeys: number;
}

/** The keys at one time. */
export interface SigningKeyRing {
  /** For {@link decryptFernet}, the first for {@link encryptFernet}: the primary, the staged key, then the others. */
  readonly keys: readonly [FernetKey, ...FernetKey[]];
  /** The number of the primary. */
  readonly primary: number;
  /** When the newest key was created. */
  readonly rotatedAt: Moment;
}

export interface SigningKeys {
  /** The current keys; creates two if none exist. */
  load(): Promise<SigningKeyRing>;
  /**
   * Adds a key, and deletes the oldest above the limit.
   *
   * @param known The keys on which the decision to rotate rests; the current ones if left out. If another replica has rotated them
   *   since, nothing is added: concurrent rotations rotate once.
   * @throws {MasterKeyNotInForce}
   */
  rotate(known?: SigningKeyRing): Promise<SigningKeyRing>;
}

/** No cache by revision rests on these keys: {@link createKeyRing} reads them periodically. */
const UNCACHED = { changes: [] } as const;

/**
 * @throws {RangeError} Fewer than three keys: none would verify the tokens of the last primary.
 */
export function createSigningKeys({
  database,
  masterKey,
  clock,
  maxActiveKeys,
}: SigningKeysDeps): SigningKeys {
  if (!Number.isSafeInteger(maxActiveKeys) || maxActiveKeys < 3)
    throw new RangeError(`maxActiveKeys: ${maxActiveKeys}, expected an integer of at least 3`);

  async function add(transaction: Queries, numbers: readonly number[]): Promise<void> {
    const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
    for (const number of numbers) {
      const sealed = seal(randomBytes(32), signingKeyPlace(number));
      await insertSigningKey(transaction, { number, sealed, createdAt: clock.now() });
    }
  }

  /** The first of concurrently starting replicas creates the keys. */
  function addFirst(): Promise<void> {
    return database.alone(async (transaction) => {
      const [newest, ...others] = await listSigningKeys(transaction);
      if (newest === undefined) await add(transaction, [1, 2]);
      else if (others.length === 0) await add(transaction, [newest.number + 1]);
    }, UNCACHED);
  }

  async function load(): Promise<SigningKeyRing> {
    const found = await listSigningKeys(database);
    if (found.length >= 2) return toRing(found, masterKey);
    await addFirst();
    return toRing(await listSigningKeys(database), masterKey);
  }

  return {
    load,
    async rotate(known) {
      const { primary } = known ?? (await load());
      await database.alone(async (transaction) => {
        const [staged] = await listSigningKeys(transaction);
        // Numbers are consecutive: the staged key's is the primary's plus one.
        if (staged?.number !== primary + 1) return;
        const next = staged.number + 1;
        await add(transaction, [next]);
        await removeSigningKeysBelow(transaction, next - maxActiveKeys + 1);
      }, UNCACHED);
      return load();
    },
  };
}

/**
 * Leaves out keys that a process with a former master key can't unseal: it signs with the newest that it can, which the others verify.
 *
 * @param stored At least two keys, the newest first.
 * @throws {MasterKeyNotInForce} It can unseal none.
 */
function toRing(stored: readonly StoredSigningKey[], masterKey: MasterKey): SigningKeyRing {
  const [staged, primary] = stored;
  if (staged === undefined || primary === undefined)
    throw new Error(`${stored.length} signing keys are stored, expected at least 2`);
  const opened = new Map<StoredSigningKey, FernetKey>();
  let refusal: MasterKeyNotInForce | undefined;
  for (const each of stored)
    try {
      opened.set(each, toFernetKey(unsealStored(masterKey, each.sealed, signingKeyPlace(each.number))));
    } catch (error) {
      if (!(error instanceof MasterKeyNotInForce)) throw error;
      refusal = error;
    }
  const signing = stored.find((each) => each !== staged && opened.has(each)) ?? staged;
  const key = opened.get(signing);
  if (key === undefined) throw refusal ?? new Error("no signing key");
  opened.delete(signing);
  return { keys: [key, ...opened.values()], primary: primary.number, rotatedAt: staged.createdAt };
}

/** The maximum age of cached keys. A new key is staged first, so that replicas need not know it at once. */
const MAX_AGE_MS = 30_000;
/** The maximum age if no key verifies a token: malformed tokens must not cause a query each. */
const MISSING_MAX_AGE_MS = 1000;

/** The signing keys, cached. */
export interface KeyRing {
  /** @param options.isOneMissing Whether none of the keys verifies a token. */
  current(options?: { readonly isOneMissing?: boolean }): Promise<SigningKeyRing>;
  /** The same at once; `undefined` if they have to be read. */
  cached(): SigningKeyRing | undefined;
}

export function createKeyRing({
  keys,
  clock,
}: {
  readonly keys: Pick<SigningKeys, "load">;
  readonly clock: Clock;
}): KeyRing {
  let ring: Promise<SigningKeyRing> | undefined;
  let read: SigningKeyRing | undefined;
  let readAt: Moment = 0;

  async function load(before: Promise<SigningKeyRing> | undefined): Promise<SigningKeyRing> {
    try {
      const loaded = await keys.load();
      read = loaded;
      return loaded;
    } catch (error) {
      // Stale keys are better than none, except where all of them were replaced.
      if (before !== undefined && !(error instanceof MasterKeyNotInForce)) return before;
      ring = undefined;
      throw error;
    }
  }

  return {
    current({ isOneMissing = false } = {}) {
      const now = clock.now();
      const maxAge = isOneMissing ? MISSING_MAX_AGE_MS : MAX_AGE_MS;
      if (ring === undefined || now - readAt >= maxAge) {
        readAt = now;
        read = undefined;
        ring = load(ring);
      }
      return ring;
    },
    cached: () => (clock.now() - readAt < MAX_AGE_MS ? read : undefined),
  };
}

/** A key as it is stored. */
interface StoredSigningKey {
  /** From 1; a number is used once. */
  readonly number: number;
  readonly sealed: Buffer;
  readonly createdAt: Moment;
}

interface Tables {
  readonly signing_key: { number: number; sealed: Buffer; created_at: Moment };
}

/** The newest first. */
export async function listSigningKeys(queries: Queries): Promise<StoredSigningKey[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("signing_key")
    .selectAll()
    .orderBy("number", "desc")
    .execute();
  return rows.map(({ number, sealed, created_at: createdAt }) => ({ number, sealed, createdAt }));
}

export async function insertSigningKey(
  queries: Queries,
  { number, sealed, createdAt }: StoredSigningKey,
): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("signing_key")
    .values({ number, sealed, created_at: createdAt })
    .execute();
}

export async function removeSigningKeysBelow(queries: Queries, number: number): Promise<void> {
  await queries.tables<Tables>().deleteFrom("signing_key").where("number", "<", number).execute();
}

/** The secrets to seal again after a change of the master key. */
export async function signingKeySecrets(queries: Queries): Promise<SealedSecret[]> {
  return (await listSigningKeys(queries)).map(({ number, sealed }) => ({
    place: signingKeyPlace(number),
    sealed,
    replace: (transaction, next) =>
      transaction
        .tables<Tables>()
        .updateTable("signing_key")
        .set({ sealed: next })
        .where("number", "=", number)
        .execute(),
  }));
}

/** The place to which a sealed key is bound. */
export function signingKeyPlace(number: number): string {
  return `signing-key/${number}`;
}
