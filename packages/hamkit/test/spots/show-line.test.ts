import { describe, expect, it } from "vitest";

import { decodeSpot } from "../../src/spots/decode-spot.js";

describe("a result of show/dx", () => {
  it("is a spot with its date", () => {
    const line = "  7160.0 GB70RS       19-Feb-2025 1202Z SES up 5 <tnx>                <2E0MNG>";
    expect(decodeSpot(line)).toEqual({
      kind: "spot",
      format: "show",
      spotter: "2E0MNG",
      skimmer: false,
      frequency: 7160,
      dx: "GB70RS",
      comment: "SES up 5 <tnx>",
      qsx: 7165,
      time: new Date("2025-02-19T12:02:00Z"),
      line,
    });
  });

  it.each([
    ["144300.0 OE5XYZ/P      1-Jan-2026 0001Z                              <HB9ABC>", "HB9ABC", false],
    ["14025.0 W1AW 1-Jan-2026 0001Z CW 20 dB <W3LPL-#>", "W3LPL", true],
    ["14025.0 w1aw 1-jan-2026 0001Z x <w3lpl> JO62", "W3LPL", false],
  ])("has a spotter: %s", (line, spotter, skimmer) => {
    expect(decodeSpot(line)).toMatchObject({ kind: "spot", spotter, skimmer });
  });

  it.each([
    "14025.0 W1AW 1-Jan-2026 0001Z",
    "14025.0 W1AW 1-Jan-2026 0001Z cq",
    "14025.0 W1AW 1-Jan-2026 0001Z cq <>",
    "14025.0 W1AW 1-Jan-2026 0001Z cq >W3LPL<",
    "14025.0 W1AW 32-Jan-2026 0001Z cq <W3LPL>",
    "14025.0 W1AW 1-Jan-2026 2401Z cq <W3LPL>",
    "14.025.0 W1AW 1-Jan-2026 0001Z cq <W3LPL>",
    "14025.0 W1AW 1-Jan-2026 0001Z cq <W3LPL> and more of it",
  ])("is unknown where it is damaged: %s", (line) => {
    expect(decodeSpot(line)).toEqual({ kind: "unknown", line });
  });
});

describe("a message to one user", () => {
  it.each([
    ["W1AW de DH1TW: hello", { from: "DH1TW", to: "W1AW", text: "hello" }],
    ["w1aw-2 de dh1tw-1 <1201Z> : hello : you", { from: "DH1TW-1", to: "W1AW-2", text: "hello : you" }],
  ])("%s", (line, expected) => {
    expect(decodeSpot(line)).toEqual({ kind: "talk", ...expected, line });
  });

  it.each([
    "W1AW de K1TTT-9 22-Mar-2026 1201Z dxspider >",
    "W1AW de DH1TW:",
    "all de DH1TW: hello",
    "W1AW de all: hello",
    "hello W1AW de DH1TW: hello",
  ])("and other lines are unknown: %s", (line) => {
    expect(decodeSpot(line)).toEqual({ kind: "unknown", line });
  });
});
