import {
  AstroTime,
  Body,
  EquatorFromVector,
  GeoVector,
  RotateVector,
  Rotation_EQJ_EQD,
  SiderealTime,
} from "astronomy-engine";
import { describe, expect, it } from "vitest";
import { deltaT } from "../../src/sun/solar-position.js";
import { solarPosition, solarPositionsOfSixDays } from "../../src/sun/solar-position.js";

const ARCSECONDS = Math.PI / 180 / 3600;
const DAY_SECONDS = 86_400;

/** Days from 1900 to 2100, not a whole number apart. */
const DAYS = Array.from({ length: 500 }, (_, i) => -36_500 + i * 146.0123);

/** The sun by the library astronomy-engine: hour angle at Greenwich, declination and distance, of date. */
function otherEphemeris(day: number) {
  const time = new AstroTime(day);
  const ofDate = RotateVector(Rotation_EQJ_EQD(time), GeoVector(Body.Sun, time, true));
  const { ra, dec, dist } = EquatorFromVector(ofDate);
  return {
    hourAngle: ((SiderealTime(time) - ra) * Math.PI) / 12,
    declination: (dec * Math.PI) / 180,
    distance: dist,
  };
}

function wrap(radians: number): number {
  return radians - 2 * Math.PI * Math.round(radians / (2 * Math.PI));
}

describe("solarPosition", () => {
  it("finds the sun of 1992-10-13 where Meeus does (examples 25.b and 28.a)", () => {
    // 0h terrestrial time is JDE 2448908.5.
    const day = 2_448_908.5 - 2_451_545 - deltaT(1992.78) / DAY_SECONDS;
    const { equationOfTime, declination, distance } = solarPosition(day);
    expect(declination / ARCSECONDS).toBeCloseTo(-(7 * 3600 + 47 * 60 + 1.74), 0);
    expect(Math.abs(distance - 0.997_607_75)).toBeLessThan(1e-5);
    expect((equationOfTime * DAY_SECONDS) / (2 * Math.PI)).toBeCloseTo(13 * 60 + 42.6, 0);
  });

  it("is within 3 arcseconds of another ephemeris from 1900 to 2100", () => {
    for (const day of DAYS) {
      const { equationOfTime, declination, distance } = solarPosition(day);
      const expected = otherEphemeris(day);
      const hourAngle = 2 * Math.PI * day + equationOfTime;
      expect(Math.abs(declination - expected.declination) / ARCSECONDS).toBeLessThan(3);
      expect(Math.abs(wrap(hourAngle - expected.hourAngle)) / ARCSECONDS).toBeLessThan(3);
      expect(Math.abs(distance - expected.distance)).toBeLessThan(3e-5);
    }
  });

  it("is the same for one day as in six days together", () => {
    for (const day of DAYS.slice(0, 50)) {
      for (const [i, position] of solarPositionsOfSixDays(day).entries()) {
        const alone = solarPosition(day + i);
        expect.soft(Math.abs(position.declination - alone.declination)).toBeLessThan(1e-8);
        expect.soft(Math.abs(position.equationOfTime - alone.equationOfTime)).toBeLessThan(1e-8);
        expect.soft(Math.abs(position.distance - alone.distance)).toBeLessThan(1e-8);
      }
    }
  });

  it("has an equation of time between -14.3 and +16.5 minutes in our century", () => {
    const minutes = Array.from(
      { length: 366 },
      (_, i) => (solarPosition(i + 0.5).equationOfTime * 720) / Math.PI,
    );
    expect(Math.min(...minutes)).toBeCloseTo(-14.24, 1);
    expect(Math.max(...minutes)).toBeCloseTo(16.43, 1);
  });
});
