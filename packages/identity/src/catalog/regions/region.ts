/** Regions: fields, schemas and table. */
import { Type, type Static } from "typebox";

import type { Attributes } from "../../platform/attributes.js";
import type { Queries } from "../../platform/database/database.js";
import { declareFields, type ItemOf } from "../../platform/database/fields.js";
import { json, tableOf, type ListQuery } from "../../platform/database/table.js";
import { bodyOf, nullable, openObject, SelfLink } from "../../platform/http/validation/schema-parts.js";
import { RegionNotFoundError } from "../catalog-errors.js";

export const regionFields = declareFields({
  id: Type.String(),
  description: Type.String(),
  parent_region_id: nullable(Type.String()),
});

/** A place with services of its own, which may be part of another region. */
export interface Region extends ItemOf<typeof regionFields> {
  readonly extra: Attributes;
}

/** A deleted region takes the regions within it along. */
export const regionTable = tableOf<Region>()(
  "region",
  { ...regionFields.columns, extra: json("extra") },
  RegionNotFoundError,
  { resource: "region" },
);

/** Columns that a list may be filtered by. */
export const REGION_FILTERS = ["parent_region_id"] as const;

export type RegionQuery = ListQuery<(typeof REGION_FILTERS)[number]>;

interface Tables {
  readonly region: { id: string; parent_region_id: string | null };
  readonly endpoint: { id: string; region_id: string | null };
}

/** Inserts a region without a description, unless one of this id exists. */
export async function ensureRegion(queries: Queries, id: string): Promise<void> {
  const region = regionTable.toRow({ id, parentRegionId: null, description: "", extra: {} });
  await queries
    .tables<Tables>()
    .insertInto("region")
    .values(region)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The ids of a region and of those that it is within, from itself outwards. */
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
  const row = await withDescendants(queries, id)
    .selectFrom("endpoint")
    .innerJoin("descendant", "descendant.id", "endpoint.region_id")
    .select("endpoint.id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The ids of a region and of those within it. */
export async function regionIdsWithin(queries: Queries, id: string): Promise<string[]> {
  const rows = await withDescendants(queries, id).selectFrom("descendant").select("id").execute();
  return rows.map((row) => row.id);
}

/** Queries with the table `descendant`: a region and those within it. */
function withDescendants(queries: Queries, id: string) {
  return queries.tables<Tables & { descendant: { id: string } }>().withRecursive("descendant", (db) =>
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
  );
}

const RegionId = Type.String({ minLength: 1, maxLength: 255 });

const attributes = {
  description: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
  parent_region_id: Type.Optional(nullable(RegionId)),
};

export const NewRegion = bodyOf(
  "region",
  openObject({
    // Empty counts as left out.
    id: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    ...attributes,
  }),
);
export type NewRegion = Static<typeof NewRegion>["region"];

export const RegionChange = bodyOf(
  "region",
  openObject({ id: Type.Optional(nullable(RegionId)), ...attributes }, { minProperties: 1 }),
);
export type RegionChange = Static<typeof RegionChange>["region"];

export const RegionView = openObject({ ...regionFields.shape, links: SelfLink });

/** Members of a body that are not stored as attributes of the client. */
export const REGION_MEMBERS = [...regionFields.names, "links"];
