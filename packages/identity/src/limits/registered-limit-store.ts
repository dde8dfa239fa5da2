/** Registered limits in the database. */
import { sql, type Expression, type SqlBool } from "kysely";

import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { tableOf, type RowOf } from "../platform/database/table.js";
import { DuplicateLimitError, RegisteredLimitNotFoundError } from "./limit-errors.js";

/** The limited resource of a service; `regionId` is `null` for all regions. */
export interface ResourceKey {
  readonly serviceId: string;
  readonly regionId: string | null;
  readonly resourceName: string;
}

/** The default limit of a resource. */
export interface RegisteredLimit extends ResourceKey {
  readonly id: string;
  readonly defaultLimit: number;
  readonly description: string | null;
}

/** A deleted registered limit takes the limits that rest on it along. */
export const registeredLimitTable = tableOf<RegisteredLimit>()(
  "registered_limit",
  {
    id: "id",
    serviceId: "service_id",
    regionId: "region_id",
    resourceName: "resource_name",
    defaultLimit: "default_limit",
    description: "description",
  },
  RegisteredLimitNotFoundError,
);

export type RegisteredLimitRow = RowOf<typeof registeredLimitTable>;

interface Tables {
  readonly limit: { id: string; registered_limit_id: string };
}

/** Columns that a list may be filtered by. */
export const RESOURCE_FILTERS = ["service_id", "region_id", "resource_name"] as const;

export interface RegisteredLimitQuery extends ListQuery<(typeof RESOURCE_FILTERS)[number]> {
  /** Whether it has a region; both, if left out. */
  readonly hasRegion?: boolean | undefined;
}

export function listRegisteredLimits(
  queries: Queries,
  { hasRegion, ...query }: RegisteredLimitQuery,
): Promise<RegisteredLimit[]> {
  return registeredLimitTable.list(queries, query, (limits) =>
    limits.where((eb) => regionPresence(hasRegion, eb.ref("region_id"))),
  );
}

/** The registered limit of exactly this region: one of all regions is not found for a region. */
export function findRegisteredLimitOf(
  queries: Queries,
  { serviceId, regionId, resourceName }: ResourceKey,
): Promise<RegisteredLimit | undefined> {
  return registeredLimitTable.first(
    registeredLimitTable
      .select(queries)
      .where("service_id", "=", serviceId)
      .where((eb) => eb(regionKey(eb.ref("region_id")), "=", regionId ?? ""))
      .where("resource_name", "=", resourceName),
  );
}

const duplicate = () => new DuplicateLimitError("registered_limit");

/** @throws {DuplicateLimitError} */
export function insertRegisteredLimits(queries: Queries, limits: readonly RegisteredLimit[]): Promise<void> {
  return registeredLimitTable.insertAll(queries, limits, duplicate);
}

/** @throws {DuplicateLimitError} */
export function updateRegisteredLimit(queries: Queries, limit: RegisteredLimit): Promise<void> {
  return registeredLimitTable.update(queries, limit, duplicate);
}

/** Whether limits rest on it. */
export async function isRegisteredLimitInUse(queries: Queries, id: string): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("limit")
    .select("id")
    .where("registered_limit_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The region as in the unique index: empty for none. */
function regionKey(column: Expression<string | null>): Expression<string> {
  return sql<string>`coalesce(${column}, '')`;
}

/** Whether the region is set, if required. */
export function regionPresence(
  hasRegion: boolean | undefined,
  column: Expression<string | null>,
): Expression<SqlBool> {
  if (hasRegion === undefined) return sql<SqlBool>`1 = 1`;
  return hasRegion ? sql<SqlBool>`${column} is not null` : sql<SqlBool>`${column} is null`;
}
