/** The rules for granting and revoking roles. */
import type { Platform } from "../area.js";
import type { GrantEvent } from "../platform/events.js";
import type { Queries, Transaction } from "../platform/database/database.js";
import {
  actorIdOf,
  targetIdOf,
  type Grant,
  type GrantPlace,
  type GroupLookup,
  type ProjectLookup,
  type UserLookup,
} from "./grant.js";
import {
  deleteGrant,
  deleteGrants,
  hasGrant,
  hasGrants,
  insertGrant,
  listGrantedRoles,
  listProjectGrants,
} from "./grant-store.js";
import {
  ForeignRoleError,
  GrantNotFoundError,
  SystemRoleError,
  roleTable,
  type Role,
} from "../roles/role.js";
import { groupTable } from "../groups/group.js";
import { requireUser } from "../users/user-store.js";

export interface GrantServiceDeps extends Pick<Platform, "database"> {
  readonly users: UserLookup;
  readonly groups: GroupLookup;
  readonly projects: ProjectLookup;
}

/** A resource that grants refer to. */
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

  /** @returns The domain of a project. */
  async function requireTarget({ target }: GrantPlace): Promise<string | null> {
    if (target.kind === "project") return (await projects.getProject(target.projectId)).domainId;
    if (target.kind === "domain") await projects.getDomain(target.domainId);
    return null;
  }

  async function grant(wanted: Grant): Promise<void> {
    await requireActor(wanted);
    const projectDomainId = await requireTarget(wanted);
    await database.transaction(async (transaction) => {
      await requireActorIn(transaction, wanted);
      checkFits(await roleTable.require(transaction, wanted.roleId), wanted, projectDomainId);
      await insertGrant(transaction, wanted);
      publishGrant(transaction, wanted, "created");
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
      await roleTable.require(database, wanted.roleId);
      await requireActor(wanted);
      await requireTarget(wanted);
      if (!(await hasGrant(database, wanted))) throw notFound(wanted);
    },

    /** A no-op if it is granted. */
    grant,

    /** The grants of a user on projects, without inherited ones, in the caller's transaction. */
    projectGrantsOf: (queries: Queries, userId: string) => listProjectGrants(queries, userId),

    /** Grants a role in the caller's transaction, in which the target exists. */
    async grantIn(transaction: Transaction, wanted: Grant): Promise<void> {
      await requireActorIn(transaction, wanted);
      await insertGrant(transaction, wanted);
      publishGrant(transaction, wanted, "created");
    },

    /** Revokes a grant in the caller's transaction; a no-op if it does not exist. */
    async revokeIn(transaction: Transaction, given: Grant): Promise<boolean> {
      const isDeleted = await deleteGrant(transaction, given);
      if (isDeleted) publishGrant(transaction, given, "deleted");
      return isDeleted;
    },

    /** Whether roles are granted to a group. */
    hasGrantsOf: (queries: Queries, { groupId }: { readonly groupId: string }): Promise<boolean> =>
      hasGrants(queries, groupId),

    /** Deletes all grants of a user, group or role, or on a project, in the transaction that deletes it. */
    deleteOf: (transaction: Queries, holder: GrantHolder): Promise<void> => {
      if ("userId" in holder) return deleteGrants(transaction, "user_id", holder.userId);
      if ("groupId" in holder) return deleteGrants(transaction, "group_id", holder.groupId);
      if ("roleId" in holder) return deleteGrants(transaction, "role_id", holder.roleId);
      return deleteGrants(transaction, "target_id", holder.projectId);
    },

    /** @throws {GrantNotFoundError} Also if the user or group does not exist. */
    async revoke(given: Grant): Promise<void> {
      await roleTable.require(database, given.roleId);
      await requireTarget(given);
      const isDeleted = await database.transaction(async (transaction) => {
        const found = await deleteGrant(transaction, given);
        publishGrant(transaction, given, "deleted", found ? "success" : "failure");
        return found;
      });
      if (!isDeleted) throw notFound(given);
    },
  };
}

/** The role of a domain can be granted on its projects and, as in Keystone, on any domain. */
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

/** Grants have no foreign key to their actor: a user who is deleted concurrently must not keep one. */
async function requireActorIn(transaction: Queries, { actor }: GrantPlace): Promise<void> {
  if ("userId" in actor) await requireUser(transaction, actor.userId);
  else await groupTable.require(transaction, actor.groupId);
}

/** As in Keystone, also of a grant that is there already; none of grants on the system. */
function publishGrant(
  transaction: Transaction,
  { roleId, actor, target, isInherited }: Grant,
  operation: GrantEvent["grant"],
  outcome: GrantEvent["outcome"] = "success",
): void {
  if (target.kind === "system") return;
  const place = target.kind === "project" ? { projectId: target.projectId } : { domainId: target.domainId };
  transaction.publish({ grant: operation, outcome, roleId, actor, target: place, isInherited });
}
