/** Registered limits, the defaults of limits: fields, schemas and table. */
import { sql, type Expression, type SqlBool } from "kysely";
import { Type, type Static, type TSchema } from "typebox";

import type { Queries } from "../platform/database/database.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { tableOf, type ListQuery, type RowOf } from "../platform/database/table.js";
import type { Query } from "../platform/http/query.js";
import {
  bodyOf,
  nullable,
  SelfLink,
  Name,
  PAGE_PARAMETERS,
  queryOf,
} from "../platform/http/validation/schema-parts.js";
import { DuplicateLimitError, RegisteredLimitNotFoundError } from "./limit-errors.js";

/** 32 hexadecimal digits, with dashes or without. */
export const Uuid = Type.String({ pattern: "^(?:-*[0-9a-fA-F]){32}-*$", title: "uuid" });

export const RegionId = Type.String({ minLength: 1, maxLength: 255 });

export const Description = nullable(Type.String({ maxLength: 255 }));

/** -1 for no limit. */
export const Amount = Type.Integer({ minimum: -1, maximum: 0x7fff_ffff });

/** The limited resource. */
export const resourceProperties = {
  service_id: Uuid,
  region_id: Type.Optional(nullable(RegionId)),
  resource_name: Name,
};

/** The body of a change. As in Keystone, unknown members are reported before missing ones. */
export function changeOf<Key extends string, Schema extends TSchema>(key: Key, schema: Schema) {
  return Type.Unsafe<Record<Key, Static<Schema>>>({
    type: "object",
    properties: { [key]: schema },
    additionalProperties: false,
    required: [key],
  });
}

/** Filters by the limited resource. A missing region has a filter of its own. */
export const resourceFilters = {
  ...queryOf(...PAGE_PARAMETERS).properties,
  service_id: Type.Optional(Uuid),
  region_id: Type.Optional(RegionId),
  region_id__isnull: Type.Optional(Type.Enum(["true", "false"])),
  resource_name: Type.Optional(Name),
};

/** Whether listed limits have a region; `undefined` for both. */
export function readRegionPresence(query: Query): boolean | undefined {
  const isAbsent = query["region_id__isnull"];
  return isAbsent === undefined ? undefined : isAbsent === "false";
}

/** The limited resource of a service. */
export const resourceFields = declareFields({
  service_id: Type.String(),
  /** `null` for all regions. */
  region_id: nullable(Type.String()),
  resource_name: Type.String(),
});
export type ResourceKey = ItemOf<typeof resourceFields>;

export const registeredLimitFields = declareFields({
  id: Type.String(),
  ...resourceFields.shape,
  default_limit: Type.Integer(),
  description: nullable(Type.String()),
});

/** The default limit of a resource. */
export type RegisteredLimit = ItemOf<typeof registeredLimitFields>;

/** A deleted registered limit takes the limits that rest on it along. */
export const registeredLimitTable = tableOf<RegisteredLimit>()(
  "registered_limit",
  registeredLimitFields.columns,
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

export const NewRegisteredLimit = Type.Object(
  { ...resourceProperties, default_limit: Amount, description: Type.Optional(Description) },
  { additionalProperties: false },
);
export type NewRegisteredLimit = Static<typeof NewRegisteredLimit>;

export const NewRegisteredLimits = bodyOf(
  "registered_limits",
  Type.Array(NewRegisteredLimit, { minItems: 1 }),
);

export const RegisteredLimitChange = changeOf(
  "registered_limit",
  Type.Partial(NewRegisteredLimit, { additionalProperties: false }),
);
export type RegisteredLimitChange = Static<typeof RegisteredLimitChange>["registered_limit"];

export const RegisteredLimitFilters = Type.Object(resourceFilters);

export const RegisteredLimitView = Type.Object({ ...registeredLimitFields.shape, links: SelfLink });
