import { describe, expect, it } from "vitest";

import { homeCall } from "../../src/callsign/home-call.js";
import { CallsignError } from "../../src/errors.js";
import { cpuMs } from "../fixtures/cpu-time.js";

describe("homeCall", () => {
  it.each([
    ["HC2/DH1TW/P", "DH1TW"],
    ["dh1tw-10", "DH1TW"],
    ["DE DL1ABC", "DL1ABC"],
    ["http://dl1abc", "DL1ABC"],
    ["CQ DE DL1ABC/ K", "DL1ABC"],
  ])("finds the call in %s", (text, call) => {
    expect(homeCall(text)).toBe(call);
  });

  it.each([
    ["CE0Y/DL1ABC", "DL1ABC"],
    ["FT5W/F5ABC", "F5ABC"],
    ["VK9X/W1AW", "W1AW"],
    ["C6A/ND3F", "ND3F"],
  ])("takes the call and not the prefix that looks like one: %s", (text, call) => {
    expect(homeCall(text)).toBe(call);
  });

  it.each([
    ["AA7V/VP2V", "AA7V"],
    ["AI5P/VK9N", "AI5P"],
    ["9H5A/C6A", "9H5A"],
    ["VP2V/AA7V", "AA7V"],
    ["WP2Z/VK9N", "WP2Z"],
  ])("takes the call before the prefix of an island: %s", (text, call) => {
    expect(homeCall(text)).toBe(call);
  });

  it.each(["BV100", "BU100", "HD1QRC90", "5UAIHM", "4UNR", "HL22"])(
    "knows %s, a call of another form",
    (call) => {
      expect(homeCall(call)).toBe(call);
      expect(homeCall(`${call.toLowerCase()}/p`)).toBe(call);
    },
  );

  it("prefers a full call to a word that may be a call", () => {
    expect(homeCall("RUNNING 5WATT JO81 DE DL1ABC")).toBe("DL1ABC");
    expect(() => homeCall("RUNNING 5WATT FROM JO81")).toThrow(CallsignError);
  });

  it.each(["3Z3Z3Z", "JH8Y0H", "OE9M0N", "7QAA", "2SZ", "RAEM"])("does not cut %s short", (call) => {
    expect(homeCall(call)).toBe(call);
  });

  it.each(["BCN1A", "", "QRZ?", "OZ/JO81", "ß1ABC", "A".repeat(300)])("finds no call in %o", (text) => {
    expect(() => homeCall(text)).toThrow(CallsignError);
  });

  it.each([
    ["slashes", `A${"/".repeat(300_000)}A`],
    ["words", "DL1 ".repeat(100_000)],
    ["one word", "D".repeat(1_000_000)],
  ])("looks through a very long text of %s in a moment", (_, text) => {
    const start = cpuMs();
    expect(() => homeCall(text)).toThrow(CallsignError);
    expect(cpuMs() - start).toBeLessThan(2000);
  });
});
