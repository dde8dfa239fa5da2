/** Metadata that xmlsec1 has signed is accepted, and rejected wherever xmlsec1 rejects it. */
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readProviderMetadata } from "../../../src/federation/protocols/saml2/metadata/provider-metadata.js";
import { ISSUER, metadata, newSigner } from "../../../test/federation/saml/test-provider.js";

const MD = "urn:oasis:names:tc:SAML:2.0:metadata";
const signer = newSigner();

/** A signature to be filled in. */
const template = (id: string, hash: string) =>
  `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-${hash}"/><ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#${hash}"/><ds:DigestValue/></ds:Reference></ds:SignedInfo><ds:SignatureValue/><ds:KeyInfo><ds:X509Data/></ds:KeyInfo></ds:Signature>`;

const entity = (issuer: string) =>
  metadata(newSigner())
    .replace(/^[^]*-->\s*/, "")
    .replace(ISSUER, issuer);
const opening = (id: string) => `<md:EntitiesDescriptor xmlns:md="${MD}" ID="${id}" Name="urn:example:öäü">`;

describe("metadata", () => {
  let folder: string;
  const path = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hamkit-identity-"));
    writeFileSync(path("key.pem"), signer.privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(path("certificate.pem"), signer.certificate);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function xmlsec1(command: string, xml: string, ...options: readonly string[]) {
    writeFileSync(path("in.xml"), xml);
    const ids = ["EntitiesDescriptor", "EntityDescriptor"].flatMap((name) => [
      "--id-attr:ID",
      `${MD}:${name}`,
    ]);
    return spawnSync("xmlsec1", [command, ...ids, ...options, path("in.xml")], { encoding: "utf8" });
  }

  function signed(xml: string): string {
    const key = [
      "--privkey-pem",
      `${path("key.pem")},${path("certificate.pem")}`,
      "--output",
      path("out.xml"),
    ];
    const { status, stderr } = xmlsec1("--sign", xml, ...key);
    if (status !== 0) throw new Error(stderr);
    return readFileSync(path("out.xml"), "utf8");
  }

  const isVerified = (xml: string) =>
    xmlsec1("--verify", xml, "--pubkey-cert-pem", path("certificate.pem")).status === 0;

  function read(xml: string): string {
    const trust = {
      certificates: [new X509Certificate(signer.certificate)],
      weakKeys: [],
      allowsSha1: false,
    };
    return readProviderMetadata({ xml, remoteIds: [ISSUER], trust }).entityId;
  }

  const others = Array.from({ length: 20 }, (_, index) => entity(`https://idp${index}.example.org`));
  const aggregate = (hash: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- of a federation -->\n${opening("_all")}${template("_all", hash)}\n  ${others.join("\n")}${entity(ISSUER)}<!-- the last --></md:EntitiesDescriptor>\n`;

  it.each(["sha256", "sha512"])(
    "of a federation, signed with %s, is read as xmlsec1 has signed it",
    (hash) => {
      const xml = signed(aggregate(hash));
      expect(isVerified(xml)).toBe(true);
      expect(read(xml)).toBe(ISSUER);
      const windows = xml.replaceAll("\n", "\r\n");
      expect(isVerified(windows)).toBe(true);
      expect(read(windows)).toBe(ISSUER);
    },
  );

  it("of a federation in which a member has signed too is read", () => {
    const member = entity(ISSUER)
      .replace("<md:EntityDescriptor", '<md:EntityDescriptor ID="_member"')
      .replace("<md:IDPSSODescriptor", `${template("_member", "sha256")}<md:IDPSSODescriptor`);
    const [inner = ""] = /<md:EntityDescriptor[^]*<\/md:EntityDescriptor>/.exec(signed(member)) ?? [];
    const xml = signed(
      `${opening("_all")}${template("_all", "sha256")}${inner}${others[0]}</md:EntitiesDescriptor>`,
    );
    expect(isVerified(xml)).toBe(true);
    expect(read(xml)).toBe(ISSUER);
  });

  it.each([
    ["an address", (xml: string) => xml.replaceAll("/sso?", "/evil?")],
    ["an entity ID", (xml: string) => xml.replace("https://idp3.", "https://evil.")],
    ["white space", (xml: string) => xml.replace("<md:IDPSSODescriptor", " <md:IDPSSODescriptor")],
    ["an added validUntil", (xml: string) => xml.replace("Name=", 'validUntil="2099-01-01T00:00:00Z" Name=')],
    ["the id", (xml: string) => xml.replace('ID="_all"', 'ID="_none"')],
  ])("is rejected after a change of %s", (_, change) => {
    const xml = signed(aggregate("sha256"));
    const changed = change(xml);
    expect(changed).not.toBe(xml);
    expect(isVerified(changed)).toBe(false);
    expect(() => read(changed)).toThrow(/digest does not match|URI of the signature's Reference/);
  });
});
