/** Requests to an OpenID provider about a login: userinfo and token info. A failure rejects the login with its reason. */
import * as openid from "openid-client";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";

import type { OutgoingFetch } from "../../platform/outgoing/outgoing-requests.js";
import { quoted } from "../../platform/text/quoted-value.js";
import type { VerifierLog } from "../assertion-verifier.js";
import { errorText, ownText } from "../error-text.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { describeTime, isoTime } from "../leeway.js";
import type { ComparedValues } from "../login-trace.js";
import type { Claims } from "./claim-attributes.js";
import type { OpenIdSettings, ProviderConnection } from "./provider-connections.js";

/**
 * Runs a step of a login: whatever it throws rejects the login at this step.
 *
 * @param sent What the provider has received and may have rejected, for the log; left out where a check of its answer failed.
 */
export async function refusing<Result>(
  step: string,
  work: () => Promise<Result>,
  sent?: string,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssertionRefusedError) throw error;
    const details = detailsOf(error);
    const isSent = sent !== undefined && details === undefined;
    const reason = isSent ? `${reasonOf(error)}; ${sent}` : reasonOf(error);
    throw new AssertionRefusedError({ step, reason }, { cause: error, details });
  }
}

/** A claim that is not as expected, with the values in words. */
export class ClaimError extends Error {
  override readonly name = "ClaimError";
  readonly details: ComparedValues;

  constructor(message: string, details: ComparedValues) {
    super(message);
    this.details = details;
  }
}

/** The checks that claims belong to. */
const CHECK_OF_CLAIM: Readonly<Record<string, string>> = {
  iss: "issuer",
  aud: "audience",
  azp: "audience",
  exp: "time",
  nbf: "time",
  iat: "time",
  auth_time: "time",
  nonce: "request",
};

/** What a claim is compared with, by the check that it belongs to. Values of other claims than those of services are left out. */
export function comparedClaim(claim: string, received: unknown, expected?: unknown): ComparedValues {
  const check = CHECK_OF_CLAIM[claim] ?? "claims";
  const isShown = SHOWN_CLAIMS.has(claim) || check === "time";
  return {
    check,
    ...(isShown && received !== undefined && { received: claimText(received) }),
    ...(isShown && expected !== undefined && { expected: claimText(expected) }),
  };
}

const claimText = (value: unknown): string =>
  [value]
    .flat()
    .map((each) => (typeof each === "string" ? each : JSON.stringify(each)))
    .join(", ");

/** Codes of jose by which no trusted key has signed the token. */
const SIGNATURE_FAULTS = new Set([
  "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
  "ERR_JWKS_NO_MATCHING_KEY",
  "ERR_JOSE_ALG_NOT_ALLOWED",
  "ERR_JWS_INVALID",
]);

/** The check that failed in a library, if its error names one. */
function detailsOf(error: unknown): ComparedValues | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ClaimError) return error.details;
  if (error.name === "WeakKeyError" || ("code" in error && SIGNATURE_FAULTS.has(String(error.code))))
    return { check: "signature" };
  if ("claim" in error && typeof error.claim === "string") return comparedClaim(error.claim, undefined);
  const { claim, claims, expected, now } = factsOf(error.cause);
  if (claim === undefined) return detailsOf(error.cause);
  const value = claims?.[claim];
  return typeof value === "number" && now !== undefined
    ? { ...comparedClaim(claim, isoTime(value * 1000)), expected: `valid at ${isoTime(now * 1000)}` }
    : comparedClaim(claim, value, expected);
}

/** The libraries' messages name claims, never their values; the rest of their errors is not for the log. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return errorText(error);
  const details = errorCode(error) ?? claimComparison(error.cause);
  const reason = details === undefined ? ownText(error) : `${error.message}: ${details}`;
  return error.cause instanceof Error ? `${reason} (${reasonOf(error.cause)})` : reason;
}

/** Claims whose values may be in the log: they identify services, not users. */
const SHOWN_CLAIMS = new Set(["iss", "aud", "azp"]);

/** The value received and the value expected of a claim that openid-client rejects. */
function claimComparison(cause: unknown): string | undefined {
  const { claim, claims, expected, now } = factsOf(cause);
  const value = claim === undefined ? undefined : claims?.[claim];
  if (typeof value === "number" && now !== undefined) return describeTime(value * 1000, now * 1000);
  if (claim === undefined || claims === undefined || !SHOWN_CLAIMS.has(claim)) return undefined;
  return `${quotedClaim(value)}, expected ${quotedClaim(expected)}`;
}

/** What openid-client reports of a claim. */
interface ComparedClaim {
  readonly claim?: string;
  readonly claims?: Claims;
  readonly expected?: unknown;
  /** In seconds, where the claim is a time. */
  readonly now?: number;
}

const factsOf = (cause: unknown): ComparedClaim => cause ?? {};

/** Values of `iss` or `aud`, as messages name them. */
export function quotedClaim(value: unknown): string {
  return [value]
    .flat()
    .map((each) => quoted(typeof each === "string" ? each : JSON.stringify(each)))
    .join(" or ");
}

/** The provider's OAuth error code, such as `access_denied`: from the body, or from a header. */
function errorCode(error: Error): string | undefined {
  const code =
    error instanceof openid.WWWAuthenticateChallengeError
      ? error.cause.find(({ parameters }) => parameters.error !== undefined)?.parameters.error
      : "error" in error && error.error;
  return typeof code === "string" && /^[\w-]{1,64}$/.test(code) ? code : undefined;
}

export interface UserInfoRequest {
  readonly connection: ProviderConnection;
  readonly accessToken: string;
  /** Claims of a token, which take precedence. */
  readonly claims: Claims;
  /** Why the login is rejected without a response; `undefined` if it goes on. */
  readonly need: string | undefined;
  readonly log: VerifierLog;
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

/** The claims, and those of the same user from the provider's userinfo endpoint. */
export async function withUserInfo({
  connection: { configuration },
  accessToken,
  claims,
  need,
  log,
}: UserInfoRequest): Promise<Claims> {
  const { sub } = claims;
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  if (need !== undefined && (!hasUserInfo || typeof sub !== "string")) {
    const missing = hasUserInfo ? 'the token carries no "sub"' : "the provider has no userinfo endpoint";
    const reason = `${need}: ${missing}`;
    throw new AssertionRefusedError({ step: "userinfo", reason });
  }
  if (!hasUserInfo || typeof sub !== "string") return claims;
  try {
    return { ...(await openid.fetchUserInfo(configuration, accessToken, sub)), ...claims };
  } catch (error) {
    const reason = reasonOf(error);
    if (need !== undefined)
      throw new AssertionRefusedError({ step: "userinfo", reason: `${need}: ${reason}` }, { cause: error });
    // The mapping's rules reject a user whose claims are missing.
    log.warn({ step: "userinfo", reason }, "userinfo failed: the login goes on with the token's claims");
    return claims;
  }
}

/** Claims that name a user to people: for a token without them, userinfo has to. */
const NAMES = ["preferred_username", "username", "email", "name", "upn", "unique_name"];

/** Whether userinfo accepts the token, and may add a name. */
export function leavesNamesOut(claims: Claims): boolean {
  const scopes = [claims["scope"], claims["scp"]].flat().join(" ").split(" ");
  return scopes.includes("openid") && !NAMES.some((name) => name in claims);
}

/** Google sends numbers and booleans as strings. */
const TokenInfoResponse = Type.Object({
  aud: Type.String({ minLength: 1 }),
  exp: Type.Union([Type.String({ pattern: "^[0-9]{1,12}$" }), Type.Integer()]),
  sub: Type.Optional(Type.String({ minLength: 1 })),
});

export interface TokenInfo extends Omit<Static<typeof TokenInfoResponse>, "exp"> {
  readonly exp: number;
  readonly [claim: string]: unknown;
}

/**
 * Google's claims about an access token, which replace introspection: its client and its expiry. Userinfo alone would not do: it
 * accepts tokens of every application, so that the owner of any application could log in as its users.
 *
 * @throws The provider does not know the token, or the response lacks claims.
 */
export async function fetchTokenInfo(
  token: string,
  { url, fetch }: { readonly url: string; readonly fetch: OutgoingFetch },
): Promise<TokenInfo> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, accept: "application/json" },
  });
  if (response.status !== 200) throw new TypeError(`the provider answers with status ${response.status}`);
  const claims: unknown = await response.json();
  if (!Value.Check(TokenInfoResponse, claims))
    throw new TypeError('the token info lacks a valid "aud" or "exp" (token_info_url)');
  return { ...claims, exp: Number(claims.exp) };
}
