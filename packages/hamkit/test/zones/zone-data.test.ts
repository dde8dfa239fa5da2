import { readFileSync } from "node:fs";

import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { describe, expect, it } from "vitest";

import { zonePolygons } from "../../src/zones.js";

describe.each(["cq", "itu"] as const)("data/zones/%s-zones.json", (kind) => {
  const text = readFileSync(new URL(`../../data/zones/${kind}-zones.json`, import.meta.url), "utf8");
  const topology = JSON.parse(text) as Topology<Record<string, GeometryCollection>>;
  const object = topology.objects[kind];

  it("has the same polygons for topojson-client as for hamkit", () => {
    if (object === undefined) throw new Error("no zones");
    const theirs = feature(topology, object).features.map(({ id, geometry }) => ({
      zone: id,
      coordinates: rounded((geometry as { coordinates: unknown }).coordinates),
    }));
    const ours = zonePolygons(kind).features.map(({ properties, geometry }) => ({
      zone: properties.zone,
      coordinates: rounded(geometry.coordinates),
    }));
    expect(ours).toEqual(theirs);
  });

  it("stores a border of two zones once", () => {
    const arcs = topology.arcs.map((arc) => JSON.stringify(arc));
    expect(new Set(arcs).size).toBe(arcs.length);
    const stored = topology.arcs.reduce((sum, arc) => sum + arc.length, 0);
    const used = zonePolygons(kind).features.flatMap(({ geometry }) => geometry.coordinates.flat(2)).length;
    expect(used).toBeGreaterThan(1.6 * stored);
  });

  it("names its source, and its license lies next to it", () => {
    expect(topology).toMatchObject({
      source: expect.stringContaining("HB9HIL") as string,
      license: expect.stringContaining("MIT") as string,
    });
    const license = readFileSync(new URL("../../data/zones/LICENSE.txt", import.meta.url), "utf8");
    expect(license).toContain("Copyright (c) 2024 HB9HIL");
    const generated = new URL(`../../src/zones/generated/${kind}-zones.ts`, import.meta.url);
    expect(readFileSync(generated, "utf8")).toContain("Copyright (c) 2024 HB9HIL");
  });
});

/** Coordinates in thousandths of a degree. */
function rounded(coordinates: unknown): unknown {
  return typeof coordinates === "number"
    ? Math.round(coordinates * 1000)
    : (coordinates as unknown[]).map(rounded);
}
