/** The rules for giving roles, and taking them away. What a token is good for is found anew after each change. */
import type { Database, Queries } from "../platform/database/database.js";
import { actorIdOf, targetIdOf, type Grant, type GrantPlace } from "./grant.js";
import {
  deleteGrant,
  deleteGrants,
  hasGrant,
  insertGrant,
  listGrantedRoles,
  listProjectGrants,
} from "./grant-store.js";
import type { Groups, Projects, Users } from "../roles/neighbors.js";
import { ForeignRoleError, GrantNotFoundError, SystemRoleError } from "../roles/role-errors.js";
import { requireRole } from "../roles/role-service.js";
import type { Role } from "../roles/role-store.js";

export interface GrantServiceDeps {
  readonly database: Database;
  readonly users: Users;
  readonly groups: Groups;
  readonly projects: Projects;
}

/** What grants end with. */
export type GrantHolder =
  | { readonly userId: string }
  | { readonly groupId: string }
  | { readonly projectId: string }
  | { readonly roleId: string };

export type GrantService = ReturnType<typeof createGrantService>;

export function createGrantService({ database, users, groups, projects }: GrantServiceDeps) {
  async function requireActor({ actor }: GrantPlace): Promise<void> {
    if ("userId" in actor) await users.getUser(actor.userId);
    else await groups.getGroup(actor.groupId);
  }

  /** @returns The project's domain, where it is a project. */
  async function requireTarget({ target }: GrantPlace): Promise<string | null> {
    if (target.kind === "project") return (await projects.getProject(target.projectId)).domainId;
    if (target.kind === "domain") await projects.getDomain(target.domainId);
    return null;
  }

  async function grant(wanted: Grant): Promise<void> {
    await requireActor(wanted);
    const projectDomainId = await requireTarget(wanted);
    await database.transaction(async (transaction) => {
      checkFits(await requireRole(transaction, wanted.roleId), wanted, projectDomainId);
      await insertGrant(transaction, wanted);
    });
  }

  return {
    async listGranted(place: GrantPlace): Promise<Role[]> {
      await requireActor(place);
      await requireTarget(place);
      return listGrantedRoles(database, place);
    },

    /** @throws {GrantNotFoundError} */
    async checkGranted(wanted: Grant): Promise<void> {
      await requireRole(database, wanted.roleId);
      await requireActor(wanted);
      await requireTarget(wanted);
      if (!(await hasGrant(database, wanted))) throw notFound(wanted);
    },

    /** Nothing changes where it is granted already. */
    grant,

    /** What is granted to a user in projects, right there: for who grants in a change of its own. */
    projectGrantsOf: (queries: Queries, userId: string) => listProjectGrants(queries, userId),

    /** For who grants in a change of its own, to somebody and in a place that are there. */
    grantIn: (transaction: Queries, wanted: Grant): Promise<void> => insertGrant(transaction, wanted),

    /** For who takes away in a change of its own; nothing changes where it is not granted. */
    revokeIn: (transaction: Queries, given: Grant): Promise<boolean> => deleteGrant(transaction, given),

    /** Deletes all grants of a user, group or role, or in a project, in the transaction that deletes it. */
    deleteOf: (transaction: Queries, holder: GrantHolder): Promise<void> => {
      if ("userId" in holder) return deleteGrants(transaction, "user_id", holder.userId);
      if ("groupId" in holder) return deleteGrants(transaction, "group_id", holder.groupId);
      if ("roleId" in holder) return deleteGrants(transaction, "role_id", holder.roleId);
      return deleteGrants(transaction, "target_id", holder.projectId);
    },

    /** @throws {GrantNotFoundError} Also where there is no such user or group. */
    async revoke(given: Grant): Promise<void> {
      await requireRole(database, given.roleId);
      await requireTarget(given);
      await database.transaction(async (transaction) => {
        if (!(await deleteGrant(transaction, given))) throw notFound(given);
      });
    },
  };
}

/** A role of a domain is good for the projects in it, and, as in Keystone, for any domain itself. */
function checkFits(role: Role, { target }: Grant, projectDomainId: string | null): void {
  if (role.domainId === null) return;
  if (target.kind === "system") throw new SystemRoleError(role.id);
  if (target.kind === "project" && projectDomainId !== role.domainId)
    throw new ForeignRoleError(role.id, target.projectId);
}

function notFound({ roleId, actor, target }: Grant): GrantNotFoundError {
  return new GrantNotFoundError({
    roleId,
    actorId: actorIdOf(actor),
    targetId: targetIdOf(target) ?? "system",
  });
}
