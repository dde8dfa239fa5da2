/** Personas: predicates of credentials and target, from which the policy table is built. */
import type { Credentials, PolicyTarget } from "./caller.js";

export type Persona = (credentials: Credentials, target: PolicyTarget) => boolean;

type IdOf = (target: PolicyTarget) => string | undefined;

/** Any caller with a valid token. */
export const authenticated: Persona = () => true;

/** An administrator of any scope that the action allows: as in Keystone, admin is admin everywhere. */
export const admin: Persona = ({ roles }) => roles.includes("admin");

/** The domain of a token's scope: that of its project, if it has one. */
export function scopeDomainId({ scope }: Credentials): string | undefined {
  if (scope.kind === "domain") return scope.domainId;
  return scope.kind === "project" ? scope.projectDomainId : undefined;
}

/**
 * An administrator of the system, or of the target user's domain or a project in it: for secrets of users. Of a user who does not
 * exist there are none, so that any administrator gets 404. With the operator's setting an administrator of any domain or project.
 */
export const adminOfUser: Persona = (credentials, { user }) =>
  admin(credentials, {}) &&
  (credentials.scope.kind === "system" ||
    credentials.reachesAllSecrets === true ||
    user === undefined ||
    scopeDomainId(credentials) === user.domainId);

/** A member in any scope. */
export const member: Persona = ({ roles }) => roles.includes("member");

/** A service of the cloud, such as one that validates its callers' tokens. */
export const service: Persona = ({ roles }) => roles.includes("service");

export const systemReader: Persona = ({ roles, scope }) =>
  scope.kind === "system" && roles.includes("reader");

export const systemAdmin: Persona = ({ roles, scope }) => scope.kind === "system" && roles.includes("admin");

/** A token of any scope but the system. */
export const outsideSystem: Persona = ({ scope }) => scope.kind !== "system";

export const domainReader = (domainOf: IdOf): Persona => withRoleIn("reader", domainOf);

export const domainManager = (domainOf: IdOf): Persona => withRoleIn("manager", domainOf);

function withRoleIn(role: string, domainOf: IdOf): Persona {
  const isOfDomain = scopedToDomain(domainOf);
  return (credentials, target) => credentials.roles.includes(role) && isOfDomain(credentials, target);
}

/** A token scoped to the domain itself, with any role. */
export function scopedToDomain(domainOf: IdOf): Persona {
  return ({ scope }, target) => scope.kind === "domain" && scope.domainId === domainOf(target);
}

/** A token scoped to the project, with any role. */
export const scopedToProject: Persona = ({ scope }, { project }) =>
  scope.kind === "project" && scope.projectId === project?.id;

/** A token scoped to a project of the domain. */
export const scopedToProjectOfDomain: Persona = ({ scope }, { domain }) =>
  scope.kind === "project" && scope.projectDomainId === domain?.id;

/** The caller is the target user. */
export const self: Persona = ({ userId }, { user }) => userId === user?.id;

/** The caller is the trustor of the target trust. */
export const trustor: Persona = ({ userId }, { trust }) => userId === trust?.trustorId;

/** The caller is the trustee of the target trust. */
export const trustee: Persona = ({ userId }, { trust }) => userId === trust?.trusteeId;

export function both(one: Persona, other: Persona): Persona {
  return (credentials, target) => one(credentials, target) && other(credentials, target);
}

/** Roles that a domain manager may assign: none above the manager's own. */
const MANAGED_ROLES: ReadonlySet<string> = new Set(["manager", "member", "reader"]);

/** The target role is one that domain managers may see and assign. */
export const managedRole: Persona = (_, { role }) => role !== undefined && MANAGED_ROLES.has(role.name);

/** The target role is global, or belongs to the domain of the token. */
export const roleWithinReach: Persona = ({ scope }, { role }) =>
  role !== undefined &&
  (role.domainId === null || (scope.kind === "domain" && role.domainId === scope.domainId));

/** A manager of any domain. */
export const managerOfSomeDomain: Persona = ({ roles, scope }) =>
  scope.kind === "domain" && roles.includes("manager");

/** A manager in any scope. */
export const manager: Persona = ({ roles }) => roles.includes("manager");

/** A role in the domain that both the actor (user or group) and the target (project or domain) of an assignment belong to. */
export function withinDomain(role: "manager" | "reader"): Persona {
  return ({ roles, scope }, { user, group, project, domain }) =>
    scope.kind === "domain" &&
    roles.includes(role) &&
    (user ?? group)?.domainId === scope.domainId &&
    (project?.domainId ?? domain?.id) === scope.domainId;
}
