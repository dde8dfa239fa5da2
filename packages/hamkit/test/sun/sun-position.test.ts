import { Body, Equator, Horizon, Observer } from "astronomy-engine";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { directionOfSun } from "../../src/sun/solar-position.js";

const RADIANS = Math.PI / 180;
const FROM_1900_TO_2100 = {
  min: new Date("1900-01-01T00:00Z"),
  max: new Date("2100-01-01T00:00Z"),
  noInvalidDate: true,
};

const anyPosition = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

describe("directionOfSun", () => {
  it("agrees with the worked example of NREL's Solar Position Algorithm", () => {
    // NREL/TP-560-34302, table A5.1: Golden, Colorado; without its refraction of 0.01639 degrees. The place is
    // 1830 m up, which parallax does not notice.
    const golden = { latitude: 39.742_476, longitude: -105.1786 };
    const { elevation, azimuth } = directionOfSun(golden, Date.parse("2003-10-17T12:30:30-07:00"));
    expect(elevation).toBeCloseTo(39.872_046, 4);
    expect(azimuth).toBeCloseTo(194.340_241, 3);
  });

  it("is within 0.001 degrees of another ephemeris from 1900 to 2100, all over the globe", () => {
    fc.assert(
      fc.property(anyPosition, fc.date(FROM_1900_TO_2100), ({ latitude, longitude }, date) => {
        const found = directionOfSun({ latitude, longitude }, date.getTime());
        const observer = new Observer(latitude, longitude, 0);
        const { ra, dec } = Equator(Body.Sun, date, observer, true, true);
        const expected = Horizon(date, observer, ra, dec);
        const turned = Math.abs(((found.azimuth - expected.azimuth + 540) % 360) - 180);
        expect(Math.abs(found.elevation - expected.altitude)).toBeLessThan(0.001);
        expect(turned * Math.cos(expected.altitude * RADIANS)).toBeLessThan(0.001);
      }),
      { numRuns: 500 },
    );
  });

  it("keeps elevation and azimuth in their ranges", () => {
    fc.assert(
      fc.property(anyPosition, fc.date({ noInvalidDate: true }), (position, date) => {
        const { elevation, azimuth } = directionOfSun(position, date.getTime());
        expect(Math.abs(elevation)).toBeLessThanOrEqual(90.003);
        expect(azimuth).toBeGreaterThanOrEqual(0);
        expect(azimuth).toBeLessThan(360);
      }),
    );
  });
});
