/** Errors of registered limits and limits. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  NotFoundError,
} from "../platform/errors.js";
import { UNLIMITED } from "./tree/enforcement.js";

export class RegisteredLimitNotFoundError extends errorClass(
  NotFoundError,
  "limits/registered-limit-not-found",
  (id: string) => `Could not find registered limit for ${id}.`,
) {}

export class LimitNotFoundError extends errorClass(
  NotFoundError,
  "limits/limit-not-found",
  (id: string) => `Could not find limit for ${id}.`,
) {}

/** No project or domain has this id. */
export class LimitOwnerNotFoundError extends notFoundClass("project", "limits/owner-not-found") {}

/** The two kinds in messages. */
export type LimitKind = "registered_limit" | "limit";

/** A limit of the same resource exists for the same project or domain. */
export class DuplicateLimitError extends errorClass(
  ConflictError,
  "limits/duplicate",
  (kind: LimitKind) => `Conflict occurred attempting to store ${kind} - Duplicate entry.`,
) {}

/** A limit names a service, region, project or domain that does not exist. */
export class UnknownReferenceError extends errorClass(
  InvalidError,
  "limits/unknown-reference",
  (attribute: string, kind: LimitKind) =>
    `Expecting to find ${attribute} in ${kind}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
) {}

/** A limit of a resource without a registered limit. */
export class NotRegisteredError extends errorClass(
  ForbiddenError,
  "limits/not-registered",
  "Unable to create a limit that has no corresponding registered limit.",
) {}

/** Limits rest on the registered limit. */
export class RegisteredLimitInUseError extends errorClass(
  ForbiddenError,
  "limits/in-use",
  (id: string) =>
    `Unable to update or delete registered limit ${id} because there are project limits associated with it.`,
) {}

/** A project or a domain in a message. */
export interface LimitOwnerName {
  readonly id: string;
  readonly name: string;
}

/** The two limits. */
export interface LimitTreeFacts {
  readonly resourceName: string;
  readonly project: LimitOwnerName & { readonly limit: number };
  readonly domain: LimitOwnerName & { readonly limit: number; readonly hasDefault: boolean };
}

/** The limit of a project would be above that of its domain. */
export class LimitTreeError extends errorClass(
  ForbiddenError,
  "limits/above-domain",
  ({ resourceName, project, domain }: LimitTreeFacts) =>
    `Invalid resource limit: ${resourceName} of project ${project.name} (${project.id}) would be ${shown(project.limit)}, above the ${shown(domain.limit)} of its domain ${domain.name} (${domain.id})${domain.hasDefault ? ", which has the registered default" : ""}.`,
) {}

function shown(limit: number): string {
  return limit === UNLIMITED ? "unlimited (-1)" : String(limit);
}
