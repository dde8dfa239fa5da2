import { describe, expect, it } from "vitest";

import { serviceCallsign } from "../../src/lookup/service-callsign.js";

describe("serviceCallsign", () => {
  it.each([
    [" dh1tw ", "DH1TW"],
    ["dh1tw-9", "DH1TW"],
    ["HC2/DH1TW/P", "HC2/DH1TW/P"],
    ["DL1ABC-2/P", "DL1ABC/P"],
    ["RAEM", "RAEM"],
  ])("is %j as services know it", (text, expected) => {
    expect(serviceCallsign(text)).toBe(expected);
  });

  it.each([
    "",
    " ",
    "/",
    "DL1ABC/",
    "/P",
    "DL1ABC//P",
    "DL-ABC",
    "-9",
    "DL1 ABC",
    "ß1ABC",
    "DL1ABC\n/P",
    "A".repeat(31),
  ])("is nothing for %j, which no service need be asked for", (text) => {
    expect(serviceCallsign(text)).toBeUndefined();
  });

  it("refuses what is no text", () => {
    expect(() => serviceCallsign(null as unknown as string)).toThrow(TypeError);
  });
});
