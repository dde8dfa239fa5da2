import { describe, expect, it, vi } from "vitest";
import { ArgumentTypeError, AttributeError, LocatorError, PositionError, ValueError } from "../src/errors.js";
import * as locator from "../src/locator.js";
import {
  calculateDistance,
  calculateDistanceLongpath,
  calculateHeading,
  calculateHeadingLongpath,
  calculateSunriseSunset,
  latlongToLocator,
  locatorToLatlong,
  pathPoints,
  sunPosition,
  type LocatorPrecision,
} from "../src/locator.js";

/** What callers without types may pass for text. */
const NO_TEXT: readonly unknown[] = [
  null,
  undefined,
  4,
  48.5,
  true,
  [],
  ["J", "N", "4", "8"],
  {},
  Symbol("JN48"),
  new String("JN48"),
];

/** The functions that calculate with locators, as functions of one of them. */
const CALCULATIONS: Record<string, (text: string) => unknown> = {
  "calculateDistance, first": (text) => calculateDistance(text, "JN48QM"),
  "calculateDistance, second": (text) => calculateDistance("JN48QM", text),
  "calculateDistanceLongpath, first": (text) => calculateDistanceLongpath(text, "JN48QM"),
  "calculateDistanceLongpath, second": (text) => calculateDistanceLongpath("JN48QM", text),
  "calculateHeading, first": (text) => calculateHeading(text, "JN48QM"),
  "calculateHeading, second": (text) => calculateHeading("JN48QM", text),
  "calculateHeadingLongpath, first": (text) => calculateHeadingLongpath(text, "JN48QM"),
  "calculateHeadingLongpath, second": (text) => calculateHeadingLongpath("JN48QM", text),
  calculateSunriseSunset: (text) => calculateSunriseSunset(text, new Date(0)),
  "pathPoints, first": (text) => pathPoints(text, "JN48QM", { points: 3 }),
  "pathPoints, second": (text) => pathPoints("JN48QM", text, { points: 3 }),
};

describe("hamkit/locator", () => {
  it("offers these names and no others", () => {
    expect(Object.keys(locator).sort()).toEqual([
      "calculateDistance",
      "calculateDistanceLongpath",
      "calculateHeading",
      "calculateHeadingLongpath",
      "calculateSunriseSunset",
      "latlongToLocator",
      "locatorToLatlong",
      "pathPoints",
      "sunPosition",
    ]);
  });
});

describe("latlongToLocator", () => {
  it("gives 6 characters unless told otherwise", () => {
    expect(latlongToLocator(48.52, 9.375)).toBe("JN48QM");
    expect(latlongToLocator(48.52, 9.375, 4)).toBe("JN48");
    expect(latlongToLocator(48.52, 9.375, 8)).toBe("JN48QM54");
    expect(latlongToLocator(48.52, 9.375, 10)).toBe("JN48QM54AT");
  });

  it("gives locators to the poles and to both sides of the 180th meridian, which the peer rejects", () => {
    expect(latlongToLocator(90, 180, 4)).toBe("AR09");
    expect(latlongToLocator(-90, -180, 4)).toBe("AA00");
    expect(latlongToLocator(0, 180)).toBe(latlongToLocator(0, -180));
  });

  it.each([-1, 0, 2, 3, 5, 7, 9, 11, 12, 4.5, NaN, Infinity])(
    "throws for a precision of %d, where the peer returns the error's class or rounds",
    (precision) => {
      const run = () => latlongToLocator(48.52, 9.375, precision as LocatorPrecision);
      expect(run).toThrow(ValueError);
      expect(run).toThrow("precision");
    },
  );

  it.each(["6", null, true, {}])("throws a TypeError for a precision of %o", (precision) => {
    const run = () => latlongToLocator(48.52, 9.375, precision as unknown as LocatorPrecision);
    expect(run).toThrow(ArgumentTypeError);
    expect(run).toThrow(TypeError);
  });

  it.each([
    [90.1, 0],
    [0, 180.1],
    [NaN, 0],
    [0, Infinity],
  ])(
    "throws a PositionError, a ValueError, for %d, %d, where the peer complains of integers for NaN",
    (latitude, longitude) => {
      const run = () => latlongToLocator(latitude, longitude);
      expect(run).toThrow(PositionError);
      expect(run).toThrow(ValueError);
    },
  );

  it.each([
    ["48", 9],
    [48, "9"],
    [null, 9],
    [48, undefined],
    [true, false],
  ])("throws a TypeError for %o, %o", (latitude, longitude) => {
    const run = () => latlongToLocator(latitude as number, longitude as number);
    expect(run).toThrow(ArgumentTypeError);
    expect(run).toThrow(TypeError);
  });
});

describe("locatorToLatlong", () => {
  it("gives the center, or the south-western corner", () => {
    expect(locatorToLatlong("JN48QM")).toEqual([48.520_833_333_333_336, 9.375]);
    expect(locatorToLatlong("JN48QM", true)).toEqual([48.520_833_333_333_336, 9.375]);
    expect(locatorToLatlong("JN48QM", false)).toEqual([48.5, 9.333_333_333_333_334]);
  });

  it.each(NO_TEXT)("throws a TypeError for %o", (value) => {
    const run = () => locatorToLatlong(value as string);
    expect(run).toThrow(ArgumentTypeError);
    expect(run).toThrow(TypeError);
  });

  it("throws a LocatorError, a ValueError, for a malformed locator", () => {
    expect(() => locatorToLatlong("JN48ZZ")).toThrow(LocatorError);
    expect(() => locatorToLatlong("JN48ZZ")).toThrow(ValueError);
  });
});

describe.each(Object.entries(CALCULATIONS))("%s", (_, calculate) => {
  it.each(NO_TEXT)("throws an AttributeError for %o", (value) => {
    expect(() => calculate(value as string)).toThrow(AttributeError);
  });

  it.each(["", "JN", "JN48Q", "JN48ZZ11", "jn48ß"])("throws a LocatorError for %j", (text) => {
    expect(() => calculate(text)).toThrow(LocatorError);
  });

  it("takes locators of 4, 6, 8 and 10 characters in any case", () => {
    for (const text of ["jn48", "JN48qm", "jN48Qm54", "JN48QM54AT"])
      expect(() => calculate(text)).not.toThrow();
  });
});

describe("errors about locators", () => {
  it("name the argument", () => {
    expect(() => calculateDistance("JN48QM", "XX")).toThrow("locator2");
    expect(() => calculateHeading("XX", "JN48QM")).toThrow("locator1");
    expect(() => sunPosition("XX")).toThrow("place");
  });
});

describe("distance and heading", () => {
  it("are between the centers", () => {
    expect(calculateDistance("JN48QM", "JN67BH")).toBeCloseTo(245.034, 3);
    expect(calculateHeading("JN48QM", "QF67BH")).toBeCloseTo(74.194, 3);
    expect(calculateHeadingLongpath("JN48QM", "QF67BH")).toBeCloseTo(254.194, 3);
    expect(calculateDistanceLongpath("JN48QM", "QF67BH")).toBeCloseTo(40_030.174 - 16_460.367, 2);
  });

  it("add up to the circumference of the sphere, 40030.17 km, where the peer has 40008", () => {
    for (const other of ["JN48QM", "AA00", "RR99XX99XX", "QF67BH"]) {
      const sum = calculateDistance("JN48QM", other) + calculateDistanceLongpath("JN48QM", other);
      expect(sum).toBeCloseTo(2 * Math.PI * 6371, 9);
    }
  });

  it("exist for antipodal squares, where the peer crashes for 1,080 of 32,400", () => {
    expect(calculateDistance("GQ67KK", "PB62KN")).toBeCloseTo(20_015.0868, 4);
    expect(calculateHeading("GQ67KK", "PB62KN")).toBe(0);
    expect(calculateHeadingLongpath("GQ67KK", "PB62KN")).toBe(180);
  });

  it("point the long path opposite to the short one, below 360", () => {
    expect(calculateHeadingLongpath("JN48QM", "JN48QM")).toBe(180);
    expect(calculateHeadingLongpath("JN48QM", "JN38QM")).toBeCloseTo(
      calculateHeading("JN48QM", "JN38QM") - 180,
      9,
    );
    expect(calculateHeadingLongpath("JN48QM", "JN58QM")).toBeCloseTo(
      calculateHeading("JN48QM", "JN58QM") + 180,
      9,
    );
  });

  it("are on the ellipsoid if asked, as GeographicLib has them", () => {
    expect(calculateDistance("JN48QM", "QF67BH", { model: "wgs84" })).toBeCloseTo(16_457.257, 3);
    expect(calculateDistance("JN48QM", "QF67BH", { model: "sphere" })).toBe(
      calculateDistance("JN48QM", "QF67BH"),
    );
    expect(calculateDistance("JN48QM", "QF67BH", {})).toBe(calculateDistance("JN48QM", "QF67BH"));
    expect(calculateHeading("JN48QM", "JN48QM", { model: "wgs84" })).toBe(0);
  });

  it("reject an unknown model", () => {
    const options = { model: "flat" } as unknown as locator.EarthOptions;
    expect(() => calculateDistance("JN48QM", "JN67BH", options)).toThrow(ValueError);
    expect(() => calculateHeading("JN48QM", "JN67BH", options)).toThrow('"sphere" or "wgs84"');
  });
});

describe("pathPoints", () => {
  it("goes from center to center by the short path, or by the long one", () => {
    const short = pathPoints("JN48QM", "QF67BH", { points: 5 });
    const long = pathPoints("JN48QM", "QF67BH", { points: 5, longpath: true });
    expect(short[0]).toEqual({ latitude: 48.520_833_333_333_336, longitude: 9.375 });
    expect([short[4], long[0]]).toEqual([long[4], short[0]]);
    expect(short[2]?.longitude).toBeGreaterThan(9);
    expect(long[1]?.longitude).toBeLessThan(9);
  });

  it.each([1, 0, -3, 2.5, NaN, Infinity, 100_001, "3", undefined])("rejects %o points", (points) => {
    const run = () => pathPoints("JN48QM", "QF67BH", { points: points as number });
    expect(run).toThrow(ValueError);
    expect(run).toThrow("points");
  });
});

describe("calculateSunriseSunset and sunPosition", () => {
  it("take the present when left without a date", () => {
    vi.useFakeTimers({ now: new Date("2014-01-01T00:00:00Z") });
    try {
      const sunset = new Date("2014-01-01T15:37:44.018Z");
      expect(calculateSunriseSunset("JN48QM").sunset).toEqual(sunset);
      expect(sunPosition("JN48QM")).toEqual(sunPosition("JN48QM", new Date()));
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([new Date(NaN), 0, "2014-01-01", {}, new Date(8.64e15), new Date(-8.64e15)])(
    "throw a ValueError for the date %o",
    (date) => {
      expect(() => calculateSunriseSunset("JN48QM", date as Date)).toThrow(ValueError);
      expect(() => calculateSunriseSunset("JN48QM", date as Date)).toThrow("calcDate");
      expect(() => sunPosition("JN48QM", date as Date)).toThrow(ValueError);
    },
  );

  it("return results for the first and the last supported year", () => {
    for (const date of [new Date(Date.UTC(-2000, 0)), new Date(Date.UTC(10_000, 0))]) {
      expect(calculateSunriseSunset("JN48QM", date).sunrise).toBeInstanceOf(Date);
      expect(sunPosition("JN48QM", date).elevation).toBeTypeOf("number");
    }
  });

  it("take a place as its coordinates in text", () => {
    const place = { latitude: -33.8, longitude: 151.25 };
    for (const text of ["-33.8,151.25", " -33.80 , +151.25 "]) {
      expect(calculateDistance(text, "JN48QM")).toBe(calculateDistance(place, "JN48QM"));
      expect(calculateHeading("JN48QM", text)).toBe(calculateHeading("JN48QM", place));
      expect(pathPoints(text, "JN48QM", { points: 3 })).toEqual(pathPoints(place, "JN48QM", { points: 3 }));
      const at = new Date("2024-01-01T00:00Z");
      expect(calculateSunriseSunset(text, at)).toEqual(calculateSunriseSunset(place, at));
      expect(sunPosition(text, at)).toEqual(sunPosition(place, at));
    }
    expect(() => calculateDistance("91,9", "JN48QM")).toThrow(PositionError);
    for (const text of ["48.5", "48,5,9,3", "48.5;9.3", "48.5,JN", "1e1,9", ","])
      expect(() => calculateDistance(text, "JN48QM")).toThrow(LocatorError);
  });

  it("take a place as a position too", () => {
    const date = new Date("2024-06-20T11:24Z");
    const [latitude, longitude] = locatorToLatlong("JN48QM");
    expect(sunPosition({ latitude, longitude }, date)).toEqual(sunPosition("JN48QM", date));
    expect(() => sunPosition({ latitude: 91, longitude: 0 }, date)).toThrow(PositionError);
    expect(() => sunPosition({ latitude: 48.5 } as locator.Position, date)).toThrow(ArgumentTypeError);
    expect(() => sunPosition(null as unknown as string, date)).toThrow(AttributeError);
    expect(() => sunPosition(48 as unknown as string, date)).toThrow(AttributeError);
    expect(() => sunPosition("JN48ZZ", date)).toThrow(LocatorError);
  });
});
