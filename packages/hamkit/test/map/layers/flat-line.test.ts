import { describe, expect, it } from "vitest";

import { cutAt180, isInsideRings, subdivided, thinned } from "../../../src/map/layers/flat-line.js";

describe("cutAt180", () => {
  it("leaves rings alone that don't cross it", () => {
    const ring = [
      [10, 0],
      [20, 0],
      [20, 10],
      [10, 0],
    ] as const;
    expect(cutAt180(ring)).toEqual([ring]);
  });

  it("cuts a ring that crosses it into both sides", () => {
    const ring = [
      [170, 0],
      [-170, 0],
      [-170, 10],
      [170, 10],
      [170, 0],
    ] as const;
    const cut = cutAt180(ring);
    expect(cut).toHaveLength(2);
    for (const [inside, outside] of [
      [175, 165],
      [-175, -165],
    ] as const) {
      expect(isInsideRings(cut, [inside, 5])).toBe(true);
      expect(isInsideRings(cut, [outside, 5])).toBe(false);
    }
    expect(cut.flat().every(([x]) => Math.abs(x) >= 170 && Math.abs(x) <= 180)).toBe(true);
  });

  it("takes longitudes beyond 180° for what they are", () => {
    const cut = cutAt180([
      [150, 40],
      [195, 40],
      [195, 85],
      [150, 85],
      [150, 40],
    ]);
    expect(isInsideRings(cut, [-170, 60])).toBe(true);
    expect(isInsideRings(cut, [-160, 60])).toBe(false);
  });

  it("gives a ring around a pole an edge along it", () => {
    const cut = cutAt180([
      [-180, -70],
      [-90, -75],
      [0, -70],
      [90, -65],
      [180, -70],
      [-180, -70],
    ]);
    expect(isInsideRings(cut, [45, -89])).toBe(true);
    expect(isInsideRings(cut, [179, -80])).toBe(true);
    expect(isInsideRings(cut, [45, -60])).toBe(false);
  });
});

describe("lines in longitude and latitude", () => {
  it("get points between those that are far apart", () => {
    const line = subdivided([
      [0, 0],
      [3, 0],
    ]);
    expect(line).toEqual([
      [0, 0],
      [1.5, 0],
      [3, 0],
    ]);
  });

  it("lose points that are close to the last one, but not their ends", () => {
    const line = [0, 0.1, 0.2, 1, 1.1, 2.05].map((x) => [x, 0] as const);
    expect(thinned(line, 0.5).map(([x]) => x)).toEqual([0, 1, 2.05]);
    expect(thinned(line, 5).map(([x]) => x)).toEqual([0, 2.05]);
  });
});
