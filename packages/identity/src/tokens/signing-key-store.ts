/** The table of signing keys, sealed by the master key. */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { SealedSecret } from "../platform/secrets/sealing.js";

/** A key as it is stored. */
export interface StoredSigningKey {
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
