/** What can be wrong with users and their passwords. */
import {
  ConflictError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  UnauthorizedError,
} from "../platform/errors.js";
import { MAX_PASSWORD_BYTES } from "../passwords/password-hash.js";

export class UserNotFoundError extends NotFoundError {
  override readonly name = "UserNotFoundError";
  override readonly code = "users/not-found";

  constructor(id: string) {
    super(`Could not find user: ${id}.`);
  }
}

export class UserExistsError extends ConflictError {
  override readonly name = "UserExistsError";
  override readonly code = "users/exists";

  /** @param place Where; left out for a change. */
  constructor(user: string, place?: { readonly domainId: string }) {
    const at = place === undefined ? "" : ` at domain ID ${place.domainId}`;
    super(`Conflict occurred attempting to store user - Duplicate entry found with name ${user}${at}.`);
  }
}

/** A name has characters that a reader can't see. */
export class UserNameError extends InvalidError {
  override readonly name = "UserNameError";
  override readonly code = "users/name";

  /** @param fault Such as `contains the control character U+000A`. */
  constructor(fault: string) {
    super(`Invalid input for field/attribute name. The name ${fault}.`);
  }
}

/** Projects that are domains can't be anybody's default project. */
export class DefaultProjectError extends InvalidError {
  override readonly name = "DefaultProjectError";
  override readonly code = "users/default-project";

  constructor(id: string) {
    super(`User's default project ID cannot be a domain ID: ${id}`);
  }
}

/** Somebody else is known so by the provider. */
export class IdentityTakenError extends ConflictError {
  override readonly name = "IdentityTakenError";
  override readonly code = "users/identity-taken";

  constructor() {
    super("Conflict occurred attempting to store federated_user - Duplicate entry.");
  }
}

/** A user whom a provider has brought can't be without one. */
export class IdentityNeededError extends InvalidError {
  override readonly name = "IdentityNeededError";
  override readonly code = "users/identity-needed";

  constructor() {
    super("A user whom an identity provider has brought needs one: delete the user instead.");
  }
}

/** Whoever manages one domain can't say who comes by the providers of another one. */
export class ForeignProviderError extends ForbiddenError {
  override readonly name = "ForeignProviderError";
  override readonly code = "users/foreign-provider";

  constructor(idpId: string) {
    super(`The identity provider ${idpId} is of another domain than the token.`);
  }
}

/** Whom a provider has brought logs in there alone. */
export class NoPasswordHereError extends InvalidError {
  override readonly name = "NoPasswordHereError";
  override readonly code = "users/no-password-here";

  constructor() {
    super("A user whom an identity provider has brought has no password here.");
  }
}

/** There is no such provider, or it has no such protocol. */
export class UnknownProtocolError extends InvalidError {
  override readonly name = "UnknownProtocolError";
  override readonly code = "users/unknown-protocol";
}

export class NotInGroupError extends NotFoundError {
  override readonly name = "NotInGroupError";
  override readonly code = "users/not-in-group";

  constructor(userId: string, groupId: string) {
    super(`User '${userId}' not found in group '${groupId}'`);
  }
}

/** A new password is refused. */
export class PasswordRefusedError extends InvalidError {
  override readonly name: string = "PasswordRefusedError";
  override readonly code: string = "users/password-refused";
}

export class PasswordTooWeakError extends PasswordRefusedError {
  override readonly name = "PasswordTooWeakError";
  override readonly code = "users/password-too-weak";

  constructor(requirements: string | undefined) {
    super(`The password does not match the requirements: ${requirements ?? "None"}.`);
  }
}

export class PasswordUsedBeforeError extends PasswordRefusedError {
  override readonly name = "PasswordUsedBeforeError";
  override readonly code = "users/password-used-before";

  constructor(count: number) {
    super(
      `The new password cannot be identical to a previous password. The total number which includes the new password must be unique is ${count}.`,
    );
  }
}

export class PasswordTooYoungError extends PasswordRefusedError {
  override readonly name = "PasswordTooYoungError";
  override readonly code = "users/password-too-young";

  constructor({ minimumAgeDays, daysLeft }: { readonly minimumAgeDays: number; readonly daysLeft: number }) {
    super(
      `You cannot change your password at this time due to the minimum password age. Once you change your password, it must be used for ${minimumAgeDays} day(s) before it can be changed. Please try again in ${daysLeft} day(s) or contact your administrator to reset your password.`,
    );
  }
}

export class PasswordLockedError extends PasswordRefusedError {
  override readonly name = "PasswordLockedError";
  override readonly code = "users/password-locked";

  constructor() {
    super(
      "You cannot change your password at this time due to password policy disallowing password changes. Please contact your administrator to reset your password.",
    );
  }
}

export class PasswordTooLongError extends ForbiddenError {
  override readonly name = "PasswordTooLongError";
  override readonly code = "users/password-too-long";

  constructor() {
    super(
      `The password length must be less than or equal to ${MAX_PASSWORD_BYTES}. The server could not comply with the request because the password is invalid.`,
    );
  }
}

/** The password is right, and has to be changed before anything else. */
export class PasswordExpiredError extends UnauthorizedError {
  override readonly name = "PasswordExpiredError";
  override readonly code = "users/password-expired";
  override readonly isShown = true;

  constructor(userId: string) {
    super(`The password is expired and needs to be changed for user: ${userId}.`);
  }
}

/** The password is right, and its user is disabled. */
export class UserDisabledError extends UnauthorizedError {
  override readonly name = "UserDisabledError";
  override readonly code = "users/disabled";
  override readonly isShown = true;

  constructor(userId: string) {
    super(`The account is disabled for user: ${userId}.`);
  }
}
