/** Implied roles in the database. */
import { sql, type RawBuilder } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { roleTable, type Role, type RoleRow } from "./role.js";

/** A holder of the prior role has the implied role too. */
export interface ImpliedRole {
  readonly priorRoleId: string;
  readonly impliedRoleId: string;
}

interface Tables {
  readonly role: RoleRow;
  readonly implied_role: { prior_role_id: string; implied_role_id: string };
}

/** The roles that a role implies directly. */
export async function listImpliedRoles(queries: Queries, priorRoleId: string): Promise<Role[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("role")
    .innerJoin("implied_role", "implied_role.implied_role_id", "role.id")
    .selectAll("role")
    .where("prior_role_id", "=", priorRoleId)
    .orderBy("role.id")
    .execute();
  return rows.map(roleTable.toItem);
}

/** All rules, by the id of the prior role. */
export async function listInferences(queries: Queries): Promise<ImpliedRole[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("implied_role")
    .selectAll()
    .orderBy("prior_role_id")
    .orderBy("implied_role_id")
    .execute();
  return rows.map(({ prior_role_id, implied_role_id }) => ({
    priorRoleId: prior_role_id,
    impliedRoleId: implied_role_id,
  }));
}

/** The roles that imply others or are implied. */
export async function listRolesOfInferences(queries: Queries): Promise<Role[]> {
  const tables = queries.tables<Tables>();
  const rows = await tables
    .selectFrom("role")
    .selectAll()
    .where((eb) =>
      eb.or([
        eb("id", "in", tables.selectFrom("implied_role").select("prior_role_id")),
        eb("id", "in", tables.selectFrom("implied_role").select("implied_role_id")),
      ]),
    )
    .execute();
  return rows.map(roleTable.toItem);
}

export async function hasImpliedRole(queries: Queries, rule: ImpliedRole): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("implied_role")
    .select("implied_role_id")
    .where("prior_role_id", "=", rule.priorRoleId)
    .where("implied_role_id", "=", rule.impliedRoleId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether it was inserted; `false` if it exists. */
export async function insertImpliedRole(queries: Queries, rule: ImpliedRole): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await queries
    .tables<Tables>()
    .insertInto("implied_role")
    .values({ prior_role_id: rule.priorRoleId, implied_role_id: rule.impliedRoleId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Whether it existed. */
export async function deleteImpliedRole(queries: Queries, rule: ImpliedRole): Promise<boolean> {
  const { numDeletedRows } = await queries
    .tables<Tables>()
    .deleteFrom("implied_role")
    .where("prior_role_id", "=", rule.priorRoleId)
    .where("implied_role_id", "=", rule.impliedRoleId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/**
 * A table of a recursive query: roles, and those that they imply, directly or indirectly.
 *
 * @param start A query of the roles, with the columns that are carried along before the role's id.
 * @param carried The names of these columns.
 */
export function withImpliedRoles(
  name: "allowed" | "effective",
  start: RawBuilder<unknown>,
  carried: readonly string[] = [],
): RawBuilder<unknown> {
  const columns = (last: string) => sql.join([...carried, last].map((column) => sql.ref(column)));
  const table = sql.ref(name);
  return sql`${table} (${columns("role_id")}) as (
    ${start}
    union
    select ${columns("implied_role_id")} from implied_role join ${table} on prior_role_id = ${table}.role_id
  )`;
}
