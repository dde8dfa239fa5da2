/** Errors of SCIM (RFC 7644, section 3.12), beside those of the platform. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  PreconditionError,
  TooLargeError,
  UnauthorizedError,
} from "../platform/errors.js";

/** The codes of RFC 7644, table 9, that this service uses. */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** The body is no resource or list of operations. */
export class ScimSyntaxError extends errorClass(InvalidError, "scim/invalid-syntax") {
  readonly scimType: ScimType = "invalidSyntax";
}

export class ScimFilterError extends errorClass(InvalidError, "scim/invalid-filter") {
  readonly scimType: ScimType = "invalidFilter";
}

/** The path of an operation can't be read, or names no attribute. */
export class ScimPathError extends errorClass(InvalidError, "scim/invalid-path") {
  readonly scimType: ScimType = "invalidPath";
}

/** A value is missing, has the wrong type or is too long. */
export class ScimValueError extends errorClass(InvalidError, "scim/invalid-value") {
  readonly scimType: ScimType = "invalidValue";
}

export class ScimMutabilityError extends errorClass(
  InvalidError,
  "scim/read-only",
  (attribute: string) => `Attribute ${attribute} can't be changed.`,
) {
  readonly scimType: ScimType = "mutability";
}

/** No value of the attribute matches the filter of the path. */
export class ScimTargetError extends errorClass(
  InvalidError,
  "scim/no-target",
  (path: string) => `Path ${path} matches no value.`,
) {
  readonly scimType: ScimType = "noTarget";
}

/** Another resource has the value. */
export class ScimUniquenessError extends errorClass(ConflictError, "scim/not-unique") {
  readonly scimType: ScimType = "uniqueness";
}

/** A request has more members than one request may have. */
export class TooManyMembersError extends errorClass(
  TooLargeError,
  "scim/too-many-members",
  (max: number) => `The request has more than ${max} members: send them in several requests.`,
) {
  readonly scimType: ScimType = "tooMany";
}

/** The resource has another version than `If-Match` has. */
export class ScimVersionError extends errorClass(
  PreconditionError,
  "scim/version",
  "The resource was changed: read it again.",
) {}

export class ScimUserNotFoundError extends notFoundClass("user of this provider", "scim/user-not-found") {}

export class ScimGroupNotFoundError extends notFoundClass("group of this provider", "scim/group-not-found") {}

export class ScimPathNotFoundError extends notFoundClass("resource type", "scim/path-not-found") {}

/** The bearer secret is missing, unknown, expired or that of another provider. */
export class ScimSecretError extends errorClass(UnauthorizedError, "scim/secret") {}

/** The provider may not name groups of its own domain, at logins neither. */
export class ScimGroupsForbiddenError extends errorClass(
  ForbiddenError,
  "scim/groups-forbidden",
  "The provider's domain is not among its authorized_domains: it may not push groups.",
) {}

/** The secret is valid, and the provider takes no changes. */
export class ScimDisabledError extends errorClass(ForbiddenError, "scim/disabled") {}
