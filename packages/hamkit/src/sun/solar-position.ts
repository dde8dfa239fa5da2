/**
 * Geocentric position of the sun.
 *
 * The method of Meeus, *Astronomical Algorithms* (2nd ed. 1998), ch. 25, "higher accuracy": the heliocentric position
 * of the earth from VSOP87, reversed, then aberration and nutation. Numbers in brackets are his equations. The result is
 * within 3" of another ephemeris from 1900 to 2100. UTC is used as universal time, from which it differs by up to 0.9 s.
 */
import type { Term } from "./solar-theory.js";
import * as theory from "./solar-theory.js";
import { compassDegrees } from "../geo/great-circle.js";
import type { Position } from "../geo/position.js";

const RADIANS = Math.PI / 180;
const ARCSECONDS = RADIANS / 3600;
const DAYS_PER_MILLENNIUM = 365_250;

/** Mean obliquity of the ecliptic, per power of millennia since J2000.0 (22.2). */
const OBLIQUITY = [84_381.448, -468.15, -0.059, 1.813].map((part) => part * ARCSECONDS);

/** From the equinox of VSOP87 to that of the FK5 catalog (25.9). */
const FK5 = -0.090_33 * ARCSECONDS;

/** Aberration at one astronomical unit (25.10). */
const ABERRATION = 20.4898 * ARCSECONDS;

/** Horizontal parallax of the sun at one astronomical unit. */
export const PARALLAX = 8.794 * ARCSECONDS;

/** The sun at a moment, in radians and astronomical units. */
export interface SolarPosition {
  /** Hour angle of the sun less that of the mean sun, which is 0 at 12:00 UT in Greenwich: from -0.07 to 0.07. */
  readonly equationOfTime: number;
  readonly declination: number;
  readonly distance: number;
}

/** The sun at a moment, in days of universal time since J2000.0 (2000-01-01 12:00). */
export function solarPosition(day: number): SolarPosition {
  const tau = millennia(day);
  const { longitude, latitude, distance, nutation, obliquity } = (prepared ??= prepare());
  const sum = (series: Series) => series.reduceRight((total, waves) => total * tau + sumAt(waves, tau), 0);
  return seenFromEarth({
    day,
    tau,
    longitude: sum(longitude),
    latitude: sum(latitude),
    distance: sum(distance),
    nutation: sum(nutation),
    obliquity: sum(obliquity),
  });
}

/** The sun at a moment and at the same time of the next five days, at half the cost of six single computations. */
export function solarPositionsOfSixDays(firstDay: number) {
  const firstTau = millennia(firstDay);
  const sums = (series: Series) => series.map((waves) => sumForSixDays(waves, firstTau));
  const series = (prepared ??= prepare());
  const longitude = sums(series.longitude);
  const latitude = sums(series.latitude);
  const distance = sums(series.distance);
  const nutation = sums(series.nutation);
  const obliquity = sums(series.obliquity);

  const at = (i: 0 | 1 | 2 | 3 | 4 | 5): SolarPosition => {
    const tau = firstTau + i / DAYS_PER_MILLENNIUM;
    const sum = (powers: readonly SixDays[]) => powers.reduceRight((total, days) => total * tau + days[i], 0);
    return seenFromEarth({
      day: firstDay + i,
      tau,
      longitude: sum(longitude),
      latitude: sum(latitude),
      distance: sum(distance),
      nutation: sum(nutation),
      obliquity: sum(obliquity),
    });
  };
  return [at(0), at(1), at(2), at(3), at(4), at(5)] as const;
}

/** Millennia of terrestrial time since J2000.0. */
function millennia(day: number): number {
  return (day + deltaT(2000 + day / 365.25) / 86_400) / DAYS_PER_MILLENNIUM;
}

/** Heliocentric position of the earth and nutation: the periodic part of each, in radians or AU. */
interface Earth {
  readonly day: number;
  readonly tau: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly distance: number;
  readonly nutation: number;
  readonly obliquity: number;
}

function seenFromEarth(earth: Earth): SolarPosition {
  const { day, tau, nutation } = earth;
  const distance = theory.MEAN_DISTANCE + earth.distance;
  const longitude = polynomial(theory.MEAN_LONGITUDE, tau) + earth.longitude;
  const lambda = longitude + Math.PI + FK5 + nutation - ABERRATION / distance;
  const beta = -earth.latitude;
  const epsilon = polynomial(OBLIQUITY, tau) + earth.obliquity;

  const sinLambda = Math.sin(lambda);
  const sinEpsilon = Math.sin(epsilon);
  const cosEpsilon = Math.cos(epsilon);
  // (13.3) and (13.4), for a latitude of a second or less
  const ascension = Math.atan2(sinLambda * cosEpsilon - beta * sinEpsilon, Math.cos(lambda));
  return {
    equationOfTime: wrap(siderealLead(day) + nutation * cosEpsilon - ascension),
    declination: Math.asin(sinLambda * sinEpsilon + beta * cosEpsilon),
    distance,
  };
}

/** Mean sidereal time at Greenwich minus the hour angle of the mean sun, in radians (12.4 minus the rotation per day). */
function siderealLead(day: number): number {
  const centuries = day / 36_525;
  const degrees = 280.460_618_37 + 0.985_647_366_29 * day + 0.000_387_933 * centuries * centuries;
  return degrees * RADIANS;
}

/** An angle between -π and π. */
function wrap(radians: number): number {
  return radians - 2 * Math.PI * Math.round(radians / (2 * Math.PI));
}

/** A precomputed term: in radians (or astronomical units), with the sine and cosine of its phase change per day. */
interface Wave {
  readonly amplitude: number;
  readonly phase: number;
  readonly rate: number;
  readonly dayCos: number;
  readonly daySin: number;
}

/** Values for a moment and the same time of the next five days. */
type SixDays = [number, number, number, number, number, number];

/** Terms for each power of time. */
type Series = readonly (readonly Wave[])[];

/** All series, precomputed on first use, so that loading the module costs nothing. */
let prepared: ReturnType<typeof prepare> | undefined;

function prepare() {
  return {
    longitude: [theory.LONGITUDE, theory.LONGITUDE_T, theory.LONGITUDE_T2].map(wavesOf),
    latitude: [theory.LATITUDE].map(wavesOf),
    distance: [theory.DISTANCE, theory.DISTANCE_T].map(wavesOf),
    nutation: [theory.NUTATION_IN_LONGITUDE.map((row) => nutationTerm(row, -90))].map(wavesOf),
    obliquity: [theory.NUTATION_IN_OBLIQUITY.map((row) => nutationTerm(row, 0))].map(wavesOf),
  };
}

function wavesOf(terms: readonly Term[]): Wave[] {
  return terms.map(([amplitude, phase, rate]) => {
    const turn = rate / DAYS_PER_MILLENNIUM;
    return { amplitude: amplitude * 1e-8, phase, rate, dayCos: Math.cos(turn), daySin: Math.sin(turn) };
  });
}

/** A row of the nutation series as a term: multiples of the arguments, then the coefficient. */
function nutationTerm(row: readonly number[], offsetDegrees: number): Term {
  const sum = (part: 0 | 1) =>
    theory.NUTATION_ARGUMENTS.reduce((total, argument, i) => total + (row[i] ?? 0) * argument[part], 0);
  const coefficient = (row.at(-1) ?? 0) * 1e-4 * ARCSECONDS;
  return [coefficient * 1e8, (sum(0) + offsetDegrees) * RADIANS, sum(1) * 10 * RADIANS];
}

/** The sum of waves at a moment. */
function sumAt(waves: readonly Wave[], tau: number): number {
  let sum = 0;
  for (const { amplitude, phase, rate } of waves) sum += amplitude * Math.cos(phase + rate * tau);
  return sum;
}

/**
 * The sum of waves for six days. From the third day on, a wave follows from the two days before:
 * cos(a + b) = 2 cos b cos a - cos(a - b).
 */
function sumForSixDays(waves: readonly Wave[], tau: number): SixDays {
  const sums: SixDays = [0, 0, 0, 0, 0, 0];
  for (const { amplitude, phase, rate, dayCos, daySin } of waves) {
    const angle = phase + rate * tau;
    const first = amplitude * Math.cos(angle);
    const second = first * dayCos - amplitude * Math.sin(angle) * daySin;
    const third = 2 * dayCos * second - first;
    const fourth = 2 * dayCos * third - second;
    const fifth = 2 * dayCos * fourth - third;
    sums[0] += first;
    sums[1] += second;
    sums[2] += third;
    sums[3] += fourth;
    sums[4] += fifth;
    sums[5] += 2 * dayCos * fifth - fourth;
  }
  return sums;
}

function polynomial(coefficients: readonly number[], x: number): number {
  let sum = 0;
  for (let i = coefficients.length - 1; i >= 0; i--) sum = sum * x + (coefficients[i] ?? 0);
  return sum;
}

// ΔT: terrestrial time minus universal time.
//
// An error of one second moves the sun by 0.04", which is 3 ms in a time of sunrise: one point per decade is enough.

/**
 * Year and ΔT in seconds: observed until 2020, predicted from 2050 on.
 *
 * @see *Explanatory Supplement to the Astronomical Almanac* (1992), table 9.7, and IERS Bulletin A for 1980 to 2020.
 * @see F. Espenak, J. Meeus, *Five Millennium Canon of Solar Eclipses* (NASA/TP-2006-214141): 2050 to 2150.
 */
const TABLE: readonly (readonly [year: number, seconds: number])[] = [
  [1600, 120],
  [1700, 9],
  [1800, 13.7],
  [1850, 7.1],
  [1870, 1.6],
  [1880, -5.4],
  [1900, -2.7],
  [1910, 10.5],
  [1920, 21.2],
  [1930, 24],
  [1940, 24.3],
  [1950, 29.1],
  [1960, 33.1],
  [1970, 40.2],
  [1980, 50.5],
  [1990, 56.9],
  [2000, 63.8],
  [2010, 66.1],
  [2020, 69.4],
  [2050, 93],
  [2100, 202.7],
  [2150, 328.5],
];

/** ΔT in seconds for a decimal year: within 1.5 s of observations from 1900 to 2020, otherwise a prediction. */
export function deltaT(year: number): number {
  const after = TABLE.findIndex(([from]) => from > year);
  const next = TABLE[after];
  const last = TABLE[after - 1];
  // Tidal friction slows the earth: a parabola fitted to ancient eclipses, in centuries from 1820.
  if (next === undefined || last === undefined) return -20 + 32 * ((year - 1820) / 100) ** 2;
  return last[1] + ((next[1] - last[1]) * (year - last[0])) / (next[0] - last[0]);
}

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
