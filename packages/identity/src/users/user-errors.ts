/** Errors of users and their passwords. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  NotFoundError,
  UnauthorizedError,
} from "../platform/errors.js";
import { MAX_PASSWORD_BYTES } from "../passwords/password-hash.js";

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

/** A new password is rejected. */
export class PasswordRefusedError extends errorClass(InvalidError, "users/password-refused") {}

export class PasswordTooWeakError extends errorClass(
  PasswordRefusedError,
  "users/password-too-weak",
  (requirements: string | undefined) =>
    `The password does not match the requirements: ${requirements ?? "None"}.`,
) {}

export class PasswordUsedBeforeError extends errorClass(
  PasswordRefusedError,
  "users/password-used-before",
  (count: number) =>
    `The new password cannot be identical to a previous password. The total number which includes the new password must be unique is ${count}.`,
) {}

export class PasswordTooYoungError extends errorClass(
  PasswordRefusedError,
  "users/password-too-young",
  ({ minimumAgeDays, daysLeft }: { readonly minimumAgeDays: number; readonly daysLeft: number }) =>
    `You cannot change your password at this time due to the minimum password age. Once you change your password, it must be used for ${minimumAgeDays} day(s) before it can be changed. Please try again in ${daysLeft} day(s) or contact your administrator to reset your password.`,
) {}

export class PasswordLockedError extends errorClass(
  PasswordRefusedError,
  "users/password-locked",
  "You cannot change your password at this time due to password policy disallowing password changes. Please contact your administrator to reset your password.",
) {}

export class PasswordTooLongError extends errorClass(
  ForbiddenError,
  "users/password-too-long",
  `The password length must be less than or equal to ${MAX_PASSWORD_BYTES}. The server could not comply with the request because the password is invalid.`,
) {}

/** The user can't be made to change the password. */
export class PasswordResetError extends errorClass(
  ConflictError,
  "users/password-reset",
  (reason: string) => `The user can't be made to change the password: ${reason}.`,
) {}

/** The password is valid and expired. */
export class PasswordExpiredError extends errorClass(UnauthorizedError, "users/password-expired") {
  override readonly isShown = true;
  readonly userId: string;

  constructor(userId: string) {
    super(`The password is expired and needs to be changed for user: ${userId}.`);
    this.userId = userId;
  }
}

/** The password is valid and the user is disabled. */
export class UserDisabledError extends errorClass(
  UnauthorizedError,
  "users/disabled",
  (userId: string) => `The account is disabled for user: ${userId}.`,
) {
  override readonly isShown = true;
}
