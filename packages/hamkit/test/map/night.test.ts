import { describe, expect, it } from "vitest";

import { nightArea, subsolarPoint } from "../../src/map/night.js";
import { sunPosition } from "../../src/locator.js";

const MOMENTS = [
  "1900-01-01T00:00Z",
  "2014-01-01T12:00Z",
  "2024-03-20T03:06Z",
  "2024-06-20T20:51Z",
  "2024-12-21T09:20Z",
  "2099-08-15T17:45Z",
].map((text) => new Date(text));

/** In the range of positions: circles may go on beyond 180°. */
function position([longitude, latitude]: readonly [number, number]) {
  return { latitude, longitude: longitude - 360 * Math.round(longitude / 360) };
}

describe("subsolarPoint", () => {
  it.each(MOMENTS)("has the sun overhead: %o", (moment) => {
    const { latitude, longitude } = subsolarPoint(moment);
    expect(longitude).toBeGreaterThanOrEqual(-180);
    expect(longitude).toBeLessThanOrEqual(180);
    expect(sunPosition({ latitude, longitude }, moment).elevation).toBeGreaterThan(89.99);
  });

  it("is on the equator at the equinox, and on the tropics at the solstices", () => {
    // moments of the U.S. Naval Observatory; the tropics are at 23.436° in 2024
    expect(subsolarPoint(new Date("2024-03-20T03:06Z")).latitude).toBeCloseTo(0, 2);
    expect(subsolarPoint(new Date("2024-06-20T20:51Z")).latitude).toBeCloseTo(23.44, 2);
    expect(subsolarPoint(new Date("2024-12-21T09:20Z")).latitude).toBeCloseTo(-23.44, 2);
  });

  it("is on the meridian of Greenwich at noon, but for the equation of time", () => {
    // 16.4 minutes at the beginning of November, the most of a year; 4 minutes are a degree
    expect(subsolarPoint(new Date("2024-11-03T12:00Z")).longitude).toBeCloseTo(-16.4 / 4, 1);
  });
});

describe("nightArea", () => {
  it.each(MOMENTS)("ends where the center of the sun is on the horizon: %o", (moment) => {
    for (const point of nightArea(moment, 0).edge.coordinates)
      expect(Math.abs(sunPosition(position(point), moment).elevation)).toBeLessThan(0.005);
  });

  it.each(MOMENTS)("ends with civil twilight where the sun is 6° below: %o", (moment) => {
    const { coordinates } = nightArea(moment, 6).edge;
    expect(coordinates.length).toBeGreaterThan(150);
    for (const [i, point] of coordinates.entries()) {
      expect(Math.abs(sunPosition(position(point), moment).elevation + 6)).toBeLessThan(0.005);
      // halfway to the next point, on the great circle that joins them, it is not farther off
      const middle = halfway(point, coordinates[i + 1] ?? point);
      expect(Math.abs(sunPosition(position(middle), moment).elevation + 6)).toBeLessThan(0.005);
    }
  });

  it("is a closed ring", () => {
    const [ring = []] = nightArea(new Date("2024-06-20T20:51Z"), 0).area.coordinates;
    expect(ring.at(-1)).toEqual(ring[0]);
  });
});

function halfway(a: readonly [number, number], b: readonly [number, number]): [number, number] {
  const sum = [a, b].map(vector).reduce(([x1, y1, z1], [x2, y2, z2]) => [x1 + x2, y1 + y2, z1 + z2]);
  const [x, y, z] = sum;
  return [(Math.atan2(y, x) * 180) / Math.PI, (Math.atan2(z, Math.hypot(x, y)) * 180) / Math.PI];
}

function vector([longitude, latitude]: readonly [number, number]): [number, number, number] {
  const lambda = (longitude / 180) * Math.PI;
  const phi = (latitude / 180) * Math.PI;
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}
