/**
 * The keys that sign tokens: kept in the database, sealed by the master key, renewed without logging anyone out.
 *
 * Keys are numbered. The one with the greatest number is staged: replicas know it before it makes a token. The next one is the
 * primary, which makes tokens; all others only read what they made. To rotate is to add a key: the staged one becomes
 * primary, the primary secondary, and the oldest go. A token is lost only if it lives longer than its key is kept,
 * which is for `maxActiveKeys` - 2 rotations after its key stopped making tokens.
 */
import { randomBytes } from "node:crypto";

import type { Clock, Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { sealingIn } from "../platform/secrets/master-key-in-force.js";
import { openSecret, type MasterKey } from "../platform/secrets/sealing.js";
import { toFernetKey, type FernetKey } from "./fernet.js";
import {
  insertSigningKey,
  listSigningKeys,
  removeSigningKeysBelow,
  signingKeyPlace,
  type StoredSigningKey,
} from "./signing-key-store.js";

/** As many as Keystone keeps: a key that has stopped making tokens reads them until the next rotation. */
export const MAX_ACTIVE_KEYS = 3;

export interface SigningKeysDeps {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  /** How many keys are kept, the staged and the primary one included: from 3 up, which is what Keystone keeps. */
  readonly maxActiveKeys: number;
}

/** The keys of one moment. */
export interface SigningKeyRing {
  /** For {@link decryptFernet}, and the first for {@link encryptFernet}: the primary, the staged one, then the others. */
  readonly keys: readonly [FernetKey, ...FernetKey[]];
  /** The number of the primary. */
  readonly primary: number;
  /** When the newest key was made, for a schedule of rotations. */
  readonly rotatedAt: Moment;
}

export interface SigningKeys {
  /** The current keys; two are made where there are none. */
  load(): Promise<SigningKeyRing>;
  /**
   * Adds a key, and removes the oldest above the limit.
   *
   * @param known The keys that the decision to rotate rests on; those of now when left out. Where another replica has rotated
   *   them since, nothing is added: two that decide the same rotate once.
   * @throws {MasterKeyNotInForce}
   */
  rotate(known?: SigningKeyRing): Promise<SigningKeyRing>;
}

/** No answer rests on these keys that a process remembers by revision: it reads them again by itself, now and then. */
const CHANGES = { changes: [] } as const;

/**
 * @throws {RangeError} Fewer than three keys are to be kept: none would be left that reads what the last primary made.
 */
export function createSigningKeys({
  database,
  masterKey,
  clock,
  maxActiveKeys,
}: SigningKeysDeps): SigningKeys {
  if (!Number.isSafeInteger(maxActiveKeys) || maxActiveKeys < 3)
    throw new RangeError(`maxActiveKeys: ${maxActiveKeys} is not a whole number from 3`);

  async function add(transaction: Queries, numbers: readonly number[]): Promise<void> {
    const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
    for (const number of numbers) {
      const sealed = seal(randomBytes(32), signingKeyPlace(number));
      await insertSigningKey(transaction, { number, sealed, createdAt: clock.now() });
    }
  }

  /** Of replicas that start at once, the first makes the keys and the others find them. */
  function addFirst(): Promise<void> {
    return database.alone(async (transaction) => {
      const [newest, ...others] = await listSigningKeys(transaction);
      if (newest === undefined) await add(transaction, [1, 2]);
      else if (others.length === 0) await add(transaction, [newest.number + 1]);
    }, CHANGES);
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
        // Numbers are never left out: the staged one's is the primary's and one.
        if (staged?.number !== primary + 1) return;
        const next = staged.number + 1;
        await add(transaction, [next]);
        await removeSigningKeysBelow(transaction, next - maxActiveKeys + 1);
      }, CHANGES);
      return load();
    },
  };
}

/** From keys in falling order, of which there are at least two. */
function toRing(stored: readonly StoredSigningKey[], masterKey: MasterKey): SigningKeyRing {
  const [staged, primary, ...others] = stored;
  if (staged === undefined || primary === undefined)
    throw new Error("The store lost signing keys that were added to it");
  const open = ({ number, sealed }: StoredSigningKey): FernetKey =>
    toFernetKey(openSecret(masterKey, sealed, signingKeyPlace(number)));
  return {
    keys: [open(primary), open(staged), ...others.map(open)],
    primary: primary.number,
    rotatedAt: staged.createdAt,
  };
}
