/** The questions that limits ask of the database. */
import { sql, type Insertable, type Kysely, type Selectable } from "kysely";

import type { Database, Queries } from "../platform/database/database.js";
import { UniqueViolation } from "../platform/database/database-errors.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";
import { DuplicateLimitError } from "./limit-errors.js";
import { RESOURCE_FILTERS, type RegisteredLimitRow } from "./registered-limit-store.js";
import { ownerKey, regionPresence, type ResourceKey } from "./resource-conditions.js";

/** What there may be of a resource in one project or domain. */
export interface Limit extends ResourceKey {
  readonly id: string;
  readonly registeredLimitId: string;
  /** `null` where a domain is limited. */
  readonly projectId: string | null;
  /** The domain that is limited, or that of the project. */
  readonly domainId: string;
  readonly resourceLimit: number;
  readonly description: string | null;
}

export interface LimitRow {
  id: string;
  registered_limit_id: string;
  project_id: string | null;
  domain_id: string;
  resource_limit: number;
  description: string | null;
}

export interface LimitTables {
  readonly limit: LimitRow;
  readonly registered_limit: RegisteredLimitRow;
}

type JoinedRow = Selectable<LimitRow> &
  Pick<Selectable<RegisteredLimitRow>, "service_id" | "region_id" | "resource_name">;

export const LIMIT_FILTERS = [...RESOURCE_FILTERS, "project_id", "domain_id"] as const;

/** Whose limits somebody sees. */
export type LimitView =
  | { readonly kind: "all" }
  /** The domain's own and those of its projects. */
  | { readonly kind: "domain"; readonly domainId: string }
  | { readonly kind: "project"; readonly projectId: string };

export interface LimitQuery {
  readonly filters: readonly ListFilter<(typeof LIMIT_FILTERS)[number]>[];
  readonly hasRegion?: boolean | undefined;
  readonly view: LimitView;
  readonly page: Page;
}

/** Those that are on the page, and one more if there is another page. */
export async function listLimits(
  queries: Queries,
  { filters, hasRegion, view, page }: LimitQuery,
): Promise<Limit[]> {
  let query = joined(queries)
    .where((eb) => afterMarker(page, eb.ref("limit.id")))
    .where((eb) => regionPresence(hasRegion, eb.ref("registered_limit.region_id")))
    .orderBy("limit.id");
  if (view.kind === "domain") query = query.where("limit.domain_id", "=", view.domainId);
  if (view.kind === "project") query = query.where("limit.project_id", "=", view.projectId);
  for (const filter of filters) {
    query = query.where((eb) => filterCondition(filter, eb.ref(filter.field)));
    if (filter.field === "domain_id") query = query.where("project_id", "is", null);
  }
  const wanted = rowsWanted(page);
  if (wanted !== undefined) query = query.limit(wanted);
  return (await query.execute()).map(toLimit);
}

export async function findLimit(queries: Queries, id: string): Promise<Limit | undefined> {
  const row = await joined(queries).where("limit.id", "=", id).executeTakeFirst();
  return row && toLimit(row);
}

/** A limit, as far as what holds in its place is concerned. */
export type OwnLimit = Pick<Limit, "id" | "registeredLimitId" | "projectId" | "resourceLimit">;

/** The limits of a project and of its domain, or of a domain alone, that rest on registered limits with ids in a range. */
export async function listOwnLimits(
  queries: Queries,
  {
    place,
    from,
    to,
  }: { readonly place: Pick<Limit, "projectId" | "domainId">; readonly from: string; readonly to: string },
): Promise<OwnLimit[]> {
  const owners = place.projectId === null ? [""] : ["", place.projectId];
  const rows = await tables(queries)
    .selectFrom("limit")
    .select(["id", "registered_limit_id", "project_id", "resource_limit"])
    .where("domain_id", "=", place.domainId)
    .where((eb) => eb(ownerKey(eb.ref("project_id")), "in", owners))
    .where("registered_limit_id", ">=", from)
    .where("registered_limit_id", "<=", to)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    registeredLimitId: row.registered_limit_id,
    projectId: row.project_id,
    resourceLimit: row.resource_limit,
  }));
}

/** @throws {DuplicateLimitError} */
export async function insertLimits(queries: Queries, limits: readonly Limit[]): Promise<void> {
  try {
    await tables(queries).insertInto("limit").values(limits.map(toRow)).execute();
  } catch (error) {
    if (error instanceof UniqueViolation) throw new DuplicateLimitError("limit", { cause: error });
    throw error;
  }
}

export async function updateLimit(queries: Queries, limit: Limit): Promise<void> {
  await tables(queries).updateTable("limit").set(toRow(limit)).where("id", "=", limit.id).execute();
}

export async function deleteLimit(queries: Queries, id: string): Promise<void> {
  await tables(queries).deleteFrom("limit").where("id", "=", id).execute();
}

/**
 * Runs a transaction that changes limits, one after the other. Together they would end right too, as transactions do, but most
 * of many would have to begin again, and some give up.
 */
export function changeLimits<Result>(
  database: Database,
  work: (transaction: Queries) => Promise<Result>,
): Promise<Result> {
  return database.transaction(
    async (transaction) => {
      // Before any question: what others have committed while this one waited has to be seen. SQLite has one writer anyway.
      if (database.kind === "postgres")
        await sql`lock table "limit" in share row exclusive mode`.execute(transaction.tables());
      return work(transaction);
    },
    { changes: ["limits"] },
  );
}

function tables(queries: Queries): Kysely<LimitTables> {
  return queries.tables<LimitTables>();
}

function joined(queries: Queries) {
  return tables(queries)
    .selectFrom("limit")
    .innerJoin("registered_limit", "registered_limit.id", "limit.registered_limit_id")
    .selectAll("limit")
    .select(["registered_limit.service_id", "registered_limit.region_id", "registered_limit.resource_name"]);
}

function toLimit(row: JoinedRow): Limit {
  return {
    id: row.id,
    registeredLimitId: row.registered_limit_id,
    projectId: row.project_id,
    domainId: row.domain_id,
    resourceLimit: row.resource_limit,
    description: row.description,
    serviceId: row.service_id,
    regionId: row.region_id,
    resourceName: row.resource_name,
  };
}

function toRow(limit: Limit): Insertable<LimitRow> {
  return {
    id: limit.id,
    registered_limit_id: limit.registeredLimitId,
    project_id: limit.projectId,
    domain_id: limit.domainId,
    resource_limit: limit.resourceLimit,
    description: limit.description,
  };
}
