/** Metadata whose signers are pinned. */
import { X509Certificate } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../databases.js";
import { samlLogin, type SamlLogin } from "../saml-login.js";
import {
  ISSUER,
  metadata,
  newSigner,
  PROVIDER,
  signedMetadata,
  signedResponse,
  type Signer,
} from "../test-provider.js";

const FEDERATION = newSigner();
const NEXT = newSigner();
const EVIL = newSigner();
const MD = 'xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"';

const fingerprint = ({ certificate }: Signer) =>
  `sha256:${new X509Certificate(certificate).fingerprint256.replaceAll(":", "").toLowerCase()}`;
const body = (xml: string) => xml.replace(/^[^]*-->\s*/, "");
const federation = (...entities: readonly string[]) =>
  `<md:EntitiesDescriptor ${MD}>\n${entities.map(body).join("\n")}</md:EntitiesDescriptor>`;
const other = metadata(newSigner()).replace(ISSUER, "https://other.example.org");
const signed = (xml: string) => signedMetadata(xml, { signer: FEDERATION });

describe("metadata with pinned signers", () => {
  let login: SamlLogin;
  let count = 0;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
  });
  afterAll(() => login.close());

  const use = (idp_metadata_xml: string, signers: readonly Signer[] = [FEDERATION]) =>
    login.setSettings({
      idp_metadata_xml,
      idp_metadata_certificates: signers.map(({ certificate }) => certificate),
    });
  async function logIn(signer = PROVIDER) {
    const { id, cookie } = await login.begin();
    const assertionId = `_m${++count}`;
    return login.post(signedResponse({ inResponseTo: id, assertionId }, { of: assertionId, signer }), {
      cookie,
    });
  }

  it.each([
    ["an entity", signed(metadata())],
    ["a federation of several", signed(federation(other, metadata()))],
    [
      "a federation that signs again what its members have signed",
      signed(federation(other, signedMetadata(metadata()).replaceAll("_metadata", "_inner"))),
    ],
    ["a file with other line ends", signed(metadata()).replaceAll("\n", "\r\n")],
    [
      "a file with comments inside",
      signed(metadata()).replace("<md:SingleSignOn", "<!-- comment --><md:SingleSignOn"),
    ],
  ])("is accepted as %s", async (_, xml) => {
    use(xml);
    expect((await logIn()).remoteId).toBe(ISSUER);
  });

  it("is accepted from the old and the new signer while they change", async () => {
    for (const signer of [FEDERATION, NEXT]) {
      use(signedMetadata(metadata(), { signer }), [FEDERATION, NEXT]);
      expect((await logIn()).remoteId).toBe(ISSUER);
    }
  });

  const wrapped = signed(metadata()).replace(/^[^]*-->\s*/, "");
  const evil = body(metadata(EVIL));
  /** The document with the attacker's key, in which the signed one is kept. */
  const WRONG: readonly (readonly [string, string, string])[] = [
    [
      "is not signed",
      metadata(),
      `the metadata is not signed: "EntityDescriptor" has no Signature, expected one by ${fingerprint(FEDERATION)} (idp_metadata_certificates)`,
    ],
    [
      "another key has signed",
      signedMetadata(metadata(EVIL), { signer: EVIL }),
      `the message names ${fingerprint(EVIL)}, expected ${fingerprint(FEDERATION)} (idp_metadata_certificates)`,
    ],
    [
      "was changed",
      signed(metadata()).replace("https://idp.example.org/sso", "https://evil.example.org/sso"),
      "digest does not match: the signed element was changed",
    ],
    [
      "is signed inside, not as a whole",
      federation(evil, wrapped),
      'the metadata is not signed: "EntitiesDescriptor" has no Signature',
    ],
    [
      "has a signature of another element at its root",
      `<md:EntitiesDescriptor ${MD} ID="_evil">${/<ds:Signature.*<\/ds:Signature>/s.exec(wrapped)?.[0] ?? ""}${evil}${wrapped}</md:EntitiesDescriptor>`,
      'URI of the signature\'s Reference is "#_metadata", expected "#_evil"',
    ],
    [
      "has two elements of the signed id",
      `<md:EntitiesDescriptor ${MD} ID="_metadata">${/<ds:Signature.*<\/ds:Signature>/s.exec(wrapped)?.[0] ?? ""}${evil}${wrapped}</md:EntitiesDescriptor>`,
      'duplicate ID attribute "_metadata"',
    ],
    [
      "is signed with SHA-1",
      signedMetadata(metadata(), { signer: FEDERATION, sha1: true }),
      'SignatureMethod is not accepted: "http://www.w3.org/2000/09/xmldsig#rsa-sha1"',
    ],
  ];

  it.each(WRONG)("is rejected if it %s", async (_, xml, reason) => {
    use(xml);
    await expect(login.begin()).rejects.toMatchObject({
      facts: { step: "metadata", reason: expect.stringContaining(reason) as string },
    });
  });

  it("is rejected if SHA-1 is allowed for assertions alone", async () => {
    login.setSettings({
      idp_metadata_xml: signedMetadata(metadata(), { signer: FEDERATION, sha1: true }),
      idp_metadata_certificates: [FEDERATION.certificate],
      allow_sha1: true,
    });
    await expect(login.begin()).rejects.toThrow(/SignatureMethod is not accepted/);
  });

  it("names the provider's keys, of which the metadata's signer is none", async () => {
    use(signed(metadata()));
    await expect(logIn(FEDERATION)).rejects.toThrow(
      `the message names ${fingerprint(FEDERATION)}, expected ${fingerprint(PROVIDER)} (the provider's metadata)`,
    );
  });

  it("names no provider of the remote ids, which the reason lists with those found", async () => {
    login.setSettings({ idp_metadata_xml: federation(other, other) });
    await expect(login.begin()).rejects.toMatchObject({
      facts: {
        reason: `the metadata describes 0 identity providers named in the provider's remote_ids, expected one: found "https://other.example.org", "https://other.example.org", remote_ids "${ISSUER}"`,
      },
    });
  });
});
