/** Login with OpenID Connect: with an access token, as the command line does it, or in a browser. */
import type { Clock } from "../../platform/clock.js";
import type { AssertionVerifier, VerifierProtocol, VerifierRequest } from "../assertion-verifier.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { createLoginCookies } from "../browser/login-cookies.js";
import type { LoginRequests } from "../browser/begun-logins.js";
import { asVerified, type VerifiedAssertion } from "../verified-assertion.js";
import { readAccessToken } from "./access-token.js";
import { beginLogin, finishLogin, isComingBack } from "./code-flow.js";
import { claimAttributes, claimsElsewhere, type Claims } from "./claim-attributes.js";
import { refusing } from "./openid-refusal.js";
import {
  createProviderConnections,
  type ProviderConnection,
  type ProviderConnectionsDeps,
} from "./provider-connections.js";
import { leavesNamesOut, withUserInfo } from "./user-info.js";

export interface OpenIdVerifierDeps extends ProviderConnectionsDeps {
  readonly clock: Clock;
  readonly loginRequests: LoginRequests;
}

export function createOpenIdVerifier(deps: OpenIdVerifierDeps): AssertionVerifier<"openid"> {
  const connections = createProviderConnections(deps);
  const loginDeps = { ...deps, loginCookies: createLoginCookies() };
  return {
    type: "openid",
    async verify(request, protocol) {
      const accessToken = bearerToken(request);
      if (accessToken === undefined) requireBrowser(request);
      const connection = await refusing("discovery", () => connections.get(protocol.settings));
      if (accessToken !== undefined) {
        const claims = await claimsOf(accessToken, { request, protocol, connection, clock: deps.clock });
        return assertionOf(claims, { request, protocol });
      }
      const login = { request, protocol, connection };
      if (!isComingBack(request)) return beginLogin(login, loginDeps);
      const { claims, origin } = await finishLogin(login, loginDeps);
      return assertionOf(claims, { request, protocol, origin });
    },
  };
}

/** @returns `undefined` where no credentials were sent. */
function bearerToken({ headers: { authorization } }: VerifierRequest): string | undefined {
  if (authorization === undefined) return undefined;
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined) throw refused("the credentials are no access token");
  return token;
}

/** Only who goes to a page can be sent to another one. Dashboards send their own users with a form, too. */
function requireBrowser({ method, origin }: VerifierRequest): void {
  if (method !== "GET" && !(method === "POST" && origin !== undefined))
    throw refused("there is no access token");
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
  if (!needsUserInfo && !leavesNamesOut(claims)) return claims;
  return withUserInfo({ connection, accessToken, claims, isNeeded: needsUserInfo, log: request.log });
}

/** Tokens of providers live for minutes: that they end says nothing about the user, and ends nothing here either. */
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
  const elsewhere = claimsElsewhere(claims);
  if (elsewhere.length > 0)
    request.log.warn({ attributes: elsewhere }, "the provider has left out claims of a user, as too many");
  const remoteId = settings.issuer;
  return asVerified({ identityProviderId, protocolId, remoteId, attributes, expiresAt: undefined, origin });
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "request", reason });
}
