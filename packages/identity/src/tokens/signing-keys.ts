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
import type { Queries } from "../platform/database/database.js";
import { openSecret, sealSecret, type MasterKey } from "../platform/sealing.js";
import { toFernetKey, type FernetKey } from "./fernet.js";

/** A key as it lies in the store. */
export interface StoredSigningKey {
  /** From 1 up; a number is used once. */
  readonly number: number;
  readonly sealed: Uint8Array;
  readonly createdAt: Moment;
}

/** What the keys ask of storage. */
export interface SigningKeyStore {
  list(): Promise<readonly StoredSigningKey[]>;
  /** Whether it was added: not if there is a key of this number already. */
  add(key: StoredSigningKey): Promise<boolean>;
  /** Removes the keys with numbers below this one. */
  removeBelow(number: number): Promise<void>;
  /** Puts other sealed forms in the places of some keys': of all of these numbers, or of none. */
  replaceSealed(sealed: ReadonlyMap<number, Uint8Array>, alongside?: Alongside): Promise<void>;
}

/** What is done in the same change, or not at all. */
export type Alongside = (transaction: Queries) => Promise<void>;

/** As many as Keystone keeps: a key that has stopped making tokens reads them until the next rotation. */
export const MAX_ACTIVE_KEYS = 3;

export interface SigningKeysDeps {
  readonly store: SigningKeyStore;
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
  /** What is there now; two keys are made where there is none. */
  load(): Promise<SigningKeyRing>;
  /** Adds a key, and removes the oldest above the limit. Done twice at a time by two replicas, it happens once. */
  rotate(): Promise<SigningKeyRing>;
  /**
   * Seals every key by another master key. Replicas need that one from then on.
   *
   * @param alongside Seals what else there is by that key.
   */
  reseal(next: MasterKey, alongside?: Alongside): Promise<void>;
}

/**
 * @throws {RangeError} Fewer than three keys are to be kept: none would be left that reads what the last primary made.
 */
export function createSigningKeys({ store, masterKey, clock, maxActiveKeys }: SigningKeysDeps): SigningKeys {
  if (!Number.isSafeInteger(maxActiveKeys) || maxActiveKeys < 3)
    throw new RangeError(`maxActiveKeys: ${maxActiveKeys} is not a whole number from 3`);

  async function listed(): Promise<StoredSigningKey[]> {
    return [...(await store.list())].sort((one, other) => other.number - one.number);
  }

  async function add(number: number): Promise<void> {
    const sealed = sealSecret(masterKey, randomBytes(32), placeOf(number));
    await store.add({ number, sealed, createdAt: clock.now() });
  }

  async function load(): Promise<SigningKeyRing> {
    const found = await listed();
    if (found.length >= 2) return toRing(found, masterKey);
    // Every replica that starts at once adds the same numbers, and the first of each counts.
    const [only] = found;
    if (only === undefined) await add(1);
    await add((only?.number ?? 1) + 1);
    return toRing(await listed(), masterKey);
  }

  return {
    load,
    async rotate() {
      // The staged one's number is the primary's and one, because numbers are never left out.
      const { primary } = await load();
      const next = primary + 2;
      await add(next);
      await store.removeBelow(next - maxActiveKeys + 1);
      return load();
    },
    async reseal(next, alongside) {
      const resealed = (await listed()).map(({ number, sealed }) => {
        const secret = openSecret(masterKey, sealed, placeOf(number));
        return [number, sealSecret(next, secret, placeOf(number))] as const;
      });
      await store.replaceSealed(new Map(resealed), alongside);
    },
  };
}

function placeOf(number: number): string {
  return `signing-key/${number}`;
}

/** From keys in falling order, of which there are at least two. */
function toRing(stored: readonly StoredSigningKey[], masterKey: MasterKey): SigningKeyRing {
  const [staged, primary, ...others] = stored;
  if (staged === undefined || primary === undefined)
    throw new Error("The store lost signing keys that were added to it");
  const open = ({ number, sealed }: StoredSigningKey): FernetKey =>
    toFernetKey(openSecret(masterKey, sealed, placeOf(number)));
  return {
    keys: [open(primary), open(staged), ...others.map(open)],
    primary: primary.number,
    rotatedAt: staged.createdAt,
  };
}
