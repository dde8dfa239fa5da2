/** Errors of OAuth 1.0a. */
import { errorClass, InvalidError, NotFoundError, UnauthorizedError } from "../platform/errors.js";

export class ConsumerNotFoundError extends errorClass(
  NotFoundError,
  "oauth1/consumer-not-found",
  (_id: string) => "Consumer not found",
) {}

export class RequestTokenNotFoundError extends errorClass(
  NotFoundError,
  "oauth1/request-token-not-found",
  (_id: string) => "Request token not found",
) {}

export class AccessTokenNotFoundError extends errorClass(
  NotFoundError,
  "oauth1/access-token-not-found",
  (_id: string) => "Access token not found",
) {}

/** The access token does not have the role. */
export class AccessTokenRoleNotFoundError extends errorClass(
  NotFoundError,
  "oauth1/role-not-found",
  (id: string) => `Could not find role: ${id}.`,
) {}

/** The request is not one of OAuth 1.0a: a parameter is missing, malformed, or the time is too far off. */
export class OAuth1ParameterError extends errorClass(
  InvalidError,
  "oauth1/parameters",
  (fault: string) => `Validation failed with errors: invalid_request, detail message is: ${fault}.`,
) {}

export class NoProjectRequestedError extends errorClass(
  InvalidError,
  "oauth1/no-project",
  "Expecting to find Requested-Project-Id in request. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.",
) {}

/** An access token without roles gives no token. */
export class NoRolesAuthorizedError extends errorClass(
  InvalidError,
  "oauth1/no-roles",
  "Invalid input for field 'roles': at least one role has to be authorized.",
) {}

/** The signature, its nonce, the verifier or a token is not valid. The reason is for the log. */
export class OAuth1RefusedError extends errorClass(UnauthorizedError, "oauth1/refused") {}
