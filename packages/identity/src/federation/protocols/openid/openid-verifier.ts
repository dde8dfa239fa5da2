/** Login with OpenID Connect: with an access token, as command-line clients do, or in a browser. */
import type { Platform } from "../../../area.js";
import type { Clock } from "../../../platform/clock.js";
import {
  asVerified,
  type EnabledProtocol,
  type FederatedRequest,
  type ProviderSession,
  type VerifiedAssertion,
} from "../../assertion-verifier.js";
import type { BeginLogin } from "../../browser/begun-login-limit.js";
import { createLoginCookies } from "../../browser/login-cookies.js";
import type { PendingLogins } from "../../browser/pending-logins.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import type { ProtocolLogins } from "../protocol-type.js";
import { readAccessToken, type AccessTokenFacts } from "./access-token.js";
import { checkStrength } from "./authentication-strength.js";
import {
  attributesOfClaims,
  claimAttributes,
  namesOfDistributedClaims,
  type Claims,
} from "./claim-attributes.js";
import { beginLogin, finishLogin, isReturning, type FinishedLogin } from "./code-flow.js";
import type { OpenIdSessionHint } from "./openid-logout.js";
import { acceptsAccessTokens, type OpenIdSettings, type AnyOpenIdSettings } from "./openid-settings.js";
import type { createKeyCache, ProviderConnection, ProviderConnections } from "./provider-connections.js";
import { refusing } from "./provider-requests.js";
import { isForWorkload } from "./token-kind.js";
import { leavesNamesOut, needOfUserInfo, withUserInfo } from "./user-info.js";
import { createWorkloadVerification, type VerifiedWorkload } from "./workload/workload-token.js";

export interface OpenIdVerifierDeps extends Pick<Platform, "clock"> {
  readonly connections: ProviderConnections;
  /** The keys of providers of workloads. */
  readonly workloadKeys: ReturnType<typeof createKeyCache>;
  readonly pendingLogins: PendingLogins;
  readonly beginLogin: BeginLogin;
}

export function createOpenIdVerifier(deps: OpenIdVerifierDeps): ProtocolLogins<AnyOpenIdSettings>["verify"] {
  const { clock, pendingLogins, connections, workloadKeys, beginLogin: admit } = deps;
  const loginCookies = createLoginCookies();
  const verifyWorkload = createWorkloadVerification();

  async function logInWorkload(
    token: string,
    protocol: EnabledProtocol<AnyOpenIdSettings>,
    { log, trace }: FederatedRequest,
  ): Promise<VerifiedAssertion> {
    const { settings } = protocol;
    const keys = await refusing("discovery", () => workloadKeys.get(protocol, log));
    const { claims, ...verified } = await verifyWorkload(token, { settings, keys, clock, trace });
    return assertionOf(claims, { protocol, clock, ...verified });
  }

  return async (request, anyProtocol) => {
    const accessToken = bearerToken(request);
    if (accessToken !== undefined && isForWorkload(accessToken, anyProtocol.settings))
      return logInWorkload(accessToken, anyProtocol, request);
    if (accessToken === undefined) requireBrowser(request);
    const protocol = requireClient(anyProtocol);
    const { log } = request;
    const connection = await refusing("discovery", () => connections.get(protocol, log));
    if (accessToken !== undefined) {
      const facts = await readToken(accessToken, { request, protocol, connection, clock });
      return assertionOf(facts.claims, { protocol, clock, isActive: facts.isActive });
    }
    const login = { request, protocol, connection, pendingLogins, loginCookies, clock };
    if (!isReturning(request)) {
      await admit(request);
      return beginLogin(login);
    }
    const { claims, idToken, origin } = await finishLogin(login);
    return assertionOf(claims, { protocol, clock, idToken, origin });
  };
}

/** @returns `undefined` without credentials. */
function bearerToken({ headers: { authorization } }: FederatedRequest): string | undefined {
  if (authorization === undefined) return undefined;
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw refused("no access token: the Authorization header holds other credentials than a Bearer token");
  return token;
}

/** Only a browser that requests a page can be redirected. Dashboards send their users with a form, too. */
function requireBrowser({ method, origin }: FederatedRequest): void {
  if (method !== "GET" && !(method === "POST" && origin !== undefined))
    throw refused(`no access token in the Authorization header of a ${method} request`);
}

/** @throws {AssertionRefusedError} The protocol is for tokens of workloads alone. */
function requireClient(protocol: EnabledProtocol<AnyOpenIdSettings>): EnabledProtocol<OpenIdSettings> {
  const { settings } = protocol;
  const { client_id } = settings;
  if (client_id === undefined || !acceptsAccessTokens(settings))
    throw refused('no token of a workload in the Authorization header ("token_kinds" is ["workload"])');
  // The same settings object: caches digest each object once.
  return { ...protocol, settings: settings as OpenIdSettings };
}

interface TokenLogin {
  readonly request: FederatedRequest;
  readonly protocol: EnabledProtocol<OpenIdSettings>;
  readonly connection: ProviderConnection;
  readonly clock: Clock;
}

async function readToken(
  accessToken: string,
  login: TokenLogin,
): Promise<Omit<AccessTokenFacts, "needsUserInfo">> {
  const { connection, clock, request, protocol } = login;
  const check = { connection, settings: protocol.settings, clock, trace: request.trace };
  const { claims, needsUserInfo, isActive } = await readAccessToken(accessToken, check);
  const now = clock.now();
  checkStrength(claims, protocol.settings, { step: "access-token", since: now, now });
  const need = needOfUserInfo(protocol.settings, needsUserInfo);
  if (need === undefined && !leavesNamesOut(claims)) return { claims, isActive };
  return { claims: await withUserInfo({ ...check, accessToken, claims, need, log: request.log }), isActive };
}

interface VerifiedLogin
  extends Partial<Omit<VerifiedWorkload, "claims">>, Partial<Omit<FinishedLogin, "claims">> {
  readonly protocol: EnabledProtocol<AnyOpenIdSettings>;
  readonly clock: Clock;
  /** Whether the provider has just reported that the access token is active. */
  readonly isActive?: boolean;
}

/** Users' logins have no expiry: a provider's tokens live for minutes, and their end says nothing about the user's session. */
function assertionOf(claims: Claims, login: VerifiedLogin): VerifiedAssertion {
  const { protocol, origin, expiresAt, workload } = login;
  const { idpId: identityProviderId, id: protocolId, settings } = protocol;
  const { issuer: remoteId, attribute_prefix: prefix } = settings;
  const { attributes, rounded, ...described } = login.described ?? claimAttributes(claims, settings);
  const distributed = namesOfDistributedClaims(claims);
  const namesOf = (names: readonly string[]) => attributesOfClaims(names, prefix);
  return asVerified({
    identityProviderId,
    protocolId,
    remoteId,
    attributes,
    rounded,
    expiresAt,
    origin,
    leftOut: [
      {
        reason: "values with semicolons were left out of a user's claims",
        attributes: namesOf(described.leftOut),
      },
      {
        reason: "claims of a user that are there by two spellings were left out",
        attributes: [...new Set([...namesOf(described.ambiguous), ...described.ambiguousAttributes])],
      },
      {
        reason: "the provider has left out claims of a user, as too many",
        attributes: namesOf(distributed),
      },
    ],
    session: settings.logout === true && workload === undefined ? sessionOfClaims(claims, login) : undefined,
    ...(workload !== undefined && { workload }),
  });
}

/** `undefined` for a token without a user: no logout names it. */
function sessionOfClaims(
  { sub, sid, iat }: Claims,
  { idToken, clock, isActive = false }: VerifiedLogin,
): ProviderSession | undefined {
  if (typeof sub !== "string") return undefined;
  const hint: OpenIdSessionHint = { idToken };
  return {
    subject: [sub],
    index: typeof sid === "string" && sid !== "" ? sid : undefined,
    issuedAt: typeof iat === "number" ? iat * 1000 : isActive ? clock.now() : undefined,
    hint,
  };
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "request", reason });
}
