/** The settings of protocols, from the form to a change. */
import { describe, expect, it } from "vitest";

import { faultsOf, settingChanges, settingsOf, valuesOf } from "../../src/pages/providers/settings-values.ts";

describe("a change of settings", () => {
  it("removes audiences that were cleared, and shows it", () => {
    const stored = { type: "openid", issuer: "https://i", client_id: "c", audiences: ["api"] };
    const wanted = settingsOf("openid", { ...valuesOf(stored), audiences: "" }, stored);
    expect(wanted).toEqual({ type: "openid", issuer: "https://i", client_id: "c", audiences: null });
    expect(settingChanges(stored, wanted)).toEqual([
      { name: "audiences", before: '["api"]', after: "not set" },
    ]);
    expect(settingsOf("openid", valuesOf())).not.toHaveProperty("audiences");
  });

  it("switches SAML metadata from an address to a file, and back", () => {
    const byUrl = { type: "saml2", idp_metadata_url: "https://i/metadata" };
    const file = { ...valuesOf(byUrl), metadataUrl: "", metadata: "<EntityDescriptor/>" };
    expect(settingsOf("saml2", file, byUrl)).toMatchObject({
      idp_metadata_url: null,
      idp_metadata_xml: "<EntityDescriptor/>",
    });
    const byFile = { type: "saml2", idp_metadata_xml: "<EntityDescriptor/>" };
    const url = { ...valuesOf(byFile), metadataUrl: " https://i/metadata ", metadata: "" };
    expect(settingsOf("saml2", url, byFile)).toMatchObject({
      idp_metadata_url: "https://i/metadata",
      idp_metadata_xml: null,
    });
    expect(faultsOf("saml2", { ...url, metadata: "<EntityDescriptor/>" })).toHaveProperty("metadata");
  });
});
