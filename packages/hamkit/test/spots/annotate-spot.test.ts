import { beforeAll, describe, expect, it } from "vitest";

import { ArgumentTypeError, AttributeError, LocatorError } from "../../src/errors.js";
import { calculateDistance, calculateHeading } from "../../src/locator.js";
import type { TableSource } from "../../src/lookup/source.js";
import { annotateSpot } from "../../src/spots/annotate-spot.js";
import type { Spot } from "../../src/spots/spot.js";
import { decodeSpot } from "../../src/spots/decode-spot.js";
import { smallTable } from "../fixtures/small-table.js";

let table: TableSource;
beforeAll(async () => {
  table = await smallTable();
});

function spotOf(line: string): Spot {
  const spot = decodeSpot(line, { now: new Date("2024-03-01T12:30:00Z") });
  if (spot.kind !== "spot") throw new Error(spot.kind);
  return spot;
}

describe("annotateSpot", () => {
  const spot = spotOf("DX de DH1TW:     14025.0  JA1ABC       cq                             1200Z");

  it("adds what the table knows of both stations, and keeps the spot", () => {
    const annotated = annotateSpot(spot, { table });
    expect(annotated).toMatchObject({
      ...spot,
      dxStation: {
        record: { country: "Japan", cqz: 25 },
        identification: { matchedBy: "prefix", match: "JA" },
      },
      spotterStation: { record: { country: "Fed. Rep. of Germany" } },
    });
    expect(spot).not.toHaveProperty("dxStation");
  });

  it("has distance and heading from the own locator to the records' positions", () => {
    const { dxStation, spotterStation } = annotateSpot(spot, { table, locator: "JN48QM" });
    // Japan is at 36.40° N 138.38° E, which is in PM96EJ.
    expect(dxStation.distanceKm).toBeCloseTo(calculateDistance("JN48QM", "PM96EJ"), -1);
    expect(dxStation.heading).toBeCloseTo(calculateHeading("JN48QM", "PM96EJ"), 0);
    expect(spotterStation.distanceKm).toBeCloseTo(calculateDistance("JN48QM", "JO51AA"), -1);
  });

  it("has no way without a locator", () => {
    expect(annotateSpot(spot, { table }).dxStation).not.toHaveProperty("distanceKm");
    expect(annotateSpot(spot, { table }).dxStation).not.toHaveProperty("heading");
  });

  it("knows better where the spotter is if the line has a locator", () => {
    const precise = spotOf(
      "DX de DH1TW:     14025.0  JA1ABC       cq                             1200Z JN48",
    );
    const { spotterStation } = annotateSpot(precise, { table, locator: "JN58" });
    expect(spotterStation.distanceKm).toBe(calculateDistance("JN58", "JN48"));
    expect(spotterStation.heading).toBe(calculateHeading("JN58", "JN48"));
  });

  it("identifies skimmers, portable stations and SSIDs", () => {
    const skimmer = spotOf("DX de DH1TW-2-#: 14025.0  HC/JA1ABC/P       cq            1200Z");
    const { dxStation, spotterStation } = annotateSpot(skimmer, { table });
    expect([dxStation.record?.country, spotterStation.record?.country]).toEqual([
      "Ecuador",
      "Fed. Rep. of Germany",
    ]);
  });

  it("looks up as of the time of the spot", () => {
    const moments: number[] = [];
    const asked: TableSource = {
      ...table,
      exact: (_, at) => void moments.push(at),
      longestPrefix: (_, at) => void moments.push(at),
    };
    const old = spotOf("PC11^14010.0^R155AP^11-Apr-2014^1711Z^^R9CAC^RN6BN^H95^~");
    annotateSpot(old, { table: asked });
    expect(new Set(moments)).toEqual(new Set([Date.UTC(2014, 3, 11, 17, 11)]));
  });

  it("has no record of an invalid call, and no distance for a station at sea", () => {
    const odd = spotOf("DX de IDIOT:     14025.0  DL1ABC/MM       cq                        1200Z");
    const { dxStation, spotterStation } = annotateSpot(odd, { table, locator: "JN48" });
    expect(spotterStation).toEqual({ identification: { kind: "unknown" } });
    expect(dxStation.record?.adif).toBe(999);
    expect(dxStation).not.toHaveProperty("distanceKm");
  });

  it("rejects an invalid locator, and values that are not spots", () => {
    expect(() => annotateSpot(spot, { table, locator: "JN4" })).toThrow(LocatorError);
    expect(() => annotateSpot(spot, { table, locator: 5 as unknown as string })).toThrow(AttributeError);
    expect(() => annotateSpot(decodeSpot("hi") as Spot, { table })).toThrow(ArgumentTypeError);
    expect(() => annotateSpot(null as unknown as Spot, { table })).toThrow(ArgumentTypeError);
  });
});
