/** Signed metadata and requested authentication contexts, with pysaml2 and the bundled service. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import type { ProviderParty } from "./provider-party.js";
import { startPysaml2 } from "./pysaml2-provider.js";
import { logInAtProvider, protocolPath, startSamlService, type SamlService } from "./saml-service.js";

const MFA = "https://refeds.org/profile/mfa";
const signer = newSigner();
const other = newSigner();

describe("pysaml2, whose metadata is signed", () => {
  let service: SamlService;
  let party: ProviderParty;
  beforeAll(async () => {
    service = await startSamlService(sqliteDatabases, { IDENTITY_LOG_LEVEL: "info" });
    party = await startPysaml2({ signer, signsMetadata: true });
    const trusted = { idp_metadata_xml: party.metadata, idp_metadata_certificates: [signer.certificate] };
    await service.introduce("signed", party, trusted);
    await service.ask("PUT", "/v3/OS-FEDERATION/mappings/mfa", {
      mapping: {
        rules: [
          {
            remote: [{ type: "uid" }, { type: "Shib-AuthnContext-Class", any_one_of: [MFA] }],
            local: [{ user: { name: "{0}" } }],
          },
        ],
      },
    });
  });
  afterAll(async () => {
    await party.close();
    await service.close();
  });

  async function logIn(settings: object, mapping = "saml"): Promise<number> {
    const full = {
      type: "saml2",
      idp_metadata_xml: party.metadata,
      idp_metadata_certificates: [signer.certificate],
      force_authn: null,
      authn_contexts: null,
      ...settings,
    };
    await service.ask("PATCH", protocolPath("signed"), { protocol: { mapping_id: mapping, settings: full } });
    const { action, ...form } = await logInAtProvider(`${service.url}${protocolPath("signed")}/auth`, party);
    return (await fetch(action, { method: "POST", ...form })).status;
  }
  const statusOfBegin = async () =>
    (await fetch(`${service.url}${protocolPath("signed")}/auth`, { redirect: "manual" })).status;

  it("logs in a user, by metadata that its certificate verifies", async () => {
    expect(party.metadata).toMatch(/validUntil="20\d\d-/);
    expect(await logIn({})).toBe(201);
  });

  it("logs in a user whom it has authenticated anew, in the requested context", async () => {
    expect(await logIn({ force_authn: true, authn_contexts: [MFA] }, "mfa")).toBe(201);
  });

  it("logs in no user whose context the rules do not accept", async () => {
    expect(await logIn({}, "mfa")).toBe(401);
  });

  it("logs in no user by metadata that another key has signed, or that was changed", async () => {
    const use = async (settings: object) => {
      const full = { type: "saml2", idp_metadata_xml: party.metadata, ...settings };
      await service.ask("PATCH", protocolPath("signed"), {
        protocol: { mapping_id: "saml", settings: full },
      });
    };
    await use({ idp_metadata_certificates: [other.certificate] });
    expect(await statusOfBegin()).toBe(401);
    await use({ idp_metadata_certificates: [other.certificate, signer.certificate] });
    expect(await statusOfBegin()).toBe(302);
    const changed = party.metadata.replaceAll("/sso", "/evil");
    expect(changed).not.toBe(party.metadata);
    await use({ idp_metadata_xml: changed, idp_metadata_certificates: [signer.certificate] });
    expect(await statusOfBegin()).toBe(401);
    await expect
      .poll(() => service.output())
      .toContain("digest does not match: the signed element was changed");
  });
});
