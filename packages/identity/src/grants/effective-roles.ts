/**
 * The roles of tokens: granted to the user or to a group of the user, on the target or inherited, with the roles that they imply and
 * without the roles of domains, which only imply others.
 *
 * The validation of tokens depends on this, so each function is one query over several features' tables.
 */
import { sql, type RawBuilder } from "kysely";

import type { Platform } from "../area.js";
import { groupIdsOfUser } from "../groups/membership-store.js";
import type { Moment } from "../platform/clock.js";
import type { RoleTarget } from "./grant.js";
import { withImpliedRoles } from "../roles/implied-role-store.js";
import { roleTable, type Role, type RoleRow } from "../roles/role.js";

/** A user and asserted groups. */
export interface RoleHolder {
  readonly userId: string;
  /** Groups that an identity provider asserts, in addition to the user's memberships. */
  readonly groupIds: readonly string[];
}

/** The targets on which a holder has roles. */
export interface Scopes {
  readonly projectIds: readonly string[];
  readonly domainIds: readonly string[];
  readonly isSystem: boolean;
}

export type EffectiveRoles = ReturnType<typeof createEffectiveRoles>;

export type EffectiveRolesDeps = Pick<Platform, "database" | "clock">;

export function createEffectiveRoles({ database, clock }: EffectiveRolesDeps) {
  return {
    /**
     * Ordered by name; none if the user, group or target does not exist.
     *
     * @param options.only Those of these roles that the holder has, and what they imply; all, if left out.
     * @param options.withDomainRoles Also the roles of domains, which a token never has.
     */
    async effectiveRoles(
      holder: RoleHolder,
      target: RoleTarget,
      options: { readonly only?: readonly string[] | undefined; readonly withDomainRoles?: boolean } = {},
    ): Promise<Role[]> {
      const { only, withDomainRoles = false } = options;
      if (only?.length === 0) return [];
      const limited = { ...holder, only, withDomainRoles };
      const { rows } = await rolesIn(limited, target, clock.now()).execute(database.tables());
      return rows.map(roleTable.toItem);
    },

    async scopesOf(holder: RoleHolder): Promise<Scopes> {
      const { rows } = await scopesQuery(holder, clock.now()).execute(database.tables());
      const idsOf = (kind: RoleTarget["kind"]) =>
        rows.flatMap((row) => (row.kind === kind && row.id !== null ? [row.id] : []));
      return {
        projectIds: idsOf("project"),
        domainIds: idsOf("domain"),
        isSystem: rows.some(({ kind }) => kind === "system"),
      };
    },
  };
}

/** All grants to the user and to the groups. */
function held({ userId, groupIds }: RoleHolder, now: Moment): RawBuilder<unknown> {
  const columns = sql`target_kind, target_id, role_id, is_inherited`;
  const ofGroups = sql`
    union all
    select ${columns} from assignment where group_id in (${sql.join(groupIds)})`;
  return sql`
    select ${columns} from assignment where user_id = ${userId}
    union all
    select ${columns} from assignment
    where group_id in ${groupIdsOfUser(userId, now)}
    ${groupIds.length === 0 ? sql`` : ofGroups}`;
}

interface LimitedHolder extends RoleHolder {
  readonly only: readonly string[] | undefined;
  readonly withDomainRoles: boolean;
}

function rolesIn(
  { only, withDomainRoles, ...holder }: LimitedHolder,
  target: RoleTarget,
  now: Moment,
): RawBuilder<RoleRow> {
  return sql<RoleRow>`
    with recursive held as (${held(holder, now)}),
    ${target.kind === "project" ? ancestors(target.projectId) : sql``}
    ${withImpliedRoles("effective", sql`select role_id from held where ${reaches(target)}`)}
    ${only === undefined ? sql`` : sql`, ${allowed(only)}`}
    select role.* from role join effective on effective.role_id = role.id
    where ${withDomainRoles ? sql`true` : sql`role.domain_id is null`}
    ${only === undefined ? sql`` : sql`and role.id in (select role_id from allowed)`}
    order by role.name`;
}

/**
 * The table `allowed`: roles that are effective, and those that they imply. What a role implies that is no longer effective is left
 * out, even where another role implies it too: it was passed on as a part of that role.
 */
function allowed(roleIds: readonly string[]): RawBuilder<unknown> {
  return withImpliedRoles(
    "allowed",
    sql`select role_id from effective where role_id in (${sql.join(roleIds)})`,
  );
}

/** The project and its ancestors up to the domain. */
function ancestors(projectId: string): RawBuilder<unknown> {
  return sql`
    ancestor (id, parent_id, domain_id) as (
      select id, parent_id, domain_id from project where id = ${projectId}
      union
      select project.id, project.parent_id, project.domain_id
      from project join ancestor on project.id = ancestor.parent_id
    ),`;
}

/** Whether a held grant applies to the target. */
function reaches(target: RoleTarget): RawBuilder<unknown> {
  if (target.kind === "system") return sql`target_kind = 'system'`;
  if (target.kind === "domain")
    return sql`target_kind = 'domain' and target_id = ${target.domainId} and not is_inherited`;
  return sql`
    (target_kind = 'project' and target_id = ${target.projectId} and not is_inherited)
    or (target_kind = 'project' and is_inherited and target_id in (select parent_id from ancestor))
    or (target_kind = 'domain' and is_inherited and target_id in (select domain_id from ancestor))`;
}

/** The columns of a target. */
const TARGET = ["target_kind", "target_id", "is_inherited"];

/** Grants without a global role, granted or implied, do not count. */
function scopesQuery(holder: RoleHolder, now: Moment): RawBuilder<ScopeRow> {
  return sql<ScopeRow>`
    with recursive held as (${held(holder, now)}),
    ${withImpliedRoles("effective", sql`select target_kind, target_id, is_inherited, role_id from held`, TARGET)},
    useful as (
      select distinct target_kind, target_id, is_inherited
      from effective join role on role.id = effective.role_id
      where role.domain_id is null
    ),
    below (id) as (
      select project.id from project join useful on project.parent_id = useful.target_id
      where target_kind = 'project' and is_inherited
      union
      select project.id from project join below on project.parent_id = below.id
    )
    select target_kind as kind, target_id as id from useful where not is_inherited
    union
    select 'project', project.id from project join useful on project.domain_id = useful.target_id
    where target_kind = 'domain' and is_inherited
    union
    select 'project', id from below
    order by 2`;
}

interface ScopeRow {
  readonly kind: RoleTarget["kind"];
  readonly id: string | null;
}
