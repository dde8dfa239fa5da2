/** Requests to the OAuth 2.0 token endpoint: the grant, and the client's credentials. */
import { errorClass, UnauthorizedError } from "../platform/errors.js";

/** The grant type of RFC 8693. */
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The fields of a form. */
export type Form = ReadonlyMap<string, string>;

/** The id and secret of an application credential. */
export interface OAuth2Client {
  readonly id: string;
  readonly secret: string;
}

/** Why the grant is not one that is supported; `undefined` if it is. */
export function grantFault(form: Form): OAuth2Fault | undefined {
  const grant = form.get("grant_type");
  if (grant === undefined)
    return { error: "invalid_request", error_description: "The parameter grant_type is required." };
  if (grant === "client_credentials" || grant === TOKEN_EXCHANGE) return undefined;
  return {
    error: "unsupported_grant_type",
    error_description: `The parameter grant_type ${grant} is not supported.`,
  };
}

/**
 * The client's credentials, from the header `Authorization` or from the form; `undefined` without both of them.
 *
 * The parts of the header are not form-encoded, as RFC 6749 asks for: Keystone's clients send them as they are.
 */
export function readClient(authorization: string | undefined, form: Form): OAuth2Client | undefined {
  const [id = "", secret = ""] =
    authorization === undefined
      ? [form.get("client_id"), form.get("client_secret")]
      : basicParts(authorization);
  return id === "" || secret === "" || id.includes("\0") ? undefined : { id, secret };
}

function basicParts(authorization: string): string[] {
  const { encoded = "" } = /^basic +(?<encoded>[A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.groups ?? {};
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  return colon < 0 ? [] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** The body of an error of the token endpoint, as RFC 6749 section 5.2 and RFC 8693 section 2.2.2 have it. */
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

/** A request that is answered with status 400 and the fault. The reason of a failed login is the cause. */
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
