/**
 * Login in a browser: the authorization code flow with PKCE.
 *
 * @see OpenID Connect Core 1.0, 3.1; RFC 7636; RFC 9700.
 */
import * as openid from "openid-client";

import type { Clock } from "../../../platform/clock.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import type { BrowserStep, EnabledProtocol, FederatedRequest } from "../../assertion-verifier.js";
import type { LoginCookies } from "../../browser/login-cookies.js";
import {
  beginInBrowser,
  findInBrowser,
  loginExpiry,
  type PendingLogins,
  type BrowserState,
} from "../../browser/pending-logins.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { errorCodeText, oauthWords } from "../../provider-words.js";
import { checkStrength, strengthParameters } from "./authentication-strength.js";
import type { Claims } from "./claim-attributes.js";
import { quotedClaim } from "./claims.js";
import { verifyIdToken, type IdTokenCheck, type ReceivedTokens } from "./id-token.js";
import { DEFAULT_SCOPES, type OpenIdSettings } from "./openid-settings.js";
import { configure, type ProviderConnection } from "./provider-connections.js";
import { refusing } from "./provider-requests.js";
import { needOfUserInfo, withUserInfo } from "./user-info.js";

/** The parameters of the provider's response: others in the URL come from elsewhere. */
const RESPONSE_PARAMETERS = ["code", "state", "iss", "error", "error_description", "error_uri"];

/** What the browser carries besides {@link BrowserState}. */
interface CodeFlowState {
  readonly issuer: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface CodeFlowLogin {
  readonly request: FederatedRequest;
  readonly protocol: EnabledProtocol<OpenIdSettings>;
  readonly connection: ProviderConnection;
  readonly pendingLogins: PendingLogins;
  readonly loginCookies: LoginCookies;
  readonly clock: Clock;
}

/** Whether the provider redirected the browser here. An error without `state` must not begin a login, which would end in it again. */
export function isReturning({ query }: FederatedRequest): boolean {
  return query.has("error") || (query.has("state") && query.has("code"));
}

/** Redirects the browser to the provider. */
export async function beginLogin(login: CodeFlowLogin): Promise<BrowserStep> {
  const { protocol, connection, loginCookies, clock } = login;
  const state = openid.randomState();
  const data: CodeFlowState = {
    issuer: protocol.settings.issuer,
    nonce: openid.randomNonce(),
    codeVerifier: openid.randomPKCECodeVerifier(),
  };
  const location = await refusing("authorization", async () =>
    openid.buildAuthorizationUrl(connection.configuration, {
      redirect_uri: protocol.authUrl,
      scope: scopeOf(protocol.settings),
      ...strengthParameters(protocol.settings),
      state,
      nonce: data.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(data.codeVerifier),
      code_challenge_method: "S256",
    }),
  );
  const cookies = beginInBrowser(login, {
    kind: "openid",
    id: state,
    data,
    loginCookies,
    clock,
    returnName: "redirectUri",
    isPostedBack: false,
  });
  return { status: 302, headers: { location: location.href, "set-cookie": cookies }, body: "" };
}

function scopeOf({ scopes = DEFAULT_SCOPES }: OpenIdSettings): string {
  return [...new Set(["openid", ...scopes])].join(" ");
}

export interface FinishedLogin {
  readonly claims: Claims;
  readonly idToken: string | undefined;
  readonly origin: string | undefined;
}

/** @throws {AssertionRefusedError} Unknown state, a login finished before, or no valid ID token. */
export async function finishLogin(login: CodeFlowLogin): Promise<FinishedLogin> {
  const { request, protocol, connection, pendingLogins, clock } = login;
  const { trace } = request;
  const state = request.query.get("state") ?? "";
  const begun = await readBegun(state, login);
  const [error, ...words] = redirectError(login);
  if (error !== undefined) throw refused("code", [error, redirectUriSent(protocol), ...words].join("; "));
  if (request.query.has("code")) trace?.passed({ check: "message", message: "authorization code" });
  const tokens = await redeemCode(login, begun);
  const idClaims = await verifyIdToken(tokens, idTokenCheck(login, begun));
  const now = clock.now();
  checkStrength(idClaims, login.protocol.settings, { step: "id-token", since: begun.begunAt, now });
  // Written only after the provider has authenticated the user: an attacker can't fill the table.
  const expiresAt = loginExpiry(clock);
  if (!(await pendingLogins.use({ kind: "openid", id: state, expiresAt }))) throw finishedBefore();
  trace?.passed({ check: "replay", message: "the login was not finished before; now it is" });
  const claims = await withUserInfo({
    connection,
    settings: protocol.settings,
    clock,
    accessToken: tokens.access_token,
    claims: idClaims,
    need: needOfUserInfo(protocol.settings, false),
    log: request.log,
  });
  return { claims, idToken: tokens.id_token, origin: begun.origin ?? undefined };
}

function idTokenCheck(login: CodeFlowLogin, { nonce }: CodeFlowState): IdTokenCheck {
  const { connection, protocol, clock, request } = login;
  return { connection, settings: protocol.settings, nonce, clock, trace: request.trace };
}

/**
 * The library rejects an ID token by its claims, before its signature is verified. A test login then has the checks of
 * {@link verifyIdToken} in their order, and fails by the first that does not pass, or as the library has it.
 */
async function redeemCode(
  login: CodeFlowLogin,
  begun: BrowserState & CodeFlowState,
): Promise<ReceivedTokens> {
  const { request, protocol, connection } = login;
  let received: Partial<ReceivedTokens> = {};
  const configuration =
    request.trace?.testLoginId === undefined
      ? connection.configuration
      : await observed(connection, protocol.settings, (tokens) => (received = tokens));
  try {
    return await refusing(
      "code",
      () =>
        openid.authorizationCodeGrant(configuration, responseUrl(login), {
          pkceCodeVerifier: begun.codeVerifier,
          expectedState: request.query.get("state") ?? "",
          expectedNonce: begun.nonce,
          idTokenExpected: true,
        }),
      { sent: redirectUriSent(protocol), secrets: secretsOf(login, begun) },
    );
  } catch (error) {
    const { access_token: accessToken, id_token: idToken } = received;
    if (typeof accessToken === "string" && typeof idToken === "string")
      await verifyIdToken({ access_token: accessToken, id_token: idToken }, idTokenCheck(login, begun));
    throw error;
  }
}

const redirectUriSent = ({ authUrl }: EnabledProtocol): string => `redirect URI sent: ${quoted(authUrl)}`;

/** What the provider may repeat of the request. */
function secretsOf(
  { request, protocol: { settings } }: CodeFlowLogin,
  begun?: CodeFlowState,
): readonly (string | undefined)[] {
  return [settings.client_secret ?? undefined, request.query.get("code"), begun?.codeVerifier, begun?.nonce];
}

/** The error that the provider has sent the browser back with (RFC 6749, 4.1.2.1). Nothing proves that it is the provider's. */
function redirectError(login: CodeFlowLogin): string[] {
  const { error, ...words } = Object.fromEntries(login.request.query);
  if (error === undefined) return [];
  const secrets = secretsOf(login);
  return [
    `authorization response from the server is an error: ${errorCodeText(error, secrets)}`,
    ...oauthWords(words, secrets),
  ];
}

/** A client like that of the connection, which reports what the token endpoint returns. */
function observed(
  { configuration, fetch }: ProviderConnection,
  settings: OpenIdSettings,
  report: (tokens: Partial<ReceivedTokens>) => void,
): Promise<openid.Configuration> {
  return configure(settings, {
    metadata: configuration.serverMetadata(),
    async fetch(url, request) {
      const response = await fetch(url, request);
      const body: unknown = await response
        .clone()
        .json()
        .catch(() => undefined);
      if (typeof body === "object" && body !== null) report(body);
      return response;
    },
  });
}

async function readBegun(state: string, login: CodeFlowLogin): Promise<BrowserState & CodeFlowState> {
  const { protocol, pendingLogins } = login;
  const found = findInBrowser(login, { kind: "openid", id: state });
  if ("fault" in found) throw refused("state", [found.fault, ...redirectError(login)].join("; "), "request");
  const begun = found as BrowserState & CodeFlowState;
  const { issuer } = protocol.settings;
  if (begun.issuer !== issuer)
    throw refused(
      "state",
      `the login began at another provider: ${quotedClaim(begun.issuer)}, now ${quotedClaim(issuer)}`,
      "request",
    );
  // A code is redeemed once.
  if (await pendingLogins.wasUsed("openid", state)) throw finishedBefore();
  return begun;
}

function finishedBefore(): AssertionRefusedError {
  return refused("state", "the login was finished before (replayed)", "replay");
}

function responseUrl({ protocol, request: { query } }: CodeFlowLogin): URL {
  const url = new URL(protocol.authUrl);
  for (const name of RESPONSE_PARAMETERS) {
    const value = query.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

function refused(step: string, reason: string, check?: string): AssertionRefusedError {
  return new AssertionRefusedError({ step, reason }, check === undefined ? {} : { details: { check } });
}
