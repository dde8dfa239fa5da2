/** What a JWT is: by its header, before a key is looked for, and by its claims; and why no key of the provider verifies it. */
import { quoted } from "../../../platform/text/quoted-value.js";
import {
  decodeJwt,
  decodeProtectedHeader,
  type JWTHeaderParameters,
  type JWTPayload,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from "jose";
import { ClaimError, quotedClaim } from "./claims.js";
import { SIGNATURE_ALGORITHMS } from "./token-algorithms.js";
import { type AnyOpenIdSettings, acceptsAccessTokens, acceptsWorkloads } from "./openid-settings.js";

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

export interface HeaderFault {
  readonly message: string;
  readonly received: string;
  readonly expected: string;
}

/** Why no key can verify a token, whichever the provider publishes; `undefined` if one may. */
export function headerFault(token: string): HeaderFault | undefined {
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
export function namedKey(token: string): string {
  const { alg, kid } = headerOf(token) ?? {};
  return `"alg" is ${textOf(alg)}, "kid" is ${textOf(kid)}`;
}

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

/** Finds keys; lists those that the provider has published, where it can. */
export type VerificationKeys = JWTVerifyGetKey & { readonly jwks?: () => JSONWebKeySet | undefined };

/** @throws {ClaimError} The token is encrypted, or its algorithm is not accepted. */
export function requireVerifiable(token: string): void {
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
export const MAX_TRIED_KEYS = 20;

export const TOO_MANY_KEYS = `signature does not verify with the first ${MAX_TRIED_KEYS} keys of the JWKS; a token without "kid" is tried with no more`;

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
