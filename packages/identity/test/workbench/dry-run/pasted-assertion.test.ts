/** Assertions that authors of rules paste. */
import { describe, expect, it } from "vitest";

import { readPasted, type PastingProtocol } from "../../../src/workbench/dry-run/pasted-assertion.js";
import { PROTOCOL_TYPES as TYPES } from "../../federation/protocol-types.js";
import { ticketProtocol } from "../../federation/protocols/ticket-protocol.js";

const SAML = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">
<saml:Assertion><saml:Issuer>https://idp.example.org</saml:Issuer>
<saml:Subject><saml:NameID>kim</saml:NameID></saml:Subject>
<saml:AttributeStatement><saml:Attribute Name="urn:oid:0.9.2342.19200300.100.1.3" FriendlyName="mail">
<saml:AttributeValue>kim@example.org</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>
</saml:Assertion></samlp:Response>`;
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const JWT = `${part({ alg: "RS256" })}.${part({ sub: "8c1", groups: ["staff", "ops"] })}.c2ln`;
const SAML_ATTRIBUTES = {
  "urn:oid:0.9.2342.19200300.100.1.3": "kim@example.org",
  mail: "kim@example.org",
  NAME_ID: "kim",
  REMOTE_USER: "kim",
  IDP: "https://idp.example.org",
};

describe("readPasted", () => {
  it.each([
    ["attributes as JSON", '{"MAIL": "kim@example.org"}', "json", { MAIL: "kim@example.org" }],
    ["the body of a dry run", '{"assertion": {"A": "b"}}', "json", { A: "b" }],
    ["lines", "MAIL: kim@example.org\n\nGROUPS: a;b\n", "lines", { MAIL: "kim@example.org", GROUPS: "a;b" }],
    ["SAML", SAML, "saml", SAML_ATTRIBUTES],
    ["a SAMLResponse in base64", Buffer.from(SAML).toString("base64"), "saml", SAML_ATTRIBUTES],
  ])("reads %s", (_, text, format, attributes) => {
    expect(readPasted(text, TYPES)).toEqual({ format, attributes, leftOut: [] });
  });

  it("names claims as a login of the protocol does", () => {
    expect(readPasted(JWT, TYPES)).toMatchObject({
      format: "jwt",
      attributes: {
        "OIDC-sub": "8c1",
        "OIDC-groups": "staff;ops",
        HTTP_OIDC_GROUPS: "staff;ops",
        REMOTE_USER: "8c1",
      },
    });
    const naming: PastingProtocol = {
      settings: { type: "openid", attribute_prefix: "X-" },
      remoteIdAttribute: null,
    };
    expect(readPasted('{"iss": "https://i", "sub": "8c1"}', TYPES, naming)).toMatchObject({
      format: "claims",
      attributes: { "X-sub": "8c1" },
    });
    const saml: PastingProtocol = {
      settings: { type: "saml2", attribute_prefix: "MELLON_" },
      remoteIdAttribute: "ISSUER",
    };
    expect(readPasted(SAML, TYPES, saml).attributes).toMatchObject({
      MELLON_mail: "kim@example.org",
      ISSUER: "https://idp.example.org",
    });
  });

  it("asks the protocols of the service: another one offers its own form", () => {
    const tickets = {
      ...ticketProtocol,
      readPasted: (text: string) =>
        text.startsWith("ticket:") ? { format: "ticket", attributes: { KEY: "a" }, leftOut: [] } : undefined,
    };
    expect(readPasted(" ticket: x", [...TYPES, tickets])).toMatchObject({ format: "ticket" });
    expect(readPasted("ticket: x", TYPES)).toMatchObject({ format: "lines", attributes: { ticket: "x" } });
  });

  it.each([
    ["nonsense", "hello", /expected a JSON object/],
    ["broken JSON", "{", /^JSON is invalid/],
    ["a DOCTYPE", `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`, /DOCTYPE/],
    ["no assertion", "<x/>", /no saml:Assertion/],
    [
      "an encrypted assertion",
      SAML.replaceAll("saml:Assertion", "saml:EncryptedAssertion"),
      /encrypted: a test login reads it/,
    ],
    ["deep JSON", `{"a":${"[".repeat(10_000)}`, /nested deeper/],
    ["a JWT with a broken payload", "a.b.c", /payload of the JWT/],
  ])("rejects %s", (_, text, message) => {
    expect(() => readPasted(text, TYPES)).toThrow(message);
  });
});
