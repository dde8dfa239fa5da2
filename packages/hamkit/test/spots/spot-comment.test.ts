import { describe, expect, it } from "vitest";

import { decodeSpot } from "../../src/spots/decode-spot.js";

/** What the comment of a spot on 14025.5 kHz tells. */
function details(comment: string): Record<string, unknown> {
  const spot = decodeSpot(`DX de DH1TW: 14025.5 DL1ABC ${comment} 1200Z`);
  const { mode, snr, wpm, qsx } = spot as unknown as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries({ mode, snr, wpm, qsx }).filter(([, value]) => value !== undefined),
  );
}

describe("the comment of a spot", () => {
  it.each([
    ["CW    20 dB  25 WPM  CQ", { mode: "CW", snr: 20, wpm: 25 }],
    ["11 dB  30 WPM  CQ", { snr: 11, wpm: 30 }],
    ["PSK31 44 dB  31 BPS  CQ", { mode: "PSK31", snr: 44 }],
    ["RTTY  15 dB  45 BPS  CQ", { mode: "RTTY", snr: 15 }],
    ["CW     5 dB  22 WPM  NCDXF B", { mode: "CW", snr: 5, wpm: 22 }],
    ["FT8   -12 dB  JO31  CQ", { mode: "FT8", snr: -12 }],
    ["ft8 -12dB from GF15", { mode: "FT8", snr: -12 }],
    ["FT4 +05dB", { mode: "FT4", snr: 5 }],
    ["FT8 -00 dB", { mode: "FT8", snr: 0 }],
  ])("has what skimmers and digital modes measure: %j", (comment, expected) => {
    expect(details(comment)).toEqual(expected);
  });

  it.each([
    ["(CW) tnx", "CW"],
    ["SSB/CW", "SSB"],
    ["usb loud", "USB"],
    ["FT-8 hound", "FT8"],
    ["js8call net", "JS8"],
    ["BPSK63", "PSK63"],
    ["bpsk", "PSK"],
    ["FST4W", "FST4W"],
    ["FT8-12", "FT8"],
    ["FM", "FM"],
    ["am", "AM"],
    ["FM JN48 tnx", undefined],
    ["I am in a hurry", undefined],
    ["CWT", undefined],
    ["QRPCW", undefined],
    ["FT80", undefined],
    ["5CW", undefined],
  ])("names a mode: %j %s", (comment, mode) => {
    expect(details(comment)["mode"]).toBe(mode);
  });

  it.each([
    "59+20dB",
    "59 +20dB",
    "S9 +20 dB",
    "S9+20dB",
    "599 +10dB",
    "9+40 dB",
    "dB",
    "20 dBm",
    "1.5dB",
    "1234 dB",
  ])("finds no signal-to-noise ratio in %j", (comment) => {
    expect(details(comment)).toEqual({});
  });

  it.each([
    ["QSX 14030", 14030],
    ["qsx 14030.25 up", 14030.25],
    ["QSX 14.0305", 14030.5],
    ["QSX 14.030", 14030],
    ["QSX 7030", undefined],
    ["up 5", 14030.5],
    ["UP5", 14030.5],
    ["cq up 1.2", 14026.7],
    ["up 2k", 14027.5],
    ["up 2 kHz", 14027.5],
    ["2 up", 14027.5],
    ["5up tnx", 14030.5],
    ["dn 1", 14024.5],
    ["DOWN 1.5", 14024],
    ["59 up 5", 14030.5],
    ["up", undefined],
    ["up 5-10", 14030.5],
    ["up 5/7", 14030.5],
    ["up 5 to 10", 14030.5],
    ["QSX 30", undefined],
    ["QSX 030", undefined],
    ["QSX 130", 14130],
    ["up 73", undefined],
    ["wake up2date", undefined],
    ["cup 5", undefined],
    ["up 0", undefined],
  ])("finds the listening frequency: %j %s", (comment, qsx) => {
    expect(details(comment)["qsx"]).toBe(qsx);
  });

  it("finds no listening frequency without one", () => {
    expect(details("")).toEqual({});
    expect(details("tnx QSO 73")).toEqual({});
  });
});
