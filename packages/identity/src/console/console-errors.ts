/** Refused requests of the console. */
import { errorClass, ForbiddenError, NotFoundError, UnauthorizedError } from "../platform/errors.js";

/** The request comes from another page than the console's: perhaps a forged one (CSRF). */
export class ForeignPageError extends errorClass(
  ForbiddenError,
  "console/foreign-page",
  (header: string, given: string, expected: string) =>
    `The console accepts requests of its own pages only: ${header} is ${given}, expected ${expected}.`,
) {}

/** The browser has no session. */
export class NoSessionError extends errorClass(
  UnauthorizedError,
  "console/no-session",
  "You are not logged in to the console.",
) {
  override readonly isShown = true;
}

/** A right password that has to be changed first. The response names its user, whom the page asks for another one. */
export class PasswordChangeNeededError extends errorClass(UnauthorizedError, "console/password-expired") {
  override readonly response: UnauthorizedError["response"];

  constructor(message: string, userId: string) {
    super(message);
    const error = { code: 401, message, title: "Unauthorized" };
    this.response = { headers: {}, body: { error, password_expired: { user_id: userId } } };
  }
}

/** The user has no role there, or it does not exist. */
export class ScopeRefusedError extends errorClass(
  ForbiddenError,
  "console/scope",
  "You have no role in this scope, or it does not exist.",
) {}

/** Logins, logouts and what returns tokens are not for pages. */
export class NotForwardedError extends errorClass(
  NotFoundError,
  "console/not-forwarded",
  (method: string, path: string) => `The console does not forward ${method} ${path}.`,
) {}
