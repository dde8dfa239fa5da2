/**
 * ΔT: terrestrial time minus universal time.
 *
 * An error of one second moves the sun by 0.04", which is 3 ms in a time of sunrise: one point per decade is enough.
 */

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
