/** Requests to an OpenID provider about a login, such as that for token info. A failure rejects the login with its reason. */
import * as openid from "openid-client";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";

import type { OutgoingFetch } from "../../../platform/outgoing/outgoing-requests.js";
import { AssertionRefusedError, type RefusalFacts } from "../../federation-errors.js";
import { describeTime, isoTime } from "../../leeway.js";
import type { ComparedValues } from "../../login-trace.js";
import {
  errorText,
  ownText,
  errorCodeText,
  masked,
  ProviderResponseError,
  responseIn,
} from "../../provider-words.js";
import type { Claims } from "./claim-attributes.js";
import { readJsonResponse, ClaimError, comparedClaim, quotedClaim, SHOWN_CLAIMS } from "./claims.js";
import { algorithmFault, encryptionOf } from "./signed-token.js";

export interface RefusingOptions {
  /** What the provider has received and may have rejected, for the log; left out where a check of its answer failed. */
  readonly sent?: string;
  /** Secrets of the request, which the provider may repeat. */
  readonly secrets?: readonly (string | undefined)[];
}

/** Runs a step of a login: whatever it throws rejects the login at this step, with what the provider says of it. */
export async function refusing<Result>(
  step: string,
  work: () => Promise<Result>,
  options: RefusingOptions = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssertionRefusedError) throw error;
    throw new AssertionRefusedError(
      { step, ...providerFault(error, options) },
      { cause: error, details: detailsOf(error) },
    );
  }
}

/** The reason of a failed request, with the provider's own words, and the start of its response for the log. */
export function providerFault(
  error: unknown,
  { sent, secrets }: RefusingOptions,
): Pick<RefusalFacts, "reason" | "responseBody"> {
  const isSent = sent !== undefined && detailsOf(error) === undefined;
  const { facts, body } = responseIn(error, secrets);
  const reason = [masked(reasonOf(error), secrets), ...(isSent ? [sent] : []), ...facts].join("; ");
  return { reason, ...(body !== undefined && { responseBody: body }) };
}

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
  const details = errorCode(error) ?? claimComparison(error.cause) ?? tokenFault(error);
  const reason = details === undefined ? ownText(error) : `${error.message}: ${details}`;
  return error.cause instanceof Error ? `${reason} (${reasonOf(error.cause)})` : reason;
}

/** The value received and the value expected of a claim that openid-client rejects. */
function claimComparison(cause: unknown): string | undefined {
  const { claim, claims, expected, now } = factsOf(cause);
  const value = claim === undefined ? undefined : claims?.[claim];
  if (typeof value === "number" && now !== undefined) return describeTime(value * 1000, now * 1000);
  if (claim === undefined || claims === undefined || !SHOWN_CLAIMS.has(claim)) return undefined;
  return `${quotedClaim(value)}, expected ${quotedClaim(expected)}`;
}

/** What is expected of claims that openid-client finds missing in an ID token. */
const EXPECTED_CLAIMS: Readonly<Record<string, string>> = {
  aud: "the client_id of the settings",
  iss: "the issuer of the settings",
  sub: "the user's id",
};

/** Why openid-client can't read an ID token: it is encrypted, signed by another algorithm, or lacks a claim. */
function tokenFault({ message, cause }: Error): string | undefined {
  if (typeof cause === "string") return encryptionOf(cause);
  const { header, expected } = (cause ?? {}) as {
    readonly header?: { readonly alg?: unknown };
    readonly expected?: unknown;
  };
  if (header !== undefined && expected !== undefined) return algorithmFault(header.alg, expected);
  const [, missing = ""] = /^JWT "(\w+)" .*claim missing$/.exec(message) ?? [];
  return Object.hasOwn(EXPECTED_CLAIMS, missing) ? `expected ${EXPECTED_CLAIMS[missing]}` : undefined;
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

/** The provider's OAuth error code, such as `access_denied`: from the body, or from a header. */
function errorCode(error: Error): string | undefined {
  const code =
    error instanceof openid.WWWAuthenticateChallengeError
      ? error.cause.find(({ parameters }) => parameters.error !== undefined)?.parameters.error
      : "error" in error && error.error;
  return typeof code === "string" && code !== "" ? errorCodeText(code) : undefined;
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
  if (response.status !== 200)
    throw new ProviderResponseError(`the provider answers with status ${response.status}`, response);
  const claims = await readJsonResponse(response).catch(() => undefined);
  if (!Value.Check(TokenInfoResponse, claims))
    throw new ProviderResponseError('the token info lacks a valid "aud" or "exp" (token_info_url)', response);
  return { ...claims, exp: Number(claims.exp) };
}
