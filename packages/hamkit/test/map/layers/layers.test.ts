import { describe, expect, it } from "vitest";

import {
  ArgumentTypeError,
  AttributeError,
  LocatorError,
  PositionError,
  ValueError,
} from "../../../src/errors.js";
import { drawMap, type MapEntity, type MapOptions } from "../../../src/map.js";
import { entitiesAt } from "../../../src/places.js";
import { zonesAt } from "../../../src/zones.js";
import {
  all,
  distanceToLines,
  draw,
  linesOf,
  ofClass,
  parseSvg,
  readPath,
  type Place,
  type SvgElement,
} from "../svg.js";

/** The place of a position on an equirectangular map of the usual width. */
function flat(latitude: number, longitude: number): Place {
  return { x: 12 + ((longitude + 180) / 360) * 936, y: 12 + ((90 - latitude) / 180) * 468 };
}

/** Rings of the paths with all of these classes, read once: a test asks for many places. */
const known = new Map<SvgElement, Map<string, Place[][][]>>();

function pathsOf(root: SvgElement, classes: string): Place[][][] {
  const ofRoot = known.get(root) ?? new Map<string, Place[][][]>();
  known.set(root, ofRoot);
  const [first = "", ...others] = classes.split(" ");
  const paths =
    ofRoot.get(classes) ??
    ofClass(root, first)
      .filter(
        ({ name, attributes }) =>
          name === "path" && others.every((other) => attributes["class"]?.split(" ").includes(other)),
      )
      .map(({ attributes }) => readPath(attributes["d"] ?? ""));
  ofRoot.set(classes, paths);
  return paths;
}

/** Whether the paths with all of these classes cover a place, by the even-odd rule. */
function covers(root: SvgElement, classes: string, latitude: number, longitude: number): boolean {
  const { x, y } = flat(latitude, longitude);
  return pathsOf(root, classes).some((rings) => {
    let inside = false;
    for (const ring of rings)
      for (const [i, end] of ring.entries()) {
        const start = ring.at(i - 1) ?? end;
        if (
          start.y > y !== end.y > y &&
          x < ((end.x - start.x) * (y - start.y)) / (end.y - start.y) + start.x
        )
          inside = !inside;
      }
    return inside;
  });
}

function entity(adif: number, latitude: number, longitude: number, confirmed = false): MapEntity {
  return { adif, country: String(adif), latitude, longitude, confirmed };
}

describe("squares of a map", () => {
  it("cover their 2° by 1°, worked and confirmed apart", async () => {
    const root = await draw({
      squares: [
        { locator: "JN48QM" },
        { locator: "FN31", confirmed: true },
        { locator: "fn31pr" },
        { locator: "FN41" },
        { locator: "FN41", confirmed: false },
      ],
    });
    expect(covers(root, "square worked", 48.5, 9)).toBe(true);
    expect(covers(root, "square confirmed", 48.5, 9)).toBe(false);
    expect(covers(root, "square worked", 48.5, 10.2)).toBe(false);
    expect(covers(root, "square worked", 49.2, 9)).toBe(false);
    expect(covers(root, "square confirmed", 41.5, -73)).toBe(true);
    expect(covers(root, "square worked", 41.5, -73)).toBe(false);
    expect(covers(root, "square worked", 41.5, -71)).toBe(true);
    expect(ofClass(root, "caption")[0]?.text).toBe("1 square confirmed2 squares worked");
    expect(root.children[0]?.text).toBe("World map with 1 square, 2 squares");
    expect(root.children[1]?.text).toBe(
      "Equirectangular world map. Confirmed: 1 square. Worked and not confirmed: 2 squares.",
    );
  });

  it("cover the corners of the earth", async () => {
    const root = await draw({ squares: ["AA00", "RR99", "RA90", "AR09"].map((locator) => ({ locator })) });
    for (const latitude of [-89.5, 89.5])
      for (const longitude of [-179, 179])
        expect(covers(root, "square worked", latitude, longitude)).toBe(true);
    expect(covers(root, "square worked", 0, 0)).toBe(false);
  });
});

describe("entities of a map", () => {
  it("are colored areas, whatever the projection", async () => {
    const root = await draw({ entities: [entity(230, 51, 10, true), entity(291, 40, -95)] });
    expect(covers(root, "area confirmed", 51, 10)).toBe(true);
    expect(covers(root, "area worked", 40, -95)).toBe(true);
    // France, Canada, Alaska
    for (const [latitude, longitude] of [
      [47, 2],
      [55, -105],
      [65, -150],
    ] as const)
      expect(covers(root, "area", latitude, longitude)).toBe(false);
    expect(ofClass(root, "caption")[0]?.text).toBe("1 entity confirmed1 entity worked");
  });

  it("agree with entitiesAt on places of all continents", async () => {
    const codes = [1, 6, 15, 54, 100, 108, 150, 230, 287, 291, 318, 324, 327, 339, 390, 462, 13];
    const root = await draw({ entities: codes.map((adif) => entity(adif, 0, 0)) });
    let compared = 0;
    for (let i = 0; i < 900; i++) {
      const latitude = -84 + (i * 164) / 900;
      const longitude = -179 + ((i * 0.618_033_988_75) % 1) * 358;
      // A pixel is 0.4°: only places that are not close to a border.
      const around = [0, 0.4, -0.4].flatMap((x) =>
        [0, 0.4, -0.4].map((y) => entitiesAt({ latitude: latitude + y, longitude: longitude + x })),
      );
      const [code = 0] = around[0]?.dxcc ?? [];
      if (!around.every(({ basis, dxcc }) => basis === "land" && dxcc.join() === String(code))) continue;
      compared++;
      expect({ latitude, longitude, code, isColored: covers(root, "area", latitude, longitude) }).toEqual({
        latitude,
        longitude,
        code,
        isColored: codes.includes(code),
      });
    }
    expect(compared).toBeGreaterThan(100);
  });

  it("are cut at 180°, where Russia goes on", async () => {
    const root = await draw({ entities: [entity(54, 55, 40), entity(15, 55, 83)] });
    for (const longitude of [100, 179, -175]) expect(covers(root, "area", 66.5, longitude)).toBe(true);
    for (const longitude of [-150, 0]) expect(covers(root, "area", 66.5, longitude)).toBe(false);
  });

  it("that share an area are clipped to their part of it", async () => {
    const root = await draw({ id: "m", entities: [entity(223, 52, -1, true), entity(279, 57, -4)] });
    const clip = all(root).find(({ name }) => name === "clipPath");
    expect(clip?.attributes["id"]).toBe("m-part279");
    const clipped = ofClass(root, "area").filter(({ attributes }) => attributes["clip-path"] !== undefined);
    expect(clipped.map(({ attributes }) => attributes["class"])).toEqual(["area worked", "area"]); // Scotland, and Wales as land
    const rings = (clip?.children ?? []).flatMap(({ attributes }) => readPath(attributes["d"] ?? ""));
    const isScottish = ({ x, y }: Place) =>
      rings.some((ring) => ring.some((point) => point.y < y) && ring.some((point) => point.x < x));
    expect(isScottish(flat(57, -4))).toBe(true);
  });

  it("too small to be seen are dots", async () => {
    const root = await draw({
      entities: [entity(4, -19.6, 63.4), entity(260, 43.7, 7.4, true), entity(230, 51, 10)],
    });
    const dots = (kind: string) => ofClass(root, kind).map(({ attributes }) => attributes["d"]);
    const { x, y } = flat(-19.6, 63.4);
    expect(dots("seen")).toEqual([`M${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}h0`]);
    expect(dots("sure")).toHaveLength(1);
  });
});

describe("paths of a map", () => {
  const from = { latitude: 48.5, longitude: 9.4 };
  const to = { latitude: 41.7, longitude: -72.7 };

  it("are great circles, wider with more QSOs, with dots at their ends", async () => {
    const root = await draw({
      paths: [
        { from, to, qsos: 30 },
        { from, to: { latitude: 35, longitude: 139 } },
      ],
    });
    expect(linesOf(root, "ray", "many")).toHaveLength(1);
    expect(linesOf(root, "ray", "few")).toHaveLength(1);
    // The middle of the great circle, as drawn for a route of the same places.
    const [route = []] = linesOf(await draw({ from, to }), "route", "short");
    for (const point of route) expect(distanceToLines(point, linesOf(root, "ray", "many"))).toBeLessThan(0.5);
    expect(ofClass(root, "ends")[0]?.attributes["d"]?.match(/M/g)).toHaveLength(2);
    expect(ofClass(root, "caption")[0]?.text).toBe("31 QSOs");
  });

  it("share lines where there are too many, and keep the sum", async () => {
    const paths = Array.from({ length: 5000 }, (_, i) => ({
      from,
      to: { latitude: -60 + ((i * 7.3) % 120), longitude: -180 + ((i * 0.618_033_988_75) % 1) * 360 },
    }));
    const svg = await drawMap({ paths });
    const root = parseSvg(svg);
    const lines = ofClass(root, "ends")[0]?.attributes["d"]?.match(/M/g)?.length ?? 0;
    expect(lines).toBeGreaterThan(100);
    expect(lines).toBeLessThanOrEqual(400);
    expect(svg.length).toBeLessThan(250_000);
    expect(ofClass(root, "caption")[0]?.text).toBe("5,000 QSOs");
  });

  it("of one place to itself are a dot", async () => {
    const root = await draw({ paths: [{ from, to: from }] });
    expect(ofClass(root, "ends")).toHaveLength(1);
  });
});

describe.each(["cq", "itu"] as const)("%s zones of a map", (zones) => {
  it("have a number within each zone", async () => {
    const root = await draw({ zones });
    const labels = ofClass(root, "zone").flatMap(({ children }) => children);
    expect(labels.length).toBe(zones === "cq" ? 40 : 90);
    for (const { attributes, text } of labels) {
      const longitude = ((Number(attributes["x"]) - 12) / 936) * 360 - 180;
      const latitude = 90 - ((Number(attributes["y"]) - 0.35 * 11 - 12) / 468) * 180;
      expect({ text, zones: zonesAt({ latitude, longitude })[`${zones}z`] }).toEqual({
        text,
        zones: [Number(text)],
      });
    }
    expect(ofClass(root, "caption")[0]?.text).toBe(`${zones.toUpperCase()} zones`);
  });

  it("have borders wherever the zone changes, and nowhere else", async () => {
    const lines = linesOf(await draw({ zones }), "border");
    const found = { missing: [] as number[][], superfluous: [] as number[][], crossed: 0 };
    for (let i = 0; i < 300; i++) {
      const latitude = -79.3 + (i * 158) / 300;
      const longitude = -179 + ((i * 0.618_033_988_75) % 1) * 356;
      const [west = "", east] = [longitude, longitude + 2].map((x) =>
        zonesAt({ latitude, longitude: x })[`${zones}z`].join(),
      );
      // 2° are 5.2 pixels
      const isNear = distanceToLines(flat(latitude, longitude + 1), lines) < 3;
      if (west !== east) found.crossed++;
      if (west !== east && !isNear) found.missing.push([latitude, longitude]);
      if (isNear && zonesAround(latitude, longitude + 1, zones).size === 1)
        found.superfluous.push([latitude, longitude]);
    }
    expect(found).toEqual({ missing: [], superfluous: [], crossed: expect.any(Number) as number });
    expect(found.crossed).toBeGreaterThan(5);
  });
});

/** The zones of the places around a place, 2° away and less. */
function zonesAround(latitude: number, longitude: number, zones: "cq" | "itu"): Set<string> {
  const found = new Set<string>();
  for (let y = -2; y <= 2; y += 0.5)
    for (let x = -2; x <= 2.5; x += 0.5)
      found.add(
        zonesAt({ latitude: latitude + y, longitude: ((longitude + x + 540) % 360) - 180 })[
          `${zones}z`
        ].join(),
      );
  return found;
}

describe("drawMap", () => {
  it.each(["equirectangular", "natural-earth", "azimuthal"] as const)(
    "draws all layers at any size: %s",
    async (projection) => {
      const options: MapOptions = {
        from: "RF80",
        projection,
        zones: "cq",
        date: new Date("2024-10-21T20:00Z"),
        squares: [{ locator: "JN48" }, { locator: "RR99", confirmed: true }],
        entities: [entity(13, -80, 0), entity(281, 40, -4, true), entity(15, 55, 83), entity(279, 57, -4)],
        paths: [{ from: { latitude: -40, longitude: 176 }, to: { latitude: 40, longitude: -4 } }],
      };
      for (const width of [240, 960, 4000]) {
        const svg = await drawMap({ ...options, width });
        expect(svg).not.toMatch(/NaN|Infinity|undefined/);
        expect(svg).not.toContain("\u0000");
        const root = parseSvg(svg);
        const ids = all(root).flatMap(({ attributes: { id } }) => (id === undefined ? [] : [id]));
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id.startsWith(root.attributes["id"] ?? "?")).toBe(true);
        const boxes = ofClass(root, "caption").flatMap(({ children }) =>
          children.map(({ attributes }) => Number(attributes["x"] ?? 0)),
        );
        expect(Math.max(...boxes)).toBeLessThanOrEqual(width);
      }
    },
  );

  it("has no rules for layers without layers", async () => {
    expect(await drawMap({ theme: "light" })).not.toMatch(/\.(?:area|square|ray|zone)\b/);
    expect(await drawMap({ theme: "light", zones: "cq" })).toContain(".zone");
  });

  it("rejects more than a hundred thousand squares", async () => {
    const squares = Array.from({ length: 100_001 }, () => ({ locator: "JN48" }));
    await expect(drawMap({ squares })).rejects.toThrow("squares.length: 100001 is not 100,000 or less");
  });

  it.each([
    [{ squares: [{ locator: "ZZ99" }] }, LocatorError],
    [{ squares: [{ locator: 5 }] }, AttributeError],
    [{ squares: ["JN48"] }, ArgumentTypeError],
    [{ squares: "JN48" }, ArgumentTypeError],
    [{ entities: [{ adif: "230", country: "", latitude: 0, longitude: 0 }] }, ArgumentTypeError],
    [{ entities: [{ adif: 230, country: "", latitude: 91, longitude: 0 }] }, PositionError],
    [{ entities: [{ adif: 230, latitude: 1, longitude: 0 }] }, ArgumentTypeError],
    [
      { paths: [{ from: { latitude: 0, longitude: 0 }, to: { latitude: 0, longitude: 181 } }] },
      PositionError,
    ],
    [
      { paths: [{ from: { latitude: 0, longitude: 0 }, to: { latitude: 0, longitude: 1 }, qsos: 0 }] },
      ValueError,
    ],
    [{ zones: "waz" }, ValueError],
  ])("rejects %j", async (options, error) => {
    await expect(drawMap(options as MapOptions)).rejects.toThrow(error);
  });
});
