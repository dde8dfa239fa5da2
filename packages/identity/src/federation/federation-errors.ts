/** Rejected federated logins. The caller gets a general message; the reason is for the log. */
import { ForbiddenError, NotFoundError, UnauthorizedError } from "../platform/errors.js";

/** What the log records of a rejected login: names of attributes, never a secret or a whole assertion. */
export interface RefusalFacts {
  /** The check that failed, such as `signature`, `remote-id`, `mapping`. */
  readonly step: string;
  /** The value received, the value expected, and where that is set. */
  readonly reason: string;
  /** Names of the attributes concerned, or of all attributes. */
  readonly attributes?: readonly string[];
  /** The domain concerned. */
  readonly domainId?: string;
}

/** No assertion, or one that does not identify the user: 401. */
export class AssertionRefusedError extends UnauthorizedError {
  override readonly name = "AssertionRefusedError";
  override readonly code = "federation/refused";
  readonly facts: RefusalFacts;

  constructor(facts: RefusalFacts, options?: ErrorOptions) {
    super(`${facts.step}: ${facts.reason}`, options);
    this.facts = facts;
  }
}

/** A valid assertion whose user may not log in: 403 without a reason. */
export class AssertionForbiddenError extends ForbiddenError {
  override readonly name = "AssertionForbiddenError";
  override readonly code = "federation/forbidden";
  readonly facts: RefusalFacts;

  constructor(facts: RefusalFacts, options?: ErrorOptions) {
    super("You are not authorized to perform the requested action.", options);
    this.facts = facts;
  }
}

/** The mapping grants a role that does not exist. */
export class UnknownMappedRoleError extends NotFoundError {
  override readonly name = "UnknownMappedRoleError";
  override readonly code = "federation/unknown-role";

  constructor(role: string) {
    super(`Could not find role: ${role}.`);
  }
}

/** The mapping grants a role of another domain than the user's. */
export class AssignedRoleError extends ForbiddenError {
  override readonly name = "AssignedRoleError";
  override readonly code = "federation/foreign-role";

  constructor(role: string, identityProviderId: string) {
    super(`role: ${role} must be within the same domain as the identity provider: ${identityProviderId}.`);
  }
}
