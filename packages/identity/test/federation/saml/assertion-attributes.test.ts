/** ForceAuthn and RequestedAuthnContext: requested, checked, and visible to rules. */
import { inflateRawSync } from "node:zlib";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { samlLogin, type SamlLogin } from "./saml-login.js";
import { CLASSES, NOW, signedResponse, type ResponseParts } from "./test-provider.js";

const MFA = "https://refeds.org/profile/mfa";
const PASSWORD = `${CLASSES}Password`;
const PAOS = { accept: "application/vnd.paos+xml", paos: 'ver="urn:liberty:paos:2003-08"' };

let login: SamlLogin;
let count = 0;
beforeAll(async () => {
  login = await samlLogin(sqliteDatabases);
});
beforeEach(() => {
  login.setSettings({});
  login.setNow(NOW);
});
afterAll(() => login.close());

async function requestOf(): Promise<string> {
  const { step } = await login.begin();
  const { searchParams } = new URL(String(step.headers["location"]));
  return inflateRawSync(Buffer.from(searchParams.get("SAMLRequest") ?? "", "base64")).toString();
}

const responseTo = (parts: ResponseParts): string => {
  const assertionId = `_q${++count}`;
  return signedResponse({ assertionId, ...parts }, { of: assertionId });
};

async function logIn(parts: ResponseParts, afterMs = 0) {
  const { id, cookie } = await login.begin();
  login.setNow(NOW + afterMs);
  return login.post(responseTo({ inResponseTo: id, ...parts }), { cookie });
}

async function logInClient(parts: ResponseParts, afterMs = 0) {
  const { id } = await login.begin({ headers: PAOS });
  login.setNow(NOW + afterMs);
  return login.carry(responseTo({ inResponseTo: id, ...parts }));
}

const unsolicited = (parts: ResponseParts) => login.carry(responseTo(parts));

describe("an AuthnRequest", () => {
  it("demands nothing by default", async () => {
    expect(await requestOf()).toMatch(/AllowCreate="true"><\/samlp:NameIDPolicy><\/samlp:AuthnRequest>$/);
    expect(await requestOf()).not.toContain("ForceAuthn");
  });

  it("demands what the settings name, in the order of the schema", async () => {
    login.setSettings({ force_authn: true, authn_contexts: [MFA, `${CLASSES}X509`] });
    const request = await requestOf();
    expect(request).toMatch(/^<samlp:AuthnRequest [^>]*ForceAuthn="true"/);
    expect(request).toContain(
      `</samlp:NameIDPolicy><samlp:RequestedAuthnContext Comparison="exact"><saml:AuthnContextClassRef>${MFA}</saml:AuthnContextClassRef><saml:AuthnContextClassRef>${CLASSES}X509</saml:AuthnContextClassRef></samlp:RequestedAuthnContext></samlp:AuthnRequest>`,
    );
  });

  it("that a client carries demands the same", async () => {
    login.setSettings({
      force_authn: true,
      authn_contexts: [PASSWORD],
      authn_context_comparison: "minimum",
    });
    const { step } = await login.begin({ headers: PAOS });
    expect(step.body).toContain('ForceAuthn="true"');
    expect(step.body).toContain('<samlp:RequestedAuthnContext Comparison="minimum">');
  });
});

describe.each([
  ["a browser", logIn],
  ["a client", logInClient],
  ["a client, unsolicited", unsolicited],
])("the authentication context in a Response of %s", (_, send) => {
  it("has to be one of those requested", async () => {
    login.setSettings({ authn_contexts: [MFA, `${CLASSES}X509`] });
    expect((await send({ contextClass: MFA })).attributes).toMatchObject({ "Shib-AuthnContext-Class": MFA });
    const refusal = (received: string) => ({
      facts: {
        step: "assertion",
        reason: `AuthnContextClassRef is ${received}, expected "${MFA}" or "${CLASSES}X509" (authn_contexts)`,
      },
    });
    await expect(send({ contextClass: PASSWORD })).rejects.toMatchObject(refusal(`"${PASSWORD}"`));
    await expect(send({ contextClass: null })).rejects.toMatchObject(refusal("missing"));
  });

  it("has to be there with another comparison, which the provider makes", async () => {
    login.setSettings({ authn_contexts: [PASSWORD], authn_context_comparison: "minimum" });
    expect((await send({ contextClass: MFA })).attributes).toMatchObject({ "Shib-AuthnContext-Class": MFA });
    await expect(send({ contextClass: null })).rejects.toThrow(
      "AuthnContextClassRef is missing, expected any (authn_contexts)",
    );
  });
});

const FORMATS = "urn:oasis:names:tc:SAML:2.0:nameid-format:";
const UNSPECIFIED = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";

describe("the format of the NameID", () => {
  it("is requested as the settings name it", async () => {
    login.setSettings({ name_id_format: `${FORMATS}persistent` });
    expect(await requestOf()).toContain(
      `<samlp:NameIDPolicy Format="${FORMATS}persistent" AllowCreate="true"></samlp:NameIDPolicy>`,
    );
  });

  it.each([
    ["a browser", logIn],
    ["a client", logInClient],
    ["a client, unsolicited", unsolicited],
  ])("in a Response of %s has to be the requested one", async (_, send) => {
    login.setSettings({ name_id_format: `${FORMATS}persistent` });
    await send({ nameIdFormat: `${FORMATS}persistent` });
    const refusal = (received: string) =>
      `Format of the NameID is "${received}", expected "${FORMATS}persistent" (name_id_format)`;
    const transient = `${FORMATS}transient`;
    await expect(send({ nameIdFormat: transient })).rejects.toThrow(refusal(transient));
    await expect(send({})).rejects.toThrow(refusal(UNSPECIFIED));
  });

  it.each([undefined, UNSPECIFIED])("may be any where the settings have %j", async (format) => {
    if (format !== undefined) login.setSettings({ name_id_format: format });
    const { attributes } = await logIn({ nameIdFormat: `${FORMATS}transient` });
    expect(attributes).toHaveProperty("REMOTE_USER");
  });
});

describe("the AuthnInstant of a forced authentication", () => {
  beforeEach(() => login.setSettings({ force_authn: true }));

  it.each([
    ["a browser", logIn],
    ["a client", logInClient],
  ])("is that of the login of %s, give or take a minute", async (_, send) => {
    const parts = { notOnOrAfter: "2026-11-21T12:09:00Z" };
    expect(await send({ ...parts, authnInstant: "2026-11-21T11:59:00Z" }, 300_000)).toMatchObject({
      attributes: { "Shib-Authentication-Instant": "2026-11-21T11:59:00Z" },
    });
    login.setNow(NOW);
    await expect(send({ ...parts, authnInstant: "2026-11-21T11:58:59Z" }, 300_000)).rejects.toMatchObject({
      facts: {
        step: "assertion",
        reason:
          "AuthnInstant is 2026-11-21T11:58:59Z, 361 s ago (leeway 60 s); check the clocks of both; the provider did not authenticate the user anew (force_authn), expected at least 2026-11-21T12:00:00Z, 300 s ago (leeway 60 s); check the clocks of both",
      },
    });
  });

  it("is at most ten minutes old in an unsolicited assertion", async () => {
    expect(await unsolicited({ authnInstant: "2026-11-21T11:49:00Z" })).toMatchObject({
      remoteId: expect.any(String) as string,
    });
    await expect(unsolicited({ authnInstant: "2026-11-21T11:48:59Z" })).rejects.toThrow(/force_authn/);
  });

  it.each([
    ["2026-11-21T12:01:01Z", "AuthnInstant is in the future: 2026-11-21T12:01:01Z, in 61 s"],
    ["yesterday", "AuthnInstant is missing, or no time in UTC"],
  ])("is neither in the future nor malformed: %s", async (authnInstant, reason) => {
    await expect(logIn({ authnInstant })).rejects.toThrow(reason);
  });

  it("is not looked at where it was not demanded", async () => {
    login.setSettings({});
    expect(await logIn({ authnInstant: "2026-11-20T12:00:00Z" })).toMatchObject({
      attributes: { "Shib-Authentication-Instant": "2026-11-20T12:00:00Z" },
    });
  });
});

describe("rules", () => {
  const forged = (name: string) =>
    `<saml:Attribute Name="${name}"><saml:AttributeValue>${MFA}</saml:AttributeValue></saml:Attribute>`;

  it("see no context that an attribute of the user claims", async () => {
    const attributes = forged("Shib-AuthnContext-Class") + forged("Shib-Authentication-Instant");
    const claimed = await logIn({ attributes });
    expect(claimed.attributes).toMatchObject({
      "Shib-AuthnContext-Class": PASSWORD,
      "Shib-Authentication-Instant": "2026-11-21T12:00:00Z",
    });
    const none = await logIn({ attributes, contextClass: null, authnInstant: "never" });
    expect(none.attributes).not.toHaveProperty("Shib-AuthnContext-Class");
    expect(none.attributes).not.toHaveProperty("Shib-Authentication-Instant");
  });

  it("see no context that they would take for two", async () => {
    const { attributes } = await logIn({ contextClass: `${PASSWORD};${MFA}` });
    expect(attributes).not.toHaveProperty("Shib-AuthnContext-Class");
  });
});
