import { describe, expect, it } from "vitest";

import { skyOf } from "../src/sky/sky-facts.js";
import { withReport } from "../src/sky/solar-reports.js";

const HERE = { latitude: 48.520_833, longitude: 9.375 };
const THERE = { latitude: 41.729_167, longitude: -72.708_333 };

describe("sun and moon", () => {
  it("are over both places, with rises, sets and windows", () => {
    const { places, windows } = skyOf({ places: [HERE, THERE], date: new Date("2024-06-01T12:00Z") });
    const [here, there] = places;
    // By PyEphem 4.1.4.
    expect(here?.moon.azimuth).toBeCloseTo(259.4, 1);
    expect(here?.moon.elevation).toBeCloseTo(9.946, 1);
    expect(here?.moonset?.at.toISOString().slice(0, 16)).toBe("2024-06-01T13:09");
    expect(there?.moon.elevation).toBeCloseTo(48.373, 1);
    expect(windows[1]?.start.toISOString().slice(0, 16)).toBe("2024-06-02T06:47");
    expect(windows[1]?.end.toISOString().slice(0, 16)).toBe("2024-06-02T14:25");
    // USNO, sunset in 48.52° N 9.38° E on 2024-06-01: 19:18 UTC; its azimuth is north of west.
    expect(here?.sunset?.at.toISOString().slice(0, 15)).toBe("2024-06-01T19:1");
    expect(here?.sunset?.azimuth).toBeGreaterThan(300);
  });

  it("have no windows over one place", () => {
    expect(skyOf({ places: [HERE], date: new Date("2024-06-01T12:00Z") }).windows).toEqual([]);
  });
});

describe("reports of solar activity", () => {
  const wwv = { kind: "wwv", from: "W0MU", sfi: 120, a: 5, k: 2, text: "No Storms" } as const;

  it("are the latest of each station", () => {
    const first = withReport({}, { ...wwv, at: new Date("2026-11-28T18:00Z") });
    const late = withReport(first, { ...wwv, sfi: 99, at: new Date("2026-11-28T15:00Z") });
    expect(late.wwv?.sfi).toBe(120);
    expect(withReport(late, { ...wwv, sfi: 130, at: new Date("2026-11-28T21:00Z") }).wwv?.sfi).toBe(130);
    expect(late.wcy).toBeUndefined();
  });
});
