/** Login with OpenID Connect: with an access token, as command-line clients do, or in a browser. */
import { acceptsAccessTokens } from "../../identity-providers/protocols/workload-settings.js";
import type { Clock } from "../../platform/clock.js";
import {
  asVerified,
  type AssertionVerifier,
  type ProviderSession,
  type VerifiedAssertion,
  type VerifierProtocol,
  type VerifierRequest,
} from "../assertion-verifier.js";
import type { BegunLogins } from "../browser/begun-logins.js";
import { createLoginCookies } from "../browser/login-cookies.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { OpenIdSessionHint } from "../logout/openid-logout.js";
import { checkStrength } from "./authentication-strength.js";
import {
  attributesOfClaims,
  claimAttributes,
  namesOfDistributedClaims,
  type Claims,
} from "./claim-attributes.js";
import { beginLogin, finishLogin, isReturning, type FinishedLogin } from "./code-flow.js";
import {
  createKeyCache,
  createProviderConnections,
  type ClientProtocol,
  type OpenIdSettings,
  type ProviderConnection,
  type ProviderConnections,
  type ProviderConnectionsDeps,
} from "./provider-connections.js";
import { leavesNamesOut, needOfUserInfo, refusing, withUserInfo } from "./provider-requests.js";
import { readAccessToken } from "./provider-tokens.js";
import { createWorkloadVerification } from "./workload/verified-workloads.js";
import { isForWorkload, type VerifiedWorkload } from "./workload/workload-token.js";

export interface OpenIdVerifierDeps extends ProviderConnectionsDeps {
  readonly clock: Clock;
  readonly begunLogins: BegunLogins;
}

export interface OpenIdVerifier extends AssertionVerifier<"openid"> {
  /** For logouts, too. */
  readonly connections: ProviderConnections;
}

export function createOpenIdVerifier(deps: OpenIdVerifierDeps): OpenIdVerifier {
  const connections = createProviderConnections(deps);
  const { clock, begunLogins } = deps;
  const loginCookies = createLoginCookies();
  const workloadKeys = createKeyCache(deps);
  const verifyWorkload = createWorkloadVerification();

  async function logInWorkload(
    token: string,
    protocol: VerifierProtocol<"openid">,
    { log, trace }: VerifierRequest,
  ): Promise<VerifiedAssertion> {
    const { settings } = protocol;
    const keys = await refusing("discovery", () => workloadKeys.get({ ...protocol, log }));
    const { claims, ...verified } = await verifyWorkload(token, { settings, keys, clock, trace });
    return assertionOf(claims, { protocol, clock, ...verified });
  }

  return {
    type: "openid",
    connections,
    async verify(request, anyProtocol) {
      const accessToken = bearerToken(request);
      if (accessToken !== undefined && isForWorkload(accessToken, anyProtocol.settings))
        return logInWorkload(accessToken, anyProtocol, request);
      if (accessToken === undefined) requireBrowser(request);
      const protocol = requireClient(anyProtocol);
      const { log } = request;
      const connection = await refusing("discovery", () => connections.get({ ...protocol, log }));
      if (accessToken !== undefined) {
        const claims = await claimsOf(accessToken, { request, protocol, connection, clock });
        return assertionOf(claims, { protocol, clock });
      }
      const login = { request, protocol, connection, begunLogins, loginCookies, clock };
      if (!isReturning(request)) return beginLogin(login);
      const { claims, idToken, origin } = await finishLogin(login);
      return assertionOf(claims, { protocol, clock, idToken, origin });
    },
  };
}

/** @returns `undefined` without credentials. */
function bearerToken({ headers: { authorization } }: VerifierRequest): string | undefined {
  if (authorization === undefined) return undefined;
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw refused("no access token: the Authorization header holds other credentials than a Bearer token");
  return token;
}

/** Only a browser that requests a page can be redirected. Dashboards send their users with a form, too. */
function requireBrowser({ method, origin }: VerifierRequest): void {
  if (method !== "GET" && !(method === "POST" && origin !== undefined))
    throw refused(`no access token in the Authorization header of a ${method} request`);
}

/** @throws {AssertionRefusedError} The protocol is for tokens of workloads alone. */
function requireClient(protocol: VerifierProtocol<"openid">): ClientProtocol {
  const { settings } = protocol;
  const { client_id } = settings;
  if (client_id === undefined || !acceptsAccessTokens(settings))
    throw refused('no token of a workload in the Authorization header ("token_kinds" is ["workload"])');
  // The same settings object: caches digest each object once.
  return { ...protocol, settings: settings as OpenIdSettings };
}

interface TokenLogin {
  readonly request: VerifierRequest;
  readonly protocol: ClientProtocol;
  readonly connection: ProviderConnection;
  readonly clock: Clock;
}

async function claimsOf(accessToken: string, login: TokenLogin): Promise<Claims> {
  const { connection, clock, request, protocol } = login;
  const check = { connection, settings: protocol.settings, clock, trace: request.trace };
  const { claims, needsUserInfo } = await readAccessToken(accessToken, check);
  const now = clock.now();
  checkStrength(claims, protocol.settings, { step: "access-token", since: now, now });
  const need = needOfUserInfo(protocol.settings, needsUserInfo);
  if (need === undefined && !leavesNamesOut(claims)) return claims;
  return withUserInfo({ connection, accessToken, claims, need, log: request.log });
}

interface VerifiedLogin
  extends Partial<Omit<VerifiedWorkload, "claims">>, Partial<Omit<FinishedLogin, "claims">> {
  readonly protocol: VerifierProtocol<"openid">;
  readonly clock: Clock;
}

/** Users' logins have no expiry: a provider's tokens live for minutes, and their end says nothing about the user's session. */
function assertionOf(claims: Claims, login: VerifiedLogin): VerifiedAssertion {
  const { protocol, origin, expiresAt, workload } = login;
  const { identityProviderId, protocolId, settings } = protocol;
  const { issuer: remoteId, attribute_prefix: prefix } = settings;
  const { attributes, leftOut } = login.described ?? claimAttributes(claims, prefix);
  const distributed = namesOfDistributedClaims(claims);
  const namesOf = (names: readonly string[]) => attributesOfClaims(names, prefix);
  return asVerified({
    identityProviderId,
    protocolId,
    remoteId,
    attributes,
    expiresAt,
    origin,
    leftOut: [
      {
        reason: "values with semicolons were left out of a user's claims",
        attributes: namesOf(leftOut),
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
  { idToken, clock }: VerifiedLogin,
): ProviderSession | undefined {
  if (typeof sub !== "string") return undefined;
  const hint: OpenIdSessionHint = { idToken };
  return {
    subject: [sub],
    index: typeof sid === "string" && sid !== "" ? sid : undefined,
    // Opaque tokens may lack it: the provider has just reported that the token is active.
    issuedAt: typeof iat === "number" ? iat * 1000 : clock.now(),
    hint,
  };
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "request", reason });
}
