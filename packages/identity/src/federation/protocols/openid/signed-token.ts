/** Verifies JWTs that a provider has signed: header, signature, issuer, audience, times; and says why one does not verify. */
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from "jose";

import type { Clock, Moment } from "../../../platform/clock.js";
import { mayBeInexact } from "../../../platform/text/exact-json.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { isoTime, LEEWAY_SECONDS } from "../../leeway.js";
import type { ComparedValues, LoginTrace } from "../../login-trace.js";
import type { Claims } from "./claim-attributes.js";
import {
  claimTimeFault,
  ClaimError,
  comparedClaim,
  futureFault,
  quotedClaim,
  readClaims,
  subjectFault,
  timeDetails,
  timeText,
} from "./claims.js";
import { SIGNATURE_ALGORITHMS } from "./token-algorithms.js";

/** Claims of which jose has validated those that it knows. */
type VerifiedClaims = JWTPayload & Claims;

interface ExpectedClaims {
  /** `undefined` where the token need not name one. */
  readonly issuer: string | undefined;
  /** Each is accepted; `undefined` where the caller checks them. */
  readonly audiences: readonly string[] | undefined;
  readonly requiredClaims: string[];
  readonly clock: Clock;
  readonly trace?: Pick<LoginTrace, "passed"> | undefined;
}

/**
 * The claims of a JWT that the provider has signed.
 *
 * A token may lack "kid", as access tokens of AD FS do: then each published key is tried, up to {@link MAX_TRIED_KEYS}.
 *
 * @throws The signature does not verify, or a claim is not as expected. The message names the claim, not other values.
 */
export async function verifySigned(
  token: string,
  keys: VerificationKeys,
  expected: ExpectedClaims,
): Promise<VerifiedClaims> {
  requireVerifiable(token);
  try {
    const payload = exactPayload(token, await verifyToken(token, keys, expected));
    checkIssuedAt(payload, expected.clock.now());
    traceClaims(token, payload, expected);
    return payload;
  } catch (error) {
    nameKeys(error, token, keys);
    // Claims are validated after the signature.
    if (error instanceof ClaimError) traceClaims(token, decodeJwt(token), expected, error.details);
    throw error;
  }
}

/**
 * The claims of a verified JWT, from the bytes that were signed: jose has rounded their numbers.
 *
 * @throws {ClaimError} `sub` is no text, or a time is no number.
 */
function exactPayload(token: string, read: JWTPayload): VerifiedClaims {
  const json = new TextDecoder().decode(Buffer.from(token.split(".", 2)[1] ?? "", "base64url"));
  const claims = mayBeInexact(json) ? readClaims(json) : read;
  const fault = subjectFault(claims) ?? claimTimeFault(claims);
  if (fault !== undefined) throw new ClaimError(fault, { check: "claims" });
  return claims;
}

/** @param failed What did not pass: claims are compared in this order. Nothing is compared where one is missing. */
function traceClaims(
  token: string,
  { iss, aud, exp }: JWTPayload,
  { issuer, audiences, clock, trace }: ExpectedClaims,
  failed?: ComparedValues,
): void {
  if (trace === undefined) return;
  traceSignature(token, trace);
  const compared = [
    { ...comparedClaim("iss", iss, issuer), message: `"iss" is ${quotedClaim(iss)}` },
    { ...comparedClaim("aud", aud, audiences), message: `"aud" is ${quotedClaim(aud)}` },
    ...(exp === undefined
      ? []
      : [{ ...timeDetails(exp, clock.now()), message: `expires at ${isoTime(exp * 1000)}` }]),
  ];
  if (failed === undefined) trace.passed(...compared);
  else if (failed.received !== undefined)
    trace.passed(
      ...compared.slice(
        0,
        compared.findIndex(({ check }) => check === failed.check),
      ),
    );
}

function traceSignature(token: string, trace: Pick<LoginTrace, "passed">): void {
  const { alg = "", kid } = decodeProtectedHeader(token);
  const key = kid === undefined ? "a key of the provider" : `key ${quotedClaim(kid)} of the provider`;
  trace.passed({
    check: "signature",
    message: `${alg}, by ${key}`,
    ...(kid !== undefined && { received: kid }),
  });
}

async function verifyToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audiences, requiredClaims, clock }: ExpectedClaims,
): Promise<JWTPayload> {
  const options: JWTVerifyOptions = {
    algorithms: [...SIGNATURE_ALGORITHMS],
    ...(issuer !== undefined && { issuer }),
    ...(audiences !== undefined && { audience: [...audiences] }),
    requiredClaims,
    clockTolerance: LEEWAY_SECONDS,
    currentDate: new Date(clock.now()),
  };
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAnyOf(error, token, options);
    throw explained(error, options);
  }
}

async function verifyWithAnyOf(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  let tried = 0;
  for await (const key of keys) {
    if (tried++ === MAX_TRIED_KEYS) throw new errors.JWSSignatureVerificationFailed(TOO_MANY_KEYS);
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw explained(error, options);
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** Adds the value received and the value expected to what jose reports about issuer, audience and times. */
function explained(error: unknown, { issuer, audience, currentDate }: JWTVerifyOptions): unknown {
  if (!(error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)) return error;
  const { claim, payload, message } = error;
  const value = payload[claim];
  if (claim === "iss" || claim === "aud")
    return new ClaimError(
      `${message}: ${quotedClaim(value)}, expected ${quotedClaim(claim === "iss" ? issuer : audience)}`,
      comparedClaim(claim, value, claim === "iss" ? issuer : audience),
    );
  if (typeof value !== "number" || currentDate === undefined) return error;
  const now = currentDate.getTime();
  return new ClaimError(`${message}: ${timeText(value, now)}`, {
    ...comparedClaim(claim, undefined),
    ...timeDetails(value, now),
  });
}

/**
 * jose leaves `iat` to its callers. A token from the future would count as issued after any logout.
 *
 * @see OpenID Connect Core 1.0, 3.1.3.7 (10)
 * @throws {ClaimError}
 */
function checkIssuedAt({ iat }: JWTPayload, now: Moment): void {
  const fault = iat === undefined ? undefined : futureFault("iat", iat, now);
  if (fault !== undefined) throw new ClaimError(fault, timeDetails(iat, now));
}

interface TokenHeader {
  readonly alg?: unknown;
  readonly enc?: unknown;
  readonly kid?: unknown;
}

/** `undefined` where the first part is no JSON object. */
function headerOf(token: string): TokenHeader | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".", 1)[0] ?? "", "base64url").toString());
    return typeof header === "object" && header !== null ? header : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string => quoted(typeof value === "string" ? value : JSON.stringify(value));

/** That a token is encrypted (JWE, RFC 7516), in words; `undefined` if it is not. */
export function encryptionOf(token: string): string | undefined {
  const header = token.split(".").length === 5 ? headerOf(token) : undefined;
  if (header?.enc === undefined) return undefined;
  return `the token is encrypted (JWE with "alg" ${textOf(header.alg)} and "enc" ${textOf(header.enc)}), expected a signed JWT: turn its encryption off at the provider`;
}

interface HeaderFault {
  readonly message: string;
  readonly received: string;
  readonly expected: string;
}

/** Why no key can verify a token, whichever the provider publishes; `undefined` if one may. */
function headerFault(token: string): HeaderFault | undefined {
  const expected = SIGNATURE_ALGORITHMS.join(", ");
  const encryption = encryptionOf(token);
  if (encryption !== undefined) return { message: encryption, received: "JWE", expected };
  const { alg } = headerOf(token) ?? {};
  if (alg === undefined || SIGNATURE_ALGORITHMS.includes(alg as string)) return undefined;
  return { message: algorithmFault(alg, SIGNATURE_ALGORITHMS), received: textOf(alg), expected };
}

/** @param expected One algorithm, or several. */
export function algorithmFault(alg: unknown, expected: unknown): string {
  const isSecret = typeof alg === "string" && alg.startsWith("HS");
  const hint = isSecret ? ": have the provider sign with a key of its own, not with the client's secret" : "";
  return `"alg" of the token's header is ${textOf(alg)}, expected ${[expected].flat().map(String).join(", ")}${hint}`;
}

/** `alg` and `kid` of a token that no key has verified, for the log. */
function namedKey(token: string): string {
  const { alg, kid } = headerOf(token) ?? {};
  return `"alg" is ${textOf(alg)}, "kid" is ${textOf(kid)}`;
}

/** Finds keys; lists those that the provider has published, where it can. */
type VerificationKeys = JWTVerifyGetKey & { readonly jwks?: () => JSONWebKeySet | undefined };

/** @throws {ClaimError} The token is encrypted, or its algorithm is not accepted. */
function requireVerifiable(token: string): void {
  const fault = headerFault(token);
  if (fault === undefined) return;
  const { message, ...compared } = fault;
  throw new ClaimError(message, { check: "signature", ...compared });
}

/** Messages of jose that name no key. */
const KEY_FAULTS: ReadonlySet<string> = new Set([
  new errors.JWKSNoMatchingKey().message,
  new errors.JWSSignatureVerificationFailed().message,
]);

/** Keys of the provider that a message names. */
const MAX_NAMED_KEYS = 5;

/** Adds to an error of jose the key that the token names, and those that the provider publishes. */
export function nameKeys(error: unknown, token: string, keys: VerificationKeys): void {
  if (!(error instanceof errors.JOSEError && KEY_FAULTS.has(error.message))) return;
  const published = keys.jwks?.()?.keys;
  const named = published?.slice(0, MAX_NAMED_KEYS).map(({ kid }) => quotedClaim(kid));
  const more = (published?.length ?? 0) > MAX_NAMED_KEYS ? ", …" : "";
  const expected =
    named === undefined ? "" : `, expected a key of the JWKS, "kid" ${named.join(", ") || "none"}${more}`;
  error.message = `${error.message}: ${namedKey(token)}${expected}`;
}

/**
 * Keys that are tried for a token without "kid". Each costs an import and a verification, and a JWKS of 1 MB holds 2,200 RSA keys:
 * seconds of a core per token.
 */
const MAX_TRIED_KEYS = 20;

const TOO_MANY_KEYS = `signature does not verify with the first ${MAX_TRIED_KEYS} keys of the JWKS; a token without "kid" is tried with no more`;
