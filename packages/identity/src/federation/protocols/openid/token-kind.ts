/** The kind of a JWT: access token, ID token, or token of a workload; by its header and its claims. */
import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload } from "jose";

import { acceptsAccessTokens, acceptsWorkloads, type AnyOpenIdSettings } from "./openid-settings.js";

/** Claims of ID tokens and security events only. */
const OTHER_TOKENS_CLAIMS = ["nonce", "at_hash", "c_hash", "s_hash", "events"];
/** Claims that no provider has in ID tokens. The last two are of Entra ID. */
const ACCESS_CLAIMS = ["scp", "cid", "appid", "azpacr"];
/** Claims of access tokens that some providers have in ID tokens too. */
const SHARED_CLAIMS = ["scope", "client_id"];

/**
 * The kind of a JWT: by its header (RFC 9068), or by its claims where a provider predates it. Keycloak and Cognito each have a
 * claim for it.
 *
 * @returns `unclear` if it may be an ID token as well.
 */
export function kindOf(
  { typ = "JWT" }: Pick<JWTHeaderParameters, "typ">,
  payload: JWTPayload,
  clientId: string,
): "access token" | "unclear" | "other" {
  const type = typ.toLowerCase().replace(/^application\//, "");
  if (type === "at+jwt") return "access token";
  const has = (name: string) => name in payload;
  if (type !== "jwt" || isOtherToken(payload)) return "other";
  const typeClaim = payload["typ"];
  if (typeClaim !== undefined) return isBearer(typeClaim) ? "access token" : "other";
  if (ACCESS_CLAIMS.some(has)) return "access token";
  if (!SHARED_CLAIMS.some(has)) return "other";
  return isForResource(payload, clientId) ? "access token" : "unclear";
}

/** Whether a token is an ID token of a login, or a security event. */
export function isOtherToken(payload: JWTPayload): boolean {
  return OTHER_TOKENS_CLAIMS.some((name) => name in payload) || payload["token_use"] === "id";
}

/** The audience of an ID token is its client (OpenID Connect Core 1.0, 2); that of an access token is a resource. */
function isForResource({ aud, azp, client_id }: JWTPayload, clientId: string): boolean {
  const issuedTo = [azp, client_id].filter((each) => each !== undefined);
  const audiences = new Set<unknown>([aud].flat());
  return issuedTo.length > 0 && ![clientId, ...issuedTo].some((each) => audiences.has(each));
}

export function isBearer(type: unknown): boolean {
  return typeof type === "string" && type.toLowerCase() === "bearer";
}

/**
 * Whether a token is validated as that of a workload: any JWT where the protocol takes no other tokens, otherwise one that is no
 * access token. Nothing is verified yet: each kind is validated by all of its own rules.
 */
export function isForWorkload(token: string, settings: AnyOpenIdSettings): boolean {
  if (!acceptsWorkloads(settings)) return false;
  if (!acceptsAccessTokens(settings)) return true;
  try {
    return kindOf(decodeProtectedHeader(token), decodeJwt(token), settings.client_id ?? "") === "other";
  } catch {
    return false;
  }
}
