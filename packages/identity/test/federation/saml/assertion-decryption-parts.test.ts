/** EncryptedID and EncryptedAttribute: decrypted after the signature was verified. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { samlLogin, type SamlLogin } from "./saml-login.js";
import {
  encrypted,
  encryptedPart,
  newSigner,
  response,
  sign,
  type EncryptionOptions,
  type ResponseParts,
} from "./test-provider.js";

const NAME_ID = /<saml:NameID[ >].*?<\/saml:NameID>/;
const GROUPS = /<saml:Attribute Name="groups">.*?<\/saml:Attribute>(?!<saml:Attribute )/;
const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 });

describe("an assertion with encrypted parts", () => {
  let login: SamlLogin;
  let key: KeyObject;
  let count = 0;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
    key = (await login.keys.current()).signing.certificate.publicKey;
  });
  afterAll(() => login.close());

  const newId = () => `_part${++count}`;
  function withPart(id: string, options: Partial<EncryptionOptions> = {}, parts: ResponseParts = {}): string {
    const whole = response({ assertionId: id, nameId: "persistent-7", ...parts });
    return encryptedPart(whole, { part: NAME_ID, as: "EncryptedID", key, ...options });
  }

  it.each(["the Assertion", "the Response", "the Assertion, which is encrypted"])(
    "logs in the user of its EncryptedID, with a signature of %s",
    async (what) => {
      const id = newId();
      const signed = sign(withPart(id), what === "the Response" ? "_response" : id);
      const xml = what.endsWith("encrypted") ? encrypted(signed, key) : signed;
      expect((await login.carry(xml)).attributes).toMatchObject({
        NAME_ID: "persistent-7",
        REMOTE_USER: "persistent-7",
        mail: "alice@example.org",
      });
    },
  );

  it("logs in by a browser, with the session of the NameID", async () => {
    login.setSettings({ logout: true });
    const { id: inResponseTo, cookie } = await login.begin();
    const id = newId();
    const xml = sign(withPart(id, {}, { inResponseTo }), id);
    const { session } = await login.post(xml, { cookie });
    expect(session).toMatchObject({
      subject: ["persistent-7", "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"],
      hint: { nameId: "persistent-7" },
    });
    login.setSettings({});
  });

  it("reads what was encrypted with or without its namespaces, and with a declaration", async () => {
    const declared = `<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" Format="f">x</saml:NameID>`;
    for (const plain of [declared, `<NameID xmlns="urn:oasis:names:tc:SAML:2.0:assertion">x</NameID>`]) {
      const id = newId();
      const whole = response({ assertionId: id }).replace(NAME_ID, () => plain);
      const xml = encryptedPart(whole, { part: /<(saml:)?NameID .*?NameID>/, as: "EncryptedID", key });
      expect((await login.carry(sign(xml, id))).attributes).toMatchObject({ NAME_ID: "x" });
    }
  });

  it.each<[string, Partial<EncryptionOptions>, RegExp]>([
    [
      "to another key",
      { key: foreign.publicKey },
      /^EncryptedID is encrypted to a key that this service does not have/,
    ],
    [
      "by RSA of PKCS #1 v1.5",
      { transport: "rsa-1_5" },
      /^EncryptedID is encrypted .*rsa-1_5", expected rsa-oaep/,
    ],
    [
      "and holds another element",
      { part: /<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/ },
      /^EncryptedID holds "SubjectConfirmation", expected saml:NameID$/,
    ],
  ])("is rejected where its EncryptedID is encrypted %s", async (_, options, reason) => {
    const id = newId();
    await expect(login.carry(sign(withPart(id, options), id))).rejects.toMatchObject({
      facts: { step: "signature", reason: expect.stringMatching(reason) as string },
    });
  });

  it("is rejected with a NameID beside its EncryptedID", async () => {
    const id = newId();
    const xml = withPart(id).replace(
      "</saml:EncryptedID>",
      "</saml:EncryptedID><saml:NameID>admin</saml:NameID>",
    );
    await expect(login.carry(sign(xml, id))).rejects.toMatchObject({
      facts: { reason: "several NameID in Subject, expected one" },
    });
  });

  it("is not decrypted before its signature is verified: a part that can't be is not the reason", async () => {
    const id = newId();
    const xml = withPart(id, { key: foreign.publicKey });
    await expect(login.carry(xml)).rejects.toThrow(/no Signature in Assertion/);
    const changed = sign(xml, id).replace("alice@", "mallory@");
    await expect(login.carry(changed)).rejects.toThrow(/digest does not match/);
    await expect(login.carry(sign(xml, id, { signer: newSigner() }))).rejects.toThrow(/does not verify/);
  });

  it("has the attributes of its EncryptedAttribute elements, and warns of those that it can't decrypt", async () => {
    const attribute = { part: GROUPS, as: "EncryptedAttribute" };
    const id = newId();
    const readable = sign(withPart(id, attribute), id);
    expect((await login.carry(readable)).attributes).toMatchObject({ groups: "staff;ops" });
    const other = newId();
    const warn = vi.fn<(facts: object, message: string) => void>();
    const xml = sign(withPart(other, { ...attribute, key: foreign.publicKey }), other);
    const { attributes } = await login.send({
      headers: { "content-type": "application/vnd.paos+xml" },
      text: `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>${xml}</S:Body></S:Envelope>`,
      log: { info: () => {}, warn },
    });
    expect(attributes).toMatchObject({ mail: "alice@example.org" });
    expect(attributes).not.toHaveProperty("groups");
    const reason = expect.stringMatching(
      /^EncryptedAttribute is encrypted to a key that this service/,
    ) as string;
    expect(warn).toHaveBeenCalledWith(
      { step: "attributes", reason },
      "encrypted attributes of a user were left out",
    );
  });
});
