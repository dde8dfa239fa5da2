/** Trusts in the database: chains of redelegation, roles. */
import { sql } from "kysely";

import { groupBy } from "../assignments/assignment.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/table.js";
import type { RowOf } from "../platform/database/table.js";
import { roleTable, type Role, type RoleRow } from "../roles/role.js";
import { trustTable, type StoredTrustRow, type Trust } from "./trust.js";

interface Tables {
  readonly trust: StoredTrustRow;
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

/** A trust and those that it was redelegated from, the first of them last; deleted ones too. */
export async function readChain(queries: Queries, id: string): Promise<Trust[]> {
  const { rows } = await sql<RowOf<typeof trustTable>>`
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
