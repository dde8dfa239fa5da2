/** Whether a token was issued for access to this service: what JWTs say by themselves, and providers of the others. */
import { decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload } from "jose";
import * as openid from "openid-client";

import type { Clock } from "../../platform/clock.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { Claims } from "./claim-attributes.js";
import { audiencesOf, type OpenIdSettings } from "./openid-settings.js";
import { refusing } from "./openid-refusal.js";
import {
  CLOCK_TOLERANCE_SECONDS,
  SIGNATURE_ALGORITHMS,
  type ProviderConnection,
} from "./provider-connections.js";
import { verifySigned } from "./signed-token.js";
import { askTokenInfo } from "./token-info.js";

export interface AccessTokenCheck {
  readonly connection: ProviderConnection;
  readonly settings: OpenIdSettings;
  readonly clock: Clock;
}

/** What an access token says of its owner. */
export interface AccessTokenFacts {
  readonly claims: Claims;
  /** Whether that it is an access token has yet to be seen by what the provider answers to it. */
  readonly needsUserInfo: boolean;
}

/** @throws {AssertionRefusedError} It is not for this service, not valid any more, or no access token. */
export function readAccessToken(token: string, check: AccessTokenCheck): Promise<AccessTokenFacts> {
  const header = jwtHeader(token);
  if (header !== undefined) return verifyJwt(token, header, check);
  return check.settings.token_info_url === undefined ? introspect(token, check) : tokenInfo(token, check);
}

/** `undefined` where only the provider knows what the token means. */
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
  { connection, settings, clock }: AccessTokenCheck,
): Promise<AccessTokenFacts> {
  const issuer = accessTokenIssuer(connection);
  const payload = await refusing("access-token", () =>
    verifySigned(token, connection.keys, {
      algorithms: SIGNATURE_ALGORITHMS,
      issuer: issuer ?? settings.issuer,
      audience: audiencesOf(settings),
      requiredClaims: issuer === undefined ? ["exp", "sub"] : ["exp"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
    }),
  );
  const kind = kindOf(header, payload, settings.client_id);
  if (kind === "other") throw refused("the token is signed, but is no access token");
  if (payload["cnf"] !== undefined) throw refused("the token is bound to a key of its owner");
  return { claims: payload, needsUserInfo: kind === "unclear" };
}

/**
 * What AD FS calls itself in access tokens alone, by its discovery document. Such tokens have no subject either.
 *
 * @see [MS-OIDCE]: it counts before the issuer.
 */
function accessTokenIssuer({ configuration }: ProviderConnection): string | undefined {
  const issuer = configuration.serverMetadata()["access_token_issuer"];
  return typeof issuer === "string" ? issuer : undefined;
}

/** Claims that only ID tokens and messages between services have. */
const OTHERS_CLAIMS = ["nonce", "at_hash", "c_hash", "s_hash", "events"];
/** Claims that tell what somebody may do, and that no provider has in ID tokens. The last two are of Entra ID. */
const ACCESS_CLAIMS = ["scp", "cid", "appid", "azpacr"];
/** Claims of access tokens that some providers have in ID tokens too. */
const SHARED_CLAIMS = ["scope", "client_id"];

/**
 * By RFC 9068 the header says so. Providers that are older than it sign ID tokens and access tokens alike, and only their claims
 * tell them apart. Keycloak has a claim for it, Cognito another.
 *
 * @returns `unclear` where it may be an ID token as well: the provider's userinfo, which takes access tokens alone, decides.
 */
function kindOf(
  { typ = "JWT" }: JWTHeaderParameters,
  payload: JWTPayload,
  clientId: string,
): "access token" | "unclear" | "other" {
  const type = typ.toLowerCase().replace(/^application\//, "");
  if (type === "at+jwt") return "access token";
  const has = (name: string) => name in payload;
  if (type !== "jwt" || OTHERS_CLAIMS.some(has) || payload["token_use"] === "id") return "other";
  const told = payload["typ"];
  if (told !== undefined) return isBearer(told) ? "access token" : "other";
  if (ACCESS_CLAIMS.some(has)) return "access token";
  if (!SHARED_CLAIMS.some(has)) return "other";
  return isForResource(payload, clientId) ? "access token" : "unclear";
}

/** ID tokens are for the client that they were issued to (OpenID Connect Core 1.0, 2), and access tokens for what it uses. */
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
  { connection, settings, clock }: AccessTokenCheck,
): Promise<AccessTokenFacts> {
  const { configuration } = connection;
  if (configuration.serverMetadata().introspection_endpoint === undefined)
    throw refused("the token is no JWT, and the provider has no introspection");
  const { active, ...claims } = await refusing("introspection", () =>
    openid.tokenIntrospection(configuration, token, { token_type_hint: "access_token" }),
  );
  if (!active) throw refused("the provider says that the token is not valid");
  if (claims.iss !== undefined && claims.iss !== settings.issuer) throw refused('unexpected "iss"');
  if (!isForUs(claims, settings)) throw refused('unexpected "aud" or "client_id"');
  checkTimes(claims, clock);
  if (claims.cnf !== undefined) throw refused("the token is bound to a key of its owner");
  const type = claims.token_type ?? claims["typ"];
  if (type !== undefined && !isBearer(type)) throw refused("it is no access token");
  // Refresh tokens are active too.
  return { claims: { ...claims, iss: settings.issuer }, needsUserInfo: type === undefined };
}

/** Where a provider has an address of its own for this, as Google does. */
async function tokenInfo(
  token: string,
  { connection, settings, clock }: AccessTokenCheck,
): Promise<AccessTokenFacts> {
  const { exp, ...claims } = await refusing("token-info", () =>
    askTokenInfo(token, { url: settings.token_info_url ?? "", fetch: connection.fetch }),
  );
  if (!audiencesOf(settings).includes(claims.aud)) throw refused('unexpected "aud"');
  checkTimes({ exp, nbf: claims["nbf"] }, clock);
  if (claims.sub === undefined) throw refused('the token says nobody\'s "sub": it lacks the scope openid');
  return { claims: { ...claims, exp, iss: settings.issuer }, needsUserInfo: true };
}

type TokenOwner = Pick<openid.IntrospectionResponse, "aud" | "client_id">;

/** A token without an audience is for the client that has it. */
function isForUs({ aud, client_id }: TokenOwner, settings: OpenIdSettings): boolean {
  const audiences = audiencesOf(settings);
  const meant = aud === undefined ? [client_id] : [aud].flat();
  return meant.some((each) => each !== undefined && audiences.includes(each));
}

/** Only numbers are moments: a text would be compared as one, and be in the future for ever. */
function checkTimes({ exp, nbf }: { readonly exp?: unknown; readonly nbf?: unknown }, clock: Clock): void {
  for (const [name, value] of Object.entries({ exp, nbf }))
    if (value !== undefined && !Number.isFinite(value))
      throw refused(`"${name}" is of type ${value === null ? "null" : typeof value}, expected a number`);
  const now = clock.now() / 1000;
  if (exp !== undefined && (exp as number) + CLOCK_TOLERANCE_SECONDS <= now)
    throw refused("the token has expired");
  if (nbf !== undefined && (nbf as number) - CLOCK_TOLERANCE_SECONDS > now)
    throw refused("the token is not yet valid");
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "access-token", reason });
}
