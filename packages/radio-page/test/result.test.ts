import { describe, expect, it } from "vitest";

import { lookUp } from "../src/station/look-up.js";
import { resultOf } from "../src/station/result.js";
import { pathFacts, sunFacts } from "../src/station/station-facts.js";

const at = new Date("2024-10-21T20:00Z");

describe("the card", () => {
  it("has country and zones of a call, and the place of its locator", async () => {
    const search = { call: "W1AW", locator: "FN31PR", frequencyKHz: 14_074 };
    const result = resultOf(search, await lookUp("W1AW", at));
    expect(result).toMatchObject({
      title: "W1AW",
      station: { country: "United States", continent: "NA", cqz: 5, ituz: 8 },
      locator: "FN31PR",
      isExact: true,
      frequency: "14.074 MHz, 20m, DIGITAL",
    });
  });

  it("has the middle of a country without a locator", async () => {
    const result = resultOf({ call: "HC2/DH1TW" }, await lookUp("HC2/DH1TW", at));
    expect(result).toMatchObject({ isExact: false, station: { country: "Ecuador", matched: "prefix HC" } });
    expect(result.position?.latitude).toBeCloseTo(-1.4, 1);
  });

  it("has no place of a station at sea, unless it has a locator", async () => {
    const found = await lookUp("DH1TW/MM", at);
    expect(resultOf({ call: "DH1TW/MM" }, found)).toMatchObject({ position: undefined, note: /./ });
    expect(resultOf({ call: "DH1TW/MM", locator: "JO73" }, found).locator).toBe("JO73");
  });

  it("says that a call has no country", async () => {
    const result = resultOf({ call: "NOCALL" }, await lookUp("NOCALL", at));
    expect(result).toMatchObject({ station: undefined, note: "No country has the prefix of NOCALL." });
  });

  it("has both paths", () => {
    // by the haversine formula: 6168.6 km, 296°
    expect(pathFacts("JN48QM", "FN31PR")).toEqual({
      distanceKm: expect.closeTo(6168.617, 3) as number,
      heading: expect.closeTo(296, 0) as number,
      longDistanceKm: expect.closeTo(40_030.17 - 6168.617, 2) as number,
      longHeading: expect.closeTo(116, 0) as number,
    });
  });

  it("has the sun", () => {
    // USNO: on 2014-01-01 at 48.52° N 9.38° E the sun rises at 07:14 and sets at 15:37 UTC; twilight begins at 06:40.
    const sun = (time: string) => sunFacts("JN48QM", 9.375, new Date(`2014-01-01T${time}Z`));
    expect(sun("12:00")).toMatchObject({ state: "day", isGrayline: false, solarTime: "12:37" });
    expect(sun("07:00")).toMatchObject({ state: "civil twilight", isGrayline: true });
    expect(sun("03:00")).toMatchObject({ state: "night", isGrayline: false });
    expect(sun("03:00").sunrise?.toISOString().slice(0, 16)).toBe("2014-01-01T07:14");
    expect(sunFacts("KQ50", 11, new Date("2024-12-21T12:00Z")).sunrise).toBeNull();
  });
});
