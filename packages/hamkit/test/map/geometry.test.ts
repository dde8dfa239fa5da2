import { describe, expect, it } from "vitest";

import { pathPoints, sunPosition } from "../../src/locator.js";
import { distanceToLines, draw, linesOf, ofClass, readPath, type Place } from "./svg.js";

const date = new Date("2024-10-21T20:00Z");

describe("the lines of a map", () => {
  /** Longitude and latitude on a map of the usual width, with margins of 12. */
  const flat = (latitude: number, longitude: number): Place => ({
    x: 12 + ((longitude + 180) / 360) * 936,
    y: 12 + ((90 - latitude) / 180) * 468,
  });

  // E. Williams, Aviation Formulary: from LAX to JFK, 40 % of the way is at 38°40.167' N, 101°37.570' W.
  const lax = { latitude: 33.95, longitude: -118.4 };
  const jfk = { latitude: 40 + 38 / 60, longitude: -73 - 47 / 60 };
  const between = { latitude: 38 + 40.167 / 60, longitude: -101 - 37.57 / 60 };

  // Wikipedia, "Great-circle navigation": from Valparaíso to Shanghai, half of the way is at 6.81° S, 159.18° W.
  const valparaiso = { latitude: -33, longitude: -71.6 };
  const shanghai = { latitude: 31.4, longitude: 121.8 };
  const halfway = { latitude: -6.81, longitude: -159.18 };

  it("lead through a published waypoint", async () => {
    const lines = linesOf(await draw({ from: lax, to: jfk }), "route", "short");
    expect(lines).toHaveLength(1);
    expect(distanceToLines(flat(between.latitude, between.longitude), lines)).toBeLessThan(0.2);
  });

  it("lead through a published midpoint, and are cut where they cross the 180th meridian", async () => {
    const lines = linesOf(await draw({ from: valparaiso, to: shanghai }), "route", "short");
    expect(distanceToLines(flat(halfway.latitude, halfway.longitude), lines)).toBeLessThan(0.2);
    expect(lines).toHaveLength(2);
    expect(lines[0]?.at(-1)?.x).toBeCloseTo(12, 6);
    expect(lines[1]?.[0]?.x).toBeCloseTo(948, 6);
    expect(lines[1]?.[0]?.y).toBeCloseTo(lines[0]?.at(-1)?.y ?? 0, 5);
    const jumps = lines.flatMap((line) => line.map(({ x }, i) => Math.abs(x - (line[i - 1]?.x ?? x))));
    expect(Math.max(...jumps)).toBeLessThan(100);
  });

  it.each([240, 960, 4000])("keep within 0.3 pixels of the true curve: %d pixels wide", async (width) => {
    const unit = Math.max(0.8, Math.sqrt(width / 960));
    const margin = 12 * unit;
    const scale = (width - 2 * margin) / 360;
    for (const [from, to] of [
      ["JN48QM", "FN31PR"],
      ["JN48QM", "QN22"], // over the Arctic
      ["IO91", "RE78"],
    ] as const) {
      const lines = linesOf(await draw({ from, to, width }), "route", "short");
      const distances = pathPoints(from, to, { points: 500 }).map(({ latitude, longitude }) =>
        distanceToLines(
          { x: margin + (longitude + 180) * scale, y: margin + (90 - latitude) * scale },
          lines,
        ),
      );
      expect(Math.max(...distances)).toBeLessThan(0.3 + 0.08); // and half a tenth each way for rounding
    }
  });

  it("lead through the antipode of the midpoint the other way round", async () => {
    const lines = linesOf(await draw({ from: valparaiso, to: shanghai, longpath: true }), "route", "long");
    expect(distanceToLines(flat(-halfway.latitude, halfway.longitude + 180), lines)).toBeLessThan(0.2);
  });

  it("lead through the published waypoint in the Natural Earth projection, too", async () => {
    const lines = linesOf(await draw({ from: lax, to: jfk, projection: "natural-earth" }), "route", "short");
    // B. Šavrič and others, "A polynomial equation for the Natural Earth projection", CaGIS 38 (2011)
    const phi = (between.latitude / 180) * Math.PI;
    const square = phi * phi;
    const stretch =
      0.8707 + square * (-0.131979 + square * (-0.013791 + square ** 3 * (0.003971 - 0.001529 * square)));
    const height =
      phi *
      (1.007226 +
        square * (0.015085 + square ** 2 * (-0.044475 + 0.028874 * square - 0.005916 * square ** 2)));
    const scale = 936 / (2 * Math.PI * 0.8707);
    const tallest = 1.42239; // the same at the pole
    const place = {
      x: 480 + scale * stretch * (between.longitude / 180) * Math.PI,
      y: 12 + scale * (tallest - height),
    };
    expect(distanceToLines(place, lines)).toBeLessThan(0.3);
  });

  it("start in the direction of the heading on an azimuthal map, as long as the distance", async () => {
    const root = await draw({ from: lax, to: jfk, projection: "azimuthal" });
    const [line = []] = linesOf(root, "route", "short");
    const { x, y } = line.at(-1) ?? { x: 0, y: 0 };
    // Williams: the course is 65.892°, and the way 0.623585 radians.
    expect((Math.atan2(x - 480, 480 - y) * 180) / Math.PI).toBeCloseTo(65.892, 0);
    expect(Math.hypot(x - 480, y - 480) / 440).toBeCloseTo(0.623585 / Math.PI, 3);
    expect(distanceToLines({ x: (480 + x) / 2, y: (480 + y) / 2 }, [line])).toBeLessThan(0.2);
  });

  it.each(["2024-03-20T03:06Z", "2024-06-20T20:51Z", "2024-10-21T20:00Z", "2024-12-21T09:20Z"])(
    "between day and night are where the sun is on the horizon: %s",
    async (moment) => {
      const [line = []] = linesOf(await draw({ date: new Date(moment) }), "terminator").toSorted(
        (a, b) => b.length - a.length,
      );
      expect(line.length).toBeGreaterThan(5);
      for (const [i, end] of line.entries()) {
        const start = line[i - 1] ?? end;
        const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
        // a tenth of a pixel is 0.04°, and curves are within 0.3 pixels
        expect(elevationAt(end, new Date(moment))).toBeLessThan(0.05);
        expect(elevationAt(middle, new Date(moment))).toBeLessThan(0.15);
      }
    },
  );

  it("around the night have the dark on their inside", async () => {
    const [area = []] = linesOf(await draw({ date }), "night", "dark");
    const isDark = (latitude: number, longitude: number) => isInside(flat(latitude, longitude), area);
    expect(isDark(48, 9)).toBe(true); // Stuttgart, ten in the evening
    expect(isDark(41, -73)).toBe(false); // New York, four in the afternoon
    expect(isDark(35, 139)).toBe(true); // Tokyo, five in the morning
    expect(isDark(-33, 151)).toBe(false); // Sydney, seven in the morning
  });

  it("around the land hold cities and leave out seas", async () => {
    const [data = ""] = ofClass(await draw({}), "land").map(({ attributes }) => attributes["d"]);
    const rings = readPath(data);
    const isLand = (latitude: number, longitude: number) =>
      rings.filter((ring) => isInside(flat(latitude, longitude), ring)).length % 2 === 1;
    for (const [latitude, longitude] of [
      [48.5, 9.4],
      [39.7, -105],
      [-23.5, -47],
      [-26, 28],
      [67, 178],
      [-85, 100],
    ] as const)
      expect([latitude, longitude, isLand(latitude, longitude)]).toEqual([latitude, longitude, true]);
    for (const [latitude, longitude] of [
      [0, -30],
      [40, -170],
      [42, 51],
      [-60, 0],
      [88, 0],
      [35, 18],
    ] as const)
      expect([latitude, longitude, isLand(latitude, longitude)]).toEqual([latitude, longitude, false]);
  });
});

/** How far from the horizon the sun is at a place of a map of the usual width, in degrees. */
function elevationAt({ x, y }: Place, moment: Date): number {
  const longitude = Math.min(Math.max(((x - 12) / 936) * 360 - 180, -180), 180);
  const latitude = Math.min(Math.max(90 - ((y - 12) / 468) * 180, -90), 90);
  return Math.abs(sunPosition({ latitude, longitude }, moment).elevation);
}

/** Whether a ray from the place crosses the ring an odd number of times. */
function isInside({ x, y }: Place, ring: readonly Place[]): boolean {
  let inside = false;
  for (const [i, end] of ring.entries()) {
    const start = ring[(i + ring.length - 1) % ring.length] ?? end;
    if (start.y > y !== end.y > y && x < ((end.x - start.x) * (y - start.y)) / (end.y - start.y) + start.x)
      inside = !inside;
  }
  return inside;
}
