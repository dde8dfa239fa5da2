/** Compares the entities with the finer map of Natural Earth, 1:10m, by other code. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { describe, expect, it } from "vitest";

import { entitiesAt } from "../../src/places.js";

interface Ring {
  readonly points: readonly (readonly number[])[];
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const POINTS = 6000;

describe("entitiesAt and Natural Earth 1:10m", () => {
  const countries = readCountries();
  const shapes = JSON.parse(
    readFileSync(new URL("../../data/places/entity-shapes.json", import.meta.url), "utf8"),
  ) as {
    countries: Record<string, number>;
    parts: { country: string; entity: number }[];
    subregions: { region: number; entity: number }[];
  };

  /** All entities that a country has. */
  function entitiesOf(country: string): number[] {
    const entity = shapes.countries[country] ?? -1;
    const parts = shapes.parts.filter((part) => part.country === country).map((part) => part.entity);
    const divided = shapes.subregions.filter(({ region }) => region === entity).map((part) => part.entity);
    return [entity, ...parts, ...divided];
  }

  const places = Array.from({ length: POINTS }, (_, i) => {
    const position = spread(i);
    const country = countries.find(({ rings }) => isInside(rings, position))?.name;
    return { position, country, ...entitiesAt(position) };
  });

  it("agree on land, of 6000 points on the globe", () => {
    const onLand = places.flatMap(({ country, ...place }) =>
      country === undefined ? [] : [{ country, ...place }],
    );
    expect(onLand.length).toBeGreaterThan(1600);
    const wrong = onLand.filter(
      ({ country, dxcc }) => !entitiesOf(country).some((entity) => dxcc.includes(entity)),
    );
    expect(wrong).toEqual([]);
    const single = onLand.filter(({ dxcc }) => dxcc.length === 1);
    expect(single.length / onLand.length).toBeGreaterThan(0.97);
  });

  it("agree at sea, but within 5.5 km of a coast", () => {
    const atSea = places.filter(({ country }) => country === undefined);
    const onLand = atSea.filter(({ basis }) => basis === "land" || basis === "disputed");
    expect(onLand.length / atSea.length).toBeLessThan(0.012);
  });

  it("have no Russia between its two ends at 180°, which a ring that crosses it would have spread around the globe", () => {
    // Regression: from 65° to 69° N every place was in Russia, since its outline crosses 180°.
    const towns = { Akureyri: [65.68, -18.1], Kiruna: [67.86, 20.22], Kotzebue: [66.9, -162.6] };
    const dxcc = Object.values(towns).map(
      ([latitude = 0, longitude = 0]) => entitiesAt({ latitude, longitude }).dxcc,
    );
    expect(dxcc).toEqual([[242], [284], [6]]);
    expect(entitiesAt({ latitude: 67, longitude: -5 })).toEqual({ dxcc: [], basis: "sea" });
    // Egvekinot, Wrangel Island and Taveuni are on both sides of 180°.
    expect(entitiesAt({ latitude: 66.32, longitude: -179.12 }).dxcc).toEqual([15]);
    expect(entitiesAt({ latitude: 71.2, longitude: -179.5 }).dxcc).toEqual([15]);
    expect(entitiesAt({ latitude: 71.2, longitude: 179.5 }).dxcc).toEqual([15]);
    expect(entitiesAt({ latitude: 68, longitude: 180 }).dxcc).toEqual([15]);
    expect(entitiesAt({ latitude: -16.85, longitude: -179.97 }).dxcc).toEqual([176]);
  });
});

function readCountries(): { readonly name: string; readonly rings: readonly Ring[] }[] {
  const path = createRequire(import.meta.url).resolve("world-atlas/countries-10m.json");
  const topology = JSON.parse(readFileSync(path, "utf8")) as Topology<{
    countries: GeometryCollection<{ name: string }>;
  }>;
  return feature(topology, topology.objects.countries).features.map(({ properties, geometry }) => {
    const { coordinates } = geometry as { coordinates: unknown };
    return { name: properties.name, rings: ringsOf(coordinates as number[][]) };
  });
}

/** All rings of a polygon or of several. */
function ringsOf(coordinates: readonly unknown[]): Ring[] {
  const [first] = coordinates as unknown[][][];
  if (typeof first?.[0]?.[0] !== "undefined" && typeof first[0] !== "number" && Array.isArray(first[0][0]))
    return (coordinates as unknown[][]).flatMap((one) => ringsOf(one));
  return (coordinates as number[][][]).map(ringOf);
}

/** A ring that goes beyond 180° instead of jumping to the other side. */
function ringOf(ring: readonly (readonly number[])[]): Ring {
  let turn = 0;
  const points = ring.map(([x = 0, y = 0], i) => {
    const step = x - (ring[i - 1]?.[0] ?? x);
    if (Math.abs(step) > 180) turn -= 360 * Math.sign(step);
    return [x + turn, y];
  });
  const xs = points.map(([x = 0]) => x);
  const ys = points.map(([, y = 0]) => y);
  const min = (values: number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
  return {
    points,
    west: min(xs),
    south: min(ys),
    east: -min(xs.map((x) => -x)),
    north: -min(ys.map((y) => -y)),
  };
}

function isInside(
  rings: readonly Ring[],
  { latitude, longitude }: { latitude: number; longitude: number },
): boolean {
  let isOdd = false;
  for (const ring of rings)
    for (const x of [longitude - 360, longitude, longitude + 360]) {
      if (x < ring.west || x > ring.east || latitude < ring.south || latitude > ring.north) continue;
      for (let i = 1; i < ring.points.length; i++) {
        const [x1 = 0, y1 = 0] = ring.points[i - 1] ?? [];
        const [x2 = 0, y2 = 0] = ring.points[i] ?? [];
        if (y1 > latitude !== y2 > latitude && x < x1 + ((latitude - y1) * (x2 - x1)) / (y2 - y1))
          isOdd = !isOdd;
      }
    }
  return isOdd;
}

/** Points spread evenly over the globe (a Fibonacci lattice). */
function spread(index: number): { latitude: number; longitude: number } {
  const turns = index * 0.618_033_988_75;
  return {
    latitude: (Math.asin((2 * (index + 0.5)) / POINTS - 1) * 180) / Math.PI,
    longitude: 360 * (turns - Math.floor(turns)) - 180,
  };
}
