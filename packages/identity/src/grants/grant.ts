/** Who is given a role, and where. */

/** A user, or a group and so whoever is in it. */
export type RoleActor = { readonly userId: string } | { readonly groupId: string };

/** Where a role is good: in a project, in a domain, or for the system as a whole. */
export type RoleTarget =
  | { readonly kind: "project"; readonly projectId: string }
  | { readonly kind: "domain"; readonly domainId: string }
  | { readonly kind: "system" };

/** Somebody has a role somewhere, or, where it is inherited, not there but in all projects below. */
export interface Grant {
  readonly actor: RoleActor;
  readonly target: RoleTarget;
  readonly roleId: string;
  readonly isInherited: boolean;
}

/** The grants of one kind to somebody somewhere. */
export type GrantPlace = Omit<Grant, "roleId">;

export function actorIdOf(actor: RoleActor): string {
  return "userId" in actor ? actor.userId : actor.groupId;
}

/** `null` for the system, which has none. */
export function targetIdOf(target: RoleTarget): string | null {
  if (target.kind === "system") return null;
  return target.kind === "project" ? target.projectId : target.domainId;
}
