/** The service's OpenID Connect verifier, and requests to it. */
import {
  isBrowserStep,
  type AssertionVerifier,
  type BrowserStep,
  type VerifierProtocol,
  type VerifierRequest,
} from "../../../src/federation/assertion-verifier.js";
import { AssertionRefusedError } from "../../../src/federation/federation-errors.js";
import type { BegunLogins } from "../../../src/federation/browser/begun-logins.js";
import type { OpenIdSettings } from "../../../src/federation/openid/provider-connections.js";
import { createOpenIdVerifier } from "../../../src/federation/openid/openid-verifier.js";
import type { ProviderConnectionsDeps } from "../../../src/federation/openid/provider-connections.js";
import type { VerifiedAssertion } from "../../../src/federation/assertion-verifier.js";
import { AUDIENCE, AUTH_URL, CLIENT_ID, CLIENT_SECRET } from "./test-provider.js";

export type OpenIdVerifier = AssertionVerifier<"openid">;

/** What of a verifier a test may choose. */
export interface VerifierChoices extends Partial<ProviderConnectionsDeps> {
  readonly begunLogins?: BegunLogins;
}

/** A store without entries, if the test passes none. */
const forgetful: BegunLogins = {
  seal: () => "sealed",
  unseal: () => undefined,
  wasUsed: async () => false,
  use: async () => true,
  useAll: async () => undefined,
  purge: async () => false,
};

export function testVerifier(choices: VerifierChoices = {}): OpenIdVerifier {
  return createOpenIdVerifier({
    clock: { now: Date.now },
    begunLogins: forgetful,
    allowsHttpIssuers: true,
    isProviderNetwork: () => false,
    ...choices,
  });
}

export function protocolOf(
  issuer: string,
  settings: Partial<OpenIdSettings> = {},
): VerifierProtocol<"openid"> {
  return {
    identityProviderId: "op",
    protocolId: "openid",
    remoteIdAttribute: null,
    remoteIds: [issuer],
    settings: {
      type: "openid",
      issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      audiences: [AUDIENCE],
      ...settings,
    },
  };
}

/** A request; by default of a browser. */
export function requestOf(parts: Partial<VerifierRequest> = {}): VerifierRequest {
  return {
    method: "GET",
    headers: {},
    query: new Map(),
    form: new Map(),
    text: undefined,
    clientAddress: "192.0.2.1",
    rawHeaders: [],
    peerAddress: "192.0.2.1",
    authUrl: AUTH_URL,
    origin: undefined,
    beginLogin: async () => {},
    log: { info: () => {}, warn: () => {} },
    ...parts,
  };
}

/** A request as keystoneauth sends it. */
export function bearing(accessToken: string): VerifierRequest {
  return requestOf({ method: "POST", headers: { authorization: `Bearer ${accessToken}` } });
}

/** @throws The answer is a page or a redirect. */
export async function assertionFor(
  verifying: Promise<VerifiedAssertion | BrowserStep>,
): Promise<VerifiedAssertion> {
  const answer = await verifying;
  if (isBrowserStep(answer)) throw new TypeError(`an answer with status ${answer.status} is no assertion`);
  return answer;
}

/** The logged reason of a rejected login. */
export async function refusalOf(verifying: Promise<unknown>): Promise<string> {
  try {
    await verifying;
  } catch (error) {
    if (error instanceof AssertionRefusedError) return `${error.facts.step}: ${error.facts.reason}`;
    throw error;
  }
  return "not refused";
}
