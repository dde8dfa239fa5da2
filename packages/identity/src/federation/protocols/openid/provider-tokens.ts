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

import type { Clock, Moment } from "../../../platform/clock.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { describeTime, isoTime, LEEWAY_SECONDS } from "../../leeway.js";
import type { ComparedValues, LoginTrace } from "../../login-trace.js";
import type { Claims } from "./claim-attributes.js";
import { configure, type ProviderConnection } from "./provider-connections.js";
import { SIGNATURE_ALGORITHMS } from "./token-algorithms.js";
import type { OpenIdSettings } from "./openid-settings.js";
import {
  MAX_TRIED_KEYS,
  nameKeys,
  requireVerifiable,
  TOO_MANY_KEYS,
  type VerificationKeys,
  encryptionOf,
  isBearer,
  kindOf,
} from "./token-form.js";
import { fetchTokenInfo, refusing } from "./provider-requests.js";
import {
  ClaimError,
  comparedClaim,
  quotedClaim,
  subjectFault,
  withVerifiedClaims,
  exactPayload,
  checkIssuedAt,
  futureFault,
  timeDetails,
  type VerifiedClaims,
  audiencesOf,
  isForUs,
  isOfListedClient,
} from "./claims.js";

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
  /** Whether the provider has just reported that the token is active. */
  readonly isActive: boolean;
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
  return { claims: payload, needsUserInfo: kind === "unclear", isActive: false };
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

const INACTIVE = "the provider's introspection reports that the token is not active";

/** @see RFC 7662. */
async function introspect(
  token: string,
  { connection, settings, clock, trace }: AccessTokenCheck,
): Promise<AccessTokenFacts> {
  const { configuration } = connection;
  const encryption = encryptionOf(token);
  if (configuration.serverMetadata().introspection_endpoint === undefined)
    throw refused(encryption ?? "the token is no JWT, and the provider has no introspection endpoint");
  const { active, ...claims } = await refusing(
    "introspection",
    async () =>
      openid.tokenIntrospection(await introspectingClient({ connection, settings, clock }), token, {
        token_type_hint: "access_token",
      }),
    {
      secrets: [token, settings.client_secret ?? undefined],
      ...(encryption !== undefined && { sent: encryption }),
    },
  );
  if (!active) throw refused([INACTIVE, ...(encryption === undefined ? [] : [encryption])].join("; "));
  const fault = subjectFault(claims);
  if (fault !== undefined) throw refused(fault);
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
  return { claims: { ...claims, iss: settings.issuer }, needsUserInfo: type === undefined, isActive: true };
}

/** A client that receives the claims of a signed response only once its signature is verified. */
async function introspectingClient(check: AccessTokenCheck): Promise<openid.Configuration> {
  const { configuration, fetch } = check.connection;
  const client = await configure(check.settings, { metadata: configuration.serverMetadata(), fetch });
  client[openid.customFetch] = withVerifiedClaims(fetch, `application/${INTROSPECTION_TYPE}`, (signed) =>
    signedIntrospection(signed, check),
  );
  return client;
}

const INTROSPECTION_TYPE = "token-introspection+jwt";

/** @see RFC 9701, 5: the header's type keeps it apart from access tokens. */
async function signedIntrospection(
  signed: string,
  { connection, settings, clock }: AccessTokenCheck,
): Promise<Claims> {
  const { token_introspection: claims } = await verifySigned(signed, connection.keys, {
    issuer: settings.issuer,
    audiences: [settings.client_id],
    requiredClaims: ["iat"],
    clock,
  });
  const { typ } = decodeProtectedHeader(signed);
  if (typ?.toLowerCase().replace(/^application\//, "") !== INTROSPECTION_TYPE)
    throw new TypeError(
      `"typ" of the signed introspection's header is ${quotedClaim(typ)}, expected "${INTROSPECTION_TYPE}"`,
    );
  if (typeof claims !== "object" || claims === null || Array.isArray(claims))
    throw new TypeError('"token_introspection" of the signed introspection is no object');
  return claims as Claims;
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
  return { claims: { ...claims, exp, iss: settings.issuer }, needsUserInfo: true, isActive: true };
}

interface ReceivedTimes {
  readonly exp?: unknown;
  readonly nbf?: unknown;
  readonly iat?: unknown;
}

/** Only numbers are times: a string would compare as not expired. */
function checkTimes({ exp, nbf, iat }: ReceivedTimes, clock: Clock): void {
  for (const [name, value] of Object.entries({ exp, nbf, iat }))
    if (value !== undefined && !Number.isFinite(value))
      throw refused(`"${name}" is of type ${value === null ? "null" : typeof value}, expected a number`);
  const now = clock.now();
  if (exp !== undefined && (exp as number) + LEEWAY_SECONDS <= now / 1000)
    throw refused(`the token has expired: ${timeText(exp as number, now)}`, timeDetails(exp, now));
  if (nbf !== undefined && (nbf as number) - LEEWAY_SECONDS > now / 1000)
    throw refused(`the token is not yet valid: ${timeText(nbf as number, now)}`, timeDetails(nbf, now));
  const fault = iat === undefined ? undefined : futureFault("iat", iat as number, now);
  if (fault !== undefined) throw refused(fault, timeDetails(iat, now));
}

function refused(reason: string, details?: ComparedValues): AssertionRefusedError {
  return new AssertionRefusedError({ step: "access-token", reason }, { details });
}

export interface ExpectedClaims {
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

/** A time of a token, in seconds, and its offset from now. */
const timeText = (seconds: number, now: Moment): string => describeTime(seconds * 1000, now);
