/** Errors of registered limits and limits. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  NotFoundError,
} from "../platform/errors.js";
import { quoted } from "../platform/text/quoted-value.js";
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

/** An entry of a request in a message. */
export interface LimitEntry {
  readonly kind: LimitKind;
  /** In the list of the request, from 0; left out where the request has one entry. */
  readonly index?: number | undefined;
}

/** What an entry is about. */
export interface ResourceEntry extends LimitEntry {
  readonly serviceId: string;
  readonly regionId: string | null;
  readonly resourceName: string;
  /** The project or domain of a limit. */
  readonly ownerId?: string | undefined;
}

/** `limits[1]`. */
function nameOf({ kind, index }: LimitEntry): string {
  return index === undefined ? kind : `${kind}s[${index}]`;
}

function describe(entry: ResourceEntry): string {
  const { serviceId, regionId, resourceName, ownerId } = entry;
  const region = regionId === null ? "without a region" : `in region ${quoted(regionId)}`;
  const owner = ownerId === undefined ? "" : ` of ${ownerId}`;
  return `${nameOf(entry)}${owner} is for resource ${quoted(resourceName)} of service ${quoted(serviceId)} ${region}`;
}

/** A limit of the same resource exists for the same project or domain. */
export class DuplicateLimitError extends errorClass(
  ConflictError,
  "limits/duplicate",
  (kind: LimitKind, entry?: ResourceEntry) =>
    `Conflict occurred attempting to store ${kind} - Duplicate entry.${entry === undefined ? "" : ` ${describe(entry)}, which has one.`}`,
) {}

export interface UnknownReference {
  readonly attribute: string;
  readonly value: string | null | undefined;
  /** What it should be the id of. */
  readonly expected: "service" | "region" | "project" | "domain";
}

/** A limit names a service, region, project or domain that does not exist. */
export class UnknownReferenceError extends errorClass(
  InvalidError,
  "limits/unknown-reference",
  ({ attribute, value, expected }: UnknownReference, entry: LimitEntry) =>
    `Expecting to find ${attribute} in ${entry.kind}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error. ${nameOf(entry)}.${attribute} is ${quoted(value ?? undefined)}, expected the id of a ${expected}.`,
) {}

/** A limit of a resource without a registered limit. */
export class NotRegisteredError extends errorClass(
  ForbiddenError,
  "limits/not-registered",
  (entry: ResourceEntry) =>
    `Unable to create a limit that has no corresponding registered limit. ${describe(entry)}, which has none.`,
) {}

/** Limits rest on the registered limit. */
export class RegisteredLimitInUseError extends errorClass(
  ForbiddenError,
  "limits/in-use",
  ({ id, ...resource }: { readonly id: string } & Omit<ResourceEntry, "kind" | "index" | "ownerId">) =>
    `Unable to update or delete registered limit ${id} because there are project limits associated with it. ${describe({ kind: "registered_limit", ...resource })}.`,
) {}

/** A project or a domain in a message. */
export interface LimitOwnerName {
  readonly id: string;
  readonly name: string;
}

/** The two limits. */
export interface ExceededLimit {
  readonly resourceName: string;
  readonly project: LimitOwnerName & { readonly limit: number };
  readonly domain: LimitOwnerName & { readonly limit: number; readonly hasDefault: boolean };
  /** The entry of the request that causes it. */
  readonly entry: ResourceEntry;
}

/** The limit of a project would be above that of its domain. */
export class LimitTreeError extends errorClass(
  ForbiddenError,
  "limits/above-domain",
  ({ resourceName, project, domain, entry }: ExceededLimit) =>
    `Invalid resource limit: ${resourceName} of project ${project.name} (${project.id}) would be ${shown(project.limit)}, above the ${shown(domain.limit)} of its domain ${domain.name} (${domain.id})${domain.hasDefault ? ", which has the registered default" : ""}. ${describe(entry)}.`,
) {}

function shown(limit: number): string {
  return limit === UNLIMITED ? "unlimited (-1)" : String(limit);
}
