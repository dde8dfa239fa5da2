import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readFrequency } from "../../src/spots/line-fields.js";

describe("readFrequency", () => {
  it("reads the number that Number reads, to the last bit", () => {
    const whole = fc.integer({ min: 1, max: 999_999_999 });
    const fraction = fc.stringMatching(/^(?:\.[0-9]{0,6})?$/);
    fc.assert(
      fc.property(whole, fraction, (a, b) => {
        expect(readFrequency(`${a}${b}`)).toBe(Number(`${a}${b}`));
      }),
    );
  });

  it.each([
    "",
    ".",
    "0",
    "0.000000",
    "1..2",
    "1.2.3",
    " 1",
    "+1",
    "-1",
    "1e3",
    "0x10",
    "NaN",
    "1000000000",
    "1.0000000",
  ])("finds no frequency in %j", (text) => {
    expect(readFrequency(text)).toBeUndefined();
  });

  it("ends with the first bad character, and with numbers that grow too large", () => {
    expect(readFrequency("9".repeat(1000))).toBeUndefined();
    expect(readFrequency(`0${"0".repeat(20)}14`)).toBe(14);
  });
});
