import { describe, expect, it } from "vitest";
import { ArgumentTypeError, AttributeError, ValueError } from "../../src/errors.js";
import {
  calculateDistance,
  calculateDistanceLongpath,
  calculateHeading,
  calculateHeadingLongpath,
  latlongToLocator,
  locatorToLatlong,
  type LocatorPrecision,
} from "../../src/locator.js";
import { goldenRows, hasGolden } from "../golden.js";

/** A recorded outcome: a value, or an error by its class. */
interface Outcome {
  readonly ok?: unknown;
  readonly err?: string;
}

interface CenterRow {
  readonly fn: "locator_to_latlong";
  readonly in: string;
  readonly center: readonly [number, number];
  readonly corner: readonly [number, number];
}

interface PairRow {
  readonly fn: "pair" | "antipode";
  readonly a: string;
  readonly b: string;
  readonly distance: { readonly ok?: number };
  readonly distance_longpath: { readonly ok: number };
  readonly heading: { readonly ok: number };
  readonly heading_longpath: { readonly ok: number };
}

/** A call with one argument that may be anything. */
type CallRow =
  | { readonly fn: "err_locator_to_latlong"; readonly in: unknown; readonly out: Outcome }
  | { readonly fn: "err_distance"; readonly a: unknown; readonly b: string; readonly out: Outcome }
  | {
      readonly fn: "latlong_to_locator" | "err_latlong_to_locator";
      readonly lat: unknown;
      readonly lon: unknown;
      readonly precision: unknown;
      readonly out: Outcome;
    };

interface GeodesicRow {
  readonly a: string;
  readonly b: string;
  readonly wgs84_km: number;
  readonly azi1: number;
}

/** Rules of docs/differences.md, which calls they explain, and how many. */
const RULES: Record<string, { readonly rows: number; readonly explains: (row: CallRow) => boolean }> = {
  "poles-and-the-180th-meridian-are-places": {
    rows: 13,
    explains: (row) => "lat" in row && (isOneOf([90, -90], row.lat) || isOneOf([180, -180], row.lon)),
  },
  "corners-stay-in-their-rectangle": {
    rows: 72,
    explains: (row) => row.fn === "latlong_to_locator" && (isBorder(row.lat, 24) || isBorder(row.lon, 12)),
  },
  "no-field-beyond-r": {
    rows: 6,
    explains: (row) =>
      "lat" in row && (row.lat === 89.999_999_999_999_99 || row.lon === 179.999_999_999_999_97),
  },
  "a-bad-precision-throws": {
    rows: 13,
    explains: (row) =>
      "precision" in row && typeof row.precision === "number" && !isOneOf([4, 6, 8, 10], row.precision),
  },
  "locators-of-ten-characters": {
    rows: 3,
    explains: (row) => ("precision" in row ? row.precision === 10 : argument(row) === "JN48QM84XX"),
  },
  "booleans-are-no-numbers": {
    rows: 4,
    explains: (row) => "lat" in row && (typeof row.lat === "boolean" || typeof row.precision === "boolean"),
  },
  "every-character-is-checked": {
    rows: 10,
    explains: (row) => isOneOf(["JN48ZZ11", "JN48Y111", "JN480011", "JN48!!11", "JN48  11"], argument(row)),
  },
  "locators-are-ascii": {
    rows: 10,
    explains: (row) =>
      isOneOf(["jn48ß", "JN48ß", "JN48\u{fb01}", "JN48ß11", "JN48\u{131}\u{131}"], argument(row)),
  },
  "no-text-is-a-type-error": {
    rows: 9,
    explains: (row) => !("lat" in row) && typeof argument(row) !== "string",
  },
};

describe.skipIf(!hasGolden)("hamkit/locator beside the recorded answers", () => {
  const rows = hasGolden ? goldenRows<CenterRow | PairRow | CallRow>("locators") : [];
  const pairs = rows.filter((row): row is PairRow => row.fn === "pair");
  const antipodes = rows.filter((row): row is PairRow => row.fn === "antipode");

  it("has the same centers and corners", () => {
    const centers = rows.filter((row) => row.fn === "locator_to_latlong");
    expect(centers).toHaveLength(2000);
    for (const { in: text, center, corner } of centers) {
      expect.soft(apart(locatorToLatlong(text), center)).toBeLessThan(1e-12);
      expect.soft(apart(locatorToLatlong(text, false), corner)).toBeLessThan(1e-12);
    }
  });

  it("has the same distances and headings, except for the long path (long-path-on-the-same-sphere: all rows)", () => {
    expect(pairs).toHaveLength(2000);
    for (const { a, b, distance, distance_longpath, heading, heading_longpath } of pairs) {
      expect.soft(Math.abs(calculateDistance(a, b) - Number(distance.ok))).toBeLessThan(1e-8);
      expect.soft(turned(calculateHeading(a, b), heading.ok)).toBeLessThan(1e-9);
      expect.soft(turned(calculateHeadingLongpath(a, b), heading_longpath.ok)).toBeLessThan(1e-9);
      const longer = 2 * Math.PI * 6371 - 40_008;
      expect.soft(calculateDistanceLongpath(a, b) - distance_longpath.ok).toBeCloseTo(longer, 8);
    }
  });

  it("has the same distance to antipodes where the peer has one (antipodes-have-a-distance: 13 rows)", () => {
    const crashes = antipodes.filter(({ distance }) => distance.ok === undefined);
    expect([antipodes.length, crashes.length]).toEqual([300, 13]);
    for (const { a, b, distance } of antipodes) {
      const expected = distance.ok ?? Math.PI * 6371;
      expect.soft(Math.abs(calculateDistance(a, b) / expected - 1)).toBeLessThan(1e-7);
    }
  });

  it("heads for every antipode at 0 degrees (heading-to-the-antipode-is-0: all rows)", () => {
    expect(antipodes.map(({ a, b }) => calculateHeading(a, b))).toEqual(antipodes.map(() => 0));
    expect(antipodes.filter(({ heading }) => heading.ok !== 0)).toHaveLength(300);
  });

  it("returns the same for all other calls, or differs by a rule of docs/differences.md", () => {
    const calls = rows.filter((row) => "out" in row);
    const counts = Object.fromEntries(Object.keys(RULES).map((name) => [name, 0]));
    expect(calls).toHaveLength(2221);
    for (const row of calls) {
      if (isSame(call(row), row.out)) continue;
      const rule =
        Object.entries(RULES).find(([, { explains }]) => explains(row))?.[0] ?? JSON.stringify(row);
      counts[rule] = (counts[rule] ?? 0) + 1;
    }
    expect(counts).toEqual(Object.fromEntries(Object.entries(RULES).map(([name, { rows: n }]) => [name, n])));
  });
});

describe.skipIf(!hasGolden)("the ellipsoid beside GeographicLib's recorded answers", () => {
  const rows = hasGolden ? goldenRows<GeodesicRow>("geodesic") : [];

  it("has the same distances to a millimeter", () => {
    expect(rows).toHaveLength(2000);
    for (const { a, b, wgs84_km } of rows) {
      expect.soft(Math.abs(calculateDistance(a, b, { model: "wgs84" }) - wgs84_km)).toBeLessThan(1e-6);
    }
  });

  it("has the same headings, except from a point to itself (heading-to-itself-is-0: 10 rows)", () => {
    const ways = rows.filter(({ wgs84_km }) => wgs84_km > 0);
    for (const { a, b, azi1 } of ways) {
      expect.soft(turned(calculateHeading(a, b, { model: "wgs84" }), azi1)).toBeLessThan(1e-9);
    }
    const atHome = rows.filter(({ wgs84_km }) => wgs84_km === 0);
    expect(atHome.map(({ a, b }) => calculateHeading(a, b, { model: "wgs84" }))).toEqual(atHome.map(() => 0));
    expect(atHome.filter(({ azi1 }) => azi1 !== 0)).toHaveLength(10);
  });
});

function isBorder(degrees: unknown, cellsPerDegree: number): boolean {
  const cells = Number(degrees) * cellsPerDegree;
  return Math.abs(cells - Math.round(cells)) < 1e-6;
}

function isOneOf(values: readonly unknown[], value: unknown): boolean {
  return values.includes(value);
}

/** What a call has in the place of a locator. */
function argument(row: CallRow): unknown {
  if (row.fn === "err_locator_to_latlong") return row.in;
  return row.fn === "err_distance" ? row.a : undefined;
}

/** What hamkit says to a call: a value, or the family of the error. */
function call(row: CallRow): Outcome {
  try {
    if (row.fn === "err_locator_to_latlong") return { ok: locatorToLatlong(row.in as string) };
    if (row.fn === "err_distance") return { ok: calculateDistance(row.a as string, row.b) };
    return { ok: latlongToLocator(number(row.lat), number(row.lon), row.precision as LocatorPrecision) };
  } catch (error) {
    if (error instanceof AttributeError) return { err: "AttributeError" };
    if (error instanceof ArgumentTypeError) return { err: "TypeError" };
    if (error instanceof ValueError) return { err: "ValueError" };
    throw error;
  }
}

/** Numbers that JSON has no sign for were recorded as text. */
function number(value: unknown): number {
  const signs: Record<string, number> = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  return (typeof value === "string" ? (signs[value] ?? value) : value) as number;
}

function isSame(ours: Outcome, peer: Outcome): boolean {
  if (ours.err !== undefined || peer.err !== undefined) return ours.err === peer.err;
  if (typeof ours.ok === "number") return Math.abs(ours.ok - Number(peer.ok)) < 1e-8;
  if (Array.isArray(ours.ok) && Array.isArray(peer.ok)) return apart(ours.ok, peer.ok) < 1e-12;
  return ours.ok === peer.ok;
}

/** The larger difference of two pairs of coordinates. */
function apart(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((value, i) => Math.abs(value - (b[i] ?? NaN))));
}

/** By how many degrees two directions differ. */
function turned(a: number, b: number): number {
  return Math.abs(((((a - b + 540) % 360) + 360) % 360) - 180);
}
