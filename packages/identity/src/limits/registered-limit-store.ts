/** The questions that registered limits ask of the database. */
import type { Insertable, Kysely, Selectable } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { UniqueViolation } from "../platform/database/database-errors.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";
import { DuplicateLimitError } from "./limit-errors.js";
import { regionKey, regionPresence, type ResourceKey } from "./resource-conditions.js";

/** What there may be of a resource where nobody has said anything else. */
export interface RegisteredLimit extends ResourceKey {
  readonly id: string;
  readonly defaultLimit: number;
  readonly description: string | null;
}

export interface RegisteredLimitRow {
  id: string;
  service_id: string;
  region_id: string | null;
  resource_name: string;
  default_limit: number;
  description: string | null;
}

interface Tables {
  readonly registered_limit: RegisteredLimitRow;
  readonly limit: { id: string; registered_limit_id: string };
}

/** Fields that a list may be filtered by. */
export const RESOURCE_FILTERS = ["service_id", "region_id", "resource_name"] as const;

export interface RegisteredLimitQuery {
  readonly filters: readonly ListFilter<(typeof RESOURCE_FILTERS)[number]>[];
  /** Whether it is of one region; either when left out. */
  readonly hasRegion?: boolean | undefined;
  readonly page: Page;
}

/** Those that are on the page, and one more if there is another page. */
export async function listRegisteredLimits(
  queries: Queries,
  { filters, hasRegion, page }: RegisteredLimitQuery,
): Promise<RegisteredLimit[]> {
  let query = tables(queries)
    .selectFrom("registered_limit")
    .selectAll()
    .where((eb) => afterMarker(page, eb.ref("id")))
    .where((eb) => regionPresence(hasRegion, eb.ref("region_id")))
    .orderBy("id");
  for (const filter of filters) query = query.where((eb) => filterCondition(filter, eb.ref(filter.field)));
  const wanted = rowsWanted(page);
  if (wanted !== undefined) query = query.limit(wanted);
  return (await query.execute()).map(toRegisteredLimit);
}

export async function findRegisteredLimit(
  queries: Queries,
  id: string,
): Promise<RegisteredLimit | undefined> {
  const row = await tables(queries)
    .selectFrom("registered_limit")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toRegisteredLimit(row);
}

/** The one of exactly this: one of any region isn't one of each. */
export async function findRegisteredLimitOf(
  queries: Queries,
  { serviceId, regionId, resourceName }: ResourceKey,
): Promise<RegisteredLimit | undefined> {
  const row = await tables(queries)
    .selectFrom("registered_limit")
    .selectAll()
    .where("service_id", "=", serviceId)
    .where((eb) => eb(regionKey(eb.ref("region_id")), "=", regionId ?? ""))
    .where("resource_name", "=", resourceName)
    .executeTakeFirst();
  return row && toRegisteredLimit(row);
}

/** @throws {DuplicateLimitError} */
export async function insertRegisteredLimits(
  queries: Queries,
  limits: readonly RegisteredLimit[],
): Promise<void> {
  await withoutDuplicates(() =>
    tables(queries).insertInto("registered_limit").values(limits.map(toRow)).execute(),
  );
}

/** @throws {DuplicateLimitError} */
export async function updateRegisteredLimit(queries: Queries, limit: RegisteredLimit): Promise<void> {
  await withoutDuplicates(() =>
    tables(queries).updateTable("registered_limit").set(toRow(limit)).where("id", "=", limit.id).execute(),
  );
}

/** Limits that rest on it end with it. */
export async function deleteRegisteredLimit(queries: Queries, id: string): Promise<void> {
  await tables(queries).deleteFrom("registered_limit").where("id", "=", id).execute();
}

/** Whether limits rest on it. */
export async function isRegisteredLimitInUse(queries: Queries, id: string): Promise<boolean> {
  const row = await tables(queries)
    .selectFrom("limit")
    .select("id")
    .where("registered_limit_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function tables(queries: Queries): Kysely<Tables> {
  return queries.tables<Tables>();
}

async function withoutDuplicates(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (error instanceof UniqueViolation) throw new DuplicateLimitError("registered_limit", { cause: error });
    throw error;
  }
}

function toRegisteredLimit(row: Selectable<RegisteredLimitRow>): RegisteredLimit {
  return {
    id: row.id,
    serviceId: row.service_id,
    regionId: row.region_id,
    resourceName: row.resource_name,
    defaultLimit: row.default_limit,
    description: row.description,
  };
}

function toRow(limit: RegisteredLimit): Insertable<RegisteredLimitRow> {
  return {
    id: limit.id,
    service_id: limit.serviceId,
    region_id: limit.regionId,
    resource_name: limit.resourceName,
    default_limit: limit.defaultLimit,
    description: limit.description,
  };
}
