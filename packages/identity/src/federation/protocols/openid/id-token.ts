/** Validates the ID token of a login in a browser: signature and claims, and that it answers this login. */
import { createHash, timingSafeEqual } from "node:crypto";

import { decodeProtectedHeader } from "jose";
import type * as openid from "openid-client";

import type { Clock } from "../../../platform/clock.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import type { LoginTrace } from "../../login-trace.js";
import type { Claims } from "./claim-attributes.js";
import { quotedClaim } from "./claims.js";
import type { OpenIdSettings } from "./openid-settings.js";
import type { ProviderConnection } from "./provider-connections.js";
import { refusing } from "./provider-requests.js";
import { verifySigned } from "./signed-token.js";

/** What the token endpoint has returned. */
export type ReceivedTokens = Pick<openid.TokenEndpointResponse, "access_token" | "id_token">;

export interface IdTokenCheck {
  readonly connection: Pick<ProviderConnection, "keys">;
  readonly settings: OpenIdSettings;
  /** Of the login that this browser began. */
  readonly nonce: string;
  readonly clock: Clock;
  readonly trace: LoginTrace | undefined;
}

/** The library has checked the claims, but neither the signature, nor `azp` of a single audience, nor `at_hash`. */
export async function verifyIdToken(
  { access_token: accessToken, id_token: idToken = "" }: ReceivedTokens,
  { connection, settings, nonce, clock, trace }: IdTokenCheck,
): Promise<Claims> {
  const claims = await refusing("id-token", () =>
    verifySigned(idToken, connection.keys, {
      issuer: settings.issuer,
      audiences: [settings.client_id],
      requiredClaims: ["exp", "iat", "sub"],
      clock,
      trace,
    }),
  );
  checkAuthorizedParty(claims, settings);
  checkNonce(claims, nonce);
  trace?.passed({
    check: "request",
    message: "code redeemed; state and nonce are those of the login that this browser began",
  });
  checkAccessTokenHash(claims, idToken, accessToken);
  return claims;
}

/** @see OpenID Connect Core 1.0, 3.1.3.7 (11) */
function checkNonce({ nonce }: Claims, expected: string): void {
  if (nonce === expected) return;
  throw refused(
    `"nonce" is ${nonce === undefined ? "missing" : "another"}, expected that of the login that this browser began`,
    "request",
  );
}

/** @see OpenID Connect Core 1.0, 3.1.3.7 (5) */
function checkAuthorizedParty({ azp }: Claims, { client_id: clientId }: OpenIdSettings): void {
  if (azp !== undefined && azp !== clientId)
    throw refused(
      `unexpected "azp": ${quotedClaim(azp)}, expected the client_id ${quotedClaim(clientId)}`,
      "audience",
    );
}

/**
 * With another access token, userinfo would describe another user.
 *
 * @see OpenID Connect Core 1.0, 3.1.3.8: the left half of the hash of the signature's algorithm.
 */
function checkAccessTokenHash({ at_hash: hash }: Claims, idToken: string, accessToken: string): void {
  if (hash === undefined) return;
  const full = createHash(hashNameOf(idToken)).update(accessToken).digest();
  const expected = Buffer.from(full.subarray(0, full.length / 2).toString("base64url"));
  const received = Buffer.from(typeof hash === "string" ? hash.replace(/=+$/, "") : "");
  if (received.length !== expected.length || !timingSafeEqual(received, expected))
    throw refused('"at_hash" is not that of the access token');
}

/** `RS256`, `PS384`, `ES512` name their hash. Ed25519 hashes with SHA-512. */
function hashNameOf(idToken: string): string {
  const bits = /^[RPE]S(256|384|512)$/.exec(decodeProtectedHeader(idToken).alg ?? "")?.[1] ?? "512";
  return `sha${bits}`;
}

function refused(reason: string, check?: string): AssertionRefusedError {
  return new AssertionRefusedError(
    { step: "id-token", reason },
    check === undefined ? {} : { details: { check } },
  );
}
