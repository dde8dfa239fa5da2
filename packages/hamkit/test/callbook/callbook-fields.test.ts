import { describe, expect, it } from "vitest";

import {
  CALLSIGNS,
  DATE,
  FLAG,
  NUMBER,
  readFields,
  TEXT,
  TIME_ZONE,
  WEST_TIME_ZONE,
  type FieldRow,
} from "../../src/callbook/callbook-fields.js";

const ABSENT = null;
const ODD = undefined;

describe("the values of a callbook's fields", () => {
  it.each([
    ["291", 291],
    ["-112.34356", -112.34356],
    ["+5", 5],
    ["0", 0],
    ["-0", 0],
    ["023", 23],
    ["602/480", ODD],
    ["1,234", ODD],
    ["1e5", ODD],
    ["0x10", ODD],
    ["12.", ODD],
    ["1234567890123456", ODD],
    ["none", ODD],
  ])("are numbers: %s", (text, expected) => expect(NUMBER.read(text)).toBe(expected));

  it.each([
    ["Y", true],
    ["y", true],
    ["1", true],
    ["N", false],
    ["0", false],
    ["?", ABSENT],
    ["2", ODD],
    ["maybe", ODD],
  ])("are yes or no: %s", (text, expected) => expect(FLAG.read(text)).toBe(expected));

  it.each([
    ["2000-01-20", "2000-01-20T00:00:00.000Z"],
    ["2003-11-04 19:37:02", "2003-11-04T19:37:02.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ])("are dates of UTC: %s", (text, expected) => expect(DATE.read(text)?.toISOString()).toBe(expected));

  it.each([
    ["0000-00-00", ABSENT],
    ["0000-00-00 00:00:00", ABSENT],
    ["2023-02-29", ODD],
    ["2023-13-01", ODD],
    ["2023-01-01 25:00:00", ODD],
    ["20.1.2000", ODD],
    ["bad", ODD],
  ])("are no dates: %s", (text, expected) => expect(DATE.read(text)).toBe(expected));

  it.each([
    ["-7", -7],
    ["0", 0],
    ["14", 14],
    ["5.5", 5.5],
    ["545", 5.75],
    ["0545", 5.75],
    ["+1030", 10.5],
    ["-330", -3.5],
    ["5:45", 5.75],
    ["575", ODD],
    ["15", ODD],
    ["Mountain", ODD],
  ])("are offsets from UTC, with minutes behind the hours: %s", (text, expected) =>
    expect(TIME_ZONE.read(text)).toBe(expected),
  );

  it.each([
    ["-1", 1],
    ["5", -5],
    ["0", 0],
    ["-545", 5.75],
    ["west", ODD],
  ])("are offsets from UTC with the sign turned: %s", (text, expected) =>
    expect(WEST_TIME_ZONE.read(text)).toBe(expected),
  );

  it.each([
    ["N6UFT,KJ6RK,DL/XX1XX", ["N6UFT", "KJ6RK", "DL/XX1XX"]],
    [" N6UFT , ,", ["N6UFT"]],
    [",", ABSENT],
  ])("are lists without empty parts: %s", (text, expected) => expect(CALLSIGNS.read(text)).toEqual(expected));
});

describe("readFields", () => {
  interface Found {
    readonly street?: string;
    readonly country?: string;
    readonly area?: number | string;
  }
  const rows: readonly FieldRow<Found>[] = [
    [["street1", "street2"], "street", TEXT],
    ["address_country", "country", TEXT],
    ["country", "country", TEXT],
    ["area", "area", NUMBER],
  ];

  function read(elements: Record<string, string>) {
    return readFields(new Map(Object.entries(elements)), rows);
  }

  it("puts several elements together, and takes the first of those that mean the same", () => {
    expect(read({ street1: "Via 1", street2: "Int. 2", country: "Italy" }).found).toEqual({
      street: "Via 1, Int. 2",
      country: "Italy",
    });
    expect(read({ address_country: "Austria", country: "Italy" }).found).toEqual({ country: "Austria" });
  });

  it("keeps an unexpected text, and reports it", () => {
    expect(read({ area: "602/480" })).toEqual({
      found: { area: "602/480" },
      unexpected: [{ key: "area", text: "602/480", expected: "a number" }],
    });
  });

  it("leaves out unknown elements", () => {
    expect(read({ new_element: "x", __proto__: "y" }).found).toEqual({});
  });
});
