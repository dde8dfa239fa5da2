/** Login with OpenID Connect: with an access token, as command-line clients do, or in a browser. */
import type { Clock } from "../../platform/clock.js";
import {
  asVerified,
  type AssertionVerifier,
  type VerifiedAssertion,
  type VerifierProtocol,
  type VerifierRequest,
} from "../assertion-verifier.js";
import type { BegunLogins } from "../browser/begun-logins.js";
import { createLoginCookies } from "../browser/login-cookies.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { claimAttributes, namesOfDistributedClaims, type Claims } from "./claim-attributes.js";
import { beginLogin, finishLogin, isReturning } from "./code-flow.js";
import {
  createProviderConnections,
  type ProviderConnection,
  type ProviderConnectionsDeps,
} from "./provider-connections.js";
import { leavesNamesOut, needOfUserInfo, refusing, withUserInfo } from "./provider-requests.js";
import { readAccessToken } from "./provider-tokens.js";

export interface OpenIdVerifierDeps extends ProviderConnectionsDeps {
  readonly clock: Clock;
  readonly begunLogins: BegunLogins;
}

export function createOpenIdVerifier(deps: OpenIdVerifierDeps): AssertionVerifier<"openid"> {
  const connections = createProviderConnections(deps);
  const { clock, begunLogins } = deps;
  const loginCookies = createLoginCookies();
  return {
    type: "openid",
    async verify(request, protocol) {
      const accessToken = bearerToken(request);
      if (accessToken === undefined) requireBrowser(request);
      const connection = await refusing("discovery", () => connections.get(protocol.settings));
      if (accessToken !== undefined) {
        const claims = await claimsOf(accessToken, { request, protocol, connection, clock });
        return assertionOf(claims, { request, protocol });
      }
      const login = { request, protocol, connection, begunLogins, loginCookies, clock };
      if (!isReturning(request)) return beginLogin(login);
      const { claims, origin } = await finishLogin(login);
      return assertionOf(claims, { request, protocol, origin });
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

interface TokenLogin {
  readonly request: VerifierRequest;
  readonly protocol: VerifierProtocol<"openid">;
  readonly connection: ProviderConnection;
  readonly clock: Clock;
}

async function claimsOf(accessToken: string, login: TokenLogin): Promise<Claims> {
  const { connection, clock, request, protocol } = login;
  const check = { connection, settings: protocol.settings, clock };
  const { claims, needsUserInfo } = await readAccessToken(accessToken, check);
  const need = needOfUserInfo(protocol.settings, needsUserInfo);
  if (need === undefined && !leavesNamesOut(claims)) return claims;
  return withUserInfo({ connection, accessToken, claims, need, log: request.log });
}

/** Without an expiry: a provider's tokens live for minutes, and their end says nothing about the user's session. */
function assertionOf(
  claims: Claims,
  {
    request,
    protocol,
    origin,
  }: Pick<TokenLogin, "request" | "protocol"> & { readonly origin?: string | undefined },
): VerifiedAssertion {
  const { identityProviderId, protocolId, settings } = protocol;
  const { attributes, leftOut } = claimAttributes(claims, settings.attribute_prefix);
  if (leftOut.length > 0)
    request.log.warn({ attributes: leftOut }, "values with semicolons were left out of a user's claims");
  const elsewhere = namesOfDistributedClaims(claims);
  if (elsewhere.length > 0)
    request.log.warn({ attributes: elsewhere }, "the provider has left out claims of a user, as too many");
  const remoteId = settings.issuer;
  return asVerified({ identityProviderId, protocolId, remoteId, attributes, expiresAt: undefined, origin });
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "request", reason });
}
