/** Login with SAML at Debian's SimpleSAMLphp. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { askScript } from "../../run-program.js";
import { createFormBrowser, type FormBrowser, type Page } from "../form-browser.js";
import { USER, type ProviderParty } from "../saml/provider-party.js";
import { protocolPath, startSamlService, type SamlService } from "../saml/saml-service.js";
import { startSimpleSamlPhp } from "./simplesamlphp.js";
import { encryptAssertion } from "./xmlsec1-encryption.js";

const POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
const SHA512 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512";

interface Accepted {
  readonly id: string;
  readonly way: string;
  readonly settings: object;
  /** What its Response has in plain sight. */
  readonly contents: readonly RegExp[];
}

const SIGNED_RESPONSE = /<\/saml:Issuer><ds:Signature .*<samlp:Status>/s;
const SIGNED_ASSERTION = /<saml:Assertion .*<ds:Signature .*<saml:Subject>/s;

const ACCEPTED: readonly Accepted[] = [
  {
    id: "redirect",
    way: "that takes requests by redirect",
    settings: {},
    contents: [SIGNED_RESPONSE, SIGNED_ASSERTION],
  },
  {
    id: "post",
    way: "that takes requests by form",
    settings: { SingleSignOnServiceBinding: [POST] },
    contents: [SIGNED_RESPONSE, SIGNED_ASSERTION],
  },
  {
    id: "response",
    way: "that signs the Response alone",
    settings: { "saml20.sign.assertion": false },
    contents: [SIGNED_RESPONSE, /<saml:Assertion [^>]*><saml:Issuer>[^<]*<\/saml:Issuer><saml:Subject>/],
  },
  {
    id: "sha512",
    way: "that signs with RSA-SHA512",
    settings: { "signature.algorithm": SHA512 },
    contents: [new RegExp(`SignatureMethod Algorithm="${SHA512}"`)],
  },
  {
    id: "encrypted",
    way: "that encrypts assertions",
    settings: { "assertion.encryption": true },
    contents: [SIGNED_RESPONSE, /xmlenc#aes128-cbc/, /xmlenc#rsa-oaep-mgf1p/],
  },
];

const REFUSED = [
  {
    id: "unsigned",
    way: "that signs nothing",
    settings: { "saml20.sign.assertion": false, "saml20.sign.response": false },
    reason: /no Signature/,
  },
  {
    id: "sha1",
    way: "that signs with SHA-1",
    settings: { "signature.algorithm": "http://www.w3.org/2000/09/xmldsig#rsa-sha1" },
    reason: /rsa-sha1/,
  },
] as const;

/** The Response in its page for the browser. */
function responseIn({ text }: Page): string {
  const [, encoded = ""] = /name="SAMLResponse" value="([^"]*)"/.exec(text) ?? [];
  return Buffer.from(encoded, "base64").toString();
}

/** An encrypted assertion with other bytes at the end of its text. */
function withOtherEnd(xml: string): string {
  return xml.replace(/.{8}(?=\s*<\/(?:xenc:)?CipherValue>(?!.*CipherValue))/s, "AAAAAAAA");
}

describe("SimpleSAMLphp", () => {
  let service: SamlService;
  const parties: ProviderParty[] = [];
  beforeAll(async () => {
    service = await startSamlService(sqliteDatabases, { IDENTITY_LOG_LEVEL: "info" });
  });
  afterAll(async () => {
    await Promise.all(parties.map((party) => party.close()));
    await service.close();
  });

  async function introduce(id: string, settings: object): Promise<ProviderParty> {
    const party = await startSimpleSamlPhp({ signer: newSigner(), settings: { ...settings } });
    parties.push(party);
    await service.introduce(id, party);
    return party;
  }

  const authUrl = (id: string) => `${service.url}${protocolPath(id)}/auth`;

  /** Logs in at the provider. @returns Its page, which has the Response for the service. */
  async function logInAt(id: string, browser: FormBrowser): Promise<Page> {
    const start = await browser.open(authUrl(id));
    const loginPage = start.text.includes('name="SAMLRequest"') ? await browser.submit(start, {}) : start;
    return browser.submit(loginPage, USER);
  }

  describe.each(ACCEPTED)("$way", ({ id, settings, contents }) => {
    beforeAll(() => introduce(id, settings));

    it("logs in a browser, once", async () => {
      const browser = createFormBrowser();
      const page = await logInAt(id, browser);
      const entered = await browser.submit(page, {});
      expect({ url: entered.url, status: entered.status }).toEqual({ url: authUrl(id), status: 201 });
      expect(JSON.parse(entered.text)).toMatchObject({
        token: {
          methods: ["saml2"],
          user: { name: "alice", "OS-FEDERATION": { identity_provider: { id } } },
        },
      });
      expect((await browser.submit(page, {})).status).toBe(401);
    });

    it("is rejected with a Response that was changed in transit", async () => {
      const browser = createFormBrowser();
      const page = await logInAt(id, browser);
      const xml = responseIn(page);
      for (const content of contents) expect(xml).toMatch(content);
      // Of an encrypted assertion, the last block of the text.
      const changed = xml.includes("EncryptedAssertion")
        ? withOtherEnd(xml)
        : xml.replace(">staff<", ">owner<");
      expect(changed).not.toBe(xml);
      const SAMLResponse = Buffer.from(changed).toString("base64");
      expect((await browser.submit(page, { SAMLResponse })).status).toBe(401);
    });
  });

  it("logs in with an assertion that xmlsec1 has encrypted with AES-256-GCM, unless it was changed", async () => {
    await introduce("gcm", { "saml20.sign.response": false });
    const metadata = await (await fetch(`${service.url}/v3/OS-FEDERATION/saml2/metadata`)).text();
    const enter = async (change: (xml: string) => string) => {
      const browser = createFormBrowser();
      const page = await logInAt("gcm", browser);
      const xml = change(await encryptAssertion(responseIn(page), metadata));
      expect(xml).toContain("xmlenc11#aes256-gcm");
      const SAMLResponse = Buffer.from(xml).toString("base64");
      return (await browser.submit(page, { SAMLResponse })).status;
    };
    expect(await enter((xml) => xml)).toBe(201);
    expect(await enter(withOtherEnd)).toBe(401);
  });

  it("refuses a request of the service's without its signature", async () => {
    const step = await fetch(authUrl("redirect"), { redirect: "manual" });
    const location = step.headers.get("location") ?? "";
    expect(location).toContain("&Signature=");
    const answer = await fetch(location.replace(/&Signature=.*/, ""));
    expect(await answer.text()).toContain("no signature found on message");
  });

  it("logs in keystoneauth's v3samlpassword, with the right password", async () => {
    const question = {
      url: service.url,
      idp: `${parties[0]?.url}/saml2/idp/SSOService.php`,
      provider: "redirect",
      passwords: [USER.password, "wrong"],
    };
    expect(await askScript("federation/saml/keystoneauth-saml.py", question)).toEqual([
      [{ user: "alice", methods: ["saml2"] }, { error: "Unauthorized" }],
    ]);
  });

  describe.each(REFUSED)("$way", ({ id, settings, reason }) => {
    it("is rejected", async () => {
      await introduce(id, settings);
      const browser = createFormBrowser();
      const before = service.output().length;
      expect((await browser.submit(await logInAt(id, browser), {})).status).toBe(401);
      await expect.poll(() => service.output().slice(before)).toMatch(reason);
    });
  });

  it("is rejected when it signs with a key that is not in its metadata", async () => {
    const party = await introduce("other-key", {});
    const certificateOf = (metadata: string) => /X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? "";
    const others = parties[0]?.metadata ?? "";
    await service.ask("PATCH", protocolPath("other-key"), {
      protocol: {
        mapping_id: "saml",
        settings: {
          type: "saml2",
          idp_metadata_xml: party.metadata.replaceAll(certificateOf(party.metadata), certificateOf(others)),
        },
      },
    });
    const browser = createFormBrowser();
    const before = service.output().length;
    expect((await browser.submit(await logInAt("other-key", browser), {})).status).toBe(401);
    await expect.poll(() => service.output().slice(before)).toMatch(/signature does not verify/);
  });
});
