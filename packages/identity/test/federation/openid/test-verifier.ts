/** The service's OpenID Connect verifier, and requests to it. */
import {
  isBrowserStep,
  type BrowserStep,
  type EnabledProtocol,
  type FederatedRequest,
  type VerifiedAssertion,
} from "../../../src/federation/assertion-verifier.js";
import { AssertionRefusedError } from "../../../src/federation/federation-errors.js";
import type { BeginLogin } from "../../../src/federation/browser/begun-login-limit.js";
import type { PendingLogins } from "../../../src/federation/browser/pending-logins.js";
import type {
  AnyOpenIdSettings,
  OpenIdSettings,
} from "../../../src/federation/protocols/openid/openid-settings.js";
import type { ProtocolLogins } from "../../../src/federation/protocols/protocol-type.js";
import {
  createKeyCache,
  createProviderConnections,
  type ProviderConnectionsDeps,
} from "../../../src/federation/protocols/openid/provider-connections.js";
import { createOpenIdVerifier } from "../../../src/federation/protocols/openid/openid-verifier.js";
import { enabledProtocol } from "../enabled-protocol.js";
import { AUDIENCE, AUTH_URL, CLIENT_ID, CLIENT_SECRET } from "./test-provider.js";

export type OpenIdVerifier = Pick<ProtocolLogins<AnyOpenIdSettings>, "verify">;

/** What of a verifier a test may choose. */
export interface VerifierChoices extends Partial<ProviderConnectionsDeps> {
  readonly pendingLogins?: PendingLogins;
  readonly beginLogin?: BeginLogin;
}

/** A store without entries, if the test passes none. */
const forgetful: PendingLogins = {
  seal: () => "sealed",
  unseal: () => undefined,
  wasUsed: async () => false,
  use: async () => true,
  useAll: async () => undefined,
  purge: async () => false,
};

export function testVerifier(choices: VerifierChoices = {}): OpenIdVerifier {
  const deps = {
    clock: { now: Date.now },
    pendingLogins: forgetful,
    beginLogin: async () => {},
    allowsHttpIssuers: true,
    isProviderNetwork: () => false,
    ...choices,
  };
  const connections = createProviderConnections(deps);
  return { verify: createOpenIdVerifier({ ...deps, connections, workloadKeys: createKeyCache(deps) }) };
}

export function protocolOf(
  issuer: string,
  settings: Partial<OpenIdSettings> = {},
  authUrl = AUTH_URL,
): EnabledProtocol<AnyOpenIdSettings> {
  return enabledProtocol<AnyOpenIdSettings>({
    idpId: "op",
    id: "openid",
    remoteIds: [issuer],
    authUrl,
    settings: {
      type: "openid",
      issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      audiences: [AUDIENCE],
      ...settings,
    },
  });
}

/** A request; by default of a browser. */
export function requestOf(parts: Partial<FederatedRequest> = {}): FederatedRequest {
  return {
    method: "GET",
    headers: {},
    query: new Map(),
    form: new Map(),
    text: undefined,
    clientAddress: "192.0.2.1",
    rawHeaders: [],
    peerAddress: "192.0.2.1",
    origin: undefined,
    log: { info: () => {}, warn: () => {} },
    ...parts,
  };
}

/** A request as keystoneauth sends it. */
export function bearing(accessToken: string): FederatedRequest {
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

/** The logged reason of a failed login. */
export async function refusalOf(verifying: Promise<unknown>): Promise<string> {
  try {
    await verifying;
  } catch (error) {
    if (error instanceof AssertionRefusedError) return `${error.facts.step}: ${error.facts.reason}`;
    throw error;
  }
  return "not refused";
}
