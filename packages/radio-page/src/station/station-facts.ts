/** What the card shows of a station: distance and heading from the own locator, and the sun there. */
import {
  calculateDistance,
  calculateDistanceLongpath,
  calculateHeading,
  calculateHeadingLongpath,
  calculateSunriseSunset,
  sunPosition,
} from "hamkit/locator";

export interface PathFacts {
  readonly distanceKm: number;
  readonly heading: number;
  readonly longDistanceKm: number;
  readonly longHeading: number;
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

export function pathFacts(own: string, locator: string): PathFacts {
  return {
    distanceKm: calculateDistance(own, locator),
    heading: calculateHeading(own, locator),
    longDistanceKm: calculateDistanceLongpath(own, locator),
    longHeading: calculateHeadingLongpath(own, locator),
  };
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
