import { describe, expect, it } from "vitest";

import { decodeSpot } from "../../src/spots/decode-spot.js";

const now = new Date("2024-03-01T00:20:00Z");

describe("a WWV line", () => {
  it("has flux, indices and forecast, at the hour nearest to now", () => {
    const line = "WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms -> Minor w/G1";
    expect(decodeSpot(line, { now })).toEqual({
      kind: "wwv",
      format: "wwv",
      reporter: "W0MU",
      time: new Date("2024-02-29T18:00:00Z"),
      solarFlux: 120,
      aIndex: 5,
      kIndex: 2,
      forecast: "No Storms -> Minor w/G1",
      line,
    });
  });

  it.each(["WWV de AE5E <00>:   SFI=214, A=20, K=1", "wwv de ae5e <00Z> : sfi=214, a=20, k=1,"])(
    "is written in other ways: %j",
    (line) => {
      expect(decodeSpot(line, { now })).toMatchObject({
        kind: "wwv",
        reporter: "AE5E",
        time: new Date("2024-03-01T00:00:00Z"),
        solarFlux: 214,
        forecast: "",
      });
    },
  );

  it.each([
    "WWV de VE7CC",
    "WWV de AE5E <24>:   SFI=214, A=20, K=1",
    "WWV de AE5E <09>:   SFI=, A=20, K=1",
    "WWV de AE5E <09>:   SFI=214, A=20",
  ])("is unknown where it is damaged: %j", (line) => {
    expect(decodeSpot(line, { now }).kind).toBe("unknown");
  });
});

describe("a WCY line", () => {
  const line = "WCY de DK0WCY-1 <22> : K=4 expK=2 A=14 R=0 SFI=68 SA=qui GMF=act Au=no";

  it("has the indices of Kiel, and the beacon's texts", () => {
    expect(decodeSpot(line, { now })).toEqual({
      kind: "wcy",
      format: "wcy",
      reporter: "DK0WCY-1",
      time: new Date("2024-02-29T22:00:00Z"),
      solarFlux: 68,
      aIndex: 14,
      kIndex: 4,
      expectedKIndex: 2,
      sunspots: 0,
      solarActivity: "qui",
      geomagneticField: "act",
      aurora: "no",
      line,
    });
  });

  it("is unknown if a number is missing or invalid", () => {
    expect(decodeSpot(line.replace("R=0 ", ""), { now }).kind).toBe("unknown");
    expect(decodeSpot(line.replace("SFI=68", "SFI=high"), { now }).kind).toBe("unknown");
    expect(decodeSpot(line.replace("expK=2", ""), { now }).kind).toBe("unknown");
    expect(decodeSpot(line.replace("<22>", "<25>"), { now }).kind).toBe("unknown");
  });
});

describe("an announcement", () => {
  it.each([
    ["To ALL de DH1TW: hi there", { to: "ALL", from: "DH1TW", text: "hi there" }],
    ["To LOCAL de dh1tw-9 <1200Z> : hi: there", { to: "LOCAL", from: "DH1TW-9", text: "hi: there" }],
    ["To Sysops de DH1TW: ", { to: "SYSOPS", from: "DH1TW", text: "" }],
    ["WX de G3XYZ: rain", { to: "WX", from: "G3XYZ", text: "rain" }],
  ])("has sender, recipients and text: %j", (line, expected) => {
    expect(decodeSpot(line, { now })).toEqual({ kind: "announcement", ...expected, line });
  });

  it.each(["To whom it may concern:", "To ALL de :", "To ALL de DH1TW", "Today de DH1TW: x"])(
    "is not every line that begins like one: %j",
    (line) => {
      expect(decodeSpot(line, { now }).kind).toBe("unknown");
    },
  );
});
