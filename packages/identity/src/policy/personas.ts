/** The kinds of people that permissions are given to: predicates of who asks and what is asked about. */
import type { Credentials, PolicyTarget } from "./credentials.js";

/** Whether somebody is such a person, with regard to a target. */
export type Persona = (credentials: Credentials, target: PolicyTarget) => boolean;

type IdOf = (target: PolicyTarget) => string | undefined;

/** Anybody with a valid token. */
export const anybody: Persona = () => true;

/** An administrator, of whatever scope the action can be had in: so it is in Keystone, where admin is admin everywhere. */
export const admin: Persona = ({ roles }) => roles.includes("admin");

/** A service of the cloud, such as the one that checks its callers' tokens. */
export const service: Persona = ({ roles }) => roles.includes("service");

/** Who may read everything. */
export const systemReader: Persona = ({ roles, scope }) =>
  scope.kind === "system" && roles.includes("reader");

/** Who may read what belongs to a domain. */
export const domainReader = (domainOf: IdOf): Persona => withRoleIn("reader", domainOf);

/** Who may change what belongs to a domain. */
export const domainManager = (domainOf: IdOf): Persona => withRoleIn("manager", domainOf);

function withRoleIn(role: string, domainOf: IdOf): Persona {
  const isOfDomain = scopedToDomain(domainOf);
  return (credentials, target) => credentials.roles.includes(role) && isOfDomain(credentials, target);
}

/** Who has a token for the domain itself, with whatever role. */
export function scopedToDomain(domainOf: IdOf): Persona {
  return ({ scope }, target) => scope.kind === "domain" && scope.domainId === domainOf(target);
}

/** Who has a token for the project, with whatever role. */
export const scopedToProject: Persona = ({ scope }, { project }) =>
  scope.kind === "project" && scope.projectId === project?.id;

/** Who has a token for a project of the domain. */
export const scopedToProjectOfDomain: Persona = ({ scope }, { domain }) =>
  scope.kind === "project" && scope.projectDomainId === domain?.id;

/** The user who is asked about. */
export const self: Persona = ({ userId }, { user }) => userId === user?.id;

/** Who is both. */
export function both(one: Persona, other: Persona): Persona {
  return (credentials, target) => one(credentials, target) && other(credentials, target);
}

/** The roles that the manager of a domain may give: none that reaches further than the manager's own. */
const MANAGED_ROLES: ReadonlySet<string> = new Set(["manager", "member", "reader"]);

/** The role asked about is one that managers of domains may see and give. */
export const managedRole: Persona = (_, { role }) => role !== undefined && MANAGED_ROLES.has(role.name);

/** The role asked about is of all domains, or of the one that the token is for. */
export const roleWithinReach: Persona = ({ scope }, { role }) =>
  role !== undefined &&
  (role.domainId === null || (scope.kind === "domain" && role.domainId === scope.domainId));

/** Who has a manager's role in some domain. */
export const managerOfSomeDomain: Persona = ({ roles, scope }) =>
  scope.kind === "domain" && roles.includes("manager");

/** Who has a manager's role anywhere. */
export const manager: Persona = ({ roles }) => roles.includes("manager");

/** A role in a domain in which both the user or group and the project or domain of an assignment are. */
export function withinDomain(role: "manager" | "reader"): Persona {
  return ({ roles, scope }, { user, group, project, domain }) =>
    scope.kind === "domain" &&
    roles.includes(role) &&
    (user ?? group)?.domainId === scope.domainId &&
    (project?.domainId ?? domain?.id) === scope.domainId;
}
