/** The questions that identity providers ask of the database. */
import type { SelectQueryBuilder } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";

/** Somebody who says who users are. */
export interface IdentityProvider {
  readonly id: string;
  /** Where its users are. */
  readonly domainId: string;
  readonly enabled: boolean;
  readonly description: string | null;
  /** Minutes for which users stay in the groups that a login has brought. */
  readonly authorizationTtl: number | null;
  /** The names by which it calls itself, which no other one has. */
  readonly remoteIds: readonly string[];
  /** Ids of the domains in which a login may give groups, projects and local users; `null` for all domains. */
  readonly authorizedDomains: readonly string[] | null;
}

interface ProviderRow {
  id: string;
  domain_id: string;
  enabled: boolean;
  description: string | null;
  authorization_ttl: number | null;
  authorized_domains: string | null;
}

interface Tables {
  readonly identity_provider: ProviderRow;
  readonly identity_provider_remote_id: { remote_id: string; idp_id: string; position: number };
}

type Selection = SelectQueryBuilder<Tables, "identity_provider", ProviderRow>;

export interface IdentityProviderQuery {
  readonly filters: readonly ListFilter<"id">[];
  /** All of which have to hold. */
  readonly enabled: readonly boolean[];
  readonly page: Page;
}

/** Those that are on the page, and one more if there is another page. */
export function listProviders(
  queries: Queries,
  { filters, enabled, page }: IdentityProviderQuery,
): Promise<IdentityProvider[]> {
  return readProviders(queries, (all) => {
    let query = all.where((eb) => afterMarker(page, eb.ref("id"))).orderBy("id");
    for (const filter of filters) query = query.where((eb) => filterCondition(filter, eb.ref("id")));
    for (const value of enabled) query = query.where("enabled", "=", value);
    const wanted = rowsWanted(page);
    return wanted === undefined ? query : query.limit(wanted);
  });
}

export async function findProvider(queries: Queries, id: string): Promise<IdentityProvider | undefined> {
  const [provider] = await readProviders(queries, (all) => all.where("id", "=", id));
  return provider;
}

/** The one of this name among its remote ids. */
export async function findProviderByRemoteId(
  queries: Queries,
  remoteId: string,
): Promise<IdentityProvider | undefined> {
  const [provider] = await readProviders(queries, (all) =>
    all.where("id", "in", (eb) =>
      eb
        .selectFrom("identity_provider_remote_id")
        .select("identity_provider_remote_id.idp_id")
        .where("identity_provider_remote_id.remote_id", "=", remoteId),
    ),
  );
  return provider;
}

export async function insertProvider(queries: Queries, provider: IdentityProvider): Promise<void> {
  await queries.tables<Tables>().insertInto("identity_provider").values(toRow(provider)).execute();
  await insertRemoteIds(queries, provider);
}

export async function updateProvider(queries: Queries, provider: IdentityProvider): Promise<void> {
  const tables = queries.tables<Tables>();
  await tables.updateTable("identity_provider").set(toRow(provider)).where("id", "=", provider.id).execute();
  await tables.deleteFrom("identity_provider_remote_id").where("idp_id", "=", provider.id).execute();
  await insertRemoteIds(queries, provider);
}

/** Its protocols end with it. */
export async function deleteProvider(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("identity_provider").where("id", "=", id).execute();
}

/** The first of these names that another provider has. */
export async function takenRemoteId(
  queries: Queries,
  { id, remoteIds }: Pick<IdentityProvider, "id" | "remoteIds">,
): Promise<string | undefined> {
  for (const some of parts(remoteIds)) {
    const row = await queries
      .tables<Tables>()
      .selectFrom("identity_provider_remote_id")
      .select("remote_id")
      .where("remote_id", "in", some)
      .where("idp_id", "<>", id)
      .orderBy("remote_id")
      .executeTakeFirst();
    if (row !== undefined) return row.remote_id;
  }
  return undefined;
}

async function insertRemoteIds(
  queries: Queries,
  { id, remoteIds }: Pick<IdentityProvider, "id" | "remoteIds">,
): Promise<void> {
  const rows = remoteIds.map((remote_id, position) => ({ remote_id, idp_id: id, position }));
  for (const some of parts(rows))
    await queries.tables<Tables>().insertInto("identity_provider_remote_id").values(some).execute();
}

/** No statement may have more parameters than a database takes. */
function parts<Item>(items: readonly Item[]): Item[][] {
  const size = 1000;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The providers that are chosen, in the order of their ids, with the names that they have. */
async function readProviders(
  queries: Queries,
  choose: (all: Selection) => Selection,
): Promise<IdentityProvider[]> {
  const tables = queries.tables<Tables>();
  const rows = await tables
    .selectFrom(choose(tables.selectFrom("identity_provider").selectAll("identity_provider")).as("chosen"))
    .leftJoin("identity_provider_remote_id as remote", "remote.idp_id", "chosen.id")
    .selectAll("chosen")
    .select("remote.remote_id as remote_id")
    .orderBy("chosen.id")
    .orderBy("remote.position")
    .execute();
  return toProviders(rows);
}

/** One row for each name, or one for a provider without. */
function toProviders(rows: readonly (ProviderRow & { remote_id: string | null })[]): IdentityProvider[] {
  const providers = new Map<string, IdentityProvider & { remoteIds: string[] }>();
  for (const { remote_id, ...row } of rows) {
    const { id, domain_id: domainId, enabled, description, authorization_ttl: authorizationTtl } = row;
    const provider = providers.get(id) ?? {
      id,
      domainId,
      enabled,
      description,
      authorizationTtl,
      remoteIds: [],
      authorizedDomains:
        row.authorized_domains === null ? null : (JSON.parse(row.authorized_domains) as string[]),
    };
    if (remote_id !== null) provider.remoteIds.push(remote_id);
    providers.set(id, provider);
  }
  return [...providers.values()];
}

function toRow(provider: IdentityProvider): ProviderRow {
  const { id, domainId, enabled, description, authorizationTtl, authorizedDomains } = provider;
  return {
    id,
    domain_id: domainId,
    enabled,
    description,
    authorization_ttl: authorizationTtl,
    authorized_domains: authorizedDomains === null ? null : JSON.stringify(authorizedDomains),
  };
}
