/** What can be wrong with roles, with what they imply, and with who has them. */
import { ConflictError, ForbiddenError, InvalidError, NotFoundError } from "../platform/errors.js";

export class RoleNotFoundError extends NotFoundError {
  override readonly name = "RoleNotFoundError";
  override readonly code = "roles/not-found";

  constructor(id: string) {
    super(`Could not find role: ${id}.`);
  }
}

export class RoleExistsError extends ConflictError {
  override readonly name = "RoleExistsError";
  override readonly code = "roles/exists";

  constructor({ name, domainId }: { readonly name: string; readonly domainId: string | null }) {
    const place = domainId === null ? "" : ` at domain ID ${domainId}`;
    super(`Conflict occurred attempting to store role - Duplicate entry found with name ${name}${place}.`);
  }
}

/** A role stays in its domain, or in none. */
export class RoleDomainError extends InvalidError {
  override readonly name = "RoleDomainError";
  override readonly code = "roles/domain-change";

  constructor() {
    super("Update of `domain_id` is not allowed.");
  }
}

export class ImpliedRoleNotFoundError extends NotFoundError {
  override readonly name = "ImpliedRoleNotFoundError";
  override readonly code = "roles/not-implied";

  constructor(priorRoleId: string, impliedRoleId: string) {
    super(`${priorRoleId} does not imply ${impliedRoleId}.`);
  }
}

export class ImpliedRoleExistsError extends ConflictError {
  override readonly name = "ImpliedRoleExistsError";
  override readonly code = "roles/implied-already";

  constructor() {
    super("Conflict occurred attempting to store implied_role - Duplicate entry.");
  }
}

/** No role may imply this one. */
export class InvalidImpliedRoleError extends ForbiddenError {
  override readonly name = "InvalidImpliedRoleError";
  override readonly code = "roles/not-implicable";

  constructor(id: string) {
    super(`${id} cannot be an implied roles.`);
  }
}

/** Nobody has the role there by a grant of its own. */
export class GrantNotFoundError extends NotFoundError {
  override readonly name = "GrantNotFoundError";
  override readonly code = "roles/not-granted";

  constructor(facts: { readonly roleId: string; readonly actorId: string; readonly targetId: string }) {
    super(
      `Could not find role assignment with role: ${facts.roleId}, user or group: ${facts.actorId}, ` +
        `project, domain, or system: ${facts.targetId}.`,
    );
  }
}

/** The role is of another domain than the project. */
export class ForeignRoleError extends ForbiddenError {
  override readonly name = "ForeignRoleError";
  override readonly code = "roles/of-another-domain";

  constructor(roleId: string, projectId: string) {
    super(`Project ${projectId} must be in the same domain as the role ${roleId} being assigned.`);
  }
}

/** The role is of a domain, and the system is in none. */
export class SystemRoleError extends InvalidError {
  override readonly name = "SystemRoleError";
  override readonly code = "roles/not-for-the-system";

  constructor(roleId: string) {
    super(
      `Role ${roleId} is a domain-specific role. Unable to use a domain-specific role in a system assignment.`,
    );
  }
}
