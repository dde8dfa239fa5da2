/**
 * Personas: predicates of credentials and target, from which the default permissions are made. Each is also a text in the language of
 * policy files, for rules that files affect: both decide alike.
 */
import type { Credentials, PolicyTarget } from "./caller.js";

export interface Persona {
  (credentials: Credentials, target: PolicyTarget): boolean;
  readonly rule: string;
}

/** A part of a target, and the attribute that has it in the language of policy files. */
interface Part {
  readonly of: (target: PolicyTarget) => string | undefined;
  readonly attribute: string;
}

export function persona(
  rule: string,
  holds: (credentials: Credentials, target: PolicyTarget) => boolean,
): Persona {
  return Object.assign((credentials: Credentials, target: PolicyTarget) => holds(credentials, target), {
    rule,
  });
}

export const userDomain: Part = { of: ({ user }) => user?.domainId, attribute: "target.user.domain_id" };
export const groupDomain: Part = { of: ({ group }) => group?.domainId, attribute: "target.group.domain_id" };
export const projectDomain: Part = {
  of: ({ project }) => project?.domainId,
  attribute: "target.project.domain_id",
};
const domainId = ({ domain }: PolicyTarget): string | undefined => domain?.id;
export const domainItself: Part = { of: domainId, attribute: "target.domain.id" };
/** The domain that a list is limited to. */
export const domainOfList: Part = { of: domainId, attribute: "target.domain_id" };
export const domainOfLimit: Part = { of: domainId, attribute: "target.limit.domain.id" };
export const projectDomainOfLimit: Part = {
  of: ({ project }) => project?.domainId,
  attribute: "target.limit.project.domain_id",
};

/** Any caller with a valid token. */
export const authenticated = persona("@", () => true);

/** An administrator of any scope that the action allows: as in Keystone, admin is admin everywhere. */
export const admin = persona("rule:admin_required", ({ roles }) => roles.includes("admin"));

/** The domain of a token's scope: that of its project, if it has one. */
export function scopeDomainId({ scope }: Credentials): string | undefined {
  if (scope.kind === "domain") return scope.domainId;
  return scope.kind === "project" ? scope.projectDomainId : undefined;
}

/**
 * An administrator of the system, or of the target user's domain or a project in it: for secrets of users. Of a user who does not
 * exist there are none, so that any administrator gets 404. With the operator's setting an administrator of any domain or project.
 */
export const adminOfUser = persona(
  "rule:admin_of_target_user",
  (credentials, { user }) =>
    admin(credentials, {}) &&
    (credentials.scope.kind === "system" ||
      credentials.reachesAllSecrets === true ||
      user === undefined ||
      scopeDomainId(credentials) === user.domainId),
);

/** A member in any scope. */
export const member = persona("role:member", ({ roles }) => roles.includes("member"));

/** A service of the cloud, such as one that validates its callers' tokens. */
export const service = persona("rule:service_role", ({ roles }) => roles.includes("service"));

export const systemReader = inSystem("reader");

export const systemAdmin = inSystem("admin");

function inSystem(role: string): Persona {
  return persona(
    `(role:${role} and system_scope:all)`,
    ({ roles, scope }) => scope.kind === "system" && roles.includes(role),
  );
}

/** A token of any scope but the system. */
export const outsideSystem = persona("not system_scope:all", ({ scope }) => scope.kind !== "system");

export const domainReader = (domain: Part): Persona => withRoleIn("reader", domain);

export const domainManager = (domain: Part): Persona => withRoleIn("manager", domain);

function withRoleIn(role: string, domain: Part): Persona {
  const isOfDomain = scopedToDomain(domain);
  return persona(
    `(role:${role} and ${isOfDomain.rule})`,
    (credentials, target) => credentials.roles.includes(role) && isOfDomain(credentials, target),
  );
}

/** A token scoped to the domain itself, with any role. */
export function scopedToDomain({ of, attribute }: Part): Persona {
  return persona(
    `domain_id:%(${attribute})s`,
    ({ scope }, target) => scope.kind === "domain" && scope.domainId === of(target),
  );
}

/** A token scoped to the project, with any role. */
export const scopedToProject = scopedTo("target.project.id");

/** A token scoped to the project of the limit. */
export const scopedToProjectOfLimit = scopedTo("target.limit.project_id");

function scopedTo(attribute: string): Persona {
  return persona(
    `project_id:%(${attribute})s`,
    ({ scope }, { project }) => scope.kind === "project" && scope.projectId === project?.id,
  );
}

/** A token scoped to a project of the domain. */
export const scopedToProjectOfDomain = persona(
  "project_domain_id:%(target.domain.id)s",
  ({ scope }, { domain }) => scope.kind === "project" && scope.projectDomainId === domain?.id,
);

/** The caller is the target user. */
export const self = isUser("user_id:%(target.user.id)s");

/** The caller is the user in the path, or the owner of the application credential. */
export const owner = isUser("rule:owner");

/** The caller is the user of the token. */
export const tokenSubject = isUser("rule:token_subject");

/** The caller is the user of the credential. */
export const credentialOwner = isUser("user_id:%(target.credential.user_id)s");

function isUser(rule: string): Persona {
  return persona(rule, ({ userId }, { user }) => userId === user?.id);
}

/** The caller is the trustor of the target trust. */
export const trustor = persona(
  "user_id:%(target.trust.trustor_user_id)s",
  ({ userId }, { trust }) => userId === trust?.trustorId,
);

/** The caller is the trustee of the target trust. */
export const trustee = persona(
  "user_id:%(target.trust.trustee_user_id)s",
  ({ userId }, { trust }) => userId === trust?.trusteeId,
);

export function both(one: Persona, other: Persona): Persona {
  return persona(
    `(${one.rule} and ${other.rule})`,
    (credentials, target) => one(credentials, target) && other(credentials, target),
  );
}

/** Roles that a domain manager may assign: none above the manager's own. */
const MANAGED_ROLES: ReadonlySet<string> = new Set(["manager", "member", "reader"]);

/** The target role is one that domain managers may see and assign. */
export const managedRole = persona(
  "rule:domain_managed_target_role",
  (_, { role }) => role !== undefined && MANAGED_ROLES.has(role.name),
);

/** The target role is global, or belongs to the domain of the token. */
export const roleWithinReach = persona(
  "(domain_id:%(target.role.domain_id)s or None:%(target.role.domain_id)s)",
  ({ scope }, { role }) =>
    role !== undefined &&
    (role.domainId === null || (scope.kind === "domain" && role.domainId === scope.domainId)),
);

/** A manager of any domain. */
export const managerOfSomeDomain = persona(
  "(role:manager and not domain_id:None)",
  ({ roles, scope }) => scope.kind === "domain" && roles.includes("manager"),
);

/** A manager in any scope. */
export const manager = persona("role:manager", ({ roles }) => roles.includes("manager"));

/** A role in the domain that both the actor (user or group) and the target (project or domain) of an assignment belong to. */
export function withinDomain(role: "manager" | "reader"): Persona {
  return persona(
    `(role:${role} and (domain_id:%(target.user.domain_id)s or domain_id:%(target.group.domain_id)s) ` +
      "and (domain_id:%(target.project.domain_id)s or domain_id:%(target.domain.id)s))",
    ({ roles, scope }, { user, group, project, domain }) =>
      scope.kind === "domain" &&
      roles.includes(role) &&
      (user ?? group)?.domainId === scope.domainId &&
      (project?.domainId ?? domain?.id) === scope.domainId,
  );
}
