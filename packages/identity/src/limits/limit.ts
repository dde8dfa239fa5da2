/** Limits of projects and domains: fields, schemas and table. */
import { sql, type Expression, type Kysely } from "kysely";
import { Type, type Static } from "typebox";

import type { Database, Queries } from "../platform/database/database.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { pageOf, tableOf, type ListQuery, type RowOf } from "../platform/database/table.js";
import { required } from "../platform/errors.js";
import { bodyOf, Id, listOf, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";
import { DuplicateLimitError, LimitNotFoundError } from "./limit-errors.js";
import type { LimitPlace } from "./limit-references.js";
import {
  regionPresence,
  RESOURCE_FILTERS,
  Amount,
  changeOf,
  Description,
  resourceFields,
  resourceFilters,
  resourceProperties,
  type RegisteredLimit,
  type RegisteredLimitRow,
  type ResourceKey,
} from "./registered-limit.js";

const ownFields = declareFields({
  id: Type.String(),
  /** `null` for the limit of a domain. */
  project_id: nullable(Type.String()),
  /** The limited domain, or the project's. */
  domain_id: Type.String(),
  resource_limit: Type.Integer(),
  description: nullable(Type.String()),
});
export const limitFields = declareFields({ ...ownFields.shape, ...resourceFields.shape });

/** The limit of a resource in a project or domain. */
export interface Limit extends ItemOf<typeof limitFields> {
  readonly registeredLimitId: string;
}

/** The resource is that of the registered limit. */
const limitTable = tableOf<Omit<Limit, keyof ResourceKey>>()(
  "limit",
  { ...ownFields.columns, registeredLimitId: "registered_limit_id" },
  LimitNotFoundError,
);

/** A new limit. @param options.registered The registered limit of its resource. */
export function newLimit(
  draft: NewLimit,
  {
    id,
    place,
    registered,
  }: { readonly id: string; readonly place: LimitPlace; readonly registered: RegisteredLimit },
): Limit {
  const { serviceId, regionId, resourceName } = registered;
  const resource = { serviceId, regionId, resourceName, registeredLimitId: registered.id };
  return { description: null, ...ownFields.item(draft), id, ...place, ...resource };
}

type LimitRow = RowOf<typeof limitTable>;

export interface LimitTables {
  readonly limit: LimitRow;
  readonly registered_limit: RegisteredLimitRow;
}

type JoinedRow = LimitRow & Pick<RegisteredLimitRow, "service_id" | "region_id" | "resource_name">;

export const LIMIT_FILTERS = [...RESOURCE_FILTERS, "project_id", "domain_id"] as const;

/** The limits that a caller may see. */
export type LimitVisibility =
  | { readonly kind: "all" }
  /** The domain's own and those of its projects. */
  | { readonly kind: "domain"; readonly domainId: string }
  | { readonly kind: "project"; readonly projectId: string };

export interface LimitQuery extends ListQuery<(typeof LIMIT_FILTERS)[number]> {
  readonly hasRegion?: boolean | undefined;
  readonly visibility: LimitVisibility;
}

/** A page of the limits, and one more if there is another page. */
export async function listLimits(
  queries: Queries,
  { hasRegion, visibility, ...query }: LimitQuery,
): Promise<Limit[]> {
  let limits = joined(queries).where((eb) => regionPresence(hasRegion, eb.ref("registered_limit.region_id")));
  if (visibility.kind === "domain") limits = limits.where("limit.domain_id", "=", visibility.domainId);
  if (visibility.kind === "project") limits = limits.where("limit.project_id", "=", visibility.projectId);
  // The filter is for limits of the domain itself.
  if (query.filters.some(({ field }) => field === "domain_id"))
    limits = limits.where("project_id", "is", null);
  return (await pageOf(limits, "limit.id", query).execute()).map(toLimit);
}

export async function findLimit(queries: Queries, id: string): Promise<Limit | undefined> {
  const row = await joined(queries).where("limit.id", "=", id).executeTakeFirst();
  return row && toLimit(row);
}

/** @throws {LimitNotFoundError} */
export function requireLimit(queries: Queries, id: string): Promise<Limit> {
  return required(findLimit(queries, id), () => new LimitNotFoundError(id));
}

/** The part of a limit that effective limits depend on. */
export type OwnLimit = Pick<Limit, "id" | "registeredLimitId" | "projectId" | "resourceLimit">;

/** The limits of a project and its domain, or of a domain, that rest on registered limits in a range of ids. */
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
  return rows.map((row) =>
    Object.assign(ownFields.item(row), { registeredLimitId: row.registered_limit_id }),
  );
}

/** @throws {DuplicateLimitError} */
export function insertLimits(queries: Queries, limits: readonly Limit[]): Promise<void> {
  return limitTable.insertAll(queries, limits, () => new DuplicateLimitError("limit"));
}

export function updateLimit(queries: Queries, limit: Limit): Promise<void> {
  return limitTable.update(queries, limit);
}

export function deleteLimit(queries: Queries, id: string): Promise<void> {
  return limitTable.delete(queries, id);
}

/**
 * Runs transactions that change limits one after the other. Concurrent ones would be correct too, but most of many would be retried,
 * and some would fail.
 */
export function changeLimits<Result>(
  database: Database,
  work: (transaction: Queries) => Promise<Result>,
): Promise<Result> {
  return database.transaction(
    async (transaction) => {
      // Before any query: the snapshot has to include what others committed during the wait. SQLite has one writer anyway.
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

/** The project as in the unique index: empty for a limit of the domain. */
export function ownerKey(column: Expression<string | null>): Expression<string> {
  return sql<string>`coalesce(${column}, '')`;
}

function toLimit(row: JoinedRow): Limit {
  return Object.assign(limitTable.toItem(row), resourceFields.item(row));
}

const ALWAYS = ["service_id", "resource_name", "resource_limit"];

/** Of a project or of a domain. */
export const NewLimit = Type.Object(
  {
    project_id: Type.Optional(nullable(Id)),
    domain_id: Type.Optional(nullable(Id)),
    ...resourceProperties,
    resource_limit: Amount,
    description: Type.Optional(Description),
  },
  {
    oneOf: [{ required: [...ALWAYS, "project_id"] }, { required: [...ALWAYS, "domain_id"] }],
    additionalProperties: false,
  },
);
export type NewLimit = Static<typeof NewLimit>;

export const NewLimits = bodyOf("limits", Type.Array(NewLimit, { minItems: 1 }));

export const LimitChange = changeOf(
  "limit",
  Type.Object(
    { resource_limit: Type.Optional(Amount), description: Type.Optional(Description) },
    { additionalProperties: false },
  ),
);
export type LimitChange = Static<typeof LimitChange>["limit"];

export const LimitFilters = Type.Object({
  ...resourceFilters,
  project_id: Type.Optional(Id),
  domain_id: Type.Optional(Id),
});

/** `domain_id` is `null` for the limit of a project. */
export const LimitView = Type.Object({
  ...limitFields.shape,
  domain_id: nullable(Type.String()),
  links: SelfLink,
});

export const LimitModel = bodyOf("model", Type.Object({ name: Type.String(), description: Type.String() }));

/** The effective limits of a project or domain. */
export const EffectiveLimitFilters = Type.Object({ ...resourceFilters, project_id: Id });

export const EffectiveLimitView = Type.Object({
  ...resourceFields.shape,
  registered_limit_id: Type.String(),
  resource_limit: Type.Integer(),
  source: Type.Enum(["own", "domain", "registered_default"]),
  limit_id: nullable(Type.String()),
});
export type EffectiveLimitView = Static<typeof EffectiveLimitView>;
export const EffectiveLimitList = listOf("effective_limits", EffectiveLimitView);
