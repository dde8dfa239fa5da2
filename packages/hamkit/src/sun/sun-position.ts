/** Elevation and azimuth of the sun at a position. */
import { compassDegrees } from "../geo/great-circle.js";
import type { Position } from "../geo/position.js";
import { PARALLAX, solarPosition } from "./solar-position.js";

const RADIANS = Math.PI / 180;
const DAY_MS = 86_400_000;
const J2000_MS = Date.UTC(2000, 0, 1, 12);

/** Elevation and azimuth, in degrees. */
export interface SunPosition {
  /** Of the sun's center above the horizon, -90 to 90: geometric, without refraction. */
  readonly elevation: number;
  /** Clockwise from north, 0 <= azimuth < 360. */
  readonly azimuth: number;
}

/** The sun at a position and a moment in milliseconds: topocentric, without refraction. */
export function directionOfSun({ latitude, longitude }: Position, ms: number): SunPosition {
  const day = (ms - J2000_MS) / DAY_MS;
  const { equationOfTime, declination, distance } = solarPosition(day);
  // The mean sun crosses the meridian of Greenwich at noon, where days since J2000.0 are whole.
  const hourAngle = (day - Math.floor(day)) * 2 * Math.PI + equationOfTime + longitude * RADIANS;

  const sin = Math.sin(latitude * RADIANS);
  const cos = Math.cos(latitude * RADIANS);
  const south = Math.cos(declination) * Math.cos(hourAngle);
  const west = Math.cos(declination) * Math.sin(hourAngle);
  const polar = Math.sin(declination);
  const altitude = Math.atan2(sin * polar + cos * south, Math.hypot(west, cos * polar - sin * south));
  return {
    elevation: (altitude - (PARALLAX / distance) * Math.cos(altitude)) / RADIANS,
    azimuth: compassDegrees(Math.atan2(-west, cos * polar - sin * south)),
  };
}
