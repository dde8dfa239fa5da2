/** Missing and invalid tokens. */
import { NotFoundError } from "../platform/errors.js";

/** The request names no token. */
export class NoTokenError extends NotFoundError {
  override readonly name = "NoTokenError";
  override readonly code = "token/missing";

  constructor() {
    super("No token in the request");
  }
}

/** The text is no token of this service. */
export class UnreadableTokenError extends NotFoundError {
  override readonly name = "UnreadableTokenError";
  override readonly code = "token/unreadable";

  constructor() {
    super("Could not recognize Fernet token");
  }
}

/** An expired or revoked token, or one whose user or scope is disabled or deleted. The reason is for the log. */
export class InvalidTokenError extends NotFoundError {
  override readonly name = "InvalidTokenError";
  override readonly code = "token/ended";
  readonly reason: string;

  constructor(reason: string) {
    super("Failed to validate token", { cause: new Error(reason) });
    this.reason = reason;
  }
}
