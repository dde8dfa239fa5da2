import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { describe, expect, it } from "vitest";

import { readCoastline } from "../../../src/map/drawing/coastline.js";

const source = createRequire(import.meta.url).resolve("world-atlas/land-110m.json");

describe("readCoastline", () => {
  it("gives every polygon of world-atlas, point by point", () => {
    const topology = JSON.parse(readFileSync(source, "utf8")) as Topology<{ land: GeometryCollection }>;
    const expected = feature(topology, topology.objects.land).features.flatMap(({ geometry }) =>
      geometry.type === "MultiPolygon" ? geometry.coordinates : [],
    );
    const { coordinates } = readCoastline();
    expect(coordinates.map((rings) => rings.map((ring) => ring.length))).toEqual(
      expected.map((rings) => rings.map((ring) => ring.length)),
    );
    const numbers = coordinates.flat(3);
    const differences = expected.flat(3).map((value, i) => Math.abs(value - (numbers[i] ?? Number.NaN)));
    expect(differences.length).toBeGreaterThan(10_000);
    expect(Math.max(...differences)).toBeLessThan(1e-9);
  });

  it("closes every ring", () => {
    for (const ring of readCoastline().coordinates.flat()) expect(ring.at(-1)).toEqual(ring[0]);
  });
});
