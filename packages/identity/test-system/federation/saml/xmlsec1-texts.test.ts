/** Both XML parsers read the same text that xmlsec1 has signed, whatever its characters. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { assertionAttributes } from "../../../src/federation/protocols/saml2/assertion-attributes.js";
import { readSignedResponse } from "../../../src/federation/protocols/saml2/saml-reader.js";
import { PROVIDER, response } from "../../../test/federation/saml/test-provider.js";

const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";

/** A signature to be filled in. */
const template = (inclusive: string) =>
  `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="#_assertion"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#">${inclusive}</ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference></ds:SignedInfo><ds:SignatureValue/></ds:Signature>`;
const INCLUSIVE = `<ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="xs samlp"/>`;

describe("a name that xmlsec1 has signed", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hamkit-identity-"));
    writeFileSync(join(folder, "key.pem"), PROVIDER.privateKey.export({ type: "pkcs8", format: "pem" }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function signed(xml: string): string {
    const [input, output] = [join(folder, "in.xml"), join(folder, "out.xml")];
    writeFileSync(input, xml);
    const key = ["--privkey-pem", join(folder, "key.pem"), "--output", output, input];
    const { status, stderr } = spawnSync(
      "xmlsec1",
      ["--sign", "--id-attr:ID", `${ASSERTION}:Assertion`, ...key],
      {
        encoding: "utf8",
      },
    );
    if (status !== 0) throw new Error(stderr);
    return readFileSync(output, "utf8");
  }

  const texts: readonly (readonly [string, string])[] = [
    ["admin\u2028", "admin\u2028"],
    ["admin&#x2028;", "admin\u2028"],
    ["admin&#x85;", "admin\u0085"],
    ["admin\u00A0", "admin\u00A0"],
    ["ad&#xD;min", "ad\rmin"],
    ["ad\r\nmin", "ad\nmin"],
    ["&amp;lt&lt;b&gt;]]&gt;", "&lt<b>]]>"],
    ["\u{1F600}&#x1F600;\u00E9", "\u{1F600}\u{1F600}\u00E9"],
    ["&quot;'&apos;", "\"''"],
    ["&#9;admin&#10;", "admin"],
  ];

  it.each(texts)("is read as it was signed: %j", (written, read) => {
    for (const inclusive of ["", INCLUSIVE]) {
      const xml = response({ nameId: written }).replace(
        /(<saml:Assertion[^]*?<\/saml:Issuer>)/,
        (start) => start + template(inclusive),
      );
      const certificates = [new X509Certificate(PROVIDER.certificate)];
      const trust = { certificates, weakKeys: [], allowsSha1: false };
      const { assertion } = readSignedResponse(signed(xml), { trust, keys: [], isInEnvelope: false });
      const { attributes } = assertionAttributes(assertion, { prefix: "", remoteIdAttribute: null });
      expect(attributes).toMatchObject({ NAME_ID: read, REMOTE_USER: read });
    }
  });
});
