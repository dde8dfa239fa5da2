import { describe, expect, it } from "vitest";

import { ArgumentTypeError, LocatorError, ValueError } from "../../src/errors.js";
import { locatorToLatlong } from "../../src/locator.js";
import { calculateMoonriseMoonset, moonPosition, moonWindows, sublunarPoint } from "../../src/moon.js";

/**
 * By PyEphem 4.1.4 (libastro, another theory of the moon): at sea level without air, the rise and set of the upper limb at -0°34'.
 * Moment, place, azimuth, elevation, distance in km, next moonrise, next moonset.
 */
const TABLE = [
  [
    "2026-11-28T18:00:00Z",
    "JN48QM",
    38.066,
    -12.788,
    367_220,
    "2026-11-28T19:43:31Z",
    "2026-11-29T11:18:57Z",
  ],
  [
    "2026-11-28T18:00:00Z",
    "FN31PR",
    319.51,
    -17.319,
    367_708,
    "2026-11-29T01:53:03Z",
    "2026-11-29T16:35:48Z",
  ],
  ["2026-11-28T18:00:00Z", "QF56OD", 357.62, 34.373, 362_196, "2026-11-29T13:22:06Z", "2026-11-28T23:06:09Z"],
  ["2024-06-01T12:00:00Z", "JN48QM", 259.4, 9.946, 367_197, "2024-06-02T01:04:15Z", "2024-06-01T13:09:03Z"],
  ["2024-06-01T12:00:00Z", "FN31PR", 168.97, 48.373, 363_555, "2024-06-02T06:42:37Z", "2024-06-01T18:52:51Z"],
  [
    "2024-06-01T12:00:00Z",
    "QF56OD",
    125.614,
    -43.406,
    372_711,
    "2024-06-01T15:47:33Z",
    "2024-06-02T03:47:41Z",
  ],
  ["2000-01-01T00:00:00Z", "JN48QM", 82.931, -19.04, 402_967, "2000-01-01T01:56:03Z", "2000-01-01T12:40:16Z"],
  [
    "2000-01-01T00:00:00Z",
    "FN31PR",
    343.107,
    -56.725,
    406_254,
    "2000-01-01T07:28:15Z",
    "2000-01-01T18:26:29Z",
  ],
  ["2000-01-01T00:00:00Z", "QF56OD", 300.042, 49.14, 396_086, "2000-01-01T15:38:48Z", "2000-01-01T04:15:18Z"],
  [
    "2030-03-15T06:30:00Z",
    "JN48QM",
    340.242,
    -22.484,
    391_345,
    "2030-03-15T12:40:26Z",
    "2030-03-16T03:35:38Z",
  ],
  [
    "2030-03-15T06:30:00Z",
    "FN31PR",
    276.219,
    19.103,
    386_808,
    "2030-03-15T18:41:46Z",
    "2030-03-15T08:23:23Z",
  ],
  ["2030-03-15T06:30:00Z", "QF56OD", 56.189, 13.979, 387_337, "2030-03-16T05:45:09Z", "2030-03-15T15:52:37Z"],
] as const;

/** The point below the moon by PyEphem 4.1.4: moment, latitude, longitude. */
const BELOW = [
  ["2026-11-28T18:00:00Z", 20.915, 149.126],
  ["2024-06-01T12:00:00Z", 1.276, -65.501],
  ["2000-01-01T00:00:00Z", -8.994, 116.705],
  ["2030-03-15T06:30:00Z", 17.667, -151.366],
] as const;

function secondsBetween(date: Date | null | undefined, expected: string): number {
  return Math.abs((date?.getTime() ?? Number.NaN) - Date.parse(expected)) / 1000;
}

describe("the moon", () => {
  it.each(TABLE)("at %s over %s", (moment, place, azimuth, elevation, distanceKm) => {
    const moon = moonPosition(place, new Date(moment));
    expect(Math.abs(moon.elevation - elevation)).toBeLessThan(0.02);
    expect(Math.abs(moon.azimuth - azimuth)).toBeLessThan(0.03);
    expect(Math.abs(moon.distanceKm - distanceKm)).toBeLessThan(60);
  });

  it.each(TABLE)("after %s rises and sets over %s", (moment, place, _a, _e, _d, rise, set) => {
    const { moonrise, moonset } = calculateMoonriseMoonset(place, new Date(moment));
    expect(secondsBetween(moonrise, rise)).toBeLessThan(15);
    expect(secondsBetween(moonset, set)).toBeLessThan(15);
  });

  it("has right ascension and declination of Meeus' example 47.a, below the moon", () => {
    // 1992 April 12.0 TD, 59 s before UT: declination 13.768368°; right ascension 134.688470° less sidereal time.
    const date = new Date(Date.UTC(1992, 3, 12) - 59_000);
    const { latitude, longitude } = sublunarPoint(date);
    expect(latitude).toBeCloseTo(13.7684, 2);
    // Sidereal time at Greenwich 13h 21m 54s less 59 s, in degrees: 200.2264.
    expect(longitude).toBeCloseTo(134.6885 - 200.2264, 1);
  });

  it.each(BELOW)("at %s is above a point", (moment, latitude, longitude) => {
    const point = sublunarPoint(new Date(moment));
    expect(Math.abs(point.latitude - latitude)).toBeLessThan(0.02);
    expect(Math.abs(point.longitude - longitude)).toBeLessThan(0.02);
    expect(moonPosition(point, new Date(moment)).elevation).toBeGreaterThan(89.9);
  });

  it("is up for days near a pole, and never rises within some kilometers of it in less than two weeks", () => {
    // PyEphem: always up on 2000-01-01 at 89.5° S.
    const date = new Date("2000-01-01T00:00Z");
    const { moonset } = calculateMoonriseMoonset("-89.5,-179", date);
    expect(secondsBetween(moonset, date.toISOString())).toBeGreaterThan(86_400);
  });
});

describe("windows of two places", () => {
  it.each([
    // By PyEphem 4.1.4, both elevations of the center at least 0° or 10°.
    ["JN48QM", "FN31PR", "2024-06-01T00:00Z", 0, "2024-06-01T06:24:27Z", "2024-06-01T13:03:42Z"],
    ["JN48QM", "FN31PR", "2024-06-01T20:00Z", 0, "2024-06-02T06:47:13Z", "2024-06-02T14:25:45Z"],
    ["JN48QM", "QF56OD", "2026-11-28T00:00Z", 0, "2026-11-28T19:49:48Z", "2026-11-28T23:01:29Z"],
    ["JN48QM", "PM95VQ", "2026-11-28T12:00Z", 10, "2026-11-28T21:00:01Z", "2026-11-29T00:54:20Z"],
  ] as const)("%s and %s from %s above %d°", (from, to, start, minElevation, begins, ends) => {
    const [first] = moonWindows(from, to, { start: new Date(start), days: 2, minElevation });
    expect(secondsBetween(first?.start, begins)).toBeLessThan(15);
    expect(secondsBetween(first?.end, ends)).toBeLessThan(15);
  });

  it("begin and end with the period, and are none between antipodes", () => {
    const start = new Date("2026-11-28T00:00Z");
    // PyEphem: from before the start until 01:05:47, and from 22:33:38 on the third day beyond its end.
    const windows = moonWindows("JN48QM", "PM95VQ", { start, days: 3 });
    expect(windows).toHaveLength(4);
    expect(windows[0]?.start).toEqual(start);
    expect(windows.at(-1)?.end).toEqual(new Date("2026-12-01T00:00Z"));
    const [latitude, longitude] = locatorToLatlong("JN48QM");
    const antipode = { latitude: -latitude, longitude: longitude - 180 };
    expect(moonWindows("JN48QM", antipode, { start, days: 20 })).toEqual([]);
  });
});

describe("wrong arguments of hamkit/moon", () => {
  it.each([
    ["a text that is no place", () => moonPosition("ZZ99"), LocatorError, /"ZZ99"/],
    ["a number", () => moonPosition(1 as never), ArgumentTypeError, /place/],
    ["a date that is none", () => sublunarPoint(new Date("x")), ValueError, /date/],
    ["no days", () => moonWindows("JN48", "FN31", { days: 0 }), ValueError, /days.*0/],
    ["too many days", () => moonWindows("JN48", "FN31", { days: 61 }), ValueError, /days.*61/],
    [
      "an elevation above the zenith",
      () => moonWindows("JN48", "FN31", { minElevation: 91 }),
      ValueError,
      /minElevation.*91/,
    ],
    ["a second place", () => moonWindows("JN48", "??"), LocatorError, /place2|\?\?/],
  ] as const)("%s", (_, run, error, message) => {
    expect(run).toThrow(error);
    expect(run).toThrow(message);
  });
});
