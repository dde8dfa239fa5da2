import { describe, expect, it } from "vitest";

import { zonePolygons, zonesAt, type LongitudeLatitude } from "../../src/zones.js";

describe.each([
  { kind: "cq", count: 40 },
  { kind: "itu", count: 90 },
] as const)("zonePolygons of $kind", ({ kind, count }) => {
  const { type, features } = zonePolygons(kind);

  it("has every zone in order", () => {
    expect(type).toBe("FeatureCollection");
    expect(features.map(({ properties }) => properties)).toEqual(
      Array.from({ length: count }, (_, i) => ({ kind, zone: i + 1 })),
    );
  });

  it("has closed rings on the globe, by RFC 7946", () => {
    const rings = features.flatMap(({ geometry }) => geometry.coordinates.flat());
    expect(rings.filter((ring) => ring.length < 4)).toEqual([]);
    for (const ring of rings) expect(ring.at(-1)).toEqual(ring[0]);
    const outside = rings
      .flat()
      .filter(([longitude, latitude]) => Math.abs(longitude) > 180 || Math.abs(latitude) > 90);
    expect(outside).toEqual([]);
  });

  it("agrees with zonesAt, by another way to test for inside: the sum of angles", () => {
    const name = kind === "cq" ? "cqz" : "ituz";
    for (let i = 0; i < 100; i++) {
      const longitude = -179.35 + ((i * 0.618_033_988_75) % 1) * 358;
      const latitude = -83.4 + (i * 166.7) / 100;
      const zones = features
        .filter(({ geometry }) => geometry.coordinates.some((rings) => isInside(rings, longitude, latitude)))
        .map(({ properties }) => properties.zone);
      expect({ longitude, latitude, zones }).toEqual({
        longitude,
        latitude,
        zones: zonesAt({ latitude, longitude })[name],
      });
    }
  });
});

/** Whether rings wind around a point; holes wind the other way, or not at all. */
function isInside(rings: readonly LongitudeLatitude[][], x: number, y: number): boolean {
  const turns = rings.map((ring) => {
    let angle = 0;
    for (let i = 1; i < ring.length; i++) {
      const [x1, y1] = ring[i - 1] ?? [0, 0];
      const [x2, y2] = ring[i] ?? [0, 0];
      const step = Math.atan2(y2 - y, x2 - x) - Math.atan2(y1 - y, x1 - x);
      angle += step - 2 * Math.PI * Math.round(step / (2 * Math.PI));
    }
    return Math.abs(Math.round(angle / (2 * Math.PI)));
  });
  return turns.reduce((sum, one) => sum + one, 0) % 2 === 1;
}
