/** Failed federated logins, and their line in the log. The caller gets a general message; the reason is for the log: names of attributes, never values. */
import {
  errorClass,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  UnauthorizedError,
  ServiceError,
} from "../platform/errors.js";
import type { ComparedValues, PassedCheck } from "./login-trace.js";
import { LOGIN_LOG_MESSAGES } from "../platform/login-reasons.js";
import { shortened } from "../platform/text/quoted-value.js";
import type { VerifierLog } from "./assertion-verifier.js";

/** What the log records of a failed login: names of attributes, never a secret or a whole assertion. */
export interface RefusalFacts {
  /** The check that failed, such as `signature`, `remote-id`, `mapping`. */
  readonly step: string;
  /** The value received, the value expected, and where that is set. */
  readonly reason: string;
  /** Names of the attributes concerned, or of all attributes. */
  readonly attributes?: readonly string[];
  /** The domain concerned. */
  readonly domainId?: string;
  /** The start of a provider's response that can't be used, without secrets: for the log, and for no one who chooses addresses. */
  readonly responseBody?: string;
}

/** What a test login shows in addition. Not for the log. */
export interface RefusalDetails extends Partial<ComparedValues> {
  /** What passed before, where the refusal comes from another thread. */
  readonly passed?: readonly PassedCheck[];
}

export interface RefusalOptions extends ErrorOptions {
  readonly details?: RefusalDetails | undefined;
}

/** No assertion, or one that does not identify the user: 401. */
export class AssertionRefusedError extends errorClass(UnauthorizedError, "federation/refused") {
  readonly facts: RefusalFacts;
  readonly details: RefusalDetails;

  constructor(facts: RefusalFacts, { details = {}, ...options }: RefusalOptions = {}) {
    super(`${facts.step}: ${facts.reason}`, options);
    this.facts = facts;
    this.details = details;
  }
}

/** A valid assertion whose user may not log in: 403 without a reason. */
export class AssertionForbiddenError extends errorClass(ForbiddenError, "federation/forbidden") {
  readonly facts: RefusalFacts;

  constructor(facts: RefusalFacts, options?: ErrorOptions) {
    super("You are not authorized to perform the requested action.", options);
    this.facts = facts;
  }
}

/** An invalid logout message or logout token: 400 without a reason, as OpenID Connect Back-Channel Logout 1.0, 2.8, demands. */
export class LogoutRefusedError extends errorClass(
  InvalidError,
  "federation/logout-refused",
  "The logout was rejected.",
) {}

/** The mapping grants a role that does not exist. */
export class UnknownMappedRoleError extends errorClass(
  NotFoundError,
  "federation/unknown-role",
  (role: string) => `Could not find role: ${role}.`,
) {}

/** The mapping grants a role of another domain than the user's. */
export class AssignedRoleError extends errorClass(
  ForbiddenError,
  "federation/foreign-role",
  (role: string, identityProviderId: string) =>
    `role: ${role} must be within the same domain as the identity provider: ${identityProviderId}.`,
) {}

/** Of an error's message, in the log: it may quote what the client has sent. */
const MAX_MESSAGE_LENGTH = 500;

export function refusalFacts(failure: unknown): RefusalFacts {
  const isRefusal = failure instanceof AssertionRefusedError || failure instanceof AssertionForbiddenError;
  return isRefusal ? failure.facts : { step: "login", reason: reasonOf(failure) };
}

export function logRefusal(
  log: Pick<VerifierLog, "info">,
  key: object,
  failure: unknown,
  message: string = LOGIN_LOG_MESSAGES.failedAtProvider,
): void {
  log.info({ federation: { ...key, ...refusalFacts(failure) } }, message);
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof ServiceError)) return "unexpected";
  return `${failure.code}: ${shortened(failure.message, MAX_MESSAGE_LENGTH)}`;
}
