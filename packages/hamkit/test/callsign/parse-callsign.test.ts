import { describe, expect, it } from "vitest";

import { parseCallsign } from "../../src/callsign/parse-callsign.js";

/** Only what differs from a bare call. */
function parts(callsign: string): unknown {
  const parsed = parseCallsign(callsign);
  if (parsed === undefined) return undefined;
  const { station: _, activityOnly: __, beacon, ...rest } = parsed;
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
    ["VE1CWJ/DL1ABC", { call: "DL1ABC", before: "VE1CWJ" }],
    ["ABCDE/DL1ABC", undefined],
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

  it.each([
    ["AI5P/VK9N", { call: "AI5P", after: "VK9N" }],
    ["N6T/CE0Y", { call: "N6T", after: "CE0Y" }],
    ["DL1A/3D2R", { call: "DL1A", after: "3D2R" }],
    ["DL1A/VP8F", { call: "DL1A", after: "VP8F" }],
    ["9H5A/C6A", { call: "9H5A", after: "C6A" }],
    ["DL1A/KH6X", { call: "DL1A", after: "KH6X" }],
    ["WP2Z/VK9N", { call: "WP2Z", after: "VK9N" }],
    ["VK9N/AI5P", { call: "AI5P", before: "VK9N" }],
    ["KP2M/N6T", { call: "N6T", before: "KP2M" }],
  ])(
    "takes a prefix that names an island by its digit for the place at either end: %s",
    (callsign, expected) => {
      expect(parts(callsign)).toEqual(expected);
    },
  );

  it.each([
    ["RX9WN/9", "RX9WN"],
    ["E51ABC/1", "E51ABC"],
    ["3D2AG/2/P", "3D2AG/P"],
    ["W100AW/1", "W100AW"],
  ])("sets the digit of the call's own area aside: %s", (callsign, station) => {
    expect(parseCallsign(callsign)).toMatchObject({ station, area: undefined });
  });

  it("keeps the digit behind calls of territories, whose own digit names an island", () => {
    expect(parseCallsign("KH6ABC/6")).toMatchObject({ area: "6", station: "KH6ABC/6" });
  });

  it.each(["BV100", "HL22", "4UNR", "5UAIHM"])("takes %s for a call where there is no fuller one", (call) => {
    expect(parseCallsign(`${call}/P`)?.call).toBe(call);
  });

  it("takes letters and a long number behind a call for an event: JE2OOQ/SO2005", () => {
    expect(parts("JE2OOQ/SO2005")).toEqual({ call: "JE2OOQ" });
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
