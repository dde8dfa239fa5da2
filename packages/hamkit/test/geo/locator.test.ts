import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LocatorError } from "../../src/errors.js";
import { locatorToPosition, positionToLocator, type LocatorPrecision } from "../../src/geo/locator.js";

const PRECISIONS: readonly LocatorPrecision[] = [4, 6, 8, 10];
const LETTERS_18 = "ABCDEFGHIJKLMNOPQR";
const LETTERS_24 = "ABCDEFGHIJKLMNOPQRSTUVWX";
const DIGITS = "0123456789";

/** The characters that each place of a locator may have. */
const ALPHABETS = [LETTERS_18, DIGITS, LETTERS_24, DIGITS, LETTERS_24].flatMap((alphabet) => [
  alphabet,
  alphabet,
]);

/** Every locator of a precision, at random. */
const anyLocator = (precision: LocatorPrecision) =>
  fc
    .tuple(...ALPHABETS.slice(0, precision).map((alphabet) => fc.constantFrom(...alphabet.split(""))))
    .map((characters) => characters.join(""));

const anyPosition = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

const center = (locator: string) => locatorToPosition(locator, "locator", "center");
const corner = (locator: string) => locatorToPosition(locator, "locator", "corner");

describe("positionToLocator", () => {
  it.each([
    [4, "JN48"],
    [6, "JN48QM"],
    [8, "JN48QM54"],
    [10, "JN48QM54AT"],
  ] as const)("names the rectangle of 48.52 N 9.375 E with %d characters", (precision, locator) => {
    expect(positionToLocator({ latitude: 48.52, longitude: 9.375 }, precision)).toBe(locator);
  });

  // Locators as the ARRL and IARU publish them: W1AW, Munich, Washington's monument, Wellington.
  it.each([
    [41.714_775, -72.727_260, "FN31PR"],
    [48.146_66, 11.608_33, "JN58TD"],
    [38.92, -77.065, "FM18LW"],
    [-41.283_33, 174.745, "RE78IR"],
  ])("finds %d, %d in %s, as published", (latitude, longitude, locator) => {
    expect(positionToLocator({ latitude, longitude }, 6)).toBe(locator);
  });

  it("puts the north pole in the topmost row and the south pole in the lowest", () => {
    expect(positionToLocator({ latitude: 90, longitude: 0 }, 10)).toBe("JR09AX09AX");
    expect(positionToLocator({ latitude: -90, longitude: 0 }, 10)).toBe("JA00AA00AA");
  });

  it("takes 180 degrees east for 180 degrees west", () => {
    expect(positionToLocator({ latitude: 0, longitude: 180 }, 10)).toBe("AJ00AA00AA");
    expect(positionToLocator({ latitude: 0, longitude: -180 }, 10)).toBe("AJ00AA00AA");
  });

  it("stays on the grid a rounding error below the north pole and the 180th meridian, where the peer gives field S", () => {
    expect(positionToLocator({ latitude: 89.999_999_999_999_99, longitude: 0 }, 6)).toBe("JR09AX");
    expect(positionToLocator({ latitude: 0, longitude: 179.999_999_999_999_97 }, 6)).toBe("AJ00AA");
    expect(positionToLocator({ latitude: 0, longitude: 179.999_999_9 }, 6)).toBe("RJ90XA");
  });

  it("gives a point on a border to the rectangle north-east of it", () => {
    expect(positionToLocator({ latitude: 48, longitude: 8 }, 6)).toBe("JN48AA");
    expect(positionToLocator({ latitude: -0, longitude: -0 }, 6)).toBe("JJ00AA");
  });

  it("names with fewer characters the beginning of what it names with more", () => {
    fc.assert(
      fc.property(anyPosition, (position) => {
        const longest = positionToLocator(position, 10);
        for (const precision of PRECISIONS) {
          expect(positionToLocator(position, precision)).toBe(longest.slice(0, precision));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("names a rectangle that holds the point", () => {
    fc.assert(
      fc.property(anyPosition, fc.constantFrom(...PRECISIONS), ({ latitude, longitude }, precision) => {
        const found = positionToLocator({ latitude, longitude }, precision);
        const rows = { 4: 1, 6: 24, 8: 240, 10: 5760 }[precision];
        const east = center(found).longitude - longitude;
        expect(Math.abs(center(found).latitude - latitude)).toBeLessThanOrEqual(0.5 / rows + 1e-12);
        expect(Math.abs(east - 360 * Math.round(east / 360))).toBeLessThanOrEqual(1 / rows + 1e-12);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("locatorToPosition", () => {
  it.each([
    ["JN48", 48.5, 9, 48, 8],
    ["JN48QM", 48.520_833_333_333_336, 9.375, 48.5, 9.333_333_333_333_334],
    ["JN48QM84", 48.518_75, 9.404_166_666_666_667, 48.516_666_666_666_666, 9.4],
    ["AA00", -89.5, -179, -90, -180],
    [
      "RR99XX99XX",
      89.999_913_194_444_45,
      179.999_826_388_888_9,
      89.999_826_388_888_89,
      179.999_652_777_777_78,
    ],
  ])("knows the center and the south-western corner of %s", (locator, latitude, longitude, south, west) => {
    expect(center(locator)).toEqual({ latitude, longitude });
    expect(corner(locator)).toEqual({ latitude: south, longitude: west });
  });

  it("reads upper and lower case alike", () => {
    expect(center("jN48qMa1".replace("a", "0"))).toEqual(center("JN48QM01"));
    expect(center("rr99xx99xx")).toEqual(center("RR99XX99XX"));
  });
});

describe("corner and center lead back to their locator", () => {
  it("for all 32,400 squares, of which the peer loses 359 corners", () => {
    const steps = Array.from({ length: 180 }, (_, i) => i);
    const squares = steps.flatMap((column) => steps.map((row) => squareAt(column, row)));
    expect(new Set(squares).size).toBe(32_400);
    expect(squares.filter((square) => positionToLocator(corner(square), 4) !== square)).toEqual([]);
    expect(squares.filter((square) => positionToLocator(center(square), 4) !== square)).toEqual([]);
  });

  it.each([6, 8, 10] as const)(
    "for locators of %d characters, of which the peer loses most corners",
    (precision) => {
      fc.assert(
        fc.property(anyLocator(precision), (locator) => {
          expect(positionToLocator(corner(locator), precision)).toBe(locator);
          expect(positionToLocator(center(locator), precision)).toBe(locator);
        }),
        { numRuns: 5000 },
      );
    },
  );
});

describe("a malformed locator", () => {
  it.each([
    "",
    "A",
    "JN",
    "JN4",
    "JN48Q",
    "JN48QM8",
    "JN48QM84X",
    "JN48QM84XX1",
    "JN48QM84XX12",
    "J".repeat(1000),
  ])("has an invalid length: %j", (text) => {
    expect(() => center(text)).toThrow(LocatorError);
    expect(() => center(text)).toThrow("a locator of 4, 6, 8 or 10 characters");
  });

  it.each([
    ["SN48", "character 1 must be a letter from A to R"],
    ["JS48", "character 2 must be a letter from A to R"],
    ["1N48", "character 1 must be a letter from A to R"],
    ["JNA8", "character 3 must be a digit"],
    ["JN4A", "character 4 must be a digit"],
    ["JN48YA", "character 5 must be a letter from A to X"],
    ["JN48AY", "character 6 must be a letter from A to X"],
    ["JN48QMA0", "character 7 must be a digit"],
    ["JN48QM0A", "character 8 must be a digit"],
    ["JN48QM84YX", "character 9 must be a letter from A to X"],
    ["JN48QM84X1", "character 10 must be a letter from A to X"],
    [" JN48Q", "character 1 must be a letter from A to R"],
    ["JN48\n0", "character 5 must be a letter from A to X"],
  ])("%j is told what its first wrong character should be", (text, expected) => {
    expect(() => center(text)).toThrow(expected);
  });

  it.each(["JN48ZZ11", "JN48Y111", "JN480011", "JN48!!11", "JN48  11"])(
    "%j has wrong subsquares, which the peer does not look at in 8 characters",
    (text) => {
      expect(() => center(text)).toThrow(LocatorError);
    },
  );

  it.each(["jn48ß", "JN48ß", "JN48\u{fb01}", "JN48ß11", "JN48\u{131}\u{131}"])(
    "%j is not ASCII, and gets through the peer's upper-casing",
    (text) => {
      expect(() => center(text)).toThrow(LocatorError);
    },
  );

  it.each([
    "ＪＮ４８",
    "JN٤٨",
    "JN４８",
    "ŠN48",
    "ÄÖ48",
    "😀48",
    "JN48😀",
    "JN48QMŠQ",
    "RR99XX9١",
    "JN48\u{151}\u{14d}",
  ])("%j is not ASCII", (text) => {
    expect(() => center(text)).toThrow(LocatorError);
  });

  it("is every text that differs from a locator in one character", () => {
    fc.assert(
      fc.property(
        anyLocator(10),
        fc.nat(9),
        fc.string({ minLength: 1, maxLength: 1 }),
        (locator, index, other) => {
          const alphabet = ALPHABETS[index] ?? "";
          fc.pre(other.length === 1 && !alphabet.includes(other.toUpperCase()));
          const text = locator.slice(0, index) + other + locator.slice(index + 1);
          expect(() => center(text)).toThrow(`character ${index + 1} `);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("is reported with the argument's name, the text and what was expected", () => {
    const error = thrownBy(() => locatorToPosition("JN48ZZ", "locator2", "center"));
    expect(error).toBeInstanceOf(LocatorError);
    expect(error).toMatchObject({
      code: "locator/malformed",
      argument: "locator2",
      value: "JN48ZZ",
      expected: "a locator: character 5 must be a letter from A to X",
    });
  });
});

function squareAt(column: number, row: number): string {
  const field = [column, row].map((n) => LETTERS_18[Math.floor(n / 10)]).join("");
  return `${field}${column % 10}${row % 10}`;
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
