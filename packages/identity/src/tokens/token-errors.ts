/** Why there is no token, or none any longer. */
import { ForbiddenError, InvalidError, NotFoundError, UnauthorizedError } from "../platform/errors.js";

/** Somebody is not let in. The reason is for the log. */
export class LoginRefusedError extends UnauthorizedError {
  override readonly name = "LoginRefusedError";
  override readonly code = "login/refused";
}

/** The rules of the user ask for more methods. The response has a receipt for those that were used. */
export class MoreMethodsRequiredError extends UnauthorizedError {
  override readonly name = "MoreMethodsRequiredError";
  override readonly code = "login/more-methods";
  override readonly response: UnauthorizedError["response"];

  constructor({ text, body }: { readonly text: string; readonly body: object }) {
    super("the methods of the login satisfy no multi-factor rule of its user");
    this.response = { headers: { "openstack-auth-receipt": text }, body };
  }
}

/** A way to log in that there is not. Clients are told which there are. */
export class AuthMethodError extends UnauthorizedError {
  override readonly name = "AuthMethodError";
  override readonly code = "login/method";
  override readonly isShown = true;
  override readonly members: UnauthorizedError["members"];

  constructor(methods: readonly string[]) {
    super("Attempted to authenticate with an unsupported method.");
    this.members = { identity: { methods } };
  }
}

/** A part of the request for a token is missing. */
export class MissingPartError extends InvalidError {
  override readonly name = "MissingPartError";
  override readonly code = "login/missing-part";

  constructor(part: string, where: string) {
    super(
      `Expecting to find ${part} in ${where}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
    );
  }
}

/** A part of the request has neither id nor name. */
export class UnnamedError extends InvalidError {
  override readonly name = "UnnamedError";
  override readonly code = "login/unnamed";

  constructor(place: string) {
    super(`Invalid input for field ${place}: id or name must be present.`);
  }
}

/** The request names no token. */
export class NoTokenError extends NotFoundError {
  override readonly name = "NoTokenError";
  override readonly code = "token/missing";

  constructor() {
    super("No token in the request");
  }
}

/** The text is no token of ours. */
export class UnreadableTokenError extends NotFoundError {
  override readonly name = "UnreadableTokenError";
  override readonly code = "token/unreadable";

  constructor() {
    super("Could not recognize Fernet token");
  }
}

/** The token has expired or was ended, or what it rests on is gone. Which of these is for the log. */
export class TokenEndedError extends NotFoundError {
  override readonly name = "TokenEndedError";
  override readonly code = "token/ended";
  readonly reason: string;

  constructor(reason: string) {
    super("Failed to validate token", { cause: new Error(reason) });
    this.reason = reason;
  }
}

/** Only a token for a project has a catalog that is shown by itself. */
export class NoCatalogError extends ForbiddenError {
  override readonly name = "NoCatalogError";
  override readonly code = "token/no-catalog";

  constructor() {
    super("You are not authorized to perform the requested action.");
  }
}
