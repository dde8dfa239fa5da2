/** Grants of roles, and the lookups of their actors and targets. */

/** A user or a group. */
export type RoleActor = { readonly userId: string } | { readonly groupId: string };

/** A project, a domain, or the whole system. */
export type RoleTarget =
  | { readonly kind: "project"; readonly projectId: string }
  | { readonly kind: "domain"; readonly domainId: string }
  | { readonly kind: "system" };

/** An actor has a role on a target; an inherited one on all projects below the target instead. */
export interface Grant {
  readonly actor: RoleActor;
  readonly target: RoleTarget;
  readonly roleId: string;
  readonly isInherited: boolean;
}

/** The grants to an actor on a target. */
export type GrantPlace = Omit<Grant, "roleId">;

export function actorIdOf(actor: RoleActor): string {
  return "userId" in actor ? actor.userId : actor.groupId;
}

/** `null` for the system. */
export function targetIdOf(target: RoleTarget): string | null {
  if (target.kind === "system") return null;
  return target.kind === "project" ? target.projectId : target.domainId;
}

/** A grant and its position in the order of all grants. */
export interface PlacedGrant extends Grant {
  readonly position: string;
}

/** The same text as `POSITION` in the database. */
export function positionOf({ actor, target, roleId, isInherited }: Grant): string {
  const [userId, groupId] = "userId" in actor ? [actor.userId, ""] : ["", actor.groupId];
  return [target.kind, targetIdOf(target) ?? "", userId, groupId, roleId, isInherited ? "1" : "0"].join("/");
}

/** Lookups of the actors and targets of grants. Each `get` throws a NotFoundError. */

export interface UserLookup {
  /** @param options.withGroups Brings the memberships up to date. */
  getUser(id: string, options?: { readonly withGroups?: boolean }): Promise<DomainMember>;
}

export interface GroupLookup {
  getGroup(id: string): Promise<DomainMember>;
}

export interface ProjectLookup {
  /** `domainId` is `null` for a domain. */
  getProject(id: string): Promise<{ readonly id: string; readonly domainId: string | null }>;
  getDomain(id: string): Promise<{ readonly id: string }>;
}

interface DomainMember {
  readonly id: string;
  readonly domainId: string;
}
