import { describe, expect, it } from "vitest";

import { decodeSpot } from "../../src/spots/decode-spot.js";

describe("a CC11 line", () => {
  const line =
    "CC11^7083.0^op17a^26-Aug-2017^0859Z^Special call up 2^ON3LX^134^134^F5LEN-7^27^14^28^15^CA^ON^Belgium-ON^Germany-DL^jo10^JN29";

  it("has its columns by position", () => {
    expect(decodeSpot(line)).toEqual({
      kind: "spot",
      format: "cc11",
      spotter: "ON3LX",
      skimmer: false,
      frequency: 7083,
      dx: "OP17A",
      comment: "Special call up 2",
      qsx: 7085,
      time: new Date("2017-08-26T08:59:00Z"),
      node: "F5LEN-7",
      dxItuz: 27,
      dxCqz: 14,
      spotterItuz: 28,
      spotterCqz: 15,
      dxState: "CA",
      spotterState: "ON",
      dxEntity: "Belgium-ON",
      spotterEntity: "Germany-DL",
      dxLocator: "JO10",
      locator: "JN29",
      line,
    });
  });

  it("may have fewer columns, or more", () => {
    const short = "CC11^14074.0^JA1ABC^ 4-May-2020^1234Z^FT8 -15dB CQ^W3LPL-#";
    expect(decodeSpot(short)).toMatchObject({ spotter: "W3LPL", skimmer: true, mode: "FT8", snr: -15 });
    const long = decodeSpot(`${line}^20m^51.5 N^${"x^".repeat(300)}`);
    expect(long).toMatchObject({ kind: "spot", locator: "JN29" });
  });

  it("has nothing of columns that make no sense", () => {
    const spot = decodeSpot("CC11^14074.0^JA1ABC^4-May-2020^1234Z^x^W3LPL^FN20^^0^91^41^0^^1^2^3^4^ZZ99^RR7");
    expect(Object.keys(spot).sort()).toEqual(
      "comment dx format frequency kind line skimmer spotter time".split(" "),
    );
  });

  it("has no locator RR73, which is the end of a contact", () => {
    const spot = decodeSpot(line.replace("jo10^JN29", "RR73^rr73"));
    expect(spot).toMatchObject({ kind: "spot", dxEntity: "Belgium-ON" });
    expect(spot).not.toHaveProperty("dxLocator");
    expect(spot).not.toHaveProperty("locator");
  });

  it.each([
    "CC11",
    "CC11^",
    "CC11^14074.0^JA1ABC",
    "CC11^x^JA1ABC^4-May-2020^1234Z^x^W3LPL",
    "CC11^14074.0^^4-May-2020^1234Z^x^W3LPL",
    "CC11^14074.0^JA1ABC^31-Apr-2020^1234Z^x^W3LPL",
    "CC11^14074.0^JA1ABC^4-May-2020^1234^x^W3LPL",
    "CC11^14074.0^JA1ABC^4-May-2020^1234Z^x^",
    "CC18^14074.0^JA1ABC^4-May-2020^1234Z^x^W3LPL",
  ])("is unknown where it is damaged: %s", (text) => {
    expect(decodeSpot(text)).toEqual({ kind: "unknown", line: text });
  });
});
