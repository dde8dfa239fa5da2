/** Claims of a user from the provider's userinfo endpoint: as JSON, or signed. */
import { decodeJwt } from "jose";
import * as openid from "openid-client";

import type { Clock } from "../../../platform/clock.js";
import type { VerifierLog } from "../../assertion-verifier.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import type { Claims } from "./claim-attributes.js";
import { withVerifiedClaims } from "./claims.js";
import type { OpenIdSettings } from "./openid-settings.js";
import type { ProviderConnection } from "./provider-connections.js";
import { providerFault } from "./provider-requests.js";
import { verifySigned } from "./signed-token.js";

export interface UserInfoRequest {
  readonly connection: ProviderConnection;
  readonly settings: OpenIdSettings;
  readonly clock: Clock;
  readonly accessToken: string;
  /** Claims of a token, which take precedence. */
  readonly claims: Claims;
  /** Why the login is rejected without a response; `undefined` if it goes on. */
  readonly need: string | undefined;
  readonly log: VerifierLog;
}

/** The claims, and those of the same user from the provider's userinfo endpoint. */
export async function withUserInfo(request: UserInfoRequest): Promise<Claims> {
  const { connection, claims, need, log } = request;
  const { sub } = claims;
  const hasUserInfo = connection.configuration.serverMetadata().userinfo_endpoint !== undefined;
  if (need !== undefined && (!hasUserInfo || typeof sub !== "string")) {
    const missing = hasUserInfo ? 'the token carries no "sub"' : "the provider has no userinfo endpoint";
    const reason = `${need}: ${missing}`;
    throw new AssertionRefusedError({ step: "userinfo", reason });
  }
  if (!hasUserInfo || typeof sub !== "string") return claims;
  try {
    return { ...(await openid.fetchUserInfo(clientOf(request), request.accessToken, sub)), ...claims };
  } catch (error) {
    const { reason, ...others } = providerFault(error, { secrets: [request.accessToken] });
    if (need !== undefined)
      throw new AssertionRefusedError(
        { step: "userinfo", reason: `${need}: ${reason}`, ...others },
        { cause: error },
      );
    // The mapping's rules reject a user whose claims are missing.
    log.warn(
      { step: "userinfo", reason, ...others },
      "userinfo failed: the login goes on with the token's claims",
    );
    return claims;
  }
}

/** A client that receives the claims of a signed response only once its signature is verified, which the library leaves out. */
function clientOf(request: UserInfoRequest): openid.Configuration {
  const { connection, settings } = request;
  const client = new openid.Configuration(connection.configuration.serverMetadata(), settings.client_id);
  client[openid.customFetch] = withVerifiedClaims(connection.fetch, "application/jwt", (token) =>
    signedClaims(token, request),
  );
  // The rules of outgoing requests decide about HTTP.
  openid.allowInsecureRequests(client);
  return client;
}

/**
 * @see OpenID Connect Core 1.0, 5.3.2 and 5.3.4: a signed response should name issuer and audience.
 * @throws The response is encrypted, its signature does not verify, or it is for another client.
 */
async function signedClaims(
  token: string,
  { connection, settings, clock }: UserInfoRequest,
): Promise<Claims> {
  if (token.split(".").length === 5)
    throw new TypeError(
      'userinfo is encrypted (JWE), expected JSON or a signed JWT: remove "userinfo_encrypted_response_alg" of the client at the provider',
    );
  const { iss, aud } = decodeJwt(token);
  return verifySigned(token, connection.keys, {
    issuer: iss === undefined ? undefined : settings.issuer,
    audiences: aud === undefined ? undefined : [settings.client_id],
    requiredClaims: ["sub"],
    clock,
  });
}

const ALWAYS = 'the setting "userinfo" is "always"';

/**
 * Why a login needs userinfo; `undefined` where it does not.
 *
 * @param isUnclear Whether the token may be another kind of token.
 */
export function needOfUserInfo({ userinfo }: OpenIdSettings, isUnclear: boolean): string | undefined {
  if (isUnclear) return "can't tell an access token from an ID token";
  return userinfo === "always" ? ALWAYS : undefined;
}

/** Claims that name a user to people: for a token without them, userinfo has to. */
const NAMES = ["preferred_username", "username", "email", "name", "upn", "unique_name"];

/** Whether userinfo accepts the token, and may add a name. */
export function leavesNamesOut(claims: Claims): boolean {
  const scopes = [claims["scope"], claims["scp"]].flat().join(" ").split(" ");
  return scopes.includes("openid") && !NAMES.some((name) => name in claims);
}
