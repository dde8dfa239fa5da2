/** Errors of roles, implied roles and grants. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  NotFoundError,
} from "../platform/errors.js";

export class RoleNotFoundError extends notFoundClass("role", "roles/not-found") {}

export class RoleExistsError extends errorClass(
  ConflictError,
  "roles/exists",
  ({ name, domainId }: { readonly name: string; readonly domainId: string | null }) => {
    const place = domainId === null ? "" : ` at domain ID ${domainId}`;
    return `Conflict occurred attempting to store role - Duplicate entry found with name ${name}${place}.`;
  },
) {}

/** The domain of a role can't be changed. */
export class RoleDomainError extends errorClass(
  InvalidError,
  "roles/domain-change",
  "Update of `domain_id` is not allowed.",
) {}

export class ImpliedRoleNotFoundError extends errorClass(
  NotFoundError,
  "roles/not-implied",
  (priorRoleId: string, impliedRoleId: string) => `${priorRoleId} does not imply ${impliedRoleId}.`,
) {}

export class ImpliedRoleExistsError extends errorClass(
  ConflictError,
  "roles/implied-already",
  "Conflict occurred attempting to store implied_role - Duplicate entry.",
) {}

/** No role may imply this one. */
export class InvalidImpliedRoleError extends errorClass(
  ForbiddenError,
  "roles/not-implicable",
  (id: string) => `${id} cannot be an implied roles.`,
) {}

/** The grant does not exist. */
export class GrantNotFoundError extends errorClass(
  NotFoundError,
  "roles/not-granted",
  (facts: { readonly roleId: string; readonly actorId: string; readonly targetId: string }) =>
    `Could not find role assignment with role: ${facts.roleId}, user or group: ${facts.actorId}, ` +
    `project, domain, or system: ${facts.targetId}.`,
) {}

/** The role belongs to another domain than the project. */
export class ForeignRoleError extends errorClass(
  ForbiddenError,
  "roles/of-another-domain",
  (roleId: string, projectId: string) =>
    `Project ${projectId} must be in the same domain as the role ${roleId} being assigned.`,
) {}

/** A role of a domain can't be granted on the system. */
export class SystemRoleError extends errorClass(
  InvalidError,
  "roles/not-for-the-system",
  (roleId: string) =>
    `Role ${roleId} is a domain-specific role. Unable to use a domain-specific role in a system assignment.`,
) {}
