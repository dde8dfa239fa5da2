/** Responses that xmlsec1 has signed with EC keys are accepted, and rejected wherever xmlsec1 rejects them. */
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readSignedResponse } from "../../../src/federation/protocols/saml2/saml-reader.js";
import { newEcSigner, response, type Signer } from "../../../test/federation/saml/test-provider.js";

const DIGESTS = {
  sha256: "http://www.w3.org/2001/04/xmlenc#sha256",
  sha384: "http://www.w3.org/2001/04/xmldsig-more#sha384",
  sha512: "http://www.w3.org/2001/04/xmlenc#sha512",
} as const;
type Hash = keyof typeof DIGESTS;

/** A signature to be filled in. */
const template = (hash: Hash, digest: Hash) =>
  `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-${hash}"/><ds:Reference URI="#_assertion"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="${DIGESTS[digest]}"/><ds:DigestValue/></ds:Reference></ds:SignedInfo><ds:SignatureValue/><ds:KeyInfo><ds:X509Data/></ds:KeyInfo></ds:Signature>`;

const HASHES = Object.keys(DIGESTS) as Hash[];
const CASES = ["prime256v1", "secp384r1", "secp521r1"].flatMap((curve) =>
  HASHES.flatMap((hash) => HASHES.map((digest) => ({ curve, hash, digest }))),
);

describe("a Response that xmlsec1 has signed", () => {
  let folder: string;
  const path = (name: string) => join(folder, name);
  const signers = new Map<string, Signer>();
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hamkit-identity-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function signerOf(curve: string): Signer {
    const signer = signers.get(curve) ?? newEcSigner(curve);
    signers.set(curve, signer);
    writeFileSync(path("key.pem"), signer.privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(path("public.pem"), signer.publicKey.export({ type: "spki", format: "pem" }));
    return signer;
  }

  function xmlsec1(command: string, xml: string, ...options: readonly string[]) {
    writeFileSync(path("in.xml"), xml);
    const ids = ["--id-attr:ID", "urn:oasis:names:tc:SAML:2.0:assertion:Assertion"];
    return spawnSync("xmlsec1", [command, ...ids, ...options, path("in.xml")], { encoding: "utf8" });
  }

  function signed(xml: string): string {
    const { status, stderr } = xmlsec1(
      "--sign",
      xml,
      "--privkey-pem",
      path("key.pem"),
      "--output",
      path("out.xml"),
    );
    if (status !== 0) throw new Error(stderr);
    return readFileSync(path("out.xml"), "utf8");
  }

  const isVerified = (xml: string) =>
    xmlsec1("--verify", xml, "--pubkey-pem", path("public.pem")).status === 0;

  it.each(CASES)("with ecdsa-$hash on $curve and digest $digest is read", ({ curve, hash, digest }) => {
    const signer = signerOf(curve);
    const trust = {
      certificates: [new X509Certificate(signer.certificate)],
      weakKeys: [],
      allowsSha1: false,
    };
    const read = (xml: string) => readSignedResponse(xml, { trust, keys: [], isInEnvelope: false });
    const whole = response().replace(
      /(<saml:Assertion .*?<\/saml:Issuer>)/,
      (start) => start + template(hash, digest),
    );
    const xml = signed(whole);
    expect(isVerified(xml)).toBe(true);
    expect(read(xml).assertion.textContent).toContain("alice");
    const changed = xml.replace(">alice<", ">admin<");
    expect(isVerified(changed)).toBe(false);
    expect(() => read(changed)).toThrow(/digest does not match/);
  });
});
