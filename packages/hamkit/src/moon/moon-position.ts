/**
 * Position of the moon: seen from a place, and the point below it.
 *
 * The moon's theory is that of astronomy-engine (Montenbruck and Pfleger after Brown), which is within 1' of JPL's ephemerides. UTC is
 * used as universal time, from which it differs by up to 0.9 s.
 */
import {
  EquatorFromVector,
  GeoMoon,
  Horizon,
  KM_PER_AU,
  MakeTime,
  Observer,
  ObserverVector,
  RotateVector,
  Rotation_EQJ_EQD,
  SiderealTime,
  Vector,
  type AstroTime,
} from "astronomy-engine";

import type { Position } from "../geo/position.js";

/** The moon as seen from a place. */
export interface MoonPosition {
  /** Of the moon's center above the horizon, from -90 to 90 degrees: geometric, without refraction. */
  readonly elevation: number;
  /** Clockwise from true north, in degrees, 0 <= azimuth < 360. */
  readonly azimuth: number;
  /** From the place to the moon's center, in kilometers: from 350,000 to 413,000. */
  readonly distanceKm: number;
}

/** The moon seen from a place at sea level, at a moment in milliseconds. */
export function directionOfMoon({ latitude, longitude }: Position, ms: number): MoonPosition {
  const time = MakeTime(new Date(ms));
  const observer = new Observer(latitude, longitude, 0);
  const moon = moonOfDate(time);
  const place = ObserverVector(time, observer, true);
  const { ra, dec, dist } = EquatorFromVector(
    new Vector(moon.x - place.x, moon.y - place.y, moon.z - place.z, time),
  );
  const { altitude, azimuth } = Horizon(time, observer, ra, dec);
  return { elevation: altitude, azimuth: azimuth % 360, distanceKm: dist * KM_PER_AU };
}

/** The point that has the moon in the zenith. */
export function pointBelowMoon(ms: number): Position {
  const time = MakeTime(new Date(ms));
  const { ra, dec } = EquatorFromVector(moonOfDate(time));
  const east = 15 * (ra - SiderealTime(time));
  return { latitude: dec, longitude: east - 360 * Math.round(east / 360) };
}

/** From the center of the earth, in astronomical units along the equator of date. */
function moonOfDate(time: AstroTime): Vector {
  return RotateVector(Rotation_EQJ_EQD(time), GeoMoon(time));
}
