/**
 * The master key of a running process: the operator may replace it, and secrets that were unsealed before stay usable until then.
 */
import { versionOf, type MasterKey } from "./sealing.js";

export interface HeldMasterKey extends MasterKey {
  /** The current key, then next and former ones: they unseal what was read just before or after the key was replaced. */
  readonly keys: readonly MasterKey[];
  /** Adds a key that may come into force: it unseals, and seals nothing. */
  admit(next: MasterKey): void;
  /** Replaces the current key. */
  replace(next: MasterKey): void;
  /** Keeps a secret that was sealed or unsealed. */
  keep(secret: Buffer, sealed: Uint8Array, place: string): void;
  /** Keeps these secrets until the next call, however many others are used: those that all logins of a kind need. */
  pin(secrets: Iterable<UnsealedSecret>): void;
  /** The secret as it was unsealed before; `undefined` if it was not, or was replaced since. */
  recall(sealed: Uint8Array, place: string): Buffer | undefined;
  /** Reports a secret that this process can't use. */
  onRefused(place: string): void;
  /** Sets who is told of secrets that can't be used. */
  reportTo(report: (place: string) => void): void;
}

export interface UnsealedSecret {
  readonly secret: Buffer;
  readonly sealed: Uint8Array;
  readonly place: string;
}

/** The current key and some before or after it. */
const MAX_KEYS = 5;
/** Some 300 bytes each. */
const MAX_SECRETS = 10_000;
/** Larger ones are not kept: keys have up to 2 kB. */
const MAX_SECRET_BYTES = 8192;

/** @param first Nothing can be sealed or unsealed without one. */
export function holdMasterKey(first?: MasterKey): HeldMasterKey {
  let keys: readonly MasterKey[] = first === undefined ? [] : [first];
  let report: ((place: string) => void) | undefined;
  const secrets = new Map<string, Buffer>();
  let pinned: ReadonlyMap<string, Buffer> = new Map();

  function current(): MasterKey {
    const [key] = keys;
    if (key === undefined) throw new Error("The master key was not loaded");
    return key;
  }

  return {
    get id() {
      return current().id;
    },
    get key() {
      return current().key;
    },
    get keys() {
      return keys;
    },
    admit(next) {
      if (!keys.some(({ id }) => id === next.id)) keys = [current(), next, ...keys.slice(1, MAX_KEYS - 1)];
    },
    replace(next) {
      keys = [next, ...keys.filter(({ id }) => id !== next.id).slice(0, MAX_KEYS - 1)];
    },
    keep(secret, sealed, place) {
      if (secret.length > MAX_SECRET_BYTES) return;
      const name = nameOf(sealed, place);
      const known = secrets.get(name);
      // The most recently used last.
      if (known !== undefined) secrets.delete(name);
      else if (secrets.size >= MAX_SECRETS) secrets.delete(secrets.keys().next().value ?? "");
      secrets.set(name, known ?? Buffer.from(secret));
    },
    pin(next) {
      pinned = new Map(Array.from(next, ({ secret, sealed, place }) => [nameOf(sealed, place), secret]));
    },
    recall(sealed, place) {
      const name = nameOf(sealed, place);
      const known = pinned.get(name) ?? secrets.get(name);
      return known && Buffer.from(known);
    },
    onRefused: (place) => report?.(place),
    reportTo(next) {
      report = next;
    },
  };
}

const nameOf = (sealed: Uint8Array, place: string): string => `${versionOf(sealed)} ${place}`;

/** Commands have a key that does not change. */
export function isHeld(masterKey: MasterKey): masterKey is HeldMasterKey {
  return "recall" in masterKey;
}
