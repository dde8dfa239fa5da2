import { describe, expect, it } from "vitest";

import { ArgumentTypeError, PositionError, ValueError } from "../../../src/errors.js";
import { drawMap, type MapOptions } from "../../../src/map.js";
import { distanceToLines, draw, ofClass, readPath, type Place, type SvgElement } from "../svg.js";

/** Around central Europe: 5 pixels per degree at zoom 1 of 1800 pixels, 40 at zoom 8. */
const EUROPE = { width: 1800, height: 900, view: { center: { latitude: 48, longitude: 9 }, zoom: 8 } };

function onEurope(latitude: number, longitude: number): Place {
  return { x: 900 + (longitude - 9) * 40, y: 450 - (latitude - 48) * 40 };
}

function lines(root: SvgElement, kind: string): Place[][] {
  return ofClass(root, kind).flatMap(({ attributes }) => readPath(attributes["d"] ?? ""));
}

describe("the fine coast", () => {
  it("has islands that the coarse one lacks", async () => {
    // Bornholm, 55.1° N 14.9° E: Natural Earth has it at 1:50 million, and not at 1:110 million.
    const near = (root: SvgElement, kind: string) =>
      distanceToLines(onEurope(55.3, 14.78), lines(root, kind));
    const fine = await draw({ ...EUROPE, coast: "fine" });
    expect(near(fine, "shore")).toBeLessThan(10);
    expect(ofClass(fine, "land")).toHaveLength(0);
    expect(near(await draw(EUROPE), "land")).toBeGreaterThan(20);
  });

  it("draws no line along 180° and across Antarctica, where its data are cut", async () => {
    const root = await draw({ width: 1440, height: 720, view: {}, coast: "fine" });
    // 84.35° S is inside of Antarctica except for the ring's own end at 180°.
    expect(distanceToLines({ x: 720 + 40 * 4, y: 360 + 84.35 * 4 }, lines(root, "shore"))).toBeGreaterThan(4);
    const turned = await draw({
      width: 1440,
      height: 720,
      view: { center: { latitude: 0, longitude: 180 } },
      coast: "fine",
    });
    // 180°, 67.5° N is in Chukotka.
    expect(distanceToLines({ x: 720, y: 360 - 67.5 * 4 }, lines(turned, "shore"))).toBeGreaterThan(4);
  });

  it("leaves out what a section doesn't show", async () => {
    const near = await drawMap({ ...EUROPE, coast: "fine", borders: true });
    expect(near.length).toBeLessThan(200_000);
  });
});

describe("borders of entities", () => {
  it("are between countries, and only asked for", async () => {
    // The Rhine at Kehl, between France and Germany: 48.57° N 7.8° E.
    const root = await draw({ ...EUROPE, borders: true });
    expect(distanceToLines(onEurope(48.57, 7.8), lines(root, "frontier"))).toBeLessThan(4);
    expect(ofClass(await draw({ ...EUROPE, coast: "fine" }), "frontier")).toHaveLength(0);
  });

  it("follow a parallel, not a great circle", async () => {
    const view = { center: { latitude: 49, longitude: -110 }, zoom: 8 };
    const root = await draw({ width: 1800, height: 900, view, borders: true });
    for (const longitude of [-120, -115, -110, -105, -100])
      expect(
        distanceToLines({ x: 900 + (longitude + 110) * 40, y: 450 }, lines(root, "frontier")),
      ).toBeLessThan(1.5);
  });
});

describe("names of entities", () => {
  const NAMES = [
    { adif: 251, text: "Liechtenstein", latitude: 47.13, longitude: 9.57 },
    { adif: 287, text: "Switzerland", latitude: 46.87, longitude: 8.12 },
    { adif: 230, text: "<DL>", latitude: 51, longitude: 10 },
  ];
  const texts = (root: SvgElement) =>
    ofClass(root, "entity").flatMap((group) => group.children.map(({ text }) => text));

  it("are written where they have room, and escaped", async () => {
    const root = await draw({ ...EUROPE, view: { ...EUROPE.view, zoom: 16 }, names: NAMES });
    expect(texts(root).toSorted()).toEqual(["<DL>", "Liechtenstein", "Switzerland"]);
  });

  it("of large entities come first where there is little room, and of small ones are left out", async () => {
    const root = await draw({ width: 600, height: 300, view: { zoom: 1 }, names: NAMES });
    expect(texts(root)).toEqual([]);
    const wider = await draw({ width: 1800, height: 900, view: { center: "JN48", zoom: 3 }, names: NAMES });
    expect(texts(wider)[0]).toBe("<DL>");
    expect(texts(wider)).not.toContain("Liechtenstein");
  });
});

describe("a beam", () => {
  const FROM = { latitude: 0, longitude: 0 };
  const SIZE = { width: 1440, height: 720, view: {} };

  it("is between two great circles around the path", async () => {
    // From 0° N 0° E to the east, 60° wide: 90° away its edges are at 30° N and 30° S.
    const root = await draw({ ...SIZE, from: FROM, to: { latitude: 0, longitude: 60 }, beam: { width: 60 } });
    const edges = lines(root, "beam-edge");
    for (const latitude of [30, -30])
      expect(distanceToLines({ x: 720 + 90 * 4, y: 360 - latitude * 4 }, edges)).toBeLessThan(1);
    expect(ofClass(root, "beam")).toHaveLength(1);
  });

  it("has a heading of its own, over the pole too", async () => {
    // To the north, 20° wide: at 80° N both edges are close to 0°, and behind the pole at 180°.
    const root = await draw({ ...SIZE, from: FROM, beam: { width: 20, heading: 0 } });
    const edges = lines(root, "beam-edge");
    // 90° away in heading 10°: 80° N 90° E, by spherical trigonometry.
    expect(distanceToLines({ x: 720 + 90 * 4, y: 360 - 80 * 4 }, edges)).toBeLessThan(1);
    expect(distanceToLines({ x: 720 - 90 * 4, y: 360 - 80 * 4 }, edges)).toBeLessThan(1);
  });

  it("is none without a direction or a station", async () => {
    for (const options of [{ from: FROM, beam: { width: 60 } }, { beam: { width: 60, heading: 0 } }])
      expect(ofClass(await draw({ ...SIZE, ...options }), "beam")).toHaveLength(0);
  });
});

describe("the moon", () => {
  it("is at its place", async () => {
    const root = await draw({ width: 1440, height: 720, view: {}, moon: { latitude: 20, longitude: 50 } });
    const [moon] = ofClass(root, "moon");
    const [[first] = []] = readPath(moon?.attributes["d"]?.split("A")[0] ?? "");
    expect(first?.x).toBeCloseTo(720 + 200 + 2, 0);
    expect(first?.y).toBeCloseTo(360 - 80 - 6, 0);
  });
});

describe("squares on a map of the world", () => {
  it("are at least five pixels large", async () => {
    const root = await draw({ width: 400, height: 200, view: {}, squares: [{ locator: "JN48" }] });
    const [square] = ofClass(root, "small");
    // 1.1 pixels per degree: the outline adds what is missing.
    expect(Number(square?.attributes["stroke-width"])).toBeCloseTo(5 - 1.1, 0);
    const near = await draw({ ...EUROPE, squares: [{ locator: "JN48" }] });
    expect(ofClass(near, "small")).toHaveLength(0);
  });
});

describe("wrong layers", () => {
  it.each([
    ["coast", { coast: "best" }, ValueError, /coast.*best/],
    ["borders", { borders: "yes" }, ArgumentTypeError, /borders/],
    [
      "names",
      { names: [{ adif: "1", text: "x", latitude: 0, longitude: 0 }] },
      ArgumentTypeError,
      /names\[0\]\.adif/,
    ],
    [
      "text of a name",
      { names: [{ adif: 1, latitude: 0, longitude: 0 }] },
      ArgumentTypeError,
      /names\[0\]\.text/,
    ],
    ["place of a name", { names: [{ adif: 1, text: "x", latitude: 91, longitude: 0 }] }, PositionError, /91/],
    ["beam width", { beam: { width: 0 } }, ValueError, /beam\.width.*0/],
    ["beam heading", { beam: { width: 30, heading: Number.NaN } }, ValueError, /beam\.heading/],
    ["moon", { moon: { latitude: 0, longitude: 181 } }, PositionError, /181/],
  ])("%s", async (_, options, error, message) => {
    const drawing = drawMap(options as unknown as MapOptions);
    await expect(drawing).rejects.toThrow(error);
    await expect(drawing).rejects.toThrow(message);
  });
});
