/** Errors of users. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  UnauthorizedError,
  NotFoundError,
} from "../platform/errors.js";

export class UserNotFoundError extends notFoundClass("user", "users/not-found") {}

export class UserExistsError extends errorClass(
  ConflictError,
  "users/exists" /** @param place Where; left out for a change. */,

  (user: string, place?: { readonly domainId: string }) => {
    const at = place === undefined ? "" : ` at domain ID ${place.domainId}`;
    return `Conflict occurred attempting to store user - Duplicate entry found with name ${user}${at}.`;
  },
) {}

/** A name has invisible characters. */
export class UserNameError extends errorClass(
  InvalidError,
  "users/name" /** @param fault Such as `contains the control character U+000A`. */,

  (fault: string) => `Invalid input for field/attribute name. The name ${fault}.`,
) {}

/** A domain can't be a default project. */
export class DefaultProjectError extends errorClass(
  InvalidError,
  "users/default-project",
  (id: string) => `User's default project ID cannot be a domain ID: ${id}`,
) {}

/** The identity belongs to another user. */
export class IdentityTakenError extends errorClass(
  ConflictError,
  "users/identity-taken",
  "Conflict occurred attempting to store federated_user - Duplicate entry.",
) {}

/** A shadow user needs a federated identity. */
export class IdentityNeededError extends errorClass(
  InvalidError,
  "users/identity-needed",
  "A shadow user needs a federated identity; delete the user instead.",
) {}

/** The administrator of a domain can't link users to providers of another domain. */
export class ForeignProviderError extends errorClass(
  ForbiddenError,
  "users/foreign-provider",
  (idpId: string) => `The identity provider ${idpId} belongs to another domain than the token.`,
) {}

/** Shadow users have no password. */
export class NoPasswordHereError extends errorClass(
  InvalidError,
  "users/no-password-here",
  "A shadow user can't have a password; it logs in at its identity provider.",
) {}

/** The provider or the protocol does not exist. */
export class UnknownProtocolError extends errorClass(InvalidError, "users/unknown-protocol") {}

export class NotInGroupError extends errorClass(
  NotFoundError,
  "users/not-in-group",
  (userId: string, groupId: string) => `User '${userId}' not found in group '${groupId}'`,
) {}

/** The password is valid and the user is disabled. */
export class UserDisabledError extends errorClass(
  UnauthorizedError,
  "users/disabled",
  (userId: string) => `The account is disabled for user: ${userId}.`,
) {
  override readonly isShown = true;
}
