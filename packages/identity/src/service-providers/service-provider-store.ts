/** The questions that service providers ask of the database. */
import type { Selectable } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";

/** Another cloud, whose users may be ours: it takes our word for who they are. */
export interface ServiceProvider {
  readonly id: string;
  /** Where users log in there. */
  readonly authUrl: string;
  /** Where our assertion is sent. */
  readonly spUrl: string;
  readonly description: string | null;
  readonly enabled: boolean;
  /** What begins the relay state of an assertion, by which the other side tells it apart. */
  readonly relayStatePrefix: string;
}

interface ProviderRow {
  id: string;
  auth_url: string;
  sp_url: string;
  description: string | null;
  enabled: boolean;
  relay_state_prefix: string;
}

interface Tables {
  readonly service_provider: ProviderRow;
}

export interface ServiceProviderQuery {
  readonly filters: readonly ListFilter<"id">[];
  /** All of which have to hold. */
  readonly enabled: readonly boolean[];
  readonly page: Page;
}

/** Those that are on the page, and one more if there is another page. */
export async function listProviders(
  queries: Queries,
  { filters, enabled, page }: ServiceProviderQuery,
): Promise<ServiceProvider[]> {
  let query = queries
    .tables<Tables>()
    .selectFrom("service_provider")
    .selectAll()
    .where((eb) => afterMarker(page, eb.ref("id")))
    .orderBy("id");
  for (const filter of filters) query = query.where((eb) => filterCondition(filter, eb.ref("id")));
  for (const value of enabled) query = query.where("enabled", "=", value);
  const wanted = rowsWanted(page);
  if (wanted !== undefined) query = query.limit(wanted);
  return (await query.execute()).map(toProvider);
}

export async function findProvider(queries: Queries, id: string): Promise<ServiceProvider | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("service_provider")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toProvider(row);
}

export async function insertProvider(queries: Queries, provider: ServiceProvider): Promise<void> {
  await queries.tables<Tables>().insertInto("service_provider").values(toRow(provider)).execute();
}

export async function updateProvider(queries: Queries, provider: ServiceProvider): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("service_provider")
    .set(toRow(provider))
    .where("id", "=", provider.id)
    .execute();
}

export async function deleteProvider(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("service_provider").where("id", "=", id).execute();
}

function toProvider({
  auth_url,
  sp_url,
  relay_state_prefix,
  ...row
}: Selectable<ProviderRow>): ServiceProvider {
  return { ...row, authUrl: auth_url, spUrl: sp_url, relayStatePrefix: relay_state_prefix };
}

function toRow({ authUrl, spUrl, relayStatePrefix, ...provider }: ServiceProvider): ProviderRow {
  return { ...provider, auth_url: authUrl, sp_url: spUrl, relay_state_prefix: relayStatePrefix };
}
