/**
 * Login in a browser: the authorization code flow with PKCE.
 *
 * @see OpenID Connect Core 1.0, 3.1; RFC 7636; RFC 9700.
 */
import * as openid from "openid-client";

import type { Clock } from "../../platform/clock.js";
import type { BrowserStep, VerifierProtocol, VerifierRequest } from "../assertion-verifier.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { MAX_BEGUN_LOGINS, readLoginCookies, type LoginCookies } from "../browser/login-cookies.js";
import type { LoginRequests } from "../browser/begun-logins.js";
import type { Claims } from "./claim-attributes.js";
import { refusing } from "./openid-refusal.js";
import { checkIdToken } from "./id-token.js";
import { scopeOf } from "./openid-settings.js";
import {
  CLOCK_TOLERANCE_SECONDS,
  SIGNATURE_ALGORITHMS,
  type ProviderConnection,
} from "./provider-connections.js";
import { verifySigned } from "./signed-token.js";
import { withUserInfo } from "./user-info.js";

/** How long somebody may take at the provider. */
const LIFE_SECONDS = 600;
/** What a provider sends back: everything else in the address was put there by somebody else. */
const ANSWER_PARAMETERS = ["code", "state", "iss", "error", "error_description", "error_uri"];

/** What the browser carries of a login while it is at the provider. */
interface BegunLogin {
  readonly identityProviderId: string;
  readonly protocolId: string;
  readonly issuer: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly origin: string | null;
}

export interface BrowserLoginDeps {
  readonly loginRequests: LoginRequests;
  readonly loginCookies: LoginCookies;
  readonly clock: Clock;
}

export interface BrowserLogin {
  readonly request: VerifierRequest;
  readonly protocol: VerifierProtocol<"openid">;
  readonly connection: ProviderConnection;
}

/** Whether a provider has sent the browser. */
export function isComingBack({ query }: VerifierRequest): boolean {
  return query.has("state") && (query.has("code") || query.has("error"));
}

/** Sends the browser to the provider. */
export async function beginLogin(
  { request, protocol, connection: { configuration } }: BrowserLogin,
  { loginRequests, loginCookies, clock }: BrowserLoginDeps,
): Promise<BrowserStep> {
  await request.beginLogin();
  const state = openid.randomState();
  const begun: BegunLogin = {
    identityProviderId: protocol.identityProviderId,
    protocolId: protocol.protocolId,
    issuer: protocol.settings.issuer,
    nonce: openid.randomNonce(),
    codeVerifier: openid.randomPKCECodeVerifier(),
    origin: request.origin ?? null,
  };
  const location = await refusing("authorization", async () =>
    openid.buildAuthorizationUrl(configuration, {
      redirect_uri: request.authUrl,
      scope: scopeOf(protocol.settings),
      state,
      nonce: begun.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(begun.codeVerifier),
      code_challenge_method: "S256",
    }),
  );
  const expiresAt = clock.now() + LIFE_SECONDS * 1000;
  const carried = loginRequests.begin({ kind: "openid", id: state, data: begun, expiresAt });
  const cookies = loginCookies.set(request.headers.cookie, {
    carried,
    authUrl: request.authUrl,
    lifeSeconds: LIFE_SECONDS,
    isPostedBack: false,
  });
  return { status: 302, headers: { location: location.href, "set-cookie": cookies }, body: "" };
}

export interface FinishedLogin {
  readonly claims: Claims;
  readonly origin: string | undefined;
}

/** @throws {AssertionRefusedError} The login began elsewhere, was finished before, or the provider doesn't say who it is. */
export async function finishLogin(login: BrowserLogin, deps: BrowserLoginDeps): Promise<FinishedLogin> {
  const state = login.request.query.get("state") ?? "";
  const begun = await readBegun(state, login, deps);
  const { configuration } = login.connection;
  const tokens = await refusing("code", () =>
    openid.authorizationCodeGrant(configuration, answerUrl(login.request), {
      pkceCodeVerifier: begun.codeVerifier,
      expectedState: state,
      expectedNonce: begun.nonce,
      idTokenExpected: true,
    }),
  );
  const idToken = tokens.id_token ?? "";
  const idClaims = await verifyIdToken(idToken, login, deps);
  checkIdToken(idClaims, {
    idToken,
    accessToken: tokens.access_token,
    clientId: login.protocol.settings.client_id,
  });
  await finishOnce(state, deps);
  const claims = await withUserInfo({
    connection: login.connection,
    accessToken: tokens.access_token,
    claims: idClaims,
    isNeeded: false,
    log: login.request.log,
  });
  return { claims, origin: begun.origin ?? undefined };
}

const NOT_CARRIED = `the login began in another browser, or too long ago, or ${MAX_BEGUN_LOGINS} newer ones began in this one`;

/** The login that the state is of. */
async function readBegun(
  state: string,
  { request, protocol }: BrowserLogin,
  { loginRequests }: BrowserLoginDeps,
): Promise<BegunLogin> {
  const begun = readLoginCookies(request.headers.cookie, request.authUrl)
    .map((carried) => loginRequests.open("openid", state, carried) as BegunLogin | undefined)
    .find((each) => each !== undefined);
  if (begun === undefined) throw refused(NOT_CARRIED);
  const isHere =
    begun.identityProviderId === protocol.identityProviderId &&
    begun.protocolId === protocol.protocolId &&
    begun.issuer === protocol.settings.issuer;
  if (!isHere) throw refused("the login began at another provider");
  // The provider is not asked again about a code that it has given something for.
  if (await loginRequests.wasUsed("openid", state)) throw refused("the login was finished before");
  return begun;
}

/** Written only now that the provider has said who it is: nobody else can have anything written. */
async function finishOnce(state: string, { loginRequests, clock }: BrowserLoginDeps): Promise<void> {
  const expiresAt = clock.now() + LIFE_SECONDS * 1000;
  if (!(await loginRequests.use({ kind: "openid", id: state, expiresAt })))
    throw refused("the login was finished before");
}

function answerUrl({ authUrl, query }: VerifierRequest): URL {
  const url = new URL(authUrl);
  for (const name of ANSWER_PARAMETERS) {
    const value = query.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/** The claims have been checked; that the provider has signed them has not. */
async function verifyIdToken(
  idToken: string,
  { connection, protocol: { settings } }: BrowserLogin,
  { clock }: BrowserLoginDeps,
): Promise<Claims> {
  return refusing("id-token", () =>
    verifySigned(idToken, connection.keys, {
      algorithms: SIGNATURE_ALGORITHMS,
      issuer: settings.issuer,
      audience: settings.client_id,
      requiredClaims: ["exp", "sub", "nonce"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
    }),
  );
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "state", reason });
}
