import { generateKeyPairSync } from "node:crypto";

import { describe, expect, it } from "vitest";

import { jwkWeakness, keyWeakness } from "../../../src/platform/secrets/key-strength.js";

const rsa = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength });
const ec = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });

describe("a key", () => {
  it.each([
    ["RSA of 512 bits", rsa(512), "RSA key of 512 bits, expected at least 2048"],
    ["RSA of 1024 bits", rsa(1024), "RSA key of 1024 bits, expected at least 2048"],
    ["RSA of 2040 bits", rsa(2040), "RSA key of 2040 bits, expected at least 2048"],
    ["P-192", ec("prime192v1"), "EC key of 192 bits (prime192v1), expected a curve of at least 256"],
    ["P-224", ec("secp224r1"), "EC key of 224 bits (secp224r1), expected a curve of at least 256"],
    [
      "a curve over GF(2^m)",
      ec("sect163k1"),
      "EC key of 163 bits (sect163k1), expected a curve of at least 256",
    ],
  ])("of %s is too weak, private or public", (_, { privateKey, publicKey }, weakness) => {
    expect([keyWeakness(privateKey), keyWeakness(publicKey)]).toEqual([weakness, weakness]);
  });

  it("of RSA is as weak as a JWK", () => {
    const jwk = rsa(1024).publicKey.export({ format: "jwk" });
    expect(jwkWeakness(jwk)).toBe("RSA key of 1024 bits, expected at least 2048");
  });

  it.each([
    ["RSA of 2048 bits", rsa(2048)],
    ["P-256", ec("prime256v1")],
    ["secp256k1", ec("secp256k1")],
    ["P-384", ec("secp384r1")],
    ["P-521", ec("secp521r1")],
    ["Ed25519", generateKeyPairSync("ed25519")],
  ])("of %s is strong enough", (_, { publicKey }) => {
    expect(keyWeakness(publicKey)).toBeUndefined();
    expect(jwkWeakness(publicKey.export({ format: "jwk" }))).toBeUndefined();
  });

  it("is as long as its modulus, whatever zeros are written before it", () => {
    const { n = "", e } = rsa(1024).publicKey.export({ format: "jwk" });
    const padded = Buffer.concat([Buffer.alloc(300), Buffer.from(n, "base64url")]).toString("base64url");
    expect(jwkWeakness({ kty: "RSA", n: padded, e })).toBe("RSA key of 1024 bits, expected at least 2048");
  });

  it.each([
    [{ kty: "RSA" }, "RSA key of 0 bits, expected at least 2048"],
    [{ kty: "RSA", n: "" }, "RSA key of 0 bits, expected at least 2048"],
    [{ kty: "EC", crv: "P-192" }, "EC key of 192 bits (P-192), expected a curve of at least 256"],
    [{ kty: "EC", crv: 256 }, "EC key of 0 bits, expected a curve of at least 256"],
  ])("that is written as %j is too weak", (jwk, weakness) => {
    expect(jwkWeakness(jwk)).toBe(weakness);
  });

  it.each([null, "RSA", 1, [], {}, { kty: "oct", k: "AA" }])("is not what %j is", (jwk) => {
    expect(jwkWeakness(jwk)).toBeUndefined();
  });
});
