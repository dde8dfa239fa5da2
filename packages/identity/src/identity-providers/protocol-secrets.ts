/** The secrets of protocols, which lie sealed in the database. */
import type { Queries } from "../platform/database/database.js";
import { openSecret, sealSecret, type MasterKey } from "../platform/sealing.js";
import type { SecretName } from "./protocol-settings.js";
import type { ProtocolKey } from "./protocol-store.js";

interface SecretRow {
  idp_id: string;
  protocol_id: string;
  name: SecretName;
  sealed: Buffer;
}

interface Tables {
  readonly protocol_secret: SecretRow;
}

/** Which secret of which protocol. */
interface SecretKey extends ProtocolKey {
  readonly name: SecretName;
}

/** Sealed values by name; `null` takes one away. */
export type SealedSecrets = ReadonlyMap<SecretName, Buffer | null>;

/** Seals new values, before the transaction that stores them. */
export function sealSecrets(
  masterKey: MasterKey,
  protocol: ProtocolKey,
  secrets: ReadonlyMap<SecretName, string | null>,
): SealedSecrets {
  const seal = (name: SecretName, value: string): Buffer =>
    sealSecret(masterKey, Buffer.from(value), placeOf({ ...protocol, name }));
  return new Map(Array.from(secrets, ([name, value]) => [name, value === null ? null : seal(name, value)]));
}

/** Keeps those that are named, beside those that are there. */
export async function storeSecrets(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  secrets: SealedSecrets,
): Promise<void> {
  const tables = queries.tables<Tables>();
  for (const [name, sealed] of secrets) {
    await tables
      .deleteFrom("protocol_secret")
      .where("idp_id", "=", idpId)
      .where("protocol_id", "=", id)
      .where("name", "=", name)
      .execute();
    if (sealed !== null)
      await tables
        .insertInto("protocol_secret")
        .values({ idp_id: idpId, protocol_id: id, name, sealed })
        .execute();
  }
}

export async function deleteSecrets(queries: Queries, { idpId, id }: ProtocolKey): Promise<void> {
  await queries
    .tables<Tables>()
    .deleteFrom("protocol_secret")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .execute();
}

/**
 * The secrets of a protocol, by name.
 *
 * @throws {SealError} One of them was sealed by another key, or changed.
 */
export async function openSecrets(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  masterKey: MasterKey,
): Promise<Partial<Record<SecretName, string>>> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("protocol_secret")
    .selectAll()
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .execute();
  return Object.fromEntries(
    rows.map(({ name, sealed }) => [
      name,
      openSecret(masterKey, sealed, placeOf({ idpId, id, name })).toString(),
    ]),
  );
}

/**
 * Seals all of them by another key.
 *
 * @throws {SealError} One of them was not sealed by `from`. To be called in a transaction, so that then none is.
 */
export async function resealSecrets(
  transaction: Queries,
  { from, to }: { readonly from: MasterKey; readonly to: MasterKey },
): Promise<void> {
  const tables = transaction.tables<Tables>();
  for (const { idp_id, protocol_id, name, sealed } of await tables
    .selectFrom("protocol_secret")
    .selectAll()
    .execute()) {
    const place = placeOf({ idpId: idp_id, id: protocol_id, name });
    await tables
      .updateTable("protocol_secret")
      .set({ sealed: sealSecret(to, openSecret(from, sealed, place), place) })
      .where("idp_id", "=", idp_id)
      .where("protocol_id", "=", protocol_id)
      .where("name", "=", name)
      .execute();
  }
}

/** What a secret is bound to. Ids may hold slashes. */
function placeOf({ idpId, id, name }: SecretKey): string {
  return ["protocol", ...[idpId, id, name].map(encodeURIComponent)].join("/");
}
