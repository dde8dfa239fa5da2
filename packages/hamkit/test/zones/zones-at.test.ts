import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { latlongToLocator, locatorToLatlong } from "../../src/locator.js";
import { zonesAt } from "../../src/zones.js";

describe("zonesAt", () => {
  // The places and their zones: CQ's and ITU's maps.
  it.each([
    { place: "Stuttgart", latitude: 48.78, longitude: 9.18, cqz: [14], ituz: [28] },
    { place: "Newington", latitude: 41.71, longitude: -72.73, cqz: [5], ituz: [8] },
    { place: "Cape Town", latitude: -33.92, longitude: 18.42, cqz: [38], ituz: [57] },
    { place: "Tokyo", latitude: 35.68, longitude: 139.77, cqz: [25], ituz: [45] },
    { place: "Wellington", latitude: -41.29, longitude: 174.78, cqz: [32], ituz: [60] },
    { place: "Buenos Aires", latitude: -34.6, longitude: -58.38, cqz: [13], ituz: [14] },
    { place: "Anchorage", latitude: 61.22, longitude: -149.9, cqz: [1], ituz: [1] },
    { place: "Honolulu", latitude: 21.31, longitude: -157.86, cqz: [31], ituz: [61] },
  ])("is $cqz and $ituz in $place", ({ latitude, longitude, cqz, ituz }) => {
    expect(zonesAt({ latitude, longitude })).toEqual({ cqz, ituz });
  });

  it("has the zones on both sides of a border", () => {
    // By definition ITU zones 6 and 7 meet at 110° W, 7 and 8 at 90° W.
    expect(zonesAt({ latitude: 47, longitude: -110 }).ituz).toEqual([6, 7]);
    expect(zonesAt({ latitude: 38, longitude: -90 }).ituz).toEqual([7, 8]);
  });

  it("has all zones that meet at a corner", () => {
    // CQ 35 and 36, ITU 46 and 66: the Gulf of Guinea at 0° N, 0° E.
    expect(zonesAt({ latitude: 0, longitude: 0 })).toEqual({ cqz: [35, 36], ituz: [46, 66] });
  });

  it("follows 90° W and 110° W, which the original polygons miss by up to 0.017°", () => {
    expect(zonesAt({ latitude: 45.5, longitude: -110.0001 }).ituz).toEqual([6]);
    expect(zonesAt({ latitude: 45.5, longitude: -109.9999 }).ituz).toEqual([7]);
    expect(zonesAt({ latitude: 38, longitude: -90.001 }).ituz).toEqual([7]);
    expect(zonesAt({ latitude: 38, longitude: -89.999 }).ituz).toEqual([8]);
  });

  it("has the CQ border between the Diomede islands, of which the original polygons put both in zone 1", () => {
    expect(zonesAt({ latitude: 65.78, longitude: -169.05 })).toEqual({ cqz: [19], ituz: [26] });
    expect(zonesAt({ latitude: 65.75, longitude: -168.92 })).toEqual({ cqz: [1], ituz: [1] });
  });

  it("is the same on both sides of the 180th meridian", () => {
    for (let latitude = -89; latitude <= 89; latitude += 0.5)
      expect(zonesAt({ latitude, longitude: 180 })).toEqual(zonesAt({ latitude, longitude: -180 }));
    expect(zonesAt({ latitude: 51, longitude: 180 })).toEqual({ cqz: [1], ituz: [1] });
  });

  it("is ITU 75 at the north pole and 74 at the south pole; CQ's definition names no zone there", () => {
    for (const longitude of [-180, -60, 0, 90, 180]) {
      expect(zonesAt({ latitude: 90, longitude })).toEqual({ cqz: [], ituz: [75] });
      expect(zonesAt({ latitude: -90, longitude })).toEqual({ cqz: [], ituz: [74] });
    }
  });

  it("names the kinds whose zones are the nearest ones, in a gap between polygons", () => {
    const gaps = Array.from({ length: 20_000 }, (_, i) => spread(i)).filter(
      (place) => zonesAt(place).nearest,
    );
    expect(gaps.length).toBeLessThan(20);
    for (const place of gaps) {
      const { nearest = [], ...zones } = zonesAt(place);
      for (const kind of nearest) expect(zones[kind].length).toBeGreaterThan(0);
    }
  });

  it("has no CQ zone in the gap of the data north of Novaya Zemlya", () => {
    expect(zonesAt({ latitude: 77.125, longitude: 50.875 })).toEqual({ cqz: [], ituz: [20] });
  });

  it.each([
    [{ latitude: 90.1, longitude: 0 }, "position/out-of-range", /latitude: 90.1 is not a number of degrees/],
    [{ latitude: 0, longitude: -180.5 }, "position/out-of-range", /longitude: -180.5/],
    [{ latitude: Number.NaN, longitude: 0 }, "position/out-of-range", /latitude: NaN/],
    [{ latitude: "48", longitude: 9 }, "argument/wrong-type", /latitude: "48"/],
    [{}, "argument/wrong-type", /latitude: undefined/],
    [null, "argument/wrong-type", /place: null is not a position or a locator/],
    [48, "argument/wrong-type", /place: 48/],
    ["JN4", "locator/malformed", /place: "JN4"/],
  ])("rejects %j", (place, code, message) => {
    expect(() => zonesAt(place as never)).toThrow(expect.objectContaining({ code }));
    expect(() => zonesAt(place as never)).toThrow(message);
  });
});

describe("zonesAt of a locator", () => {
  it("has every zone of which the rectangle has a part", () => {
    expect(zonesAt("JN48QM")).toEqual({ cqz: [14], ituz: [28] });
    // Switzerland and Germany are in 14, Liechtenstein too, Austria and Italy in 15.
    expect(zonesAt("JN47").cqz).toEqual([14, 15]);
  });

  it("leaves out zones that only touch its sides", () => {
    // The squares on either side of 110° W.
    expect(zonesAt("DN47").ituz).toEqual([6]);
    expect(zonesAt("DN57").ituz).toEqual([7]);
  });

  it("has the zones of every point inside", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -84.9, max: 84.9, noNaN: true }),
        fc.double({ min: -180, max: 179.99, noNaN: true }),
        fc.constantFrom(4 as const, 6 as const),
        (latitude, longitude, precision) => {
          const inside = zonesAt(latlongToLocator(latitude, longitude, precision));
          const point = zonesAt({ latitude, longitude });
          // On a border the point also has zones that only touch the rectangle.
          const has = (kind: "cqz" | "ituz"): boolean =>
            point[kind].length !== 1 ||
            point.nearest !== undefined ||
            inside[kind].includes(point[kind][0] ?? 0);
          expect(has("cqz") && has("ituz")).toBe(true);
        },
      ),
    );
  });

  it("has those of the points of a fine raster, and no others, in a square on a border", () => {
    for (const locator of ["JN47", "DN35", "FN25"]) {
      const [south, west] = locatorToLatlong(locator, false);
      const raster = new Set<number>();
      for (let i = 0; i < 100; i++)
        for (let j = 0; j < 100; j++)
          for (const zone of zonesAt({ latitude: south + (i + 0.5) / 100, longitude: west + (j + 0.5) / 50 })
            .cqz)
            raster.add(zone);
      expect({ locator, cqz: zonesAt(locator).cqz }).toEqual({
        locator,
        cqz: [...raster].sort((a, b) => a - b),
      });
    }
  });
});

/** Points spread evenly over the globe (a Fibonacci lattice). */
function spread(index: number): { latitude: number; longitude: number } {
  const latitude = (Math.asin((2 * (index + 0.5)) / 20_000 - 1) * 180) / Math.PI;
  const turns = index * 0.618_033_988_75;
  return { latitude, longitude: 360 * (turns - Math.floor(turns)) - 180 };
}
