/** Grants in the database. */
import {
  sql,
  type Expression,
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  type SqlBool,
} from "kysely";

import type { Queries } from "../platform/database/database.js";
import { deleteInSlices } from "../platform/database/delete-in-slices.js";
import { targetIdOf, type Grant, type GrantPlace, type RoleTarget } from "./grant.js";
import { roleTable, type Role, type RoleRow } from "../roles/role.js";

export interface AssignmentRow {
  user_id: string | null;
  group_id: string | null;
  target_kind: RoleTarget["kind"];
  target_id: string | null;
  role_id: string;
  is_inherited: boolean;
}

interface Tables {
  readonly role: RoleRow;
  readonly assignment: AssignmentRow;
}

/** The text that orders grants; it has to be the same as in their index. */
export const POSITION = sql<string>`(target_kind || '/' || coalesce(target_id, '') || '/' || coalesce(user_id, '') || '/' || coalesce(group_id, '') || '/' || role_id || '/' || case when is_inherited then '1' else '0' end)`;

/** Rows of one DELETE statement. */
const MAX_DELETED_GRANTS = 500;

/** Deletes the grants of a role, user or group, or on a project, in slices. */
export function deleteGrants(
  queries: Queries,
  column: "role_id" | "user_id" | "group_id" | "target_id",
  id: string,
): Promise<void> {
  const tables = queries.tables<Tables>();
  return deleteInSlices(MAX_DELETED_GRANTS, async () => {
    const some = tables
      .selectFrom("assignment")
      .select(POSITION.as("position"))
      .where(column, "=", id)
      .limit(MAX_DELETED_GRANTS);
    return (await tables.deleteFrom("assignment").where(POSITION, "in", some).executeTakeFirst())
      .numDeletedRows;
  });
}

/** The roles that are granted to an actor on a target. */
export async function listGrantedRoles(queries: Queries, place: GrantPlace): Promise<Role[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("assignment")
    .innerJoin("role", "role.id", "assignment.role_id")
    .selectAll("role")
    .where((eb) => isAt(eb, place))
    .orderBy("role.id")
    .execute();
  return rows.map(roleTable.toItem);
}

/** A grant to a group. */
export type GroupGrant = Grant & { readonly actor: { readonly groupId: string } };

/** All grants to groups. */
export async function listGroupGrants(queries: Queries): Promise<GroupGrant[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("assignment")
    .selectAll()
    .where("group_id", "is not", null)
    .execute();
  return rows.map(toGrant).filter((grant): grant is GroupGrant => "groupId" in grant.actor);
}

export async function hasGrant(queries: Queries, grant: Grant): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("assignment")
    .select("role_id")
    .where((eb) => isAt(eb, grant))
    .where("role_id", "=", grant.roleId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether roles are granted to a group. */
export async function hasGrants(queries: Queries, groupId: string): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("assignment")
    .select("role_id")
    .where("group_id", "=", groupId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The grants of a user on projects, without inherited ones. */
export async function listProjectGrants(
  queries: Queries,
  userId: string,
): Promise<{ readonly projectId: string; readonly roleId: string }[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("assignment")
    .select(["target_id", "role_id"])
    .where("user_id", "=", userId)
    .where("target_kind", "=", "project")
    .where("is_inherited", "=", false)
    .execute();
  return rows.map(({ target_id, role_id }) => ({ projectId: target_id ?? "", roleId: role_id }));
}

/** A no-op if it exists. */
export async function insertGrant(queries: Queries, grant: Grant): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("assignment")
    .values(toRow(grant))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether it existed. */
export async function deleteGrant(queries: Queries, grant: Grant): Promise<boolean> {
  const { numDeletedRows } = await queries
    .tables<Tables>()
    .deleteFrom("assignment")
    .where((eb) => isAt(eb, grant))
    .where("role_id", "=", grant.roleId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

function isAt(
  eb: ExpressionBuilder<Tables, "assignment">,
  { actor, target, isInherited }: GrantPlace,
): Expression<SqlBool> {
  const targetId = targetIdOf(target);
  return eb.and([
    "userId" in actor ? eb("user_id", "=", actor.userId) : eb("group_id", "=", actor.groupId),
    eb("target_kind", "=", target.kind),
    eb("target_id", targetId === null ? "is" : "=", targetId),
    eb("is_inherited", "=", isInherited),
  ]);
}

function toRow({ actor, target, roleId, isInherited }: Grant): Insertable<AssignmentRow> {
  return {
    user_id: "userId" in actor ? actor.userId : null,
    group_id: "groupId" in actor ? actor.groupId : null,
    target_kind: target.kind,
    target_id: targetIdOf(target),
    role_id: roleId,
    is_inherited: isInherited,
  };
}

export function toGrant(row: Selectable<AssignmentRow>): Grant {
  const { user_id: userId, group_id: groupId, target_kind: kind, target_id: targetId } = row;
  return {
    actor: userId === null ? { groupId: groupId ?? "" } : { userId },
    target: toTarget(kind, targetId ?? ""),
    roleId: row.role_id,
    isInherited: row.is_inherited,
  };
}

function toTarget(kind: RoleTarget["kind"], id: string): RoleTarget {
  if (kind === "system") return { kind };
  return kind === "project" ? { kind, projectId: id } : { kind, domainId: id };
}
