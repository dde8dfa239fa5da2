/** The questions that regions ask of the database. */
import type { Insertable, Selectable } from "kysely";

import { parseAttributes, type Attributes } from "../../platform/attributes.js";
import type { Queries } from "../../platform/database/database.js";
import { isUnique } from "../../platform/database/unique-write.js";
import { filterCondition, type ListFilter } from "../../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../../platform/http/lists/paging.js";

/** A place with services of its own, which may lie within another. */
export interface Region {
  readonly id: string;
  readonly parentRegionId: string | null;
  readonly description: string;
  readonly extra: Attributes;
}

interface RegionRow {
  id: string;
  parent_region_id: string | null;
  description: string;
  extra: string;
}

interface Tables {
  readonly region: RegionRow;
  readonly endpoint: { id: string; region_id: string | null };
}

/** Fields that a list may be filtered by. */
export const REGION_FILTERS = ["parent_region_id"] as const;

export interface RegionQuery {
  readonly filters: readonly ListFilter<(typeof REGION_FILTERS)[number]>[];
  readonly page: Page;
}

/** Those that are on the page, and one more if there is another page. */
export async function listRegions(queries: Queries, { filters, page }: RegionQuery): Promise<Region[]> {
  let query = queries
    .tables<Tables>()
    .selectFrom("region")
    .selectAll()
    .where((eb) => afterMarker(page, eb.ref("id")))
    .orderBy("id");
  for (const filter of filters) query = query.where((eb) => filterCondition(filter, eb.ref(filter.field)));
  const wanted = rowsWanted(page);
  if (wanted !== undefined) query = query.limit(wanted);
  return (await query.execute()).map(toRegion);
}

export async function findRegion(queries: Queries, id: string): Promise<Region | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("region")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toRegion(row);
}

/** Whether it was added: not if there is one of this id already. */
export function insertRegion(queries: Queries, region: Region): Promise<boolean> {
  return isUnique(() => queries.tables<Tables>().insertInto("region").values(toRow(region)).execute());
}

/** Adds a region of this id and nothing else, unless there is one. */
export async function ensureRegion(queries: Queries, id: string): Promise<void> {
  const region = toRow({ id, parentRegionId: null, description: "", extra: {} });
  await queries
    .tables<Tables>()
    .insertInto("region")
    .values(region)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function updateRegion(queries: Queries, region: Region): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("region")
    .set(toRow(region))
    .where("id", "=", region.id)
    .execute();
}

/** Deletes it and what lies within it. */
export async function deleteRegion(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("region").where("id", "=", id).execute();
}

/** The ids of the regions that a region lies within, from itself outwards. */
export async function ancestryOf(queries: Queries, id: string): Promise<string[]> {
  const rows = await queries
    .tables<Tables & { ancestor: { id: string; parent_region_id: string | null } }>()
    .withRecursive("ancestor", (db) =>
      db
        .selectFrom("region")
        .select(["id", "parent_region_id"])
        .where("id", "=", id)
        .union(
          db
            .selectFrom("region")
            .innerJoin("ancestor", "ancestor.parent_region_id", "region.id")
            .select(["region.id", "region.parent_region_id"]),
        ),
    )
    .selectFrom("ancestor")
    .select("id")
    .execute();
  return rows.map((row) => row.id);
}

/** Whether a region, or one within it, has endpoints. */
export async function hasEndpoints(queries: Queries, id: string): Promise<boolean> {
  const row = await queries
    .tables<Tables & { descendant: { id: string } }>()
    .withRecursive("descendant", (db) =>
      db
        .selectFrom("region")
        .select("id")
        .where("id", "=", id)
        .union(
          db
            .selectFrom("region")
            .innerJoin("descendant", "descendant.id", "region.parent_region_id")
            .select("region.id"),
        ),
    )
    .selectFrom("endpoint")
    .innerJoin("descendant", "descendant.id", "endpoint.region_id")
    .select("endpoint.id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function toRegion({ id, parent_region_id, description, extra }: Selectable<RegionRow>): Region {
  return { id, parentRegionId: parent_region_id, description, extra: parseAttributes(extra) };
}

function toRow({ id, parentRegionId, description, extra }: Region): Insertable<RegionRow> {
  return { id, parent_region_id: parentRegionId, description, extra: JSON.stringify(extra) };
}
