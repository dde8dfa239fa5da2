/** Errors of credentials. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  NotFoundError,
} from "../platform/errors.js";

export class CredentialNotFoundError extends errorClass(
  NotFoundError,
  "credentials/not-found",
  (id: string) => `Could not find credential: ${id}.`,
) {}

/** The access key of an EC2 credential is unique in the cloud. */
export class CredentialExistsError extends errorClass(
  ConflictError,
  "credentials/exists",
  (id: string) => `Conflict occurred attempting to store credential - Duplicate entry found with ID ${id}.`,
) {}

export class CredentialLimitError extends errorClass(
  ForbiddenError,
  "credentials/limit",
  (limit: number) =>
    `Unable to create additional credentials, maximum of ${limit} already exceeded for user.`,
) {}

/** A credential names a project that does not exist. */
export class CredentialProjectError extends errorClass(
  NotFoundError,
  "credentials/project-not-found",
  (id: string) => `Could not find project: ${id}.`,
) {}

/** The blob of an EC2 credential is not a JSON object. */
export class Ec2BlobError extends errorClass(
  InvalidError,
  "credentials/ec2-blob",
  "Invalid blob in credential",
) {}

/** An EC2 credential lacks a part. */
export class Ec2PartError extends errorClass(
  InvalidError,
  "credentials/ec2-part",
  (part: string) =>
    `Expecting to find ${part} in credential. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
) {}

/** A change of what is fixed: the owner of a credential, or the delegation to which an EC2 credential is bound. */
export class FixedMemberError extends errorClass(
  InvalidError,
  "credentials/fixed-member",
  (member: string) => `${member} can not be updated for credential`,
) {}
