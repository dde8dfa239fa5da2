/** Providers that sign with EC keys. */
import { deflateRawSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { keyWeakness, xmlKeyFault } from "../../../src/platform/secrets/key-strength.js";
import { separateWeakKeys } from "../../../src/federation/protocols/saml2/provider-certificates.js";
import { checkDetached } from "../../../src/federation/protocols/saml2/signed-element.js";
import { checkKeys } from "../../../src/federation/protocols/settings-parts.js";
import { sqliteDatabases } from "../../databases.js";
import { failedLogoutResponse } from "../logout/logout-messages.js";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { ECDSA, ecSignature, signByEc, type EcHash, type EcSigningOptions } from "./ec-signing.js";
import { samlLogin, type SamlLogin } from "./saml-login.js";
import { metadata, newEcSigner, newSigner, response, type Signer } from "./test-provider.js";

/** Bytes of r and of s: FIPS 186-5, the orders of P-256, P-384 and P-521. */
const CURVES = { prime256v1: 32, secp384r1: 48, secp521r1: 66 } as const;
const SIGNERS = Object.fromEntries(
  Object.keys(CURVES).map((curve) => [curve, newEcSigner(curve)]),
) as Readonly<Record<keyof typeof CURVES, Signer>>;
const HASHES: readonly EcHash[] = ["sha256", "sha384", "sha512"];
const PAIRS = Object.keys(CURVES).flatMap((curve) =>
  HASHES.map((hash) => ({ curve: curve as keyof typeof CURVES, hash })),
);

describe("a provider with an EC key", () => {
  let login: SamlLogin;
  let count = 0;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
  });
  afterAll(() => login.close());

  function logIn(options: EcSigningOptions, of: "_response" | "assertion" = "assertion") {
    const assertionId = `_ec${++count}`;
    const id = of === "assertion" ? assertionId : of;
    return login.carry(signByEc(response({ assertionId }), id, options));
  }

  it.each(PAIRS)("on $curve logs its users in, signing with $hash", async ({ curve, hash }) => {
    const signer = SIGNERS[curve];
    login.setSettings({ idp_metadata_xml: metadata(signer) });
    for (const digest of HASHES) {
      const { attributes } = await logIn({ signer, hash, digest });
      expect(attributes).toMatchObject({ NAME_ID: "alice" });
    }
    expect((await logIn({ signer, hash }, "_response")).attributes).toMatchObject({ NAME_ID: "alice" });
  });

  it.each(Object.keys(CURVES) as (keyof typeof CURVES)[])(
    "on %s is rejected with a signature in another form than r and s of its length",
    async (curve) => {
      const signer = SIGNERS[curve];
      const bytes = CURVES[curve];
      login.setSettings({ idp_metadata_xml: metadata(signer) });
      const half = (value: Buffer, which: 0 | 1) => value.subarray(which * bytes, (which + 1) * bytes);
      const zero = Buffer.alloc(bytes);
      const high = Buffer.alloc(bytes, 0xff);
      const changes: Readonly<Record<string, (value: Buffer) => Buffer>> = {
        "without its last byte": (value) => value.subarray(0, -1),
        "with a byte more": (value) => Buffer.concat([value, Buffer.alloc(1)]),
        "with a byte before each half": (value) =>
          Buffer.concat([Buffer.alloc(1), half(value, 0), Buffer.alloc(1), half(value, 1)]),
        empty: () => Buffer.alloc(0),
        "r is 0": (value) => Buffer.concat([zero, half(value, 1)]),
        "s is 0": (value) => Buffer.concat([half(value, 0), zero]),
        "both are 0": () => Buffer.concat([zero, zero]),
        "r is above the order": (value) => Buffer.concat([high, half(value, 1)]),
        "s is above the order": (value) => Buffer.concat([half(value, 0), high]),
        "r and s are exchanged": (value) => Buffer.concat([half(value, 1), half(value, 0)]),
        "of another text": (value) => value.map((byte, index) => (index === 5 ? byte ^ 1 : byte)) as Buffer,
      };
      for (const change of Object.values(changes))
        await expect(logIn({ signer, change })).rejects.toThrow(/signature does not verify/);
      await expect(logIn({ signer, encoding: "der" })).rejects.toThrow(/signature does not verify/);
    },
  );

  it("is rejected with a signature by another key, of its own curve, of another, or of RSA", async () => {
    login.setSettings({ idp_metadata_xml: metadata(SIGNERS.prime256v1) });
    for (const signer of [newEcSigner("prime256v1"), SIGNERS.secp384r1])
      await expect(logIn({ signer })).rejects.toThrow(/signature does not verify/);
    login.setSettings({ idp_metadata_xml: metadata(newSigner()) });
    await expect(logIn({ signer: SIGNERS.prime256v1 })).rejects.toThrow(/signature does not verify/);
  });

  it("is rejected after a change of what it has signed", async () => {
    login.setSettings({ idp_metadata_xml: metadata(SIGNERS.secp384r1) });
    const xml = signByEc(response({ assertionId: "_changed" }), "_changed", { signer: SIGNERS.secp384r1 });
    await expect(login.carry(xml.replace(">alice<", ">admin<"))).rejects.toThrow(/digest does not match/);
  });

  it("is rejected with SHA-1, also where that is allowed for RSA", async () => {
    login.setSettings({ idp_metadata_xml: metadata(SIGNERS.prime256v1), allow_sha1: true });
    const xml = signByEc(response({ assertionId: "_old" }), "_old", { signer: SIGNERS.prime256v1 });
    await expect(login.carry(xml.replace(`${ECDSA}sha256`, `${ECDSA}sha1`))).rejects.toThrow(
      /SignatureMethod is not accepted: ".*ecdsa-sha1"/,
    );
    login.setSettings({});
  });

  it("signs metadata, which is accepted by its pinned certificate", async () => {
    const [federation, member] = [SIGNERS.secp521r1, SIGNERS.prime256v1];
    const xml = metadata(member).replace("<md:EntityDescriptor ", '<md:EntityDescriptor ID="_md" ');
    const place = { reference: "/*", action: "prepend" } as const;
    const signed = signByEc(xml, "_md", { signer: federation, hash: "sha512", place });
    login.setSettings({ idp_metadata_xml: signed, idp_metadata_certificates: [federation.certificate] });
    expect((await logIn({ signer: member })).attributes).toMatchObject({ NAME_ID: "alice" });
    login.setSettings({ idp_metadata_xml: signed, idp_metadata_certificates: [member.certificate] });
    await expect(logIn({ signer: member })).rejects.toThrow(/signature does not verify/);
  });

  // The Redirect binding names the same algorithms, and so the same form of the value.
  it.each(PAIRS)("on $curve signs messages by HTTP-Redirect with $hash", ({ curve, hash }) => {
    const signer = SIGNERS[curve];
    const { certificates } = separateWeakKeys([new X509Certificate(signer.certificate)]);
    const trust = { certificates, weakKeys: [], allowsSha1: false };
    const algorithm = ECDSA + hash;
    const message = deflateRawSync(failedLogoutResponse()).toString("base64");
    const text = `SAMLResponse=${encodeURIComponent(message)}&SigAlg=${encodeURIComponent(algorithm)}`;
    const check = (value: Buffer) =>
      checkDetached({ text, algorithm, value: value.toString("base64") }, trust);
    check(ecSignature(text, { signer, hash }));
    for (const wrong of [
      ecSignature(text, { signer, hash, encoding: "der" }),
      ecSignature("x", { signer, hash }),
    ])
      expect(() => check(wrong)).toThrow(/signature does not verify/);
  });
});

describe("keys that can't verify a SAML signature", () => {
  it.each(["secp256k1", "brainpoolP256r1", "brainpoolP384r1"])(
    "are refused in settings, and named where metadata has them: %s",
    (curve) => {
      const { certificate } = newEcSigner(curve);
      const fault = `EC key on the curve ${curve}, expected P-256, P-384 or P-521`;
      for (const name of ["idp_certificates", "idp_metadata_certificates"])
        expect(() => checkKeys({ [name]: [certificate] })).toThrow(`settings: "${name}[0]" has an ${fault}`);
      // Certificate authorities of TLS are another matter.
      checkKeys({ ca_certificates: [certificate] });
      expect(separateWeakKeys([new X509Certificate(certificate)])).toMatchObject({
        certificates: [],
        weakKeys: [expect.stringContaining(`${fault} (certificate sha256:`)],
        hasWeakKey: false,
      });
    },
  );

  it("are those of other types", () => {
    for (const { publicKey } of [
      generateKeyPairSync("ed25519"),
      generateKeyPairSync("rsa-pss", { modulusLength: 2048 }),
    ]) {
      expect(keyWeakness(publicKey)).toBeUndefined();
      expect(xmlKeyFault(publicKey)).toMatch(
        /^unusable key of type (?:ed25519|rsa-pss), expected rsa, or ec on P-256, P-384 or P-521$/,
      );
    }
  });

  it("are EC keys where the service signs and decrypts", () => {
    const { certificate, privateKey } = newEcSigner("prime256v1");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    expect(() => checkKeys({ sp_certificate: certificate })).toThrow(
      'settings: "sp_certificate" has an unusable key of type ec, expected rsa',
    );
    expect(() => checkKeys({ sp_private_key: pem })).toThrow(
      /"sp_private_key" has an unusable key of type ec/,
    );
    checkKeys({ client_private_key: pem });
  });
});
