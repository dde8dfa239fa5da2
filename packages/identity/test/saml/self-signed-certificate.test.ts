import { generateKeyPairSync, X509Certificate } from "node:crypto";

import { describe, expect, it } from "vitest";

import { selfSignedCertificate } from "../../src/saml/self-signed-certificate.js";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const from = Date.parse("2026-11-21T01:02:03Z");

describe("a certificate made here", () => {
  it("is one of its key, by its key, for its time", () => {
    const until = Date.parse("2036-11-18T01:02:03Z");
    const read = new X509Certificate(selfSignedCertificate(privateKey, { commonName: "Bär", from, until }));
    expect(read).toMatchObject({
      subject: "CN=Bär",
      issuer: "CN=Bär",
      ca: false,
      validFrom: "Nov 21 01:02:03 2026 GMT",
      validTo: "Nov 18 01:02:03 2036 GMT",
    });
    expect(read.verify(publicKey)).toBe(true);
    expect(read.checkPrivateKey(privateKey)).toBe(true);
  });

  it("writes years from 2050 on in full, and cuts names that are too long", () => {
    const until = Date.parse("2050-01-01T00:00:00Z");
    const commonName = `https://${"a".repeat(80)}.example.org`;
    const read = new X509Certificate(selfSignedCertificate(privateKey, { commonName, from, until }));
    expect(read.validTo).toBe("Jan  1 00:00:00 2050 GMT");
    expect(read.subject).toBe(`CN=https://${"a".repeat(56)}`);
  });
});
