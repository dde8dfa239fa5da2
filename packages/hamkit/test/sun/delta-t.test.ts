import { describe, expect, it } from "vitest";
import { deltaT } from "../../src/sun/solar-position.js";

describe("deltaT", () => {
  // IERS and its forerunners: the Astronomical Almanac's table of ΔT at the beginning of each year.
  it.each([
    [1905, 3.86],
    [1915, 17.2],
    [1925, 23.62],
    [1935, 23.93],
    [1945, 26.77],
    [1955, 31.07],
    [1965, 35.73],
    [1975, 45.48],
    [1985, 54.34],
    [1995, 60.79],
    [2005, 64.69],
    [2015, 67.64],
    [2020, 69.36],
  ])("is within 1.5 s of the observed value of %d", (year, seconds) => {
    expect(Math.abs(deltaT(year) - seconds)).toBeLessThan(1.5);
  });

  // Espenak and Meeus: means over the eclipses of that time.
  it.each([
    [-500, 17_190, 500],
    [0, 10_580, 500],
    [1000, 1570, 600],
    [1600, 120, 20],
    [1750, 13, 5],
    [1900, -3, 1],
    [2100, 203, 1],
    [2200, 442, 5],
  ])("is about right in the year %d", (year, seconds, tolerance) => {
    expect(Math.abs(deltaT(year) - seconds)).toBeLessThan(tolerance);
  });

  it("has no jump where the prediction takes over", () => {
    expect(Math.abs(deltaT(2150 + 1e-9) - deltaT(2150 - 1e-9))).toBeLessThan(0.5);
    expect(Math.abs(deltaT(2020 + 1e-9) - deltaT(2020 - 1e-9))).toBeLessThan(1e-6);
  });
});
