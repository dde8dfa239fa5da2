/** Trusts with their roles: fields, schemas, table and errors. */
import { sql } from "kysely";
import { Type, type Static } from "typebox";

import { groupBy } from "../assignments/assignment.js";
import type { Attributes } from "../platform/attributes.js";
import type { Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { json, tableOf, type ListQuery, type RowOf } from "../platform/database/table.js";
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  NotFoundError,
} from "../platform/errors.js";
import { bodyOf, nullable, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";
import { roleTable, RequestedRole, RoleView, type Role, type RoleRow } from "../roles/role.js";

/** Also a trust that was deleted, has expired or is used up. */
export class TrustNotFoundError extends notFoundClass("trust", "trusts/not-found") {}

/** The trustor has an equal trust that expires at the same moment. */
export class TrustExistsError extends errorClass(
  ConflictError,
  "trusts/exists",
  (id: string) => `Conflict occurred attempting to store trust - Duplicate entry found with ID ${id}.`,
) {}

export class NoRolesError extends errorClass(
  ForbiddenError,
  "trusts/no-roles",
  "You are not authorized to perform the requested action: At least one role should be specified.",
) {}

/** The trustor does not have the role on the project, or it does not exist. */
export class TrustedRoleNotFoundError extends notFoundClass("role", "trusts/role-not-found") {}

export class TrustedRoleNameError extends errorClass(
  NotFoundError,
  "trusts/role-name-not-found",
  (name: string) => `Role ${name} is not defined`,
) {}

export class UsesWithRedelegationError extends errorClass(
  InvalidError,
  "trusts/uses-with-redelegation",
  "remaining_uses must not be set if redelegation is allowed",
) {}

/** Redelegation is disabled, or exceeds the limits of the trust or of the service. */
export class RedelegationError extends errorClass(
  ForbiddenError,
  "trusts/redelegation",
  (reason: string) => `You are not authorized to perform the requested action: ${reason}.`,
) {}

/** A trust's token deletes its own trust and those redelegated from it. */
export class ForeignTrustError extends errorClass(
  ForbiddenError,
  "trusts/foreign",
  "You are not authorized to perform the requested action: a trust's token deletes only its own trust and those redelegated from it.",
) {}

/** Roles on a project that one user, the trustor, passes on to another, the trustee. */
export interface Trust {
  readonly id: string;
  readonly trustorId: string;
  readonly trusteeId: string;
  /** A trust without a project gives no token. */
  readonly projectId: string | null;
  /** Whether its tokens are for the trustor; otherwise for the trustee. */
  readonly impersonation: boolean;
  readonly expiresAt: Moment | null;
  /** Behind the millisecond: 0 to 999. */
  readonly expiresMicros: number | null;
  /** The logins that it still allows; `null` for any number. */
  readonly remainingUses: number | null;
  /** How often it may be passed on. */
  readonly redelegationCount: number;
  /** The trust that it was passed on from. */
  readonly redelegatedTrustId: string | null;
  /** Set in trusts that Keystone has deleted: they are not found. */
  readonly deletedAt: Moment | null;
  readonly extra: Attributes;
}

export const trustTable = tableOf<Trust>()(
  "trust",
  {
    id: "id",
    trustorId: "trustor_user_id",
    trusteeId: "trustee_user_id",
    projectId: "project_id",
    impersonation: "impersonation",
    expiresAt: "expires_at",
    expiresMicros: "expires_micros",
    remainingUses: "remaining_uses",
    redelegationCount: "redelegation_count",
    redelegatedTrustId: "redelegated_trust_id",
    deletedAt: "deleted_at",
    extra: json("extra"),
  },
  TrustNotFoundError,
  { resource: "OS-TRUST:trust", without: ["updated"] },
);

type TrustRow = RowOf<typeof trustTable>;

interface Tables {
  readonly trust: TrustRow & { readonly used_up_at: Moment | null };
  readonly trust_role: { readonly trust_id: string; readonly role_id: string };
  readonly role: RoleRow;
}

/** Columns that a list may be filtered by. */
export const TRUST_FILTERS = ["trustor_user_id", "trustee_user_id"] as const;

export type TrustQuery = ListQuery<(typeof TRUST_FILTERS)[number]>;

/** Also expired and used up ones, as in Keystone. */
export function listTrusts(queries: Queries, query: TrustQuery): Promise<Trust[]> {
  return trustTable.list(queries, query, (all) => all.where("deleted_at", "is", null));
}

/** A trust that gives tokens, as far as it depends on itself. */
export function findUsable(queries: Queries, id: string, now: Moment): Promise<Trust | undefined> {
  return trustTable.first(
    trustTable
      .select(queries)
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", now)]))
      .where((row) => row.or([row("remaining_uses", "is", null), row("remaining_uses", ">", 0)])),
  );
}

/** A trust and those that it was redelegated from, the first of them last; deleted ones too. */
export async function readChain(queries: Queries, id: string): Promise<Trust[]> {
  const { rows } = await sql<TrustRow>`
    with recursive chain as (
      select trust.*, 0 as distance from trust where id = ${id}
      union all
      select source.*, distance + 1 from trust source join chain on source.id = chain.redelegated_trust_id
    )
    select * from chain order by distance`.execute(queries.tables());
  return rows.map(trustTable.toItem);
}

/** The ids of a trust and of all that were redelegated from it, the last of a chain first. */
export async function redelegatedIds(queries: Queries, id: string): Promise<string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    with recursive passed as (
      select id, 0 as distance from trust where id = ${id}
      union all
      select trust.id, distance + 1 from trust join passed on trust.redelegated_trust_id = passed.id
    )
    select id from passed order by distance desc, id`.execute(queries.tables());
  return rows.map((row) => row.id);
}

/** The ids of a trust's roles, also of roles that were deleted. */
export async function roleIdsOf(queries: Queries, trustId: string): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("trust_role")
    .select("role_id")
    .where("trust_id", "=", trustId)
    .execute();
  return rows.map((row) => row.role_id);
}

/** The roles of trusts that exist, by name. */
export async function rolesOf(
  queries: Queries,
  trustIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Role[]>> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("trust_role as link")
    .innerJoin("role", "role.id", "link.role_id")
    .selectAll("role")
    .select("link.trust_id")
    .where("link.trust_id", "in", trustIds)
    .orderBy("role.name")
    .execute();
  const groups = groupBy(rows, (row) => row.trust_id);
  return new Map(Array.from(groups, ([id, roles]) => [id, roles.map(roleTable.toItem)]));
}

export async function insertTrustRoles(
  queries: Queries,
  trustId: string,
  roleIds: readonly string[],
): Promise<void> {
  if (roleIds.length === 0) return;
  await queries
    .tables<Tables>()
    .insertInto("trust_role")
    .values(roleIds.map((roleId) => ({ trust_id: trustId, role_id: roleId })))
    .execute();
}

/** Trusts deleted at once. */
const MAX_PAST_TRUSTS = 100;

/**
 * Deletes some of a trustor's trusts that ended before a moment: expired, used up or deleted. Until then they are listed, as in Keystone.
 */
export async function deletePastTrusts(
  queries: Queries,
  { trustorId, before }: { readonly trustorId: string; readonly before: Moment },
): Promise<void> {
  const past = queries
    .tables<Tables>()
    .selectFrom("trust")
    .select("id")
    .where("trustor_user_id", "=", trustorId)
    .where((row) =>
      row.or((["expires_at", "used_up_at", "deleted_at"] as const).map((end) => row(end, "<", before))),
    )
    .limit(MAX_PAST_TRUSTS);
  await queries.tables<Tables>().deleteFrom("trust").where("id", "in", past).execute();
}

/**
 * Takes one of the remaining uses. The last one ends the trust's tokens, so that only it is a change of facts.
 *
 * @returns Whether there was one.
 */
export async function takeUse(database: Database, id: string, now: Moment): Promise<boolean> {
  const take = (operator: "=" | ">") => async (transaction: Queries) => {
    const { numUpdatedRows } = await transaction
      .tables<Tables>()
      .updateTable("trust")
      .set(({ eb }) => ({
        remaining_uses: eb("remaining_uses", "-", 1),
        ...(operator === "=" && { used_up_at: now }),
      }))
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .where("remaining_uses", operator, 1)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  };
  // Uses only become fewer: a trust without more than one has one, or is used up.
  return (
    (await database.transaction(take(">"), { changes: [] })) ||
    (await database.transaction(take("="), { changes: ["facts"] }))
  );
}

/** Of a column of 32 bits. */
const MAX_COUNT = 2 ** 31 - 1;

/** Members that the service sets itself are ignored; unknown ones are stored and shown. */
export const NewTrust = bodyOf(
  "trust",
  openObject({
    trustor_user_id: Type.String(),
    trustee_user_id: Type.String(),
    impersonation: Type.Boolean(),
    project_id: Type.Optional(nullable(Type.String())),
    roles: Type.Optional(Type.Array(RequestedRole)),
    expires_at: Type.Optional(nullable(Type.String())),
    remaining_uses: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: MAX_COUNT }))),
    allow_redelegation: Type.Optional(nullable(Type.Boolean())),
    redelegation_count: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: MAX_COUNT }))),
  }),
);
export type NewTrust = Static<typeof NewTrust>["trust"];

/** Members of a new trust that are not stored as they are. */
export const TRUST_MEMBERS = [
  "id",
  "trustor_user_id",
  "trustee_user_id",
  "impersonation",
  "project_id",
  "roles",
  "roles_links",
  "links",
  "expires_at",
  "expires_at_int",
  "remaining_uses",
  "allow_redelegation",
  "redelegation_count",
  "redelegated_trust_id",
  "deleted_at",
];

export const TrustView = openObject({
  id: Type.String(),
  trustor_user_id: Type.String(),
  trustee_user_id: Type.String(),
  project_id: nullable(Type.String()),
  impersonation: Type.Boolean(),
  expires_at: nullable(Type.String()),
  remaining_uses: nullable(Type.Integer()),
  redelegation_count: Type.Integer(),
  redelegated_trust_id: nullable(Type.String()),
  deleted_at: Type.Null(),
  // Not in lists, with the links.
  roles: Type.Optional(Type.Array(RoleView)),
  roles_links: Type.Optional(Type.Object({ self: Type.String(), next: Type.Null(), previous: Type.Null() })),
  links: SelfLink,
});

export const TrustedRoleResponse = Type.Object({ role: RoleView });
