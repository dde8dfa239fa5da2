/** Failed login requests. */
import { errorClass, ForbiddenError, InvalidError, UnauthorizedError } from "../platform/errors.js";
import { LOGIN_REASONS, type LoginReason } from "../platform/login-reasons.js";

export interface FailedLoginOptions extends ErrorOptions {
  /** More than the reason's own text, for the log; without values that may be secret. */
  readonly detail?: string | undefined;
  /** The user that the request names, if known. */
  readonly userId?: string | undefined;
}

/** A failed login. The reason is for the log. */
export class FailedLoginError extends errorClass(UnauthorizedError, "login/refused") {
  readonly reason: LoginReason;
  readonly userId: string | undefined;

  constructor(reason: LoginReason, { detail, userId, ...options }: FailedLoginOptions = {}) {
    super(detail ?? LOGIN_REASONS[reason], options);
    this.reason = reason;
    this.userId = userId;
  }
}

/** The user's multi-factor rules demand more methods. The response carries a receipt for those that were used. */
export class MoreMethodsRequiredError extends errorClass(UnauthorizedError, "login/more-methods") {
  override readonly response: UnauthorizedError["response"];
  readonly userId: string | undefined;

  constructor({ text, body }: { readonly text: string; readonly body: object }, userId?: string) {
    super(LOGIN_REASONS["more-methods"]);
    this.userId = userId;
    this.response = { headers: { "openstack-auth-receipt": text }, body };
  }
}

/** The login is valid, but not for this trust: for another trustee, or its trustor may no longer pass the roles on. */
export class TrustForbiddenError extends errorClass(
  ForbiddenError,
  "login/trust",
  "You are not authorized to perform the requested action.",
) {}

/** An unknown method. The response lists the supported ones. */
export class AuthMethodError extends errorClass(UnauthorizedError, "login/method") {
  override readonly isShown = true;
  override readonly members: UnauthorizedError["members"];

  constructor(methods: readonly string[]) {
    super("Attempted to authenticate with an unsupported method.");
    this.members = { identity: { methods } };
  }
}

/** The method `webauthn` without an assertion, such as of a client that is no browser. */
export class AssertionRequiredError extends errorClass(
  UnauthorizedError,
  "login/assertion-required",
  "The method webauthn requires the assertion of a passkey, which only a browser can ask for: POST /v3/auth/webauthn/options begins it.",
) {
  override readonly isShown = true;
}

/** A required part of the login request is missing. */
export class MissingPartError extends errorClass(
  InvalidError,
  "login/missing-part",
  (part: string, where: string) =>
    `Expecting to find ${part} in ${where}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
) {}

/** A part of the request has neither id nor name. */
export class UnnamedError extends errorClass(
  InvalidError,
  "login/unnamed",
  (place: string) => `Invalid input for field ${place}: id or name must be present.`,
) {}

/** Only for a project-scoped token is the catalog served separately. */
export class NoCatalogError extends errorClass(
  ForbiddenError,
  "token/no-catalog",
  "You are not authorized to perform the requested action.",
) {}

/** An application credential is for one project, which a login can't choose. */
export class ApplicationCredentialScopeError extends errorClass(
  UnauthorizedError,
  "login/application-credential-scope",
  "Error authenticating with application credential: Application credentials cannot request a scope.",
) {
  override readonly isShown = true;
  override readonly members = { identity: {} };
}
