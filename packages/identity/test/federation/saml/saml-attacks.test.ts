/** Attackers who log in with forged or replayed SAML Responses. */
import { SignedXml } from "xml-crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { AssertionRefusedError } from "../../../src/federation/federation-errors.js";
import { sqliteDatabases } from "../../databases.js";
import { ATTACKS } from "./attacks.js";
import { samlLogin, type SamlLogin } from "./saml-login.js";
import { encrypted, newSigner, NOW, PROVIDER, signedResponse } from "./test-provider.js";

describe(`attacks on logins with SAML on ${sqliteDatabases.name}`, () => {
  let login: SamlLogin;
  let number = 0;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
  });
  beforeEach(() => {
    login.setSettings({});
    login.setNow(NOW);
  });
  afterAll(() => login.close());

  it.each(ATTACKS)("refuses $name", async ({ make }) => {
    const { id, cookie } = await login.begin();
    const xml = make({ inResponseTo: id });
    await expect(login.post(xml, { cookie })).rejects.toThrow(AssertionRefusedError);
    // What would have been a good answer is one still: nothing was used up.
    const good = signedResponse({ inResponseTo: id, assertionId: `_a${++number}` }, { of: `_a${number}` });
    expect((await login.post(good, { cookie })).attributes).toMatchObject({ REMOTE_USER: "alice" });
  });

  it("names as the reason that the only assertion is not a child of the Response", async () => {
    const signed = signedResponse({}, { of: "_response" });
    const [assertion = ""] = /<saml:Assertion[^]*<\/saml:Assertion>/.exec(signed) ?? [];
    const xml = signed.replace(assertion, () => `<samlp:Extensions>${assertion}</samlp:Extensions>`);
    await expect(login.carry(xml)).rejects.toMatchObject({
      facts: { step: "signature", reason: "the Assertion is not a child of the Response" },
    });
  });

  it("refuses an assertion that was used, on another replica too", async () => {
    const { id, cookie } = await login.begin();
    const xml = signedResponse({ inResponseTo: id, assertionId: "_once" }, { of: "_once" });
    await login.post(xml, { cookie });
    for (const verifier of [undefined, login.replica])
      await expect(login.post(xml, { cookie, ...(verifier && { verifier }) })).rejects.toThrow(
        /was finished before/,
      );
  });

  it("rejects a replayed unsolicited Response, on another replica too", async () => {
    const xml = signedResponse({ assertionId: "_twice" }, { of: "_twice" });
    await login.carry(xml);
    await expect(login.carry(xml)).rejects.toThrow(/used before/);
  });

  it("rejects a replayed assertion until the later of its two bearer confirmations has expired", async () => {
    const ends = { notOnOrAfter: "2026-11-21T12:05:00Z", secondNotOnOrAfter: "2026-11-21T13:00:00Z" };
    const xml = signedResponse({ assertionId: "_ends", ...ends }, { of: "_ends" });
    await login.carry(xml);
    // The first confirmation expired long ago, and expired entries were deleted.
    login.setNow(Date.parse("2026-11-21T12:30:00Z"));
    await login.carry(signedResponse({ assertionId: "_other", ...ends }, { of: "_other" }));
    for (const time of ["12:30:01", "13:00:59"]) {
      login.setNow(Date.parse(`2026-11-21T${time}Z`));
      await expect(login.carry(xml)).rejects.toThrow(/used before/);
    }
    login.setNow(Date.parse("2026-11-21T13:01:00Z"));
    await expect(login.carry(xml)).rejects.toThrow(/SubjectConfirmationData expired/);
  });

  it("refuses an answer to a request with anything behind its id, used or not", async () => {
    const paos = { accept: "application/vnd.paos+xml", paos: 'ver="urn:liberty:paos:2003-08"' };
    const { id } = await login.begin({ headers: paos });
    let count = 0;
    const answer = (inResponseTo: string) => {
      const assertionId = `_suffix${++count}`;
      return login.carry(signedResponse({ inResponseTo, assertionId }, { of: assertionId }));
    };
    const others = [`${id}.x`, `${id}.`, `${id}x`, `${id}!`, `${id} `, `x${id}`, id.replace(".", "..")];
    for (const other of others) await expect(answer(other)).rejects.toThrow(/InResponseTo is "/);
    await answer(id);
    for (const other of [id, ...others]) await expect(answer(other)).rejects.toThrow(/InResponseTo is "/);
    const browser = await login.begin();
    for (const other of [`${browser.id}x`, `${browser.id}.x`, `${browser.id}!`]) {
      const xml = signedResponse({ inResponseTo: other, assertionId: "_x" }, { of: "_x" });
      await expect(login.post(xml, { cookie: browser.cookie })).rejects.toThrow(/InResponseTo is "/);
    }
  });

  it("refuses an answer in another browser, or of another kind of client", async () => {
    const begun = [await login.begin(), await login.begin(), await login.begin()];
    const xml = (index: number) =>
      signedResponse({ inResponseTo: begun[index]?.id, assertionId: "_b" }, { of: "_b" });
    await expect(login.post(xml(0))).rejects.toThrow(/another browser/);
    await expect(login.post(xml(1), { cookie: begun[0]?.cookie ?? "" })).rejects.toThrow(/another browser/);
    await expect(login.carry(xml(2))).rejects.toThrow(/another way/);
  });

  it("refuses an answer that comes too late", async () => {
    const { id, cookie } = await login.begin();
    login.setNow(NOW + 600_000);
    const times = { notOnOrAfter: "2026-11-21T12:20:00Z" };
    const xml = signedResponse({ inResponseTo: id, assertionId: "_late", ...times }, { of: "_late" });
    await expect(login.post(xml, { cookie })).rejects.toThrow(/too long ago/);
  });

  it("refuses an answer in the address, inflated or not", async () => {
    const query = new Map([["SAMLResponse", "fZJ"]]);
    await expect(login.send({ method: "GET", query })).rejects.toThrow(/expected HTTP-POST or PAOS/);
  });

  it("rejects a Response without a trusted signature before any digest is computed", async () => {
    const looksAt = vi.spyOn(SignedXml.prototype, "checkSignature");
    const parts = { assertionId: "_flood", inResponseTo: (await login.begin()).id };
    const forged = signedResponse(parts, { of: "_flood", signer: newSigner() });
    await expect(login.post(forged)).rejects.toThrow(
      /signature does not verify with any trusted certificate/,
    );
    expect(looksAt).not.toHaveBeenCalled();
    looksAt.mockRestore();
  });

  it.each([
    ["another id", 'ID="_assertion"', 'ID="_other"'],
    ["another name", "saml:Assertion", "saml:Advice"],
    ["another namespace", "SAML:2.0:assertion", "SAML:2.0:protocol"],
  ])("rejects a signature that covers an element of %s", async (_what, search, replacement) => {
    // Stands for a library that resolves the reference to another element.
    const resolved = vi.spyOn(SignedXml.prototype, "getSignedReferences");
    const postCovering = async (covered: (signed: string) => string) => {
      const { id, cookie } = await login.begin();
      const xml = signedResponse({ inResponseTo: id });
      const [signed = ""] = /<saml:Assertion[^]*<\/saml:Assertion>/.exec(xml) ?? [];
      resolved.mockReturnValue([covered(signed.replace(/<ds:Signature [^]*<\/ds:Signature>/, ""))]);
      return login.post(xml, { cookie });
    };
    await expect(postCovering((signed) => signed.replaceAll(search, replacement))).rejects.toThrow(
      "the signature covers a different element than Assertion",
    );
    resolved.mockRestore();
  });

  it("names the refused algorithm of a signature, and those accepted", async () => {
    const { id, cookie } = await login.begin();
    const xml = signedResponse({ inResponseTo: id }, { sha1: true });
    await expect(login.post(xml, { cookie })).rejects.toThrow(
      `SignatureMethod is not accepted: "http://www.w3.org/2000/09/xmldsig#rsa-sha1", expected http://www.w3.org/2001/04/xmldsig-more#rsa-sha256 or `,
    );
  });

  it("refuses an assertion that was encrypted for a thousand keys without trying them", async () => {
    const { signing } = await login.keys.current();
    const xml = encrypted(signedResponse(), signing.certificate.publicKey);
    const many = xml.replace(/<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>/, (key) => key.repeat(9));
    await expect(login.post(many)).rejects.toThrow(/expected at most 8/);
  });

  it("refuses what was encrypted by those who may not sign", async () => {
    const { id, cookie } = await login.begin();
    const { signing } = await login.keys.current();
    const parts = { inResponseTo: id };
    const xml = encrypted(
      signedResponse(parts).replace(/<ds:Signature [^]*<\/ds:Signature>/, ""),
      signing.certificate.publicKey,
    );
    await expect(login.post(xml, { cookie })).rejects.toThrow(AssertionRefusedError);
    const other = encrypted(signedResponse(parts), PROVIDER.publicKey);
    await expect(login.post(other, { cookie })).rejects.toThrow(/a key that this service does not have/);
  });
});
