/** The band of a contact, by BAND or by FREQ. */
import { describe, expect, it } from "vitest";

import { bandOfRecord } from "../../src/bands/record-band.js";

describe("bandOfRecord", () => {
  it.each([
    { band: "20m", megahertz: undefined, expected: "20m" },
    { band: " 20M ", megahertz: "7.074", expected: "20m" },
    { band: undefined, megahertz: "7.074", expected: "40m" },
    { band: "", megahertz: "7.074", expected: "40m" },
    { band: "  ", megahertz: " 7.074 ", expected: "40m" },
    { band: "21m", megahertz: "14.074", expected: "21m" },
    { band: undefined, megahertz: undefined, expected: "" },
    { band: "", megahertz: "", expected: "" },
    { band: "", megahertz: "14,074", expected: "" },
    // 144 kHz are no band, though 144 is what Cabrillo calls 2 m.
    { band: "", megahertz: "0.144", expected: "" },
    { band: "", megahertz: "0.1375", expected: "2190m" },
  ])("is $expected for BAND $band and FREQ $megahertz", ({ band, megahertz, expected }) => {
    expect(bandOfRecord(band, megahertz)).toBe(expected);
  });
});
