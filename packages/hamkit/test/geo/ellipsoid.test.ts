import * as fc from "fast-check";
import geographiclib from "geographiclib-geodesic";
import { describe, expect, it } from "vitest";
import { geodesic } from "../../src/geo/ellipsoid.js";
import { distanceKm } from "../../src/geo/great-circle.js";
import type { Position } from "../../src/geo/position.js";

const at = (latitude: number, longitude: number): Position => ({ latitude, longitude });
const WGS84 = geographiclib.Geodesic.WGS84;

/** What GeographicLib, the reference implementation, answers: km, and degrees from 0 to 360. */
function reference(from: Position, to: Position) {
  const { s12 = NaN, azi1 = NaN } = WGS84.Inverse(from.latitude, from.longitude, to.latitude, to.longitude);
  return { distanceKm: s12 / 1000, heading: (azi1 + 360) % 360 };
}

function turned(a: number, b: number): number {
  return Math.abs(((a - b + 540) % 360) - 180);
}

const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const anyPosition = fc.record({ latitude, longitude });

/** The antipode of a place, moved a little. */
const nearAntipode = fc
  .tuple(
    fc.record({ latitude: fc.double({ min: -88, max: 88, noNaN: true }), longitude }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
  )
  .map(([from, north, east]): readonly [Position, Position] => {
    const opposite = from.longitude + 180 + east;
    return [from, at(-from.latitude + north, opposite - 360 * Math.round(opposite / 360))];
  });

describe("geodesic", () => {
  it.each([
    // Karney 2013, section 4 (eq. 23 and tables 3, 4): ends at -30.12345 and at -30.12344, and nearly antipodal ones.
    [at(-30.123_45, 0), at(-30.123_44, 0.000_05), 4.944_208e-3, 77.043_533],
    [at(-30, 0), at(29.9, 179.8), 19_989.832_827_61, 161.890_524_736],
    // GeographicLib's manual: Wellington to Salamanca, New York (JFK) to London (Heathrow)
    [at(-41.32, 174.81), at(40.96, -5.5), 19_959.679_267_35, 161.067_669_986],
    [at(40.6, -73.8), at(51.6, -0.5), 5551.759_400_319, 51.198_882_845],
  ])("agrees with published examples from %o to %o", (from, to, km, heading) => {
    const found = geodesic(from, to);
    expect(found.distanceKm).toBeCloseTo(km, 7);
    expect(found.heading).toBeCloseTo(heading, 5);
  });

  it.each([
    [
      "half round the equator, where both ways over the poles are shorter",
      at(0, 0),
      at(0, 180),
      20_003.931_458_6,
    ],
    ["from pole to pole", at(90, 0), at(-90, 50), 20_003.931_458_6],
    ["a quarter of a meridian", at(0, 9), at(90, 9), 10_001.965_729_3],
    ["a quarter of the equator", at(0, -45), at(0, 45), 10_018.754_171_4],
    ["over the 180th meridian", at(0, 179), at(0, -179), 222.638_981_6],
  ])("knows the way %s", (_, from, to, km) => {
    expect(geodesic(from, to).distanceKm).toBeCloseTo(km, 6);
  });

  it("is 0 km and heads 0 from a place to itself", () => {
    expect(geodesic(at(48.5, 9), at(48.5, 9))).toEqual({ distanceKm: 0, heading: 0 });
    expect(geodesic(at(48.5, 180), at(48.5, -180))).toEqual({ distanceKm: 0, heading: 0 });
  });

  it.each([
    ["anywhere", fc.tuple(anyPosition, anyPosition)],
    ["nearly to the antipode", nearAntipode],
    ["on whole degrees", fc.tuple(onGrid(), onGrid())],
  ])("agrees with the reference implementation to 0.1 mm, %s", (_, places) => {
    fc.assert(
      fc.property(places, ([from, to]) => {
        const found = geodesic(from, to);
        const expected = reference(from, to);
        expect(Math.abs(found.distanceKm - expected.distanceKm)).toBeLessThan(1e-7);
        expect(found.heading).toBeGreaterThanOrEqual(0);
        expect(found.heading).toBeLessThan(360);
      }),
      { numRuns: 3000 },
    );
  });

  it("heads where the reference implementation heads, as far as the direction matters", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(anyPosition, anyPosition), nearAntipode), ([from, to]) => {
        const expected = reference(from, to);
        fc.pre(expected.distanceKm > 0.001 && Math.abs(from.latitude) < 89.999);
        // To the very antipode both ways over the poles are equally long.
        fc.pre(expected.distanceKm < 19_900 || Math.abs(from.latitude + to.latitude) > 1e-6);
        // A direction is only as good as the way is long: the sine of the arc turns degrees into a distance.
        const error = turned(geodesic(from, to).heading, expected.heading);
        expect(error * Math.sin(expected.distanceKm / 6371)).toBeLessThan(1e-9);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("the sphere", () => {
  it("is within 0.57 % of the ellipsoid", () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, (from, to) => {
        const exact = geodesic(from, to).distanceKm;
        fc.pre(exact > 1e-3);
        expect(Math.abs(distanceKm(from, to) / exact - 1)).toBeLessThan(0.0057);
      }),
      { numRuns: 2000 },
    );
    expect(distanceKm(at(-0.1, 0), at(0.1, 0)) / geodesic(at(-0.1, 0), at(0.1, 0)).distanceKm).toBeCloseTo(
      1.0056,
      4,
    );
  });
});

function onGrid() {
  return fc.record({
    latitude: fc.integer({ min: -9, max: 9 }).map((n) => n * 10),
    longitude: fc.integer({ min: -18, max: 18 }).map((n) => n * 10),
  });
}
