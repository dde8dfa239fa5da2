/** The settings of protocols, from the form to a change. */
import { describe, expect, it } from "vitest";

import { faultsOf, settingChanges, settingsOf, valuesOf } from "../../src/pages/providers/settings-values.ts";
import type { ProtocolForm } from "../../src/pages/providers/protocol-types.ts";

const EMPTY = { choices: [], register: {}, kinds: [] };
const openid = {
  type: "openid",
  form: {
    ...EMPTY,
    fields: [
      { name: "issuer", label: "Issuer", kind: "address", required: true, expected: "Expected an address." },
      { name: "client_id", label: "Client id", kind: "text", required: true, expected: "Expected an id." },
      { name: "client_secret", label: "Client secret", kind: "secret" },
      { name: "audiences", label: "Audiences", kind: "words" },
    ],
  } satisfies ProtocolForm,
};
const saml2 = {
  type: "saml2",
  form: {
    ...EMPTY,
    fields: [
      { name: "idp_metadata_url", label: "Metadata address", kind: "address" },
      { name: "idp_metadata_xml", label: "Metadata", kind: "document" },
      { name: "allow_sha1", label: "SHA-1", kind: "switch" },
    ],
    choices: [{ fields: ["idp_metadata_url", "idp_metadata_xml"], none: "Give one.", several: "Not both." }],
  } satisfies ProtocolForm,
};

const EVERY = {
  type: "saml2",
  form: {
    ...EMPTY,
    fields: [
      { name: "age", label: "Age", kind: "number" },
      { name: "comparison", label: "Comparison", kind: "choice", options: ["exact", "better"] },
      { name: "persist", label: "Persist", kind: "yes-no" },
      { name: "conditions", label: "Conditions", kind: "json" },
      { name: "certificates", label: "Certificates", kind: "certificates" },
      { name: "key", label: "Key", kind: "key" },
      { name: "forced", label: "Forced", kind: "switch", more: true },
    ],
  } satisfies ProtocolForm,
};
const PEM = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----";

describe("fields that few need", () => {
  it("keep what is stored, of each kind", () => {
    const stored = {
      type: "saml2",
      age: 0,
      comparison: "better",
      persist: false,
      conditions: [{ claim: "sub", values: ["a"] }],
      certificates: [PEM, PEM],
      forced: true,
      secrets_set: ["key"],
    };
    const { secrets_set: _, ...settings } = stored;
    const values = valuesOf(EVERY.form, stored);
    expect(settingsOf(EVERY, values, stored)).toEqual(settings);
    expect(settingChanges(EVERY.form, stored, settingsOf(EVERY, values, stored))).toEqual([]);
    expect(settingsOf(EVERY, { ...values, forced: false, age: "" }, stored)).toMatchObject({
      age: null,
      forced: false,
    });
  });

  it("are left out where they are empty or off", () => {
    expect(settingsOf(EVERY, valuesOf(EVERY.form))).toEqual({ type: "saml2" });
  });

  it.each([
    ["age", "1.5", "Expected a whole number."],
    ["conditions", "[", "Expected JSON."],
    ["certificates", "MA==", "Expected certificates in PEM, which begin with -----BEGIN CERTIFICATE-----."],
  ])("name a fault of %s: %s", (name, value, expected) => {
    expect(faultsOf(EVERY.form, { ...valuesOf(EVERY.form), [name]: value })).toEqual({ [name]: expected });
  });

  it("never show a private key", () => {
    const wanted = settingsOf(EVERY, { ...valuesOf(EVERY.form), key: PEM });
    expect(settingChanges(EVERY.form, { type: "saml2" }, wanted)).toEqual([
      { name: "key", before: "stored, not shown", after: "a new one" },
    ]);
  });
});

describe("a change of settings", () => {
  it("removes audiences that were cleared, and shows it", () => {
    const stored = { type: "openid", issuer: "https://i", client_id: "c", audiences: ["api"] };
    const wanted = settingsOf(openid, { ...valuesOf(openid.form, stored), audiences: "" }, stored);
    expect(wanted).toEqual({ type: "openid", issuer: "https://i", client_id: "c", audiences: null });
    expect(settingChanges(openid.form, stored, wanted)).toEqual([
      { name: "audiences", before: '["api"]', after: "not set" },
    ]);
    expect(settingsOf(openid, valuesOf(openid.form))).not.toHaveProperty("audiences");
  });

  it("leaves a secret out that was not entered, and does not show one that was", () => {
    const stored = { type: "openid", issuer: "https://i", client_id: "c", secrets_set: ["client_secret"] };
    const values = valuesOf(openid.form, stored);
    expect(settingsOf(openid, values, stored)).not.toHaveProperty("client_secret");
    const wanted = settingsOf(openid, { ...values, client_secret: "s3cret" }, stored);
    expect(wanted).toMatchObject({ client_secret: "s3cret" });
    expect(settingChanges(openid.form, stored, wanted)).toEqual([
      { name: "client_secret", before: "stored, not shown", after: "a new one" },
    ]);
  });

  it("switches SAML metadata from an address to a file, and back", () => {
    const byUrl = { type: "saml2", idp_metadata_url: "https://i/metadata" };
    const xml = "<EntityDescriptor/>";
    const file = { ...valuesOf(saml2.form, byUrl), idp_metadata_url: "", idp_metadata_xml: xml };
    expect(settingsOf(saml2, file, byUrl)).toMatchObject({ idp_metadata_url: null, idp_metadata_xml: xml });
    const byFile = { type: "saml2", idp_metadata_xml: xml };
    const url = {
      ...valuesOf(saml2.form, byFile),
      idp_metadata_url: " https://i/metadata ",
      idp_metadata_xml: "",
    };
    expect(settingsOf(saml2, url, byFile)).toMatchObject({
      idp_metadata_url: "https://i/metadata",
      idp_metadata_xml: null,
    });
    expect(faultsOf(saml2.form, { ...url, idp_metadata_xml: xml })).toEqual({
      idp_metadata_xml: "Not both.",
    });
    expect(faultsOf(saml2.form, valuesOf(saml2.form))).toEqual({ idp_metadata_url: "Give one." });
  });

  it("sends a switch whatever its state, and shows only one that changes", () => {
    const stored = { type: "saml2", idp_metadata_url: "https://i/metadata" };
    const values = valuesOf(saml2.form, stored);
    expect(settingChanges(saml2.form, stored, settingsOf(saml2, values, stored))).toEqual([]);
    const wanted = settingsOf(saml2, { ...values, allow_sha1: true }, stored);
    expect(settingChanges(saml2.form, stored, wanted)).toEqual([
      { name: "allow_sha1", before: "false", after: "true" },
    ]);
  });
});

it("says what is missing or no address", () => {
  expect(faultsOf(openid.form, valuesOf(openid.form))).toEqual({
    issuer: "Expected an address.",
    client_id: "Expected an id.",
  });
  const values = { issuer: "idp.example.org", client_id: "c" };
  expect(faultsOf(openid.form, values)).toEqual({ issuer: "Expected an address." });
});
