/** One-time codes. The expected ones are those of RFC 4226, appendix D, and of RFC 6238, appendix B, whose last six digits count. */
import { describe, expect, it } from "vitest";

import { codeAt, decodeTotpSecret, stepOfCode } from "../../src/auth/methods/totp.js";

const SECRET = Buffer.from("12345678901234567890");

describe("codes", () => {
  it("are those of RFC 4226", () => {
    const codes = Array.from({ length: 10 }, (_, counter) => codeAt(SECRET, counter));
    expect(codes).toStrictEqual([
      "755224",
      "287082",
      "359152",
      "969429",
      "338314",
      "254676",
      "287922",
      "162583",
      "399871",
      "520489",
    ]);
  });

  it.each([
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ])("are those of RFC 6238 at %d s", (seconds, code) => {
    expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it("are accepted in their step and the one after it", () => {
    const code = codeAt(SECRET, 100);
    expect(
      [2999.9, 3000, 3029.9, 3030, 3059.9, 3060].map((seconds) => stepOfCode(SECRET, code, seconds * 1000)),
    ).toStrictEqual([undefined, 100, 100, 100, 100, undefined]);
  });

  it.each(["", "28708", "2870820", " 287082", "287082\n", "２８７０８２", "28708x", "+28708"])(
    "have six digits, unlike %j",
    (code) => {
      expect(stepOfCode(SECRET, code, 59_000)).toBeUndefined();
    },
  );
});

describe("secrets", () => {
  it.each([
    // RFC 4648, section 10, repeated to 80 bits and more.
    ["MZXW6YTBOJTG633CMFZA====", "foobarfoobar"],
    ["mzxw6ytbojtg633cmfza", "foobarfoobar"],
    ["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "12345678901234567890"],
    ["JBSWY3DPEHPK3PXP", "Hello!\u{de}\u{ad}\u{be}\u{ef}"],
  ])("are read from base32: %s", (text, bytes) => {
    expect(decodeTotpSecret(text)).toStrictEqual(Buffer.from(bytes, "latin1"));
  });

  it.each(["", "!!!", "JBSWY3DPEHPK3PX1", "JBSW Y3DP EHPK 3PXP", "JBSWY3DPEHPK3PX", "=JBSWY3DPEHPK3PXP"])(
    "are not read from %j",
    (text) => {
      expect(decodeTotpSecret(text)).toBeUndefined();
    },
  );
});
