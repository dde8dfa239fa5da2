/** Errors of directories. */
import { errorClass, ForbiddenError, UnavailableError } from "../platform/errors.js";

/** The directory of a domain does not answer, or rejects the service's own account. The reason is in `cause`. */
export class DirectoryUnavailableError extends errorClass(UnavailableError, "directories/unavailable") {}

/** Why a directory is unavailable, for operators: server, operation, and the directory's code and text. */
export class DirectoryFailure extends Error {
  override readonly name = "DirectoryFailure";
}

/** Users and groups of a directory are not changed through this service. */
export class ReadOnlyDirectoryError extends errorClass(
  ForbiddenError,
  "directories/read-only",
  "You are not authorized to perform the requested action.",
) {}

/** A group of a directory has members of that directory only. */
export class ForeignMemberError extends errorClass(
  ForbiddenError,
  "directories/foreign-member",
  "Group membership across backend boundaries is not allowed.",
) {}
