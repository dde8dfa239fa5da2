/** Missing and invalid tokens. */
import { errorClass, NotFoundError } from "../platform/errors.js";
import { LOGIN_REASONS, type LoginReason } from "../platform/login-reasons.js";

/** The request names no token. */
export class NoTokenError extends errorClass(NotFoundError, "token/missing", "No token in the request") {}

/** The text is no token of this service. */
export class UnreadableTokenError extends errorClass(
  NotFoundError,
  "token/unreadable",
  "Could not recognize Fernet token",
) {}

/** An expired or revoked token, or one whose user or scope is disabled or deleted. The reason is for the log. */
export class InvalidTokenError extends errorClass(NotFoundError, "token/ended") {
  readonly reason: LoginReason;

  constructor(reason: LoginReason, detail: string = LOGIN_REASONS[reason]) {
    super("Failed to validate token", { cause: new Error(detail) });
    this.reason = reason;
  }
}
