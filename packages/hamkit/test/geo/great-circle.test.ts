import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CIRCUMFERENCE_KM,
  compassDegrees,
  distanceKm,
  EARTH_RADIUS_KM,
  headingDegrees,
  pointsAlong,
} from "../../src/geo/great-circle.js";
import type { Position } from "../../src/geo/position.js";

const anyPosition = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

const at = (latitude: number, longitude: number): Position => ({ latitude, longitude });

/** The angle between two places by the definition of the scalar product, in km: good far from 0 and 20015. */
function byDefinition(a: Position, b: Position): number {
  const [x, y, z] = vector(a);
  const [u, v, w] = vector(b);
  return Math.acos(Math.max(-1, Math.min(1, x * u + y * v + z * w))) * EARTH_RADIUS_KM;
}

function vector({ latitude, longitude }: Position): readonly [number, number, number] {
  const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

describe("distanceKm", () => {
  it.each([
    [at(0, 0), at(0, 90), CIRCUMFERENCE_KM / 4],
    [at(90, 0), at(-90, 0), CIRCUMFERENCE_KM / 2],
    [at(0, 179), at(0, -179), CIRCUMFERENCE_KM / 180],
    [at(36.12, -86.67), at(33.94, -118.4), 2886.4444], // Nashville to Los Angeles, Rosetta Code "Haversine formula"
  ])("is known from %o to %o", (from, to, km) => {
    expect(distanceKm(from, to)).toBeCloseTo(km, 4);
  });

  it("is 0 from a place to itself and half the circumference to the antipode", () => {
    fc.assert(
      fc.property(anyPosition, (position) => {
        const { latitude, longitude } = position;
        expect(distanceKm(position, position)).toBe(0);
        const antipode = at(-latitude, longitude > 0 ? longitude - 180 : longitude + 180);
        expect(Math.abs(distanceKm(position, antipode) - CIRCUMFERENCE_KM / 2)).toBeLessThan(1e-8);
      }),
    );
  });

  it("is the same both ways", () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, (a, b) => {
        expect(Math.abs(distanceKm(a, b) - distanceKm(b, a))).toBeLessThan(1e-9);
      }),
    );
  });

  it("is the angle between the directions from the center of the earth", () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, (a, b) => {
        const expected = byDefinition(a, b);
        fc.pre(expected > 100 && expected < 19_900);
        expect(Math.abs(distanceKm(a, b) - expected)).toBeLessThan(1e-6);
      }),
    );
  });

  it("is exact to a millimeter a few meters from a place and from its antipode", () => {
    const metersPerDegree = (EARTH_RADIUS_KM * 1000 * Math.PI) / 180;
    for (const latitude of [0, 12.3, 48.5, -77.7, 89.9]) {
      for (const meters of [0.01, 1, 5, 500]) {
        const north = latitude + meters / metersPerDegree;
        expect.soft(distanceKm(at(latitude, 7), at(north, 7)) * 1000).toBeCloseTo(meters, 3);
        const left = CIRCUMFERENCE_KM / 2 - distanceKm(at(latitude, 7), at(-north, -173));
        expect.soft(left * 1000).toBeCloseTo(meters, 3);
      }
    }
  });
});

describe("headingDegrees", () => {
  it.each([
    [at(0, 0), at(10, 0), 0],
    [at(0, 0), at(0, 10), 90],
    [at(10, 0), at(0, 0), 180],
    [at(0, 0), at(0, -10), 270],
    [at(0, 179), at(0, -179), 90],
  ])("is known from %o to %o", (from, to, degrees) => {
    expect(headingDegrees(from, to)).toBeCloseTo(degrees, 9);
  });

  it("is 1.150035 radians from Los Angeles to New York, as the Aviation Formulary has it", () => {
    const heading = headingDegrees(at(33.95, -118.4), at(40 + 38 / 60, -(73 + 47 / 60)));
    expect((heading * Math.PI) / 180).toBeCloseTo(1.150_035, 5);
  });

  it("is at least 0 and below 360, everywhere", () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, (a, b) => {
        const heading = headingDegrees(a, b);
        expect(heading).toBeGreaterThanOrEqual(0);
        expect(heading).toBeLessThan(360);
      }),
      { numRuns: 2000 },
    );
  });

  it("is 0 from a place to itself and to its antipode, where the peer gives what rounding leaves", () => {
    expect(headingDegrees(at(48.5, 9), at(48.5, 9))).toBe(0);
    expect(headingDegrees(at(48.5, 9), at(-48.5, -171))).toBe(0);
  });

  it("never is 360, also not by rounding", () => {
    expect(compassDegrees(-1e-18)).toBe(0);
    expect(compassDegrees(-1e-12)).toBeCloseTo(360, 6);
    expect(compassDegrees(-1e-12)).toBeLessThan(360);
    expect(compassDegrees(-Math.PI)).toBe(180);
  });
});

describe("pointsAlong", () => {
  const path = fc.constantFrom("short", "long");
  const count = fc.integer({ min: 2, max: 40 });

  it("starts and ends at the places themselves", () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, count, path, (from, to, points, way) => {
        const line = pointsAlong(from, to, points, way);
        expect(line).toHaveLength(points);
        expect([line[0], line.at(-1)]).toEqual([from, to]);
      }),
    );
  });

  it("spaces the points evenly over the distance, or over what is left of the circumference", () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, count, path, (from, to, points, way) => {
        const line = pointsAlong(from, to, points, way);
        const short = distanceKm(from, to);
        const step = (way === "short" ? short : CIRCUMFERENCE_KM - short) / (points - 1);
        fc.pre(step < CIRCUMFERENCE_KM / 2);
        for (const [i, point] of line.slice(1).entries()) {
          expect(Math.abs(distanceKm(line[i] ?? point, point) - step)).toBeLessThan(1e-5);
        }
      }),
    );
  });

  it("sets out in the direction of the heading, and the other way on the long path", () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, (from, to) => {
        const short = distanceKm(from, to);
        fc.pre(short > 1 && short < 20_000 && Math.abs(from.latitude) < 89);
        const heading = headingDegrees(from, to);
        const [, next] = pointsAlong(from, to, 30, "short");
        const [, other] = pointsAlong(from, to, 30, "long");
        const turned = (a: number, b: number) => Math.abs(((a - b + 540) % 360) - 180);
        expect(turned(headingDegrees(from, next ?? to), heading)).toBeLessThan(1e-4);
        expect(turned(headingDegrees(from, other ?? to), heading + 180)).toBeLessThan(1e-4);
      }),
    );
  });

  it("keeps coordinates in their ranges across the 180th meridian and the poles", () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, path, (from, to, way) => {
        for (const { latitude, longitude } of pointsAlong(from, to, 25, way)) {
          expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
          expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
        }
      }),
    );
  });

  it("goes over the north pole to the antipode", () => {
    const [, middle] = pointsAlong(at(30, 10), at(-30, -170), 3, "short");
    expect(middle?.latitude).toBeCloseTo(60, 9);
    expect(middle?.longitude).toBeCloseTo(-170, 9);
  });
});
