import { describe, expect, it } from "vitest";

import type { MapOptions } from "../../src/map.js";
import { draw, linesOf, ofClass, readPath } from "./svg.js";

const jn48 = { latitude: 48.5, longitude: 9 };
const fiji = { latitude: -17.8, longitude: 178.5 };

/** The center of a station's mark. */
async function markOf(options: MapOptions, role: "from" | "to"): Promise<[x: number, y: number]> {
  const [mark] = ofClass(await draw(options), role);
  return [Number(mark?.attributes["cx"]), Number(mark?.attributes["cy"])];
}

describe("a section of the world", () => {
  const size = { width: 800, height: 500 };

  it.each(["equirectangular", "natural-earth", "azimuthal"] as const)(
    "has its center in the middle: %s",
    async (projection) => {
      for (const center of ["JN48", fiji, { latitude: -60, longitude: -100 }]) {
        const to = typeof center === "string" ? jn48 : center;
        const point = await markOf(
          { from: "FN31", to, projection, ...size, view: { center, zoom: 3 } },
          "to",
        );
        expect(point).toEqual([expect.closeTo(400, 0), expect.closeTo(250, 0)]);
      }
    },
  );

  it("fits the world into the map at zoom 1, and is as many times as large as its zoom", async () => {
    // 800 pixels for 360°
    expect(await markOf({ from: { latitude: 45, longitude: 90 }, ...size }, "from")).toEqual([600, 150]);
    const options = { from: { latitude: 10, longitude: 20 }, ...size, view: { zoom: 4 } };
    expect(await markOf(options, "from")).toEqual([
      expect.closeTo(400 + 20 * (3200 / 360), 1),
      expect.closeTo(250 - 10 * (3200 / 360), 1),
    ]);
    // The radius of an azimuthal map is half of its height without the 40 pixels of the rose.
    const south = {
      from: jn48,
      to: { latitude: -41.5, longitude: 9 },
      projection: "azimuthal",
      ...size,
      view: { zoom: 2 },
    } as const;
    expect(await markOf(south, "to")).toEqual([expect.closeTo(400, 1), expect.closeTo(250 + 210, 1)]);
  });

  it("has the size that was asked for, with a caption below or without one", async () => {
    const plain = await draw({ ...size, caption: false, date: new Date("2024-10-21T20:00Z") });
    expect([plain.attributes["width"], plain.attributes["height"]]).toEqual(["800", "500"]);
    expect(ofClass(plain, "caption")).toEqual([]);
    const captioned = await draw({ ...size, date: new Date("2024-10-21T20:00Z") });
    expect(Number(captioned.attributes["height"])).toBeGreaterThan(520);
    const edge = captioned.children.find(({ name }) => name === "clipPath")?.children[0];
    expect([edge?.attributes["width"], edge?.attributes["height"]]).toEqual(["800", "500"]);
    expect((await draw({ width: 600, view: {} })).attributes["height"]).toBe("300");
  });

  it("draws nothing far beyond its edge", async () => {
    const root = await draw({
      from: "JN48",
      to: "FN31",
      ...size,
      date: new Date("2024-10-21T20:00Z"),
      grid: true,
      view: { center: "JN48", zoom: 20 },
    });
    for (const name of ["land", "grid", "night", "route"])
      for (const { attributes } of ofClass(root, name))
        for (const { x, y } of readPath(attributes["d"] ?? "").flat()) {
          expect(x).toBeGreaterThanOrEqual(-11);
          expect(x).toBeLessThanOrEqual(811);
          expect(y).toBeGreaterThanOrEqual(-11);
          expect(y).toBeLessThanOrEqual(511);
        }
  });

  it("labels only the stations that it shows", async () => {
    const root = await draw({ from: "JN48", to: "FN31", ...size, view: { center: "JN48", zoom: 20 } });
    expect(ofClass(root, "label").map(({ text }) => text)).toEqual(["JN48"]);
  });

  it("cuts areas of entities opposite to its center, without lines across the map", async () => {
    const entities = [
      { adif: 15, country: "Asiatic Russia", latitude: 55, longitude: 83 },
      { adif: 291, country: "United States", latitude: 37, longitude: -91 },
      { adif: 13, country: "Antarctica", latitude: -90, longitude: 0 },
      { adif: 1, country: "Canada", latitude: 44, longitude: -80 },
    ];
    for (const longitude of [-100, 90, 178]) {
      const root = await draw({
        entities,
        width: 960,
        height: 480,
        view: { center: { latitude: 0, longitude } },
      });
      const areas = ofClass(root, "area").filter(({ attributes }) => attributes["d"] !== undefined);
      expect(areas.length).toBeGreaterThan(2);
      const steps = areas
        .flatMap(({ attributes }) => readPath(attributes["d"] ?? ""))
        .flatMap((ring) =>
          ring.map(({ x, y }, index) => (y < 470 ? Math.abs(x - (ring[index - 1]?.x ?? x)) : 0)),
        );
      // Only the edge along the south pole is longer than a third of the map.
      expect(Math.max(...steps)).toBeLessThan(320);
    }
  });

  it("has the squares of the locator system where they have room for their names", async () => {
    const near = await draw({ ...size, grid: true, view: { center: "JN48", zoom: 20 } });
    const names = ofClass(near, "field").flatMap(({ children }) => children);
    expect(names.map(({ text }) => text)).toEqual(expect.arrayContaining(["JN48", "JN58", "JN39"]));
    const middle = names.find(({ text }) => text === "JN48");
    expect(Number(middle?.attributes["x"])).toBeCloseTo(400, 0);
    // 800 * 20 / 360 pixels per degree: a line at 8° and 10° E
    const lines = linesOf(near, "grid")
      .flat()
      .map(({ x }) => x);
    for (const x of [400 - 44.4, 400 + 44.4])
      expect(lines.some((other) => Math.abs(other - x) < 0.2)).toBe(true);
    const far = await draw({ ...size, grid: true, view: { zoom: 2 } });
    expect(ofClass(far, "field").flatMap(({ children }) => children.map(({ text }) => text))).toContain("JN");
  });

  it("has the squares on an azimuthal map too", async () => {
    const options = { from: "JN48", ...size, grid: true, projection: "azimuthal" } as const;
    const near = await draw({ ...options, view: { center: { latitude: -36.5, longitude: 175 }, zoom: 40 } });
    expect(ofClass(near, "field").flatMap(({ children }) => children.map(({ text }) => text))).toContain(
      "RF73",
    );
  });

  it("is described", async () => {
    const { children } = await draw({ ...size, view: { center: "JN48", zoom: 3 } });
    expect(children.find(({ name }) => name === "desc")?.text).toBe(
      "Equirectangular world map. Enlarged 3 times around JN48.",
    );
  });

  it.each([
    [{ view: { zoom: 0.5 } }, "view.zoom"],
    [{ view: { zoom: Number.NaN } }, "view.zoom"],
    [{ view: { zoom: "2" } }, "view.zoom"],
    [{ view: { center: "ZZ99" } }, "view.center"],
    [{ view: { center: { latitude: 100, longitude: 0 } } }, "latitude"],
    [{ view: { center: 5 } }, "view.center"],
    [{ view: null }, "view"],
    [{ height: 20 }, "height"],
    [{ height: "300" }, "height"],
    [{ caption: "no" }, "caption"],
  ])("rejects %j", async (options, argument) => {
    await expect(draw(options as MapOptions)).rejects.toThrow(argument);
  });
});

describe("the legend of zones", () => {
  it("has a line on whole pixels: between two rows it would be two pale ones", async () => {
    const root = await draw({ zones: "cq" });
    const [sample] = ofClass(root, "sample");
    const [[start] = []] = readPath((sample?.attributes["d"] ?? "").replace(/h.*/, ""));
    expect((start?.y ?? 0) % 1).toBe(0.5);
  });
});
