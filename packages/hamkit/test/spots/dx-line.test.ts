import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Spot } from "../../src/spots/spot.js";
import { decodeSpot } from "../../src/spots/decode-spot.js";

const now = new Date("2024-03-01T12:30:00Z");

function spotOf(line: string): Spot {
  const spot = decodeSpot(line, { now });
  if (spot.kind !== "spot") throw new Error(`${spot.kind}: ${line}`);
  return spot;
}

describe("a DX de line", () => {
  it("has spotter, frequency, station, comment and time", () => {
    const line = "DX de CX3BZ:     24915.0  VU2CPL       tnx QSO 73                     1154Z";
    expect(decodeSpot(line, { now })).toEqual({
      kind: "spot",
      format: "dx",
      spotter: "CX3BZ",
      skimmer: false,
      frequency: 24915,
      dx: "VU2CPL",
      comment: "tnx QSO 73",
      time: new Date("2024-03-01T11:54:00Z"),
      line,
    });
  });

  it.each([
    ["DX de W3LPL-#:   14025.0  DL1ABC         CW    20 dB  25 WPM  CQ      1200Z", "W3LPL", true],
    ["DX de KM3T-2-#:   7019.0  IZ5CPK         CW    20 dB  26 WPM  CQ      1200Z", "KM3T-2", true],
    ["DX de DK9IP-1-#:10368887.0  DL7VTX/B     CW    20 dB  26 WPM  CQ      1200Z", "DK9IP-1", true],
    ["DX de DH1TW-9:   14025.0  DL1ABC       x                              1200Z", "DH1TW-9", false],
    ["DX de VE3EY-@:   14025.0  DL1ABC       x                              1200Z", "VE3EY", true],
    ["DX de VE7/DL1ABC/P: 7012.3  DL1ABC     x                              1200Z", "VE7/DL1ABC/P", false],
    ["DX de VE7/DL1 14012.0  K1ABC           cut off by the node            1200Z", "VE7/DL1", false],
    ["DX de DH1TW : 14012.0  K1ABC           x                              1200Z", "DH1TW", false],
  ])("names the spotter: %j", (line, spotter, skimmer) => {
    expect(spotOf(line)).toMatchObject({ spotter, skimmer });
  });

  it.each([
    ["136.0", 136],
    ["14033.42", 14033.42],
    ["10368887.0", 10368887],
    ["241000000.5", 241000000.5],
    ["7074", 7074],
    ["7074.", 7074],
    ["14025,0", 14025],
    ["14025,35", 14025.35],
  ])("has the frequency in kHz, however wide: %s", (text, frequency) => {
    expect(spotOf(`DX de DH1TW: ${text} DL1ABC x 1200Z`).frequency).toBe(frequency);
  });

  it.each(["0.0", "-14025.0", "1e4", "14.025.0", ".5", "14,025.0", "1000000000", "14025.1234567", "x", "٣"])(
    "is unknown without a frequency: %s",
    (text) => {
      expect(decodeSpot(`DX de DH1TW: ${text} DL1ABC x 1200Z`, { now }).kind).toBe("unknown");
    },
  );

  it.each(["$QRM", "DL1ÄBC", "-DL1ABC", "A".repeat(25), "<b>"])(
    "is unknown where a call can't be one: %s",
    (call) => {
      expect(decodeSpot(`DX de ${call}: 14025.0 DL1ABC x 1200Z`, { now }).kind).toBe("unknown");
      expect(decodeSpot(`DX de DL1ABC: 14025.0 ${call} x 1200Z`, { now }).kind).toBe("unknown");
    },
  );

  it("raises ASCII letters of calls alone: neither ß nor the long s become a part of one", () => {
    expect(spotOf("DX de dh1tw: 14074.0 dl1abc/p x 1200Z")).toMatchObject({
      spotter: "DH1TW",
      dx: "DL1ABC/P",
    });
    expect(decodeSpot("DX de dh1tw: 14074.0 dl1aßc x 1200Z", { now }).kind).toBe("unknown");
    expect(decodeSpot("DX de dh1tw: 14074.0 dl1aſc x 1200Z", { now }).kind).toBe("unknown");
  });

  it.each([
    ["cq 1300Z test", "1200Z", "cq 1300Z test"],
    ["  two  blanks ", "1200Z", "two  blanks"],
    ["", "1200Z", ""],
    ['<b>x</b> äö "quoted" 日本', "1200Z", '<b>x</b> äö "quoted" 日本'],
    [
      "a comment that is longer than its column of thirty",
      "1200Z",
      "a comment that is longer than its column of thirty",
    ],
    ["11200Z", "1200Z", "11200Z"],
  ])("has everything between station and time for its comment: %j", (comment, time, expected) => {
    expect(spotOf(`DX de DH1TW: 14074.0 DL1ABC ${comment} ${time}`).comment).toBe(expected);
  });

  it.each([
    ["1200Z JO50", "JO50"],
    ["1200Z jo50qm", "JO50QM"],
    ["1200Z  14 JO50", "JO50"],
    ["1200Z", undefined],
    ["1200Z MA", undefined],
    ["1200Z 14", undefined],
    ["1200Z JO5", undefined],
    ["1200Z SO50", undefined],
    // The end of a contact.
    ["1200Z RR73", undefined],
  ])("has the spotter's locator behind the time, where there is one: %j", (tail, locator) => {
    expect(spotOf(`DX de DH1TW: 14074.0 DL1ABC x ${tail}`).locator).toBe(locator);
  });

  describe("has columns of DXSpider", () => {
    const columns = (comment: string, end: string): object => {
      const line = `DX de W1AW:      14195.0  K6ABC        ${comment} ${end}`;
      const { comment: rest, dxLocator, locator, dxState, spotterState, dxZone, spotterZone } = spotOf(line);
      return { rest, dxLocator, locator, dxState, spotterState, dxZone, spotterZone };
    };
    const wide = (text: string, column: string): string => text.padEnd(30 - column.length) + column;

    it.each([
      [wide("CQ TEST", " CA"), "1801Z CT", { rest: "CQ TEST", dxState: "CA", spotterState: "CT" }],
      [wide("CQ TEST", " CA"), "1801Z", { rest: "CQ TEST", dxState: "CA" }],
      [wide("", " JO59"), "0500Z JN48", { rest: "", dxLocator: "JO59", locator: "JN48" }],
      [wide("tnx", " 14"), "1801Z 28", { rest: "tnx", dxZone: 14, spotterZone: 28 }],
      [wide("tnx", "  5"), "1801Z  3", { rest: "tnx", dxZone: 5, spotterZone: 3 }],
      // A comment that the node has cut off to make room for the column.
      [
        "a comment of twenty-seven ch CA",
        "1801Z CT",
        { rest: "a comment of twenty-seven ch", dxState: "CA" },
      ],
    ])("%j %s", (comment, end, expected) => {
      expect(columns(comment, end)).toMatchObject(expected);
    });

    it.each([
      // The comment fills its width, and the spotter's column is of another kind.
      ["hrd in ohio usa and in toronto", "1801Z JN48"],
      ["a long comment that ends in 59", "1801Z JN48"],
      ["a long comment that ends in 59", "1801Z"],
      // No zone.
      [wide("tnx", " 99"), "1801Z 14"],
      [wide("tnx", " ca"), "1801Z"],
      // No locator.
      [wide("FT8", " RR73"), "1801Z JN48"],
    ])("and leaves other words in the comment: %j %s", (comment, end) => {
      expect(columns(comment, end)).toMatchObject({
        rest: comment.trim(),
        dxState: undefined,
        dxZone: undefined,
        dxLocator: undefined,
      });
    });

    it("and none before the time in a line without columns", () => {
      const spot = spotOf("DX de W1AW: 7160.0 G3ZZZ good DX  73 1530Z 14");
      expect(spot).toMatchObject({ comment: "good DX  73", spotterZone: 14 });
      expect(spot.dxZone).toBeUndefined();
    });
  });

  it.each([
    "x",
    "1200",
    "x1200Z",
    "2400Z",
    "1260Z",
    "1200Z and more to say about it",
    "12000Z",
    "1200Z JO50 14 MA",
  ])("is unknown without a time at its end: %j", (end) => {
    expect(decodeSpot(`DX de DH1TW: 14074.0 DL1ABC ${end}`, { now }).kind).toBe("unknown");
  });

  it("gives back what was put into it", () => {
    const call = fc.stringMatching(/^[A-Z0-9]{1,3}[0-9][A-Z]{1,4}(?:\/[A-Z0-9]{1,4})?$/);
    const comment = fc.stringMatching(/^(?:[a-y][a-y .,!?]{0,28}[a-y])?$/);
    const tenths = fc.integer({ min: 1360, max: 2_500_000_000 });
    const minutes = fc.integer({ min: 0, max: 1439 });
    fc.assert(
      fc.property(
        call,
        call,
        comment,
        tenths,
        minutes,
        fc.boolean(),
        (by, dx, text, kHz10, minute, skimmer) => {
          const time = new Date(Date.UTC(2024, 2, 1, 0, minute));
          const clock = time.toISOString().slice(11, 16).replace(":", "");
          const spotter = `${by}${skimmer ? "-#" : ""}:`.padEnd(7);
          const frequency = (kHz10 / 10).toFixed(1).padStart(11);
          const line = `DX de ${spotter}${frequency}  ${dx.padEnd(12)} ${text.padEnd(30)} ${clock}Z`;
          expect(decodeSpot(line, { now: time })).toMatchObject({
            spotter: by,
            skimmer,
            frequency: kHz10 / 10,
            dx,
            comment: text,
            time,
          });
        },
      ),
    );
  });
});
