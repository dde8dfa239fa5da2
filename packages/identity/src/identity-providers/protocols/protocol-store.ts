/** Protocols of identity providers: fields and table. */
import type { SelectQueryBuilder } from "kysely";

import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { pageOf, json, rowsOf, type ListQuery } from "../../platform/database/table.js";
import type { PublicSettings } from "./protocol-settings.js";

/** The ids of a protocol and its provider. */
export interface ProtocolKey {
  readonly idpId: string;
  readonly id: string;
}

/** A login protocol of an identity provider. */
export interface Protocol extends ProtocolKey {
  /** The mapping of assertions to users. May not exist. */
  readonly mappingId: string;
  /** The attribute of an assertion that holds the provider's remote id. */
  readonly remoteIdAttribute: string | null;
  readonly settings: PublicSettings | null;
  /** Greater after each change and each refresh: what was read from the provider for a smaller value is read again. */
  readonly refreshedAt: Moment;
}

/** A protocol and the names of its secrets. */
export interface StoredProtocol extends Protocol {
  readonly secretsSet: readonly string[];
}

const { toItem, toRow } = rowsOf<Protocol>()({
  idpId: "idp_id",
  id: "id",
  mappingId: "mapping_id",
  remoteIdAttribute: "remote_id_attribute",
  settings: json("settings"),
  refreshedAt: "refreshed_at",
});

type ProtocolRow = ReturnType<typeof toRow>;

interface Tables {
  readonly protocol: ProtocolRow;
  readonly identity_provider: { id: string; enabled: boolean };
  readonly protocol_secret: { idp_id: string; protocol_id: string; name: string };
}

type Selection = SelectQueryBuilder<Tables, "protocol", ProtocolRow>;

/** A page of a provider's protocols, and one more if there is another page. */
export function listProtocols(
  queries: Queries,
  idpId: string,
  query: ListQuery<never>,
): Promise<StoredProtocol[]> {
  return readProtocols(queries, (all) => pageOf(all.where("idp_id", "=", idpId), "protocol.id", query));
}

/** Protocols with settings of enabled providers, in the order of the providers' ids. */
export async function listWithSettings(queries: Queries): Promise<Protocol[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("protocol")
    .innerJoin("identity_provider", "identity_provider.id", "protocol.idp_id")
    .where("identity_provider.enabled", "=", true)
    .selectAll("protocol")
    .where("protocol.settings", "is not", null)
    .orderBy("protocol.idp_id")
    .orderBy("protocol.id")
    .execute();
  return rows.map(toItem);
}

export async function findProtocol(
  queries: Queries,
  { idpId, id }: ProtocolKey,
): Promise<StoredProtocol | undefined> {
  const [protocol] = await readProtocols(queries, (all) =>
    all.where("idp_id", "=", idpId).where("id", "=", id),
  );
  return protocol;
}

export async function isEnabledProtocol(queries: Queries, { idpId, id }: ProtocolKey): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("protocol")
    .innerJoin("identity_provider", "identity_provider.id", "protocol.idp_id")
    .select("protocol.id")
    .where("protocol.idp_id", "=", idpId)
    .where("protocol.id", "=", id)
    .where("identity_provider.enabled", "=", true)
    .executeTakeFirst();
  return row !== undefined;
}

/** All protocols, or those of a mapping. */
export async function listAllProtocols(queries: Queries, mappingId?: string): Promise<StoredProtocol[]> {
  const found = await readProtocols(queries, (all) =>
    mappingId === undefined ? all : all.where("mapping_id", "=", mappingId),
  );
  return found.toSorted((one, other) => (one.idpId < other.idpId ? -1 : Number(one.idpId > other.idpId)));
}

/** Protocols of this id, in the order of their providers. */
export function listProtocolsOfId(queries: Queries, id: string): Promise<StoredProtocol[]> {
  return readProtocols(queries, (all) => all.where("id", "=", id));
}

export async function insertProtocol(queries: Queries, protocol: Protocol): Promise<void> {
  await queries.tables<Tables>().insertInto("protocol").values(toRow(protocol)).execute();
}

export async function updateProtocol(queries: Queries, protocol: Protocol): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("protocol")
    .set(toRow(protocol))
    .where("idp_id", "=", protocol.idpId)
    .where("id", "=", protocol.id)
    .execute();
}

/** Its secrets are deleted with it. */
export async function deleteProtocol(queries: Queries, { idpId, id }: ProtocolKey): Promise<void> {
  await queries
    .tables<Tables>()
    .deleteFrom("protocol")
    .where("idp_id", "=", idpId)
    .where("id", "=", id)
    .execute();
}

/** The chosen protocols in the order of their ids, with the names of their secrets. */
async function readProtocols(
  queries: Queries,
  choose: (all: Selection) => Selection,
): Promise<StoredProtocol[]> {
  const tables = queries.tables<Tables>();
  const rows = await tables
    .selectFrom(choose(tables.selectFrom("protocol").selectAll("protocol")).as("chosen"))
    .leftJoin("protocol_secret as secret", (join) =>
      join.onRef("secret.idp_id", "=", "chosen.idp_id").onRef("secret.protocol_id", "=", "chosen.id"),
    )
    .selectAll("chosen")
    .select("secret.name as secret_name")
    .orderBy("chosen.id")
    .orderBy("chosen.idp_id")
    .orderBy("secret.name")
    .execute();
  return toProtocols(rows);
}

/** @param rows One for each secret; one for a protocol without. */
function toProtocols(rows: readonly (ProtocolRow & { secret_name: string | null })[]): StoredProtocol[] {
  const protocols = new Map<string, StoredProtocol & { secretsSet: string[] }>();
  for (const { secret_name, ...row } of rows) {
    const key = JSON.stringify([row.idp_id, row.id]);
    const protocol = protocols.get(key) ?? Object.assign(toItem(row), { secretsSet: [] as string[] });
    if (secret_name !== null) protocol.secretsSet.push(secret_name);
    protocols.set(key, protocol);
  }
  return [...protocols.values()];
}
