/**
 * Wrapped master keys in the database: the one in force, and those that come into force next.
 *
 * In the database and not in files, so that all replicas get a next key without copies by hand, that a reseal changes the key and what it
 * has sealed in one transaction, and that a backup has the wrapped key that fits to it.
 */
import type { Queries } from "../../database/database.js";
import { rowsOf } from "../../database/table.js";
import type { WrappedKey } from "./key-wrapper.js";

const { toItem, toRow } = rowsOf<WrappedKey>()({
  keyId: "key_id",
  source: "source",
  wrappingKey: "wrapping_key",
  wrapped: "wrapped",
});

interface Tables {
  readonly wrapped_key: ReturnType<typeof toRow>;
}

/** The name of the migration that creates the table. */
export const WRAPPED_KEYS_STEP = "0051-wrapped-keys";

/** A few at most. */
const MAX_WRAPPED_KEYS = 10;

export async function listWrappedKeys(queries: Queries): Promise<WrappedKey[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("wrapped_key")
    .selectAll()
    .orderBy("key_id")
    .limit(MAX_WRAPPED_KEYS)
    .execute();
  return rows.map(toItem);
}

export async function findWrappedKey(queries: Queries, keyId: string): Promise<WrappedKey | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("wrapped_key")
    .selectAll()
    .where("key_id", "=", keyId)
    .executeTakeFirst();
  return row && toItem(row);
}

/** Stores a key that comes into force later: running processes unwrap it before. */
export async function putWrappedKey(queries: Queries, key: WrappedKey): Promise<void> {
  const row = toRow(key);
  await queries
    .tables<Tables>()
    .insertInto("wrapped_key")
    .values(row)
    .onConflict((conflict) => conflict.column("key_id").doUpdateSet(row))
    .execute();
}

/** Stores the key in force, if it is a wrapped one, and deletes all others. */
export async function keepWrappedKey(queries: Queries, key: WrappedKey | undefined): Promise<void> {
  await queries.tables<Tables>().deleteFrom("wrapped_key").execute();
  if (key !== undefined) await putWrappedKey(queries, key);
}

export async function deleteWrappedKey(queries: Queries, keyId: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("wrapped_key").where("key_id", "=", keyId).execute();
}

/** Replaces the wrapping of a key. @returns Whether it had the former one. */
export async function replaceWrapping(
  queries: Queries,
  { from, to }: { readonly from: WrappedKey; readonly to: WrappedKey },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .tables<Tables>()
    .updateTable("wrapped_key")
    .set(toRow(to))
    .where("key_id", "=", from.keyId)
    .where("wrapped", "=", from.wrapped)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
