/**
 * The Fernet keys of an imported Keystone, and the terms under which they verify tokens.
 *
 * All keys are one secret, sealed by the master key: there is one row, or none.
 */
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { json, rowsOf, type RowOf } from "../../platform/database/table.js";
import type { SealedSecret } from "../../platform/secrets/sealing.js";

export interface StoredImportedKeys {
  /** 32 bytes for each key. */
  readonly sealed: Buffer;
  /** Of Keystone's `[auth] methods`, in its order. */
  readonly authMethods: readonly string[];
  /** The lifetime of Keystone's tokens. */
  readonly lifetimeMs: number;
  /** The moment of the import: tokens issued later are rejected. */
  readonly issuedBefore: Moment;
  /** The revocation position of the import: later events are compared with it, earlier ones with the time of issue. */
  readonly position: number;
  /** When the keys are deleted. */
  readonly keptUntil: Moment;
}

const importedKeyRows = rowsOf<StoredImportedKeys>()({
  sealed: "sealed",
  authMethods: json("auth_methods"),
  lifetimeMs: "lifetime_ms",
  issuedBefore: "issued_before",
  position: "position",
  keptUntil: "kept_until",
});

interface Tables {
  readonly imported_keys: RowOf<typeof importedKeyRows> & { slot: number };
}

/** The table has one row. */
const SLOT = 1;

/** The place to which the sealed keys are bound. */
export const IMPORTED_KEYS_PLACE = "imported-keys";

export async function findImportedKeys(queries: Queries): Promise<StoredImportedKeys | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("imported_keys")
    .selectAll()
    .where("slot", "=", SLOT)
    .executeTakeFirst();
  return row && importedKeyRows.toItem(row);
}

/** Stores keys instead of those stored before. */
export async function replaceImportedKeys(transaction: Queries, keys: StoredImportedKeys): Promise<void> {
  await deleteImportedKeys(transaction);
  await transaction
    .tables<Tables>()
    .insertInto("imported_keys")
    .values({ slot: SLOT, ...importedKeyRows.toRow(keys) })
    .execute();
}

/**
 * @param options.keptUntil Only keys that are kept until this moment or an earlier one; all, if left out.
 * @returns Whether there were such keys.
 */
export async function deleteImportedKeys(
  transaction: Queries,
  { keptUntil }: { readonly keptUntil?: Moment } = {},
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .tables<Tables>()
    .deleteFrom("imported_keys")
    .$if(keptUntil !== undefined, (query) => query.where("kept_until", "<=", keptUntil ?? 0))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** The secret to seal again after a change of the master key. */
export async function importedKeySecrets(queries: Queries): Promise<SealedSecret[]> {
  const keys = await findImportedKeys(queries);
  if (keys === undefined) return [];
  return [
    {
      place: IMPORTED_KEYS_PLACE,
      sealed: keys.sealed,
      replace: (transaction, sealed) =>
        transaction
          .tables<Tables>()
          .updateTable("imported_keys")
          .set({ sealed })
          .where("slot", "=", SLOT)
          .execute(),
    },
  ];
}
