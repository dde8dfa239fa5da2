/** The table of SAML keys. */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";

/** A key as it is stored. */
export interface StoredSamlKey {
  /** From 1; a number is used once. */
  readonly number: number;
  /** In DER. */
  readonly certificate: Buffer;
  /** The sealed private key (PKCS #8 in DER). */
  readonly sealed: Buffer;
  readonly createdAt: Moment;
}

interface Tables {
  readonly saml_key: { number: number; certificate: Buffer; sealed: Buffer; created_at: Moment };
}

/** The newest first. */
export async function listSamlKeys(queries: Queries): Promise<StoredSamlKey[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("saml_key")
    .selectAll()
    .orderBy("number", "desc")
    .execute();
  return rows.map(({ number, certificate, sealed, created_at: createdAt }) => ({
    number,
    certificate,
    sealed,
    createdAt,
  }));
}

export async function insertSamlKeys(queries: Queries, keys: readonly StoredSamlKey[]): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("saml_key")
    .values(
      keys.map(({ number, certificate, sealed, createdAt }) => ({
        number,
        certificate,
        sealed,
        created_at: createdAt,
      })),
    )
    .execute();
}

export async function removeSamlKeysBelow(queries: Queries, number: number): Promise<void> {
  await queries.tables<Tables>().deleteFrom("saml_key").where("number", "<", number).execute();
}

export async function replaceSealedKey(queries: Queries, number: number, sealed: Buffer): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("saml_key")
    .set({ sealed })
    .where("number", "=", number)
    .execute();
}
