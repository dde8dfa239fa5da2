/** Validates access tokens: JWTs by signature and claims, opaque ones by introspection or token info. */
import { decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload } from "jose";
import * as openid from "openid-client";

import type { Clock } from "../../../platform/clock.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { LEEWAY_SECONDS } from "../../leeway.js";
import type { ComparedValues, LoginTrace } from "../../login-trace.js";
import type { Claims } from "./claim-attributes.js";
import {
  comparedClaim,
  futureFault,
  quotedClaim,
  subjectFault,
  timeDetails,
  timeText,
  withVerifiedClaims,
} from "./claims.js";
import type { OpenIdSettings } from "./openid-settings.js";
import { configure, type ProviderConnection } from "./provider-connections.js";
import { fetchTokenInfo, refusing } from "./provider-requests.js";
import { encryptionOf, verifySigned } from "./signed-token.js";
import { isBearer, kindOf } from "./token-kind.js";

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

/** The accepted audiences. */
function audiencesOf({ client_id, audiences = [] }: OpenIdSettings): string[] {
  return [client_id, ...audiences];
}
