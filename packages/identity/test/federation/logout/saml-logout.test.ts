/** Single logout by SAML, at two replicas on one database. */
import { createCipheriv, createVerify, publicEncrypt, randomBytes, X509Certificate } from "node:crypto";
import { inflateRawSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SignedXml } from "xml-crypto";

import { databases } from "../../databases.js";
import { inForm, LOGOUT_URL, logoutRequest, logoutResponse, redirectQuery } from "./logout-messages.js";
import {
  logoutMetadata,
  PROTOCOL,
  RETURN_URL,
  samlLogoutService,
  SETTINGS,
  type SamlLogoutService,
} from "./saml-logout-service.js";

let service: SamlLogoutService;
let certificate: X509Certificate;
beforeAll(async () => {
  service = await samlLogoutService(databases);
  const { text } = await service.ask("GET", "/v3/OS-FEDERATION/saml2/metadata");
  // The signing key is the first.
  const [, base64 = ""] = /<md:KeyDescriptor.*?<ds:X509Certificate>([^<]*)</s.exec(text) ?? [];
  certificate = new X509Certificate(Buffer.from(base64, "base64"));
});
afterAll(() => service.close());

const setSettings = async (settings: object) => {
  const body = {
    protocol: { mapping_id: "saml", settings: { ...SETTINGS, idp_metadata_url: null, ...settings } },
  };
  expect((await service.ask("PATCH", PROTOCOL, { body })).status).toBe(200);
};

const hidden = (page: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? "";

/** Verifies the signature of a query as a provider does. */
function isSignedQuery(location: string): boolean {
  const [, text = "", signature = ""] =
    /[?&](SAML(?:Request|Response)=.*)&Signature=(.*)$/.exec(location) ?? [];
  return createVerify("sha256")
    .update(text)
    .verify(certificate.publicKey, decodeURIComponent(signature), "base64");
}

const messageIn = (location: string, name: string) =>
  inflateRawSync(Buffer.from(new URL(location).searchParams.get(name) ?? "", "base64")).toString();

/** The token for another scope. */
async function rescope(token: string): Promise<string> {
  const identity = { methods: ["token"], token: { id: token } };
  const body = { auth: { identity, scope: "unscoped" } };
  return (await service.ask("POST", "/v3/auth/tokens", { body })).token;
}

describe("a LogoutRequest of the provider", () => {
  it("ends the tokens of its session at all replicas, and no others", async () => {
    const [first, again] = [
      await service.logIn({ nameId: "ann", index: "s1" }),
      await service.logIn({ nameId: "ann", index: "s1" }, { replica: 1 }),
    ];
    const rescoped = await rescope(first);
    const others = [
      await service.logIn({ nameId: "ann", index: "s2" }),
      await service.logIn({ nameId: "bob", index: "s1" }),
    ];
    expect(
      await Promise.all([first, again, rescoped, ...others].map((each) => service.check(each, 1))),
    ).toEqual([200, 200, 200, 200, 200]);
    const answer = await service.post({
      SAMLRequest: inForm(logoutRequest({ id: "_post", nameId: "ann", indexes: ["s1"] })),
      RelayState: 'x"<y',
    });
    expect(answer.status).toBe(200);
    for (const replica of [0, 1]) {
      await expect
        .poll(() => Promise.all([first, again, rescoped].map((each) => service.check(each, replica))))
        .toEqual([404, 404, 404]);
      expect(await Promise.all(others.map((each) => service.check(each, replica)))).toEqual([200, 200]);
    }
    expect(answer.text).toContain('action="https://idp.example.org/slo/return"');
    expect(hidden(answer.text, "RelayState")).toBe("x&quot;&lt;y");
    expect(answer.headers["content-security-policy"]).toContain("frame-ancestors https://idp.example.org");
    const xml = Buffer.from(hidden(answer.text, "SAMLResponse"), "base64").toString();
    expect(xml).toContain('InResponseTo="_post"');
    expect(xml).toContain('<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>');
    const signature = new SignedXml({ publicCert: certificate.toString() });
    const [node = ""] = /<ds:Signature .*<\/ds:Signature>/s.exec(xml) ?? [];
    signature.loadSignature(node);
    expect(signature.checkSignature(xml)).toBe(true);
    expect(service.audits.at(-1)).toMatchObject({
      action: "logout",
      target: { idp_id: "acme", protocol_id: "saml2", sessions: "1" },
      outcome: "done",
      user: expect.stringMatching(/^[0-9a-f]+$/),
    });
  });

  it("by a redirect is answered by a redirect", async () => {
    const token = await service.logIn({ nameId: "ben", index: "r1" });
    const query = redirectQuery(logoutRequest({ id: "_redirect", nameId: "ben", indexes: ["r1"] }), {
      relayState: "a b/ü",
    });
    const answer = await service.ask("GET", `/v3/OS-FEDERATION/saml2/logout?${query}`);
    expect(answer.status).toBe(302);
    const location = String(answer.headers["location"]);
    expect(location.startsWith("https://idp.example.org/slo/return?SAMLResponse=")).toBe(true);
    expect(isSignedQuery(location)).toBe(true);
    expect(new URL(location).searchParams.get("RelayState")).toBe("a b/ü");
    expect(messageIn(location, "SAMLResponse")).toContain('InResponseTo="_redirect"');
    expect(await service.check(token)).toBe(404);
  });

  it("without a SessionIndex ends all sessions of the user, also unnamed ones", async () => {
    const tokens = [
      await service.logIn({ nameId: "carol", index: "c1" }),
      await service.logIn({ nameId: "carol", index: "c2" }),
      await service.logIn({ nameId: "carol" }),
    ];
    const other = await service.logIn({ nameId: "dave" });
    const { status } = await service.post({ SAMLRequest: inForm(logoutRequest({ nameId: "carol" })) });
    expect(status).toBe(200);
    expect(await Promise.all(tokens.map((each) => service.check(each)))).toEqual([404, 404, 404]);
    expect(await service.check(other)).toBe(200);
    expect(service.audits.at(-1)).toMatchObject({ target: { sessions: "3" } });
  });

  it("may encrypt the NameID", async () => {
    const token = await service.logIn({ nameId: "erin" });
    const subject = encryptedId(
      '<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">erin</saml:NameID>',
    );
    const { status } = await service.post({ SAMLRequest: inForm(logoutRequest({ subject })) });
    expect([status, await service.check(token)]).toEqual([200, 404]);
  });

  it("ends sessions of all protocols of the provider, under the other prefixes too", async () => {
    const body = { protocol: { mapping_id: "saml", settings: SETTINGS } };
    const path = PROTOCOL.replace(/saml2$/, "ecp");
    expect((await service.ask("PUT", path, { body })).status).toBe(201);
    const tokens = [
      await service.logIn({ nameId: "fay" }),
      await service.logIn({ nameId: "fay" }, { protocol: "ecp" }),
    ];
    const fields = { SAMLRequest: inForm(logoutRequest({ nameId: "fay" })) };
    const { status } = await service.post(fields, { url: "/EXT-FEDERATION/saml2/logout" });
    expect([status, await service.check(tokens[0] ?? ""), await service.check(tokens[1] ?? "")]).toEqual([
      200, 404, 404,
    ]);
    expect((await service.ask("DELETE", path)).status).toBe(204);
  });

  it("stops logins with assertions from before it, and no later ones", async () => {
    const fields = { SAMLRequest: inForm(logoutRequest({ nameId: "gus", indexes: ["g1"] })) };
    expect((await service.post(fields)).status).toBe(200);
    expect(await service.logIn({ nameId: "gus", index: "g1", issued: "2026-11-21T11:59:59Z" })).toBe("");
    expect(service.refusals.at(-1)).toMatchObject({
      step: "session",
      reason: expect.stringContaining("the provider has logged the user out"),
    });
    expect(await service.logIn({ nameId: "gus", index: "g1", issued: "2026-11-21T12:00:01Z" })).not.toBe("");
    expect(await service.logIn({ nameId: "gus", index: "g2" })).not.toBe("");
  });

  it("is shown on a page where the provider takes no response", async () => {
    await setSettings({ idp_metadata_xml: logoutMetadata({ bindings: [] }) });
    const { status, text } = await service.post({ SAMLRequest: inForm(logoutRequest({ nameId: "zoe" })) });
    expect([status, text.includes("<h1>You are logged out</h1>")]).toEqual([200, true]);
    await setSettings({});
  });

  it("signed by SHA-1 counts where that is allowed", async () => {
    await setSettings({ allow_sha1: true });
    expect(
      (await service.post({ SAMLRequest: inForm(logoutRequest({ nameId: "zoe" }), { sha1: true }) })).status,
    ).toBe(200);
    const query = redirectQuery(logoutRequest({ nameId: "zoe" }), { hash: "sha1" });
    expect((await service.ask("GET", `/v3/OS-FEDERATION/saml2/logout?${query}`)).status).toBe(302);
    await setSettings({});
  });
});

/** For the service, by AES-256-GCM and RSA-OAEP. */
function encryptedId(xml: string): string {
  const [secret, nonce] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", secret, nonce);
  const data = Buffer.concat([nonce, cipher.update(xml), cipher.final(), cipher.getAuthTag()]);
  const key = publicEncrypt({ key: certificate.publicKey, oaepHash: "sha1" }, secret);
  const value = (bytes: Buffer) =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString("base64")}</xenc:CipherValue></xenc:CipherData>`;
  return (
    `<saml:EncryptedID><xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"><xenc:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>` +
    `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"/>${value(key)}</xenc:EncryptedKey></ds:KeyInfo>${value(data)}</xenc:EncryptedData></saml:EncryptedID>`
  );
}

describe("a logout by a user", () => {
  const endpoint = `${PROTOCOL}/logout`;
  const logOut = (fields: Record<string, string>) => service.post(fields, { url: endpoint });

  it("ends the tokens of the session, and sends the browser to the provider and to its dashboard", async () => {
    const token = await service.logIn({ nameId: "ivy", index: "i1" });
    const [rescoped, other] = [await rescope(token), await service.logIn({ nameId: "ivy", index: "i2" })];
    const { status, headers } = await logOut({ token: rescoped, origin: RETURN_URL });
    expect([
      status,
      await service.check(token),
      await service.check(rescoped),
      await service.check(other),
    ]).toEqual([302, 404, 404, 200]);
    const location = String(headers["location"]);
    expect(location.startsWith("https://idp.example.org/slo?realm=x&SAMLRequest=")).toBe(true);
    expect(isSignedQuery(location)).toBe(true);
    const xml = messageIn(location, "SAMLRequest");
    expect(xml).toContain("<saml:NameID>ivy</saml:NameID><samlp:SessionIndex>i1</samlp:SessionIndex>");
    expect(xml).toContain('NotOnOrAfter="2026-11-21T12:05:00Z"');
    expect(service.audits.at(-1)).toMatchObject({
      action: "logout",
      target: { sessions: "1" },
      outcome: "done",
    });

    const relayState = new URL(location).searchParams.get("RelayState") ?? "";
    expect(relayState).toBe(RETURN_URL);
    const [, id = ""] = /\bID="([^"]+)"/.exec(xml) ?? [];
    const answer = redirectQuery(logoutResponse(id), { name: "SAMLResponse", relayState });
    const back = await service.ask("GET", `/v3/OS-FEDERATION/saml2/logout?${answer}`, { replica: 1 });
    expect([back.status, back.headers["location"]]).toEqual([303, RETURN_URL]);

    const fields = { SAMLResponse: inForm(logoutResponse(id)), RelayState: "https://evil.example.org/" };
    const elsewhere = await service.post(fields);
    expect([elsewhere.status, elsewhere.headers["location"]]).toEqual([200, undefined]);
    expect(elsewhere.text).toContain("You are logged out");

    const unsigned = Buffer.from(logoutResponse(id)).toString("base64");
    expect((await service.post({ SAMLResponse: unsigned })).status).toBe(400);
    const failed = inForm(logoutResponse(id, { status: "Responder" }));
    expect((await service.post({ SAMLResponse: failed })).status).toBe(400);
    expect(service.refusals.at(-1)).toMatchObject({
      step: "status",
      reason: expect.stringContaining("Responder"),
    });
  });

  it("goes by a form where the provider takes no redirects", async () => {
    await setSettings({ idp_metadata_xml: logoutMetadata({ bindings: ["HTTP-POST"] }) });
    const { status, text } = await logOut({ token: await service.logIn() });
    const xml = Buffer.from(hidden(text, "SAMLRequest"), "base64").toString();
    expect([status, xml.includes("<ds:SignatureValue>"), xml.includes("SessionIndex")]).toEqual([
      200,
      true,
      false,
    ]);
    expect(text).toContain('action="https://idp.example.org/slo?realm=x"');
    await setSettings({});
  });

  it("ends here where the provider has no endpoint", async () => {
    await setSettings({ idp_metadata_xml: logoutMetadata({ bindings: [] }) });
    const tokens = [await service.logIn(), await service.logIn({ nameId: "jo" })];
    const page = await logOut({ token: tokens[0] ?? "" });
    expect([page.status, page.text.includes("You are logged out")]).toEqual([200, true]);
    const sent = await logOut({ token: tokens[1] ?? "", origin: RETURN_URL });
    expect([sent.status, sent.headers["location"]]).toEqual([303, RETURN_URL]);
    expect(await Promise.all(tokens.map((each) => service.check(each)))).toEqual([404, 404]);
    await setSettings({});
  });

  it("ends the tokens where the provider's metadata is unavailable", async () => {
    const token = await service.logIn({ nameId: "kai" });
    const url = "https://127.0.0.1:1/metadata";
    const settings = { type: "saml2", idp_metadata_xml: null, idp_metadata_url: url, logout: true };
    const body = { protocol: { mapping_id: "saml", settings } };
    expect((await service.ask("PATCH", PROTOCOL, { body })).status).toBe(200);
    const { status, headers } = await logOut({ token, origin: RETURN_URL });
    expect([status, headers["location"], await service.check(token)]).toEqual([303, RETURN_URL, 404]);
    expect(service.refusals.at(-1)).toMatchObject({ step: "metadata", idpId: "acme" });
    await setSettings({});
  });

  it.each([
    ["no token", { origin: RETURN_URL }, 401],
    ["an invalid token", { token: "gAAAAA" }, 401],
  ])("needs a token: %s", async (_name, fields, status) => {
    expect((await logOut(fields)).status).toBe(status);
  });

  it("by a GET ends nothing, whatever it carries", async () => {
    const token = await service.logIn();
    const query = new URLSearchParams({ token, origin: RETURN_URL, state: RETURN_URL }).toString();
    const { status, headers } = await service.ask("GET", `${endpoint}?${query}`, {
      headers: { "x-subject-token": token },
    });
    expect([status, headers["location"], await service.check(token)]).toEqual([303, RETURN_URL, 200]);
    const evil = await service.ask("GET", `${endpoint}?state=https://evil.example.org/`);
    expect([evil.status, evil.headers["location"]]).toEqual([200, undefined]);
  });

  it.each([
    "https://evil.example.org/",
    "https://dash.example.org.evil.example.org/",
    "https://dash.example.org@evil.example.org/",
    "//dash.example.org/",
    "javascript:alert(1)//dash.example.org",
    "http://dash.example.org/",
  ])("does not go to %s", async (origin) => {
    const token = await service.logIn();
    expect((await logOut({ token, origin })).status).toBe(401);
    expect(await service.check(token)).toBe(200);
  });

  it("takes no token of another login", async () => {
    const admin = await service.ask("POST", "/v3/auth/tokens", {
      body: {
        auth: {
          identity: {
            methods: ["password"],
            password: { user: { name: "admin", domain: { id: "default" }, password: "adminpw" } },
          },
        },
      },
    });
    expect((await logOut({ token: admin.token })).status).toBe(400);
    expect(service.refusals.at(-1)).toMatchObject({
      step: "token",
      reason: expect.stringContaining("expected those of the URL"),
    });
    expect(await service.check(admin.token)).toBe(200);
  });
});

describe("the service's metadata", () => {
  it("lists single logout where a protocol has it", async () => {
    const read = async () => (await service.ask("GET", "/v3/OS-FEDERATION/saml2/metadata")).text;
    const urls = Array.from(
      (await read()).matchAll(/<md:SingleLogoutService Binding="[^"]*:([\w-]+)" Location="([^"]*)"\/>/g),
      ([, binding, location]) => [binding, location],
    );
    expect(urls).toEqual([
      ["HTTP-Redirect", LOGOUT_URL],
      ["HTTP-POST", LOGOUT_URL],
    ]);
    expect(await read()).toMatch(/<md:SingleLogoutService.*<md:AssertionConsumerService/s);
    await setSettings({ logout: false });
    expect(await read()).not.toContain("SingleLogoutService");
    await setSettings({});
  });
});
