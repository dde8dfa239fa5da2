/** The roles that groups and users have by grants, with those that they imply and the names of all: for people, not for tokens. */
import { sql, type RawBuilder } from "kysely";

import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { withImpliedRoles } from "../roles/implied-role-store.js";
import type { RoleTarget } from "./grant.js";

/** Whose roles. Users have those of their groups at that moment too. */
export type RoleHolders =
  | { readonly groupIds: readonly string[] }
  /** All groups; of the domain, if there is one. */
  | { readonly groupsOf: string | undefined }
  | { readonly userIds: readonly string[]; readonly now: Moment }
  /** All users; of the domain, if there is one. */
  | { readonly usersOf: string | undefined; readonly now: Moment };

/** A role that a group or user has. */
export interface HeldRole {
  /** The group or user. */
  readonly holder: { readonly id: string; readonly name: string; readonly domainId: string };
  readonly role: { readonly id: string; readonly name: string };
  /** `id` and `name` are `null` for the system; `domainId` is `null` for a domain too. */
  readonly target: {
    readonly kind: RoleTarget["kind"];
    readonly id: string | null;
    readonly name: string | null;
    readonly domainId: string | null;
  };
  /** Whether it counts in the projects below the target instead. */
  readonly isInherited: boolean;
}

export interface HeldRolesQuery {
  /** Only this role. */
  readonly roleName?: string;
  /** Rows, at most. */
  readonly limit: number;
}

/** Ids of one query. */
const MAX_HOLDERS = 500;

/** Ordered by holder, role and target. Roles of domains are left out: they only imply others. */
export async function listHeldRoles(
  queries: Queries,
  holders: RoleHolders,
  { roleName, limit }: HeldRolesQuery,
): Promise<HeldRole[]> {
  const found: HeldRole[] = [];
  for (const some of sliced(holders)) {
    const { rows } = await rolesQuery(some, { roleName, limit: limit - found.length }).execute(
      queries.tables(),
    );
    found.push(...rows.map(toHeldRole));
    if (found.length >= limit) break;
  }
  return found;
}

/** Those who have a role, each once and without a limit, ordered by name. */
export async function listRoleHolders(
  queries: Queries,
  holders: RoleHolders,
  roleName: string,
): Promise<HeldRole["holder"][]> {
  const found: HeldRole["holder"][] = [];
  for (const some of sliced(holders)) {
    const { rows } = await holdersQuery(some, roleName).execute(queries.tables());
    found.push(...rows.map(({ id, name, domain_id: domainId }) => ({ id, name, domainId })));
  }
  return found;
}

function sliced(holders: RoleHolders): RoleHolders[] {
  const ids = "groupIds" in holders ? holders.groupIds : "userIds" in holders ? holders.userIds : undefined;
  if (ids === undefined) return [holders];
  const slices = Array.from({ length: Math.ceil(ids.length / MAX_HOLDERS) }, (_, index) =>
    ids.slice(index * MAX_HOLDERS, (index + 1) * MAX_HOLDERS),
  );
  return slices.map((slice) =>
    "groupIds" in holders ? { groupIds: slice } : Object.assign({}, holders, { userIds: slice }),
  );
}

interface Row {
  readonly holder_id: string;
  readonly holder_name: string;
  readonly holder_domain_id: string;
  readonly role_id: string;
  readonly role_name: string;
  readonly target_kind: RoleTarget["kind"];
  readonly target_id: string | null;
  readonly target_name: string | null;
  readonly target_domain_id: string | null;
  /** SQLite has no booleans in raw queries. */
  readonly is_inherited: boolean | number;
}

function rolesQuery(
  holders: RoleHolders,
  { roleName, limit }: { readonly roleName: string | undefined; readonly limit: number },
): RawBuilder<Row> {
  return sql<Row>`
    ${effectiveRoles(holders)}
    select effective.*, role.name as role_name, holder.name as holder_name, holder.domain_id as holder_domain_id,
      project.name as target_name, project.domain_id as target_domain_id
    from effective
    join role on role.id = effective.role_id
    join ${holderTable(holders)} as holder on holder.id = effective.holder_id
    left join project on project.id = effective.target_id
    where role.domain_id is null ${roleName === undefined ? sql`` : sql`and role.name = ${roleName}`}
    order by holder.name, holder.id, role.name, effective.target_kind, project.name, effective.target_id,
      effective.is_inherited
    limit ${sql.lit(limit)}`;
}

function holdersQuery(holders: RoleHolders, roleName: string) {
  return sql<{ id: string; name: string; domain_id: string }>`
    ${effectiveRoles(holders)}
    select holder.id, holder.name, holder.domain_id from ${holderTable(holders)} as holder
    where holder.id in (
      select effective.holder_id from effective join role on role.id = effective.role_id
      where role.domain_id is null and role.name = ${roleName}
    )
    order by holder.name, holder.id`;
}

const isOfUsers = (holders: RoleHolders): holders is Extract<RoleHolders, { readonly now: Moment }> =>
  "userIds" in holders || "usersOf" in holders;

const holderTable = (holders: RoleHolders) => (isOfUsers(holders) ? sql`"user"` : sql`"group"`);

/** The table `effective`: roles by grant, and those that they imply. */
function effectiveRoles(holders: RoleHolders): RawBuilder<unknown> {
  return sql`
    with recursive held (holder_id, target_kind, target_id, is_inherited, role_id) as (
      ${isOfUsers(holders) ? heldByUsers(holders) : heldByGroups(holders)}
    ),
    ${withImpliedRoles(
      "effective",
      sql`select holder_id, target_kind, target_id, is_inherited, role_id from held`,
      ["holder_id", "target_kind", "target_id", "is_inherited"],
    )}`;
}

const COLUMNS = sql`target_kind, target_id, is_inherited, role_id`;

function heldByGroups(holders: RoleHolders): RawBuilder<unknown> {
  const isOne =
    "groupIds" in holders
      ? sql`group_id in (${sql.join(holders.groupIds)})`
      : isAnyOf(sql`group_id`, sql`"group"`, "groupsOf" in holders ? holders.groupsOf : undefined);
  return sql`select group_id, ${COLUMNS} from assignment where ${isOne}`;
}

function heldByUsers(holders: Extract<RoleHolders, { readonly now: Moment }>): RawBuilder<unknown> {
  const isOne = (column: RawBuilder<unknown>) =>
    "userIds" in holders
      ? sql`${column} in (${sql.join(holders.userIds)})`
      : isAnyOf(column, sql`"user"`, holders.usersOf);
  return sql`
    select user_id, ${COLUMNS} from assignment where ${isOne(sql`user_id`)}
    union all
    select member.user_id, ${COLUMNS} from assignment
    join (
      select group_id, user_id from group_member where ${isOne(sql`user_id`)}
      union
      select group_id, user_id from federated_group_member
      where ${isOne(sql`user_id`)} and expires_at > ${holders.now}
    ) as member on member.group_id = assignment.group_id`;
}

function isAnyOf(
  column: RawBuilder<unknown>,
  table: RawBuilder<unknown>,
  domainId: string | undefined,
): RawBuilder<unknown> {
  if (domainId === undefined) return sql`${column} is not null`;
  return sql`${column} in (select id from ${table} where domain_id = ${domainId})`;
}

function toHeldRole(row: Row): HeldRole {
  return {
    holder: { id: row.holder_id, name: row.holder_name, domainId: row.holder_domain_id },
    role: { id: row.role_id, name: row.role_name },
    target: {
      kind: row.target_kind,
      id: row.target_id,
      name: row.target_name,
      domainId: row.target_domain_id,
    },
    isInherited: Boolean(row.is_inherited),
  };
}
