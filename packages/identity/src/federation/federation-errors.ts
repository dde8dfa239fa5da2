/** Why somebody of a federation is not let in. Nobody outside learns it: the reason is for the log. */
import { ForbiddenError, NotFoundError, UnauthorizedError } from "../platform/errors.js";

/** What the log tells of a refusal. Names of attributes may be in it, their values never. */
export interface RefusalFacts {
  /** Where it happened, such as `signature`, `remote-id`, `mapping`. */
  readonly step: string;
  readonly reason: string;
  /** Names of the attributes that the refusal is about, or that there were. */
  readonly attributes?: readonly string[];
  /** The domain that the refusal is about. */
  readonly domainId?: string;
}

/** There is no assertion, or none that says who somebody is: 401. */
export class AssertionRefusedError extends UnauthorizedError {
  override readonly name = "AssertionRefusedError";
  override readonly code = "federation/refused";
  readonly facts: RefusalFacts;

  constructor(facts: RefusalFacts, options?: ErrorOptions) {
    super(`${facts.step}: ${facts.reason}`, options);
    this.facts = facts;
  }
}

/** Somebody is known by an assertion, and may not come in: 403, without a word about why. */
export class AssertionForbiddenError extends ForbiddenError {
  override readonly name = "AssertionForbiddenError";
  override readonly code = "federation/forbidden";
  readonly facts: RefusalFacts;

  constructor(facts: RefusalFacts, options?: ErrorOptions) {
    super("You are not authorized to perform the requested action.", options);
    this.facts = facts;
  }
}

/** The mapping gives a role that there is not. */
export class UnknownMappedRoleError extends NotFoundError {
  override readonly name = "UnknownMappedRoleError";
  override readonly code = "federation/unknown-role";

  constructor(role: string) {
    super(`Could not find role: ${role}.`);
  }
}

/** The mapping gives a role of another domain than the user's. */
export class AssignedRoleError extends ForbiddenError {
  override readonly name = "AssignedRoleError";
  override readonly code = "federation/foreign-role";

  constructor(role: string, identityProviderId: string) {
    super(`role: ${role} must be within the same domain as the identity provider: ${identityProviderId}.`);
  }
}
