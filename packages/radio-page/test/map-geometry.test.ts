import { drawMap } from "hamkit/map";
import { describe, expect, it } from "vitest";

import {
  moved,
  placeAt,
  pointOf,
  transformTo,
  wholeWorld,
  zoomed,
  type StageView,
} from "../src/map/map-geometry.js";

const home = { latitude: 48.52, longitude: 9.375 };
const size = { width: 1000, height: 600, home };

const VIEWS: readonly (readonly [string, StageView])[] = [
  ["the world", wholeWorld({ ...size, projection: "equirectangular" })],
  [
    "the Pacific",
    { ...size, projection: "equirectangular", center: { latitude: 10, longitude: 178 }, zoom: 3 },
  ],
  ["an azimuthal world", wholeWorld({ ...size, projection: "azimuthal" })],
  [
    "a part of an azimuthal world",
    { ...size, projection: "azimuthal", center: { latitude: -30, longitude: -70 }, zoom: 5 },
  ],
];

const PLACES = [
  { latitude: 41.7, longitude: -72.7 },
  { latitude: -36.9, longitude: 174.8 },
  { latitude: 0, longitude: -179 },
  { latitude: -33.4, longitude: -70.7 },
  { latitude: 80, longitude: 20 },
];

/** Where hamkit draws the mark of a place. */
async function drawnPoint(
  view: StageView,
  place: (typeof PLACES)[number],
): Promise<{ x: number; y: number } | undefined> {
  const { projection, width, height, center, zoom } = view;
  const svg = await drawMap({
    from: { ...home, label: "" },
    to: { ...place, label: "" },
    projection,
    width,
    height,
    view: { center, zoom },
  });
  const [, x, y] = /<circle class="mark to" cx="([-\d.]+)" cy="([-\d.]+)"/.exec(svg) ?? [];
  return { x: Number(x), y: Number(y) };
}

describe.each(VIEWS)("%s", (_, view) => {
  it("has places where hamkit draws them", async () => {
    for (const place of PLACES) {
      const { x, y } = pointOf(view, place);
      const drawn = await drawnPoint(view, place);
      // Across 180° from the middle, left and right are the same place.
      const turn = (360 * (view.zoom * Math.min(view.width, 2 * view.height))) / 360;
      const off = view.projection === "azimuthal" ? 0 : turn * Math.round(((drawn?.x ?? 0) - x) / turn);
      expect({ x: x + off, y }).toEqual({
        x: expect.closeTo(drawn?.x ?? 0, 0),
        y: expect.closeTo(drawn?.y ?? 0, 0),
      });
    }
  });

  it("finds the place of a point", () => {
    for (const place of PLACES) {
      const found = placeAt(view, pointOf(view, place));
      expect(found?.latitude).toBeCloseTo(place.latitude, 6);
      expect(((found?.longitude ?? 0) - place.longitude + 540) % 360).toBeCloseTo(180, 6);
    }
  });

  it("keeps the place under the pointer while it grows", () => {
    const at = { x: 520, y: 330 };
    const grown = zoomed(view, 2, at);
    const { x, y } = pointOf(grown, placeAt(view, at) ?? home);
    expect([x, y]).toEqual([expect.closeTo(at.x, 3), expect.closeTo(at.y, 3)]);
  });
});

describe("a moved map", () => {
  const world = wholeWorld({ ...size, projection: "equirectangular" });

  it("goes around the earth", () => {
    const east = moved({ ...world, center: { latitude: 0, longitude: 170 } }, { x: 120, y: 0 });
    // A world of 1200 pixels: 120 are 36°
    expect(east.center.longitude).toBeCloseTo(-154, 6);
  });

  it("ends at the poles", () => {
    const near = zoomed(world, 4, { x: 500, y: 300 });
    const north = moved(near, { x: 0, y: -100_000 });
    expect(placeAt(north, { x: 500, y: 0.001 })?.latitude).toBeCloseTo(90, 2);
    expect(placeAt(north, { x: 500, y: -1 })).toBeUndefined();
  });

  it("ends at the edge of an azimuthal world", () => {
    const view = zoomed(wholeWorld({ ...size, projection: "azimuthal" }), 4, { x: 500, y: 300 });
    const far = moved(view, { x: 1e6, y: 0 });
    expect(Math.abs(far.center.longitude - home.longitude)).toBeGreaterThan(170);
  });

  it("is shown by its picture until it is drawn", () => {
    const to = zoomed(moved(world, { x: 40, y: 20 }), 2, { x: 500, y: 300 });
    const { x, y, scale } = transformTo(world, to);
    const place = { latitude: 20, longitude: 30 };
    const before = pointOf(world, place);
    const now = pointOf(to, place);
    expect(500 + (before.x - 500) * scale + x).toBeCloseTo(now.x, 6);
    expect(300 + (before.y - 300) * scale + y).toBeCloseTo(now.y, 6);
  });
});

describe("the whole world", () => {
  it("fills a stage, unless that hides more than a quarter", () => {
    expect(wholeWorld({ ...size, projection: "equirectangular" }).zoom).toBeCloseTo(1.2, 9);
    expect(wholeWorld({ ...size, width: 390, height: 300, projection: "equirectangular" }).zoom).toBe(1);
  });
});
