/** What the card shows of a station: distance and heading from the own locator, and the sun there. */
import {
  calculateDistance,
  calculateDistanceLongpath,
  calculateHeading,
  calculateHeadingLongpath,
  calculateSunriseSunset,
  sunPosition,
  type Position,
} from "hamkit/locator";

export interface PathFacts {
  readonly distanceKm: number;
  readonly heading: number;
  readonly longDistanceKm: number;
  readonly longHeading: number;
}

/** Distance and heading in a log. */
export interface LoggedPath {
  readonly distanceKm: number;
  readonly heading: number;
}

export interface SunFacts {
  readonly state: "day" | "civil twilight" | "night";
  /** Of the sun's center, in degrees above the horizon. */
  readonly elevation: number;
  readonly azimuth: number;
  /** The next ones; `null` in polar day and night. */
  readonly sunrise: Date | null;
  readonly sunset: Date | null;
  /** Whether the place is in the band around the terminator where long paths open. */
  readonly isGrayline: boolean;
  /** Mean solar time as `14:20`, which differs from that of clocks by up to two hours in most countries. */
  readonly solarTime: string;
}

const SUNSET = -0.833;
const CIVIL_TWILIGHT = -6;

export function pathFacts(own: string, place: string | Position): PathFacts {
  return {
    distanceKm: calculateDistance(own, place),
    heading: calculateHeading(own, place),
    longDistanceKm: calculateDistanceLongpath(own, place),
    longHeading: calculateHeadingLongpath(own, place),
  };
}

/** Of the great circle, in kilometers: both paths together, on the sphere of hamkit. */
const CIRCUMFERENCE_KM = 2 * Math.PI * 6371;

/** Both paths of a QSO, from its row of the log: of the short or the long one. */
export function loggedPaths({ distanceKm, heading }: LoggedPath): PathFacts {
  const there = { distanceKm, heading };
  const around = { distanceKm: CIRCUMFERENCE_KM - distanceKm, heading: (heading + 180) % 360 };
  const [short, long] = distanceKm <= around.distanceKm ? [there, around] : [around, there];
  return { ...short, longDistanceKm: long.distanceKm, longHeading: long.heading };
}

export function sunFacts(locator: string, longitude: number, date: Date): SunFacts {
  const { elevation, azimuth } = sunPosition(locator, date);
  const { sunrise, sunset } = calculateSunriseSunset(locator, date);
  const solar = new Date(date.getTime() + longitude * 240_000); // 4 minutes per degree
  return {
    state: elevation >= SUNSET ? "day" : elevation >= CIVIL_TWILIGHT ? "civil twilight" : "night",
    elevation,
    azimuth,
    sunrise,
    sunset,
    isGrayline: Math.abs(elevation) <= -CIVIL_TWILIGHT,
    solarTime: solar.toISOString().slice(11, 16),
  };
}
