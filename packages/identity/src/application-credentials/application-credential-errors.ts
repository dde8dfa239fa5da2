/** Errors of application credentials and access rules. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  NotFoundError,
} from "../platform/errors.js";
import { MAX_PASSWORD_BYTES } from "../passwords/password-hash.js";

export class ApplicationCredentialNotFoundError extends errorClass(
  NotFoundError,
  "application-credentials/not-found",
  (id: string) => `Could not find Application Credential: ${id}.`,
) {}

/** The user has one of this name; also where a body repeats an access rule, as in Keystone. */
export class ApplicationCredentialExistsError extends errorClass(
  ConflictError,
  "application-credentials/exists",
  (name: string) =>
    `Conflict occurred attempting to store application_credential - Duplicate entry found with name ${name}.`,
) {}

/** An application credential is for the project of the token that creates it. */
export class ProjectScopeNeededError extends errorClass(
  ForbiddenError,
  "application-credentials/project-scope",
  "An application credential is created with a token scoped to its project.",
) {}

export class TooManyApplicationCredentialsError extends errorClass(
  ForbiddenError,
  "application-credentials/too-many",
  (limit: number) =>
    `Unable to create additional application credentials, maximum of ${limit} already exceeded for user.`,
) {}

export class UnassignedRoleError extends errorClass(
  InvalidError,
  "application-credentials/unassigned-role",
  "Invalid application credential: Cannot create an application credential with unassigned role",
) {}

export class UnknownRoleNameError extends errorClass(
  NotFoundError,
  "application-credentials/unknown-role",
  (name: string) => `Role ${name} is not defined`,
) {}

export class SecretTooLongError extends errorClass(
  InvalidError,
  "application-credentials/secret-too-long",
  `Invalid input for field/attribute secret. A secret has at most ${MAX_PASSWORD_BYTES} bytes in UTF-8.`,
) {}

export class AccessRuleNotFoundError extends errorClass(
  NotFoundError,
  "application-credentials/access-rule-not-found",
  (id: string) => `Could not find Access Rule: ${id}.`,
) {}

/** An access rule of a body is neither complete nor one of the user's. */
export class IncompleteAccessRuleError extends errorClass(
  InvalidError,
  "application-credentials/incomplete-access-rule",
  "Invalid input for field/attribute access_rules. An access rule has the id of one of the user's, or a service, a method and a path.",
) {}

export class AccessRuleInUseError extends errorClass(
  ForbiddenError,
  "application-credentials/access-rule-in-use",
  "May not delete access rule in use",
) {}
