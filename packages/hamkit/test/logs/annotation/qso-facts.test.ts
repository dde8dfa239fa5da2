import { describe, expect, it } from "vitest";

import {
  placeOf,
  stationFacts,
  pathFacts,
  type StationRecord,
} from "../../../src/logs/annotation/qso-facts.js";

const factsOf = (record: StationRecord, name?: string) =>
  Object.fromEntries(stationFacts(record, () => name).map((fact) => [fact.name, fact.value]));

describe("stationFacts", () => {
  it("takes what a callbook knows, and leaves out what is no number there", () => {
    const record = {
      adif: 230,
      country: "Austria",
      land: "Germany",
      cqz: "14/15",
      ituz: 28,
      latitude: "51?",
    };
    expect(factsOf(record)).toEqual({ COUNTRY: "Germany", DXCC: "230", ITUZ: "28" });
    expect(factsOf({})).toEqual({});
  });

  it("leaves out codes, zones and continents that can't be", () => {
    expect(factsOf({ adif: 0, cqz: 41, ituz: 91, continent: "XX" })).toEqual({});
    expect(factsOf({ adif: 1000, cqz: 0, ituz: Number.NaN, continent: "AN" })).toEqual({ CONT: "AN" });
  });
});

describe("placeOf", () => {
  it("has no place of a record without one, or of a station at sea", () => {
    expect(placeOf({ latitude: 51, longitude: 10 })).toEqual({ latitude: 51, longitude: 10 });
    expect(placeOf({ latitude: "51?", longitude: 10 })).toBeUndefined();
    expect(placeOf({ continent: "" })).toBeUndefined();
    expect(placeOf(undefined)).toBeUndefined();
  });
});

describe("pathFacts", () => {
  it("has no heading of 360 degrees", () => {
    const end = (latitude: number, longitude: number) => ({ position: { latitude, longitude }, errorKm: 0 });
    const home = end(0, 0);
    // 0.01° west of north: rounded to tenths that is north.
    const [, heading] = pathFacts(home, end(10, -0.002), undefined);
    expect(heading).toEqual({ name: "APP_HAMKIT_HEADING", value: "0", type: "N" });
    const [, back] = pathFacts(home, end(-10, 0.002), "L");
    expect(back?.value).toBe("0");
  });
});
