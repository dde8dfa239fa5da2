/** Validates tokens of the provider: JWTs by signature and claims, opaque access tokens by introspection or token info. */
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from "jose";
import * as openid from "openid-client";

import type { Clock, Moment } from "../../platform/clock.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { describeTime, isoTime, LEEWAY_SECONDS } from "../leeway.js";
import type { ComparedValues, LoginTrace } from "../login-trace.js";
import type { Claims } from "./claim-attributes.js";
import type { OpenIdSettings, ProviderConnection } from "./provider-connections.js";
import { ClaimError, comparedClaim, fetchTokenInfo, quotedClaim, refusing } from "./provider-requests.js";

export interface AccessTokenCheck {
  readonly connection: ProviderConnection;
  readonly settings: OpenIdSettings;
  readonly clock: Clock;
  readonly trace?: LoginTrace | undefined;
}

export interface AccessTokenFacts {
  readonly claims: Claims;
  /** Whether it may be another kind of token: the provider's userinfo, which takes access tokens only, decides. */
  readonly needsUserInfo: boolean;
}

/** @throws {AssertionRefusedError} Invalid signature, issuer or audience, expired, or no access token. */
export function readAccessToken(token: string, check: AccessTokenCheck): Promise<AccessTokenFacts> {
  const header = jwtHeader(token);
  if (header !== undefined) return verifyJwt(token, header, check);
  return check.settings.token_info_url === undefined ? introspect(token, check) : tokenInfo(token, check);
}

/** `undefined` if the token is opaque. */
function jwtHeader(token: string): JWTHeaderParameters | undefined {
  if (token.split(".").length !== 3) return undefined;
  try {
    return decodeProtectedHeader(token) as JWTHeaderParameters;
  } catch {
    return undefined;
  }
}

async function verifyJwt(
  token: string,
  header: JWTHeaderParameters,
  { connection, settings, clock, trace }: AccessTokenCheck,
): Promise<AccessTokenFacts> {
  trace?.passed({ check: "message", message: "access token, a signed JWT" });
  const issuer = accessTokenIssuer(connection);
  const payload = await refusing("access-token", () =>
    verifySigned(token, connection.keys, {
      issuer: issuer ?? settings.issuer,
      audiences: settings.access_token_clients === undefined ? audiencesOf(settings) : undefined,
      requiredClaims: issuer === undefined ? ["exp", "sub"] : ["exp"],
      clock,
      trace,
    }),
  );
  if (settings.access_token_clients !== undefined) requireForUs(payload, settings);
  const kind = kindOf(header, payload, settings.client_id);
  if (kind === "other")
    throw refused(
      `the token is signed, but is no access token: "typ" of its header is ${quotedClaim(header.typ)} (RFC 9068: at+jwt)`,
    );
  if (payload["cnf"] !== undefined) throw refused(BOUND);
  return { claims: payload, needsUserInfo: kind === "unclear" };
}

/** @throws {AssertionRefusedError} Neither its client nor its audience is accepted. */
function requireForUs(payload: JWTPayload, settings: OpenIdSettings): void {
  if (isOfListedClient(payload, settings) || (payload.aud !== undefined && isForUs(payload, settings)))
    return;
  const { aud, azp, client_id: clientId } = payload;
  throw refused(
    `unexpected "aud": ${quotedClaim(aud)}, expected ${quotedClaim(audiencesOf(settings))}, or "client_id" and "azp" among access_token_clients: ${quotedClaim([clientId, azp])}, expected ${quotedClaim(settings.access_token_clients)}`,
    comparedClaim("aud", aud, audiencesOf(settings)),
  );
}

const BOUND = 'the token is bound to a key of the client ("cnf"), expected a plain bearer token';

/**
 * The issuer that AD FS names in access tokens, by its discovery document. Such tokens have no `sub`.
 *
 * @see [MS-OIDCE]: it takes precedence over the issuer.
 */
function accessTokenIssuer({ configuration }: ProviderConnection): string | undefined {
  const issuer = configuration.serverMetadata()["access_token_issuer"];
  return typeof issuer === "string" ? issuer : undefined;
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

function isBearer(type: unknown): boolean {
  return typeof type === "string" && type.toLowerCase() === "bearer";
}

/** @see RFC 7662. */
async function introspect(
  token: string,
  { connection, settings, clock, trace }: AccessTokenCheck,
): Promise<AccessTokenFacts> {
  const { configuration } = connection;
  if (configuration.serverMetadata().introspection_endpoint === undefined)
    throw refused("the token is no JWT, and the provider has no introspection endpoint");
  const { active, ...claims } = await refusing("introspection", () =>
    openid.tokenIntrospection(configuration, token, { token_type_hint: "access_token" }),
  );
  if (!active) throw refused("the provider's introspection reports that the token is not active");
  if (claims.iss !== undefined && claims.iss !== settings.issuer)
    throw refused(
      `unexpected "iss": ${quotedClaim(claims.iss)}, expected ${quotedClaim(settings.issuer)}`,
      comparedClaim("iss", claims.iss, settings.issuer),
    );
  const audience = comparedClaim("aud", claims.aud ?? claims.client_id, audiencesOf(settings));
  if (!isForUs(claims, settings))
    throw refused(
      `unexpected "aud" or "client_id": ${quotedClaim(claims.aud ?? claims.client_id)}, expected ${quotedClaim(audiencesOf(settings))}`,
      audience,
    );
  checkTimes(claims, clock);
  trace?.passed(
    { check: "message", message: "access token, active by the provider's introspection" },
    { ...audience, message: "the token is for this service" },
    { check: "time", message: "not expired" },
  );
  if (claims.cnf !== undefined) throw refused(BOUND);
  const type = claims.token_type ?? claims["typ"];
  if (type !== undefined && !isBearer(type))
    throw refused(`"token_type" is ${quotedClaim(type)}, expected "Bearer"`);
  // Refresh tokens are active too.
  return { claims: { ...claims, iss: settings.issuer }, needsUserInfo: type === undefined };
}

/** For providers without introspection, such as Google (`token_info_url`). */
async function tokenInfo(
  token: string,
  { connection, settings, clock, trace }: AccessTokenCheck,
): Promise<AccessTokenFacts> {
  const { exp, ...claims } = await refusing("token-info", () =>
    fetchTokenInfo(token, { url: settings.token_info_url ?? "", fetch: connection.fetch }),
  );
  const audience = comparedClaim("aud", claims.aud, audiencesOf(settings));
  if (!audiencesOf(settings).includes(claims.aud))
    throw refused(
      `unexpected "aud": ${quotedClaim(claims.aud)}, expected ${quotedClaim(audiencesOf(settings))}`,
      audience,
    );
  checkTimes({ exp, nbf: claims["nbf"] }, clock);
  trace?.passed(
    { check: "message", message: "access token, known to token_info_url" },
    { ...audience, message: "the token is for this service" },
    { check: "time", message: "not expired" },
  );
  if (claims.sub === undefined)
    throw refused('the token info carries no "sub": the token lacks the scope openid');
  return { claims: { ...claims, exp, iss: settings.issuer }, needsUserInfo: true };
}

interface TokenOwner {
  readonly aud?: unknown;
  readonly client_id?: unknown;
  readonly azp?: unknown;
}

/** Whether the token was issued to a client of `access_token_clients`, and to no other. Glewlwyd's audience is a list of scopes. */
function isOfListedClient(
  { client_id, azp }: TokenOwner,
  { access_token_clients: listed = [] }: OpenIdSettings,
): boolean {
  const issuedTo = [client_id, azp].filter((each) => each !== undefined);
  return issuedTo.length > 0 && issuedTo.every((each) => listed.includes(each as string));
}

/** A token without an audience is for its client. */
function isForUs(claims: TokenOwner, settings: OpenIdSettings): boolean {
  const { aud, client_id } = claims;
  if (isOfListedClient(claims, settings)) return true;
  const audiences = audiencesOf(settings);
  const meant = aud === undefined ? [client_id] : [aud].flat();
  return meant.some((each) => audiences.includes(each as string));
}

/** Only numbers are times: a string would compare as not expired. */
function checkTimes({ exp, nbf }: { readonly exp?: unknown; readonly nbf?: unknown }, clock: Clock): void {
  for (const [name, value] of Object.entries({ exp, nbf }))
    if (value !== undefined && !Number.isFinite(value))
      throw refused(`"${name}" is of type ${value === null ? "null" : typeof value}, expected a number`);
  const now = clock.now();
  if (exp !== undefined && (exp as number) + LEEWAY_SECONDS <= now / 1000)
    throw refused(`the token has expired: ${timeText(exp as number, now)}`, timeDetails(exp, now));
  if (nbf !== undefined && (nbf as number) - LEEWAY_SECONDS > now / 1000)
    throw refused(`the token is not yet valid: ${timeText(nbf as number, now)}`, timeDetails(nbf, now));
}

/** The accepted audiences. */
function audiencesOf({ client_id, audiences = [] }: OpenIdSettings): string[] {
  return [client_id, ...audiences];
}

function refused(reason: string, details?: ComparedValues): AssertionRefusedError {
  return new AssertionRefusedError({ step: "access-token", reason }, { details });
}

function timeDetails(seconds: unknown, now: Moment): ComparedValues {
  return { check: "time", received: isoTime(Number(seconds) * 1000), expected: `valid at ${isoTime(now)}` };
}

/** Asymmetric algorithms only: the client can't make such signatures. */
const SIGNATURE_ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
/**
 * Keys that are tried for a token without "kid". Each costs an import and a verification, and a JWKS of 1 MB holds 2,200 RSA keys:
 * seconds of a core per token.
 */
export const MAX_TRIED_KEYS = 20;

const TOO_MANY_KEYS = `signature does not verify with the first ${MAX_TRIED_KEYS} keys of the JWKS; a token without "kid" is tried with no more`;

export interface ExpectedClaims {
  readonly issuer: string;
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
  keys: JWTVerifyGetKey,
  expected: ExpectedClaims,
): Promise<JWTPayload> {
  try {
    const payload = await verifyToken(token, keys, expected);
    traceClaims(token, payload, expected);
    return payload;
  } catch (error) {
    // Claims are validated after the signature.
    if (error instanceof ClaimError) traceClaims(token, decodeJwt(token), expected, error.details);
    throw error;
  }
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
    algorithms: SIGNATURE_ALGORITHMS,
    issuer,
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

/** A time of a token, in seconds, and its offset from now. */
function timeText(seconds: number, now: Moment): string {
  return describeTime(seconds * 1000, now);
}
