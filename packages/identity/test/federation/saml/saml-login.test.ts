/** Valid SAML logins. */
import { inflateRawSync } from "node:zlib";
import { createVerify } from "node:crypto";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { TooManyError } from "../../../src/platform/errors.js";
import { sqliteDatabases } from "../../databases.js";
import { samlLogin, type SamlLogin } from "./saml-login.js";
import {
  encrypted,
  ISSUER,
  metadata,
  newSigner,
  NOW,
  PROVIDER,
  response,
  sign,
  signedResponse,
} from "./test-provider.js";

const LEFT_OUT = "values with semicolons were left out of a user's attributes";
const ALICE = {
  "urn:oid:0.9.2342.19200300.100.1.3": "alice@example.org",
  mail: "alice@example.org",
  groups: "staff;ops",
  NAME_ID: "alice",
  REMOTE_USER: "alice",
  IDP: ISSUER,
  MELLON_IDP: ISSUER,
  "Shib-AuthnContext-Class": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password",
  "Shib-Authentication-Instant": "2026-11-21T12:00:00Z",
};

describe("a login with SAML", () => {
  let login: SamlLogin;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
  });
  beforeEach(() => {
    login.setSettings({});
    login.setNow(NOW);
  });
  afterAll(() => login.close());

  it.each(["_assertion", "_response"])(
    "accepts a Response whose %s is signed, with its attributes of the user",
    async (of) => {
      const { id, cookie } = await login.begin({ origin: "https://dash.example.org/" });
      const parts = { inResponseTo: id, ...(of === "_response" && { assertionId: "_other" }) };
      expect(await login.post(signedResponse(parts, { of }), { cookie })).toEqual({
        identityProviderId: "acme",
        protocolId: "saml2",
        remoteId: ISSUER,
        attributes: ALICE,
        expiresAt: Date.parse("2026-11-21T20:00:00Z"),
        origin: "https://dash.example.org/",
        leftOut: [{ reason: LEFT_OUT, attributes: [] }],
      });
    },
  );

  it("takes an encrypted assertion, for the key of now and the one before", async () => {
    const { signing } = await login.keys.current();
    await login.keys.rotate();
    const { id, cookie } = await login.begin();
    const signed = signedResponse({ inResponseTo: id, assertionId: "_enc" }, { of: "_enc" });
    const xml = encrypted(signed, signing.certificate.publicKey);
    expect((await login.post(xml, { cookie })).attributes).toEqual(ALICE);
  });

  it("takes an answer that a client carries, asked for or not", async () => {
    const { step, id } = await login.begin({
      headers: { accept: "*/*,application/vnd.paos+xml", paos: 'ver="urn:liberty:paos:2003-08"' },
    });
    expect(step).toMatchObject({ status: 200, headers: { "content-type": "application/vnd.paos+xml" } });
    expect(step.body).toContain(
      `soap:actor="http://schemas.xmlsoap.org/soap/actor/next">${id}</ecp:RelayState>`,
    );
    const asked = signedResponse({ inResponseTo: id, assertionId: "_c1" }, { of: "_c1" });
    expect((await login.carry(asked)).attributes).toEqual(ALICE);
    const unasked = signedResponse({ assertionId: "_c2" }, { of: "_c2" });
    expect((await login.carry(unasked)).attributes).toEqual(ALICE);
  });

  it("forgives clocks a minute", async () => {
    const { id, cookie } = await login.begin();
    const parts = { inResponseTo: id, assertionId: "_skew", notOnOrAfter: "2026-11-21T11:59:01Z" };
    expect((await login.post(signedResponse(parts, { of: "_skew" }), { cookie })).attributes).toEqual(ALICE);
  });

  it("takes SHA-1 where that is allowed", async () => {
    login.setSettings({ allow_sha1: true });
    const { id, cookie } = await login.begin();
    const xml = signedResponse({ inResponseTo: id, assertionId: "_old" }, { of: "_old", sha1: true });
    expect((await login.post(xml, { cookie })).attributes).toEqual(ALICE);
  });

  it("takes an assertion whose id begins with a digit, as those of most users of a Keystone do", async () => {
    const id = "7f633311f1864be4862664ce411a9c2b";
    const xml = signedResponse({ assertionId: id }, { of: id });
    expect((await login.carry(xml)).attributes).toEqual(ALICE);
  });

  it("takes the signatures of pinned certificates alone, several while they change", async () => {
    const next = newSigner();
    login.setSettings({ idp_certificates: [newSigner().certificate, next.certificate] });
    const { id, cookie } = await login.begin();
    const by = (signer: typeof next) =>
      signedResponse({ inResponseTo: id, assertionId: "_pin" }, { of: "_pin", signer });
    await expect(login.post(by(PROVIDER), { cookie })).rejects.toThrow(
      /signature does not verify with any trusted certificate/,
    );
    expect((await login.post(by(next), { cookie })).attributes).toEqual(ALICE);
  });

  it("puts a prefix before names, and leaves out values that would be several", async () => {
    login.setSettings({ attribute_prefix: "MELLON_" });
    const { id, cookie } = await login.begin();
    const attributes = `<saml:Attribute Name="groups" FriendlyName="teams"><saml:AttributeValue>x;admins</saml:AttributeValue><saml:AttributeValue>staff</saml:AttributeValue></saml:Attribute><saml:Attribute Name="org"><saml:AttributeValue>a;b</saml:AttributeValue></saml:Attribute>`;
    const xml = signedResponse({ inResponseTo: id, assertionId: "_pre", attributes }, { of: "_pre" });
    const assertion = await login.post(xml, { cookie });
    expect(assertion.leftOut).toEqual([
      { reason: LEFT_OUT, attributes: ["MELLON_groups", "MELLON_teams", "MELLON_org"] },
    ]);
    expect(assertion.attributes).toEqual({
      MELLON_teams: "staff",
      MELLON_groups: "staff",
      MELLON_NAME_ID: "alice",
      MELLON_IDP: ISSUER,
      REMOTE_USER: "alice",
      "MELLON_Shib-AuthnContext-Class": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password",
      "MELLON_Shib-Authentication-Instant": "2026-11-21T12:00:00Z",
    });
  });

  it("rejects a Response without AuthnStatement, as samlify's templates make it", async () => {
    const { id, cookie } = await login.begin();
    const whole = response({ inResponseTo: id, assertionId: "_silent" });
    const silent = whole.replace(/<saml:AuthnStatement .*<\/saml:AuthnStatement>/, "");
    expect(silent).not.toBe(whole);
    await expect(login.post(sign(silent, "_silent"), { cookie })).rejects.toMatchObject({
      facts: { step: "assertion", reason: "assertion has no AuthnStatement" },
    });
  });

  it("has no name for a user whose name rules would take for two", async () => {
    const xml = signedResponse({ nameId: "x;admin", assertionId: "_semicolon" }, { of: "_semicolon" });
    const { attributes, leftOut } = await login.carry(xml);
    expect(attributes).not.toHaveProperty("NAME_ID");
    expect(attributes).not.toHaveProperty("REMOTE_USER");
    expect(leftOut).toEqual([{ reason: LEFT_OUT, attributes: ["NAME_ID", "REMOTE_USER"] }]);
  });

  it.each([
    ["\n  admin\t", "admin"],
    // With other white space it is another name.
    ["\u00A0admin", "\u00A0admin"],
    ["admin\uFEFF", "admin\uFEFF"],
    ["admin\u2003", "admin\u2003"],
    // What XML has for no line end, and the parser by itself does.
    ["admin&#x2028;", "admin\u2028"],
    ["admin&#x85;", "admin\u0085"],
  ])("takes blanks of XML around a name for no part of it, and no others: %j", async (nameId, name) => {
    const assertionId = `_blank${Buffer.from(nameId).toString("hex")}`;
    const attributes = `<saml:Attribute Name="uid"><saml:AttributeValue>${nameId}</saml:AttributeValue></saml:Attribute>`;
    const xml = signedResponse({ nameId, assertionId, attributes }, { of: assertionId });
    expect((await login.carry(xml)).attributes).toMatchObject({ NAME_ID: name, uid: name });
  });

  it("sends browsers to the provider with a signed request", async () => {
    const { step, id } = await login.begin();
    const { signing } = await login.keys.current();
    expect(step.status).toBe(302);
    const { search, searchParams, origin } = new URL(String(step.headers["location"]));
    expect(origin).toBe("https://idp.example.org");
    expect(searchParams.get("realm")).toBe("x");
    const request = inflateRawSync(Buffer.from(searchParams.get("SAMLRequest") ?? "", "base64")).toString();
    expect(request).toContain(`ID="${id}"`);
    const [, signed = "", signature = ""] = /&(SAMLRequest=.*)&Signature=(.*)$/.exec(search) ?? [];
    const isSigned = createVerify("sha256")
      .update(signed)
      .verify(signing.certificate.publicKey, decodeURIComponent(signature), "base64");
    expect(isSigned).toBe(true);
    expect(step.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^__Secure-identity-login-\d{1,2}=[\w-]+; Path=\/v3\/OS-FEDERATION\/[\w/]+\/auth; Max-Age=600; HttpOnly; Secure; SameSite=None$/,
      ),
      expect.stringMatching(
        /^__Secure-identity-begun=[\w-]+; Path=\/v3; Max-Age=600; HttpOnly; Secure; SameSite=None$/,
      ),
    ]);
  });

  it("begins no login where the address of the browser, or of a client, has begun too many", async () => {
    login.setBeginLogin(() => Promise.reject(new TooManyError("Too many", { retryAfterSeconds: 1 })));
    await expect(login.begin()).rejects.toThrow(TooManyError);
    const headers = { paos: "ver", accept: "application/vnd.paos+xml" };
    await expect(login.begin({ headers })).rejects.toThrow(TooManyError);
    login.setBeginLogin(async () => {});
  });

  it("sends browsers by a form where the provider takes no other requests", async () => {
    login.setSettings({ idp_metadata_xml: metadata(PROVIDER, "HTTP-POST") });
    const { step } = await login.begin();
    const [, value = ""] = /name="SAMLRequest" value="([^"]+)"/.exec(step.body) ?? [];
    expect(step).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(Buffer.from(value, "base64").toString()).toContain("<ds:SignatureValue>");
  });
});
