import { describe, expect, it } from "vitest";

import { ArgumentTypeError, LocatorError } from "../../../src/errors.js";
import { loadEmbeddedCountryFile } from "../../../src/lookup.js";
import { toGeoJson, type GeoJsonFeature, type GeoJsonOptions } from "../../../src/map.js";
import { annotateSpot, decodeSpot } from "../../../src/spots.js";
import { sunPosition } from "../../../src/locator.js";

type Point = readonly [number, number];

async function features(options: GeoJsonOptions, kind?: string): Promise<readonly GeoJsonFeature[]> {
  const { type, features: found } = await toGeoJson(options);
  expect(type).toBe("FeatureCollection");
  return found.filter(({ properties }) => kind === undefined || properties.kind === kind);
}

/** All positions of a geometry. */
function positions({ geometry }: GeoJsonFeature): Point[] {
  return (geometry.coordinates as unknown[]).flat(3).reduce<Point[]>((points, value, index, all) => {
    if (index % 2 === 0) points.push([Number(value), Number(all[index + 1])]);
    return points;
  }, []);
}

function linesOf({ geometry }: GeoJsonFeature): readonly (readonly Point[])[] {
  if (geometry.type === "LineString") return [geometry.coordinates];
  return geometry.type === "MultiLineString" ? geometry.coordinates : [];
}

/** Twice the area of a ring; positive if it runs counterclockwise. */
function doubledArea(ring: readonly Point[]): number {
  return ring.slice(1).reduce((sum, [x, y], i) => {
    const [x0, y0] = ring[i] ?? [0, 0];
    return sum + x0 * y - x * y0;
  }, 0);
}

function ringsOf({ geometry }: GeoJsonFeature): readonly (readonly (readonly Point[])[])[] {
  if (geometry.type === "Polygon") return [geometry.coordinates];
  return geometry.type === "MultiPolygon" ? geometry.coordinates : [];
}

function isInside(feature: GeoJsonFeature, x: number, y: number): boolean {
  let inside = false;
  for (const ring of ringsOf(feature).flat())
    for (const [i, [x2, y2]] of ring.entries()) {
      const [x1, y1] = ring.at(i - 1) ?? [x2, y2];
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
    }
  return inside;
}

const EVERYTHING: GeoJsonOptions = {
  from: { locator: "JN48QM", label: "DH1TW" },
  to: "RE78",
  longpath: true,
  date: new Date("2024-06-20T20:51Z"),
  zones: "cq",
  squares: [{ locator: "RR99" }, { locator: "AA00", confirmed: true }],
  entities: [{ adif: 230, country: "Fed. Rep. of Germany", latitude: 51, longitude: 10, confirmed: true }],
  paths: [{ from: { latitude: 48.5, longitude: 9.4 }, to: { latitude: 21, longitude: -157 }, qsos: 3 }],
};

describe("toGeoJson", () => {
  it("is GeoJSON by RFC 7946: positions on the globe, closed rings in the right direction, no line across 180°", async () => {
    const all = await features(EVERYTHING);
    expect(new Set(all.map(({ properties }) => properties.kind))).toEqual(
      new Set(["zone", "night", "dark", "terminator", "square", "qsos", "path", "entity", "station"]),
    );
    for (const feature of all) {
      expect(feature.type).toBe("Feature");
      for (const [x, y] of positions(feature)) {
        expect(Math.abs(x)).toBeLessThanOrEqual(180);
        expect(Math.abs(y)).toBeLessThanOrEqual(90);
      }
      for (const line of linesOf(feature)) {
        expect(line.length).toBeGreaterThan(1);
        for (const [i, [x]] of line.entries())
          expect(Math.abs(x - (line[i - 1]?.[0] ?? x))).toBeLessThan(180);
      }
      for (const [outer = [], ...holes] of ringsOf(feature)) {
        for (const ring of [outer, ...holes]) {
          expect(ring.length).toBeGreaterThanOrEqual(4);
          expect(ring.at(-1)).toEqual(ring[0]);
        }
        expect(doubledArea(outer)).toBeGreaterThan(0);
        for (const hole of holes) expect(doubledArea(hole)).toBeLessThan(0);
      }
    }
    expect(JSON.parse(JSON.stringify(all))).toEqual(all);
  });

  it("has the paths with their figures", async () => {
    const [short, long] = await features({ from: "JN48QM", to: "FN31PR", longpath: true }, "path");
    // the haversine formula by hand: 6168.617 km; 295.8°; the long path is the rest of 40,030.17 km
    expect(short?.properties).toEqual({ kind: "path", path: "short", distanceKm: 6168.6, heading: 296.2 });
    expect(long?.properties).toEqual({ kind: "path", path: "long", distanceKm: 33861.6, heading: 116.2 });
    expect(short?.geometry.type).toBe("LineString");
    expect(long?.geometry.type).toBe("MultiLineString");
    const [line = []] = short === undefined ? [] : linesOf(short);
    expect(line[0]).toEqual([9.375, 48.52083]);
    expect(line.at(-1)).toEqual([-72.70833, 41.72917]);
  });

  it("has squares, entities, paths of a log, stations", async () => {
    const all = await features(EVERYTHING);
    const properties = (kind: string) =>
      all.flatMap((each) => (each.properties.kind === kind ? [each.properties] : []));
    expect(properties("square")).toEqual([
      { kind: "square", locator: "RR99", confirmed: false },
      { kind: "square", locator: "AA00", confirmed: true },
    ]);
    expect(all.find(({ properties: { locator } }) => locator === "AA00")?.geometry).toEqual({
      type: "Polygon",
      coordinates: [
        [
          [-180, -90],
          [-178, -90],
          [-178, -89],
          [-180, -89],
          [-180, -90],
        ],
      ],
    });
    expect(properties("entity")).toEqual([
      { kind: "entity", adif: 230, country: "Fed. Rep. of Germany", confirmed: true },
    ]);
    expect(properties("qsos")).toMatchObject([{ qsos: 3 }]);
    expect(properties("station")).toEqual([
      { kind: "station", role: "from", label: "DH1TW" },
      { kind: "station", role: "to", label: "RE78" },
    ]);
    expect(properties("zone")).toHaveLength(40);
  });

  it.each(["2024-03-20T03:06Z", "2024-06-20T20:51Z", "2024-12-21T09:20Z"])(
    "has the night where the sun is down: %s",
    async (moment) => {
      const date = new Date(moment);
      const [night] = await features({ date }, "night");
      const [dark] = await features({ date }, "dark");
      expect(await features({ date, twilight: "none" }, "dark")).toEqual([]);
      if (night === undefined || dark === undefined) throw new Error("no night");
      const wrong: object[] = [];
      for (let i = 0; i < 300; i++) {
        const latitude = -89 + (i * 178) / 300;
        const longitude = -179.5 + ((i * 0.618_033_988_75) % 1) * 359;
        const { elevation } = sunPosition({ latitude, longitude }, date);
        // The lines are 0.02° off at the most.
        for (const [area, depression] of [
          [night, 0],
          [dark, 6],
        ] as const)
          if (
            isInside(area, longitude, latitude) !== elevation < -depression &&
            Math.abs(elevation + depression) > 0.05
          )
            wrong.push({ latitude, longitude, elevation, depression });
      }
      expect(wrong).toEqual([]);
    },
  );

  it("has annotated spots at the place of the DX station, if it has one", async () => {
    const table = await loadEmbeddedCountryFile();
    const spots = ["JA1ABC", "DL1ABC/MM", "QQ0QQ"].flatMap((dx) => {
      const spot = decodeSpot(
        `DX de DH1TW:     14025.0  ${dx.padEnd(12)} cq up 1                        1200Z`,
      );
      return spot.kind === "spot" ? [annotateSpot(spot, { table })] : [];
    });
    expect(spots).toHaveLength(3);
    const found = await features({ spots }, "spot");
    expect(found.map(({ properties }) => properties)).toEqual([
      {
        kind: "spot",
        dx: "JA1ABC",
        spotter: "DH1TW",
        frequency: 14025,
        time: spots[0]?.time.toISOString(),
        country: "Japan",
        comment: "cq up 1",
      },
    ]);
    expect(found[0]?.geometry.type).toBe("Point");
  });

  it("rejects what drawMap rejects, and other spots", async () => {
    await expect(toGeoJson({ from: "ZZ99" })).rejects.toThrow(LocatorError);
    await expect(toGeoJson({ spots: "x" as never })).rejects.toThrow(ArgumentTypeError);
    await expect(toGeoJson({ spots: [{ dx: "W1AW" }] as never })).rejects.toThrow(ArgumentTypeError);
  });
});
