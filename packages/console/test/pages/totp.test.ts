import { expect, it } from "vitest";

import {
  codeAt,
  fromBase32,
  isCodeOf,
  newSecret,
  otpauthUri,
  toBase32,
} from "../../src/pages/account/totp.ts";

/** "12345678901234567890", the secret of RFC 6238's test vectors. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

it.each([
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
])("calculates the code of second %i as RFC 6238, appendix B", async (second, code) => {
  expect(await codeAt(SECRET, Math.floor(second / 30))).toBe(code);
});

it("accepts the code of the step before, and no older one", async () => {
  expect(await isCodeOf(SECRET, "287082", new Date(80_000))).toBe(true);
  expect(await isCodeOf(SECRET, "287082", new Date(130_000))).toBe(false);
});

it("encodes secrets of 160 bits in base32, RFC 4648", () => {
  expect(toBase32(new TextEncoder().encode("foobar"))).toBe("MZXW6YTBOI");
  expect(new TextDecoder().decode(fromBase32("MZXW6YTBOI"))).toBe("foobar");
  expect(newSecret()).toMatch(/^[A-Z2-7]{32}$/);
});

it("writes the address that authenticator apps read", () => {
  expect(otpauthUri({ secret: SECRET, issuer: "my cloud", user: "ada@acme" })).toBe(
    `otpauth://totp/my%20cloud:ada%40acme?secret=${SECRET}&issuer=my%20cloud&algorithm=SHA1&digits=6&period=30`,
  );
});
