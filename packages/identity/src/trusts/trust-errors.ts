/** Errors of trusts. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  NotFoundError,
} from "../platform/errors.js";

/** Also a trust that was deleted, has expired or is used up. */
export class TrustNotFoundError extends notFoundClass("trust", "trusts/not-found") {}

/** The trustor has an equal trust that expires at the same moment. */
export class TrustExistsError extends errorClass(
  ConflictError,
  "trusts/exists",
  (id: string) => `Conflict occurred attempting to store trust - Duplicate entry found with ID ${id}.`,
) {}

export class NoRolesError extends errorClass(
  ForbiddenError,
  "trusts/no-roles",
  "You are not authorized to perform the requested action: At least one role should be specified.",
) {}

/** The trustor does not have the role on the project, or it does not exist. */
export class TrustedRoleNotFoundError extends notFoundClass("role", "trusts/role-not-found") {}

export class TrustedRoleNameError extends errorClass(
  NotFoundError,
  "trusts/role-name-not-found",
  (name: string) => `Role ${name} is not defined`,
) {}

export class UsesWithRedelegationError extends errorClass(
  InvalidError,
  "trusts/uses-with-redelegation",
  "remaining_uses must not be set if redelegation is allowed",
) {}

/** Redelegation is disabled, or exceeds the limits of the trust or of the service. */
export class RedelegationError extends errorClass(
  ForbiddenError,
  "trusts/redelegation",
  (reason: string) => `You are not authorized to perform the requested action: ${reason}.`,
) {}

/** A trust's token deletes its own trust and those redelegated from it. */
export class ForeignTrustError extends errorClass(
  ForbiddenError,
  "trusts/foreign",
  "You are not authorized to perform the requested action: a trust's token deletes only its own trust and those redelegated from it.",
) {}
