/** What can be wrong with registered limits and limits. */
import { ConflictError, ForbiddenError, InvalidError, NotFoundError } from "../platform/errors.js";
import { UNLIMITED } from "./tree/enforcement.js";

export class RegisteredLimitNotFoundError extends NotFoundError {
  override readonly name = "RegisteredLimitNotFoundError";
  override readonly code = "limits/registered-limit-not-found";

  constructor(id: string) {
    super(`Could not find registered limit for ${id}.`);
  }
}

export class LimitNotFoundError extends NotFoundError {
  override readonly name = "LimitNotFoundError";
  override readonly code = "limits/limit-not-found";

  constructor(id: string) {
    super(`Could not find limit for ${id}.`);
  }
}

/** There is neither a project nor a domain of this id. */
export class LimitOwnerNotFoundError extends NotFoundError {
  override readonly name = "LimitOwnerNotFoundError";
  override readonly code = "limits/owner-not-found";

  constructor(id: string) {
    super(`Could not find project: ${id}.`);
  }
}

/** What the two kinds are called in messages. */
export type LimitKind = "registered_limit" | "limit";

/** There is a limit of the same for the same already. */
export class DuplicateLimitError extends ConflictError {
  override readonly name = "DuplicateLimitError";
  override readonly code = "limits/duplicate";

  constructor(kind: LimitKind, options?: ErrorOptions) {
    super(`Conflict occurred attempting to store ${kind} - Duplicate entry.`, options);
  }
}

/** A limit names a service, region, project or domain that is not there. */
export class UnknownReferenceError extends InvalidError {
  override readonly name = "UnknownReferenceError";
  override readonly code = "limits/unknown-reference";

  constructor(attribute: string, kind: LimitKind) {
    super(
      `Expecting to find ${attribute} in ${kind}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
    );
  }
}

/** A limit of something for which no limit is registered. */
export class NotRegisteredError extends ForbiddenError {
  override readonly name = "NotRegisteredError";
  override readonly code = "limits/not-registered";

  constructor() {
    super("Unable to create a limit that has no corresponding registered limit.");
  }
}

/** Limits rest on what would be changed. */
export class RegisteredLimitInUseError extends ForbiddenError {
  override readonly name = "RegisteredLimitInUseError";
  override readonly code = "limits/in-use";

  constructor(id: string) {
    super(
      `Unable to update or delete registered limit ${id} because there are project limits associated with it.`,
    );
  }
}

/** A project or a domain, as a message shows it. */
export interface LimitedThing {
  readonly id: string;
  readonly name: string;
}

/** Which limit would be above which. */
export interface LimitTreeFacts {
  readonly resourceName: string;
  readonly project: LimitedThing & { readonly limit: number };
  readonly domain: LimitedThing & { readonly limit: number; readonly hasDefault: boolean };
}

/** A project would have more than its domain. */
export class LimitTreeError extends ForbiddenError {
  override readonly name = "LimitTreeError";
  override readonly code = "limits/above-domain";
  readonly facts: LimitTreeFacts;

  constructor(facts: LimitTreeFacts) {
    const { resourceName, project, domain } = facts;
    super(
      `Invalid resource limit: ${resourceName} of project ${project.name} (${project.id}) would be ${shown(project.limit)}, above the ${shown(domain.limit)} of its domain ${domain.name} (${domain.id})${domain.hasDefault ? ", which has the registered default" : ""}.`,
    );
    this.facts = facts;
  }
}

function shown(limit: number): string {
  return limit === UNLIMITED ? "unlimited (-1)" : String(limit);
}
