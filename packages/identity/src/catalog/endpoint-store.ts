/** The questions that endpoints ask of the database. */
import type { Insertable, Selectable } from "kysely";

import { parseAttributes, type Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";

/** Whom an endpoint is for. */
export const INTERFACES = ["admin", "internal", "public"] as const;
export type EndpointInterface = (typeof INTERFACES)[number];

/** An address at which a service is reached. */
export interface Endpoint {
  readonly id: string;
  readonly serviceId: string;
  /** `null` where it serves all regions. */
  readonly regionId: string | null;
  readonly interface: EndpointInterface;
  /** With placeholders: see `endpoint-url.ts`. */
  readonly url: string;
  /** Whether the catalog shows it. */
  readonly enabled: boolean;
  readonly extra: Attributes;
}

interface EndpointRow {
  id: string;
  service_id: string;
  region_id: string | null;
  interface: EndpointInterface;
  url: string;
  enabled: boolean;
  extra: string;
}

interface Tables {
  readonly endpoint: EndpointRow;
}

/** Fields that a list may be filtered by. */
export const ENDPOINT_FILTERS = ["interface", "service_id", "region_id"] as const;

export interface EndpointQuery {
  readonly filters: readonly ListFilter<(typeof ENDPOINT_FILTERS)[number]>[];
  readonly page: Page;
}

/** Those that are on the page, and one more if there is another page. */
export async function listEndpoints(queries: Queries, { filters, page }: EndpointQuery): Promise<Endpoint[]> {
  let query = queries
    .tables<Tables>()
    .selectFrom("endpoint")
    .selectAll()
    .where((eb) => afterMarker(page, eb.ref("id")))
    .orderBy("id");
  for (const filter of filters) query = query.where((eb) => filterCondition(filter, eb.ref(filter.field)));
  const wanted = rowsWanted(page);
  if (wanted !== undefined) query = query.limit(wanted);
  return (await query.execute()).map(toEndpoint);
}

export async function findEndpoint(queries: Queries, id: string): Promise<Endpoint | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("endpoint")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toEndpoint(row);
}

/** Where a service is reached in a region, by whom. */
export type EndpointPlace = Pick<Endpoint, "serviceId" | "regionId" | "interface">;

/** The first endpoint at a place. */
export async function findEndpointAt(
  queries: Queries,
  { serviceId, regionId, interface: wanted }: EndpointPlace,
): Promise<Endpoint | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("endpoint")
    .selectAll()
    .where("service_id", "=", serviceId)
    .where("region_id", regionId === null ? "is" : "=", regionId)
    .where("interface", "=", wanted)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row && toEndpoint(row);
}

export async function insertEndpoint(queries: Queries, endpoint: Endpoint): Promise<void> {
  await queries.tables<Tables>().insertInto("endpoint").values(toRow(endpoint)).execute();
}

export async function updateEndpoint(queries: Queries, endpoint: Endpoint): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("endpoint")
    .set(toRow(endpoint))
    .where("id", "=", endpoint.id)
    .execute();
}

export async function deleteEndpoint(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("endpoint").where("id", "=", id).execute();
}

function toEndpoint({ service_id, region_id, extra, ...columns }: Selectable<EndpointRow>): Endpoint {
  return { ...columns, serviceId: service_id, regionId: region_id, extra: parseAttributes(extra) };
}

function toRow({ serviceId, regionId, extra, ...columns }: Endpoint): Insertable<EndpointRow> {
  return { ...columns, service_id: serviceId, region_id: regionId, extra: JSON.stringify(extra) };
}
