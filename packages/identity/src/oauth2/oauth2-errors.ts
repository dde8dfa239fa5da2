/** Errors of the OAuth 2.0 token endpoint, as RFC 6749 section 5.2 and RFC 8693 section 2.2.2 have them. */
import { errorClass, UnauthorizedError } from "../platform/errors.js";

/** The body of an error. */
export interface OAuth2Fault {
  readonly error:
    | "invalid_client"
    | "invalid_request"
    | "invalid_scope"
    | "invalid_target"
    | "unsupported_grant_type"
    | "other_error";
  readonly error_description: string;
}

/** A request that is answered with status 400 and the fault. The reason of a rejected login is the cause. */
export class OAuth2FaultError extends Error {
  override readonly name = "OAuth2FaultError";
  readonly fault: OAuth2Fault;

  constructor(fault: OAuth2Fault, options?: ErrorOptions) {
    super(fault.error_description, options);
    this.fault = fault;
  }
}

/** The client is not authenticated. The reason is the cause, for the log. */
export class InvalidClientError extends errorClass(UnauthorizedError, "oauth2/invalid-client") {
  override readonly response: UnauthorizedError["response"];

  constructor(
    description: string,
    { publicUrl, cause }: { readonly publicUrl: string; readonly cause?: unknown },
  ) {
    super(description, { cause });
    const body: OAuth2Fault = { error: "invalid_client", error_description: description };
    // The scheme of clients is Basic, the other one Keystone's.
    const challenges = `Keystone uri="${publicUrl}/v3", Basic realm="OS-OAUTH2"`;
    this.response = { headers: { "www-authenticate": challenges }, body };
  }
}
