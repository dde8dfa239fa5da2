/** Rejected login requests. */
import { ForbiddenError, InvalidError, UnauthorizedError } from "../platform/errors.js";

/** A rejected login. The reason is for the log. */
export class LoginRefusedError extends UnauthorizedError {
  override readonly name = "LoginRefusedError";
  override readonly code = "login/refused";
}

/** The user's multi-factor rules demand more methods. The response carries a receipt for those that were used. */
export class MoreMethodsRequiredError extends UnauthorizedError {
  override readonly name = "MoreMethodsRequiredError";
  override readonly code = "login/more-methods";
  override readonly response: UnauthorizedError["response"];

  constructor({ text, body }: { readonly text: string; readonly body: object }) {
    super("the methods of the login satisfy no multi-factor rule of its user");
    this.response = { headers: { "openstack-auth-receipt": text }, body };
  }
}

/** An unknown method. The response lists the supported ones. */
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

/** A required part of the login request is missing. */
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

/** Only for a project-scoped token is the catalog served separately. */
export class NoCatalogError extends ForbiddenError {
  override readonly name = "NoCatalogError";
  override readonly code = "token/no-catalog";

  constructor() {
    super("You are not authorized to perform the requested action.");
  }
}

/** An application credential is for one project, which a login can't choose. */
export class ApplicationCredentialScopeError extends UnauthorizedError {
  override readonly name = "ApplicationCredentialScopeError";
  override readonly code = "login/application-credential-scope";
  override readonly isShown = true;
  override readonly members = { identity: {} };

  constructor() {
    super(
      "Error authenticating with application credential: Application credentials cannot request a scope.",
    );
  }
}
