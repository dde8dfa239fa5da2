/** Errors of passwords. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  UnauthorizedError,
} from "../platform/errors.js";
import { MAX_PASSWORD_BYTES } from "./password-hash.js";

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
