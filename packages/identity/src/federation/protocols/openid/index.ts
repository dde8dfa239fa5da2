/** OpenID Connect: logins with a browser, an access token, or the token of a workload. */
import { once } from "../../../platform/concurrency/once.js";
import type { ProtocolContext, ProtocolLogins, ProtocolType } from "../protocol-type.js";
import { openIdChecks } from "./openid-checks.js";
import { OPENID_FORM } from "./openid-form.js";
import { openIdDocuments, openIdKeys } from "./openid-documents.js";
import type { OpenIdSessionHint } from "./openid-logout.js";
import {
  checkOpenIdSettings,
  OPENID_SECRETS,
  OpenIdSchema,
  type AnyOpenIdSettings,
  type OpenIdSettings,
  acceptsAccessTokens,
} from "./openid-settings.js";
import { readPastedClaims } from "./pasted-claims.js";
import type { EnabledProtocol } from "../../assertion-verifier.js";

export const openIdProtocol: ProtocolType<AnyOpenIdSettings> = {
  type: "openid",
  title: "OpenID Connect",
  form: OPENID_FORM,
  documents: {
    discovery: { title: "Discovery", name: "the discovery document" },
    jwks: { title: "JWKS", name: "the keys (jwks_uri)" },
    "workload-jwks": { title: "JWKS of workloads", name: "the keys of workloads (jwks_uri)" },
  },
  schema: OpenIdSchema,
  secrets: OPENID_SECRETS,
  isLimited: true,
  loginChecks: ["message", "signature", "issuer", "audience", "time", "request", "replay"],
  testRequests: {
    access_token: {
      maxLength: 65_536,
      without: ["request", "replay"],
      request: (token) => ({ method: "GET", headers: { authorization: `Bearer ${token}` } }),
    },
  },
  readPasted: (text, { settings }) => readPastedClaims(text, settings),
  check: checkOpenIdSettings,
  // A protocol for workloads alone has no client.
  logsBrowsersIn: ({ client_id: clientId }) => clientId !== undefined,
  checks: openIdChecks,
  // A workload is its subject.
  hasOwnUserIds: (settings) => !acceptsAccessTokens(settings),
  register(settings, url) {
    // Workloads come without a browser.
    if (!acceptsAccessTokens(settings)) return {};
    if (settings.logout !== true) return { redirect_uri: url };
    const logoutUrl = url.replace(/auth$/, "logout");
    return { redirect_uri: url, backchannel_logout_uri: logoutUrl, post_logout_redirect_uri: logoutUrl };
  },
  documentSources: (settings, { documents }) => openIdDocuments(settings, documents),
  findKeys: async (settings, { documents }) => ({ keys: openIdKeys(settings, documents) }),
  open,
};

/** The modules are loaded by the first login. */
function open(context: ProtocolContext): ProtocolLogins<AnyOpenIdSettings> {
  const load = once(async () => {
    const { createKeyCache, createProviderConnections } = await import("./provider-connections.js");
    const { createOpenIdVerifier } = await import("./openid-verifier.js");
    const connections = createProviderConnections(context);
    const workloadKeys = createKeyCache(context);
    return { connections, verify: createOpenIdVerifier({ ...context, connections, workloadKeys }) };
  });

  /** @throws {AssertionRefusedError} No discovery document. */
  async function connectionTo(protocol: EnabledProtocol<OpenIdSettings>) {
    const { refusing } = await import("./provider-requests.js");
    return refusing("discovery", async () => (await load()).connections.get(protocol));
  }

  return {
    verify: async (request, protocol) => (await load()).verify(request, protocol),
    logout: {
      async begin(protocol, { hint, origin, returnUrl }) {
        const connection = await connectionTo(protocol as EnabledProtocol<OpenIdSettings>);
        const { endSessionUrl } = await import("./openid-logout.js");
        const target = { hint: hint as OpenIdSessionHint, returnUrl, state: origin };
        const location = endSessionUrl(connection, target);
        return location === undefined ? undefined : { status: 303, headers: { location }, body: "" };
      },
      async readToken(protocol, token) {
        if (protocol.settings.client_id === undefined) return undefined;
        const { settings } = protocol as EnabledProtocol<OpenIdSettings>;
        const connection = await connectionTo({ ...protocol, settings });
        const { readLogoutToken } = await import("./openid-logout.js");
        const read = await readLogoutToken(token, { connection, settings, clock: context.clock });
        const { tokenId, usableUntil, ...logout } = read;
        return { tokenId, usableUntil, logout };
      },
    },
  };
}
