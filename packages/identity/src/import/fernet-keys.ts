/** Imports the Fernet keys of a Keystone, so that the tokens it issued stay valid until they expire. */
import type { Clock } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import type { MasterKey } from "../platform/secrets/sealing.js";
import { storeImportedKeys } from "../tokens/imported/imported-tokens.js";
import { readKeyFolder } from "./key-folder.js";

export interface FernetKeysOptions {
  /** `[fernet_tokens] key_repository`. */
  readonly dir: string;
  /** `[auth] methods`, in its order: tokens name a method by its place. */
  readonly authMethods: readonly string[];
  /** `[token] expiration`. */
  readonly lifetimeSeconds: number;
  /** How long after their expiry tokens can be read with `allow_expired`: `IDENTITY_EXPIRED_TOKEN_WINDOW`. */
  readonly expiredWindowSeconds: number;
  readonly database: Pick<Database, "kind">;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
}

/**
 * Stores the keys instead of those imported before, in the transaction of the import (`changes: ["facts", "revocations"]`). Call it
 * last: tokens issued after this moment are rejected, and later revocations apply to all imported tokens.
 *
 * @returns The number of keys.
 * @throws {KeyFolderError} The folder can't be read or has no key, or a file is not a key.
 * @throws {MasterKeyNotInForce}
 */
export async function importFernetKeys(transaction: Queries, options: FernetKeysOptions): Promise<number> {
  const { dir, authMethods, lifetimeSeconds, expiredWindowSeconds, database, masterKey, clock } = options;
  const keys = readKeyFolder(dir).map(({ key }) => key);
  await storeImportedKeys(
    transaction,
    {
      keys,
      authMethods,
      lifetimeMs: lifetimeSeconds * 1000,
      expiredWindowMs: expiredWindowSeconds * 1000,
    },
    { kind: database.kind, masterKey, now: clock.now() },
  );
  return keys.length;
}
