/** The sealed secrets of protocols in the database. */
import type { Queries } from "../../platform/database/database.js";
import { unsealStored, type Seal } from "../../platform/secrets/master-key-in-force.js";
import type { MasterKey, SealedSecret } from "../../platform/secrets/sealing.js";
import type { ProtocolKey } from "./protocol-store.js";

interface SecretRow {
  idp_id: string;
  protocol_id: string;
  name: string;
  sealed: Buffer;
}

interface Tables {
  readonly protocol_secret: SecretRow;
}

/** Identifies a secret. */
interface SecretKey extends ProtocolKey {
  readonly name: string;
}

/** Values by name; `null` deletes a secret. */
export type NewSecrets = ReadonlyMap<string, string | null>;

/** Replaces the named secrets; others stay. */
export async function storeSecrets(
  transaction: Queries,
  { idpId, id }: ProtocolKey,
  { secrets, seal }: { readonly secrets: NewSecrets; readonly seal: Seal },
): Promise<void> {
  const tables = transaction.tables<Tables>();
  for (const [name, value] of secrets) {
    await tables
      .deleteFrom("protocol_secret")
      .where("idp_id", "=", idpId)
      .where("protocol_id", "=", id)
      .where("name", "=", name)
      .execute();
    if (value === null) continue;
    const sealed = seal(Buffer.from(value), placeOf({ idpId, id, name }));
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
 * @throws {MasterKeyNotInForce} A secret was sealed with another key. {@link SealError} It was changed.
 */
export async function unsealSecrets(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  masterKey: MasterKey,
): Promise<Readonly<Record<string, string>>> {
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
      unsealStored(masterKey, sealed, placeOf({ idpId, id, name })).toString(),
    ]),
  );
}

/** All secrets, to be sealed again with another master key. */
export async function protocolSecrets(queries: Queries): Promise<SealedSecret[]> {
  const rows = await queries.tables<Tables>().selectFrom("protocol_secret").selectAll().execute();
  return rows.map(({ idp_id: idpId, protocol_id: id, name, sealed }) => ({
    place: placeOf({ idpId, id, name }),
    sealed,
    replace: (transaction, next) =>
      transaction
        .tables<Tables>()
        .updateTable("protocol_secret")
        .set({ sealed: next })
        .where("idp_id", "=", idpId)
        .where("protocol_id", "=", id)
        .where("name", "=", name)
        .execute(),
  }));
}

/** The name that a secret is bound to. Ids may contain slashes. */
function placeOf({ idpId, id, name }: SecretKey): string {
  return ["protocol", ...[idpId, id, name].map(encodeURIComponent)].join("/");
}
