import { describe, expect, it } from "vitest";

import { parseCallsign } from "../../src/callsign/parse.js";

/** Only what differs from a bare call. */
function parts(callsign: string): unknown {
  const parsed = parseCallsign(callsign);
  if (parsed === undefined) return undefined;
  const { station: _, beacon, ...rest } = parsed;
  const said = Object.entries(rest).filter(([, value]) => value !== undefined);
  return Object.fromEntries(beacon ? [...said, ["beacon", true]] : said);
}

describe("parseCallsign", () => {
  it.each([
    ["DH1TW", { call: "DH1TW" }],
    ["DH1TW/P", { call: "DH1TW" }],
    ["HC2/DH1TW", { call: "DH1TW", before: "HC2" }],
    ["DH1TW/HC2", { call: "DH1TW", after: "HC2" }],
    ["DH1TW/HC2/P", { call: "DH1TW", after: "HC2" }],
    ["F/M0ABC", { call: "M0ABC", before: "F" }],
    ["MM/DL1ABC", { call: "DL1ABC", before: "MM" }],
    ["DL1ABC/MM", { call: "DL1ABC", mobile: "maritime" }],
    ["HC2/DH1TW/AM", { call: "DH1TW", before: "HC2", mobile: "aeronautical" }],
    ["DL1ABC/MM1", { call: "DL1ABC", mobile: "maritime" }],
    ["W1AW/6", { call: "W1AW", area: "6" }],
    ["W1AW/7/P", { call: "W1AW", area: "7" }],
    ["GB3VHF/B", { call: "GB3VHF", beacon: true }],
    ["DB0ABC/BCN/P", { call: "DB0ABC", beacon: true }],
    ["DM19ERZ/BEF", { call: "DM19ERZ" }],
    ["W5JLH/SOTA", { call: "W5JLH" }],
    ["W0QI/JO81", { call: "W0QI" }],
    ["G0GDA/70", { call: "G0GDA" }],
    ["K1FMB/YL", { call: "K1FMB" }],
    ["3D2/R/DL1ABC", { call: "DL1ABC", before: "3D2", slashed: "3D2/R" }],
    ["EA6/EA3M", { call: "EA3M", before: "EA6" }],
  ])("takes %s apart", (callsign, expected) => {
    expect(parts(callsign)).toEqual(expected);
  });

  it.each([
    ["VK9X/W1AW", "W1AW"],
    ["RT9V/W2PE", "W2PE"],
    ["G4FUH/LV6V", "G4FUH"],
    ["CE0Z/K1A", "K1A"],
  ])("takes the more call-like of two calls for the station's own: %s", (callsign, call) => {
    expect(parseCallsign(callsign)?.call).toBe(call);
  });

  it("takes the later of two calls that are alike, because a prefix goes before the call", () => {
    expect(parseCallsign("BY8A/K2CA")).toMatchObject({ call: "K2CA", before: "BY8A" });
  });

  it("knows where the station stays, whatever beacon and power suffixes say", () => {
    expect(parseCallsign("HC2/DH1TW/QRP")?.station).toBe("HC2/DH1TW");
    expect(parseCallsign("VP8ADE/B")?.station).toBe("VP8ADE");
    expect(parseCallsign("VP8ADE/P")?.station).toBe("VP8ADE/P");
  });

  it.each([
    "",
    "/",
    "//",
    "/P",
    "P/",
    "DH1TW/",
    "/DH1TW",
    "DH1TW//P",
    "OZ/JO81",
    "X/MM",
    "TEST",
    "12345",
    "K1A/K2A/K3A/K4A",
  ])("finds no call in %o", (callsign) => {
    expect(parseCallsign(callsign)).toBeUndefined();
  });
});
