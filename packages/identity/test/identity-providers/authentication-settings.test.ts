/** Settings about how users have to be authenticated: accepted as written, or rejected. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { federationServer, type FederationServer } from "../federation/federation-server.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/idp";
const OPENID = { type: "openid", issuer: "https://issuer.example.org/", client_id: "cloud" };
const SAML = { type: "saml2", idp_metadata_url: "https://idp.example.org/metadata" };

let service: FederationServer;
let count = 0;
beforeAll(async () => {
  service = await federationServer(sqliteDatabases);
  await service.ask("PUT", PROVIDER);
  const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "REMOTE_USER" }] }];
  await service.ask("PUT", "/v3/OS-FEDERATION/mappings/m", { body: { mapping: { rules } } });
});
afterAll(() => service.close());

const put = (settings: object) =>
  service.ask("PUT", `${PROVIDER}/protocols/p${++count}`, {
    body: { protocol: { mapping_id: "m", settings } },
  });

describe("settings of a protocol", () => {
  it.each([
    { ...OPENID, acr_values: ["mfa", "urn:example:a;b"], max_age: 0 },
    { ...OPENID, max_age: 31_536_000 },
    { ...SAML, force_authn: true, authn_contexts: ["https://refeds.org/profile/mfa"] },
    { ...SAML, authn_contexts: ["urn:a", "urn:b"], authn_context_comparison: "minimum" },
  ])("are shown as they were stored: %j", async (settings) => {
    const { status, body } = await put(settings);
    expect([status, body.protocol.settings]).toEqual([201, { ...settings, secrets_set: [] }]);
  });

  it.each([
    [{ ...OPENID, acr_values: [] }, "acr_values"],
    [{ ...OPENID, acr_values: ["one two"] }, "one two"],
    [{ ...OPENID, acr_values: "mfa" }, "acr_values"],
    [{ ...OPENID, max_age: -1 }, "max_age"],
    [{ ...OPENID, max_age: 1.5 }, "max_age"],
    [{ ...OPENID, max_age: "60" }, "max_age"],
    [{ ...OPENID, force_authn: true }, "force_authn"],
    [{ ...SAML, force_authn: "yes" }, "force_authn"],
    [{ ...SAML, authn_contexts: ["a", "a"] }, "authn_contexts"],
    [{ ...SAML, authn_contexts: ["urn:a b"] }, "urn:a b"],
    [{ ...SAML, authn_contexts: ["a"], authn_context_comparison: "above" }, "authn_context_comparison"],
    [{ ...SAML, authn_context_comparison: "exact" }, '"authn_context_comparison" needs "authn_contexts"'],
    [{ ...SAML, idp_metadata_certificates: ["x"] }, "does not match"],
    [{ ...SAML, idp_metadata_certificates: [] }, "idp_metadata_certificates"],
  ])("are refused: %j", async (settings, named) => {
    const { status, body } = await put(settings);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(named)]);
  });
});
