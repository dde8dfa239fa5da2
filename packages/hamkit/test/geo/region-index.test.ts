import { describe, expect, it } from "vitest";

import { createRegionIndex, type RegionMap } from "../../src/geo/region-index.js";

/** A closed line around a rectangle, on a grid of a tenth of a degree. */
function around(west: number, south: number, east: number, north: number): Int32Array {
  return Int32Array.of(
    ...[west, south, east, south, east, north, west, north, west, south].map((degrees) => degrees * 10),
  );
}

/** 1: 0..20 E, 0..20 N, with 2 in a hole of it, 5..10; 3 and 4: both sides of 180°; 5: up to the south pole. */
const MAP: RegionMap = {
  lines: [
    around(0, 0, 20, 20),
    around(5, 5, 10, 10),
    around(170, 0, 180, 20),
    around(-180, 0, -170, 20),
    around(-180, -90, 180, -80),
  ],
  regions: [
    { id: 1, rings: [[0], [1]] },
    { id: 2, rings: [[~1]] },
    { id: 3, rings: [[2]] },
    { id: 4, rings: [[3]] },
    { id: 5, rings: [[4]] },
  ],
  unitsPerDegree: 10,
};

it("has a corner around a place that is exactly as far away as asked", () => {
  const corner: RegionMap = {
    lines: [Int32Array.of(0, 0, 200, 50, 200, 100, 0, 0)],
    regions: [{ id: 1, rings: [[0]] }],
    unitsPerDegree: 10,
  };
  const index = createRegionIndex(corner);
  expect(index.around(-1, 0, 1)).toEqual([1]);
  expect(index.around(-1, 0, 0.999)).toEqual([]);
});

describe("the index of regions", () => {
  const index = createRegionIndex(MAP);

  it.each([
    [1, 1, [1]],
    [7, 7, [2]],
    [5, 7, [1, 2]],
    [10, 10, [1, 2]],
    [0, 0, [1]],
    [20, 20, [1]],
    [20.1, 20, []],
    [-0.000_000_5, 10, [1]],
    [-0.000_002, 10, []],
    [175, 10, [3]],
    [180, 10, [3, 4]],
    [-180, 10, [3, 4]],
    [-175, 10, [4]],
    [33, -90, [5]],
    [33, 90, []],
  ])("at %d, %d has %j", (longitude, latitude, ids) => {
    expect(index.at(longitude, latitude)).toEqual(ids);
  });

  it.each([
    [{ west: 1, south: 1, east: 2, north: 2 }, [1]],
    [{ west: 1, south: 1, east: 6, north: 6 }, [1, 2]],
    [{ west: 1, south: 1, east: 5, north: 5 }, [1]],
    [{ west: 6, south: 6, east: 7, north: 7 }, [2]],
    [{ west: -2, south: 1, east: 0, north: 2 }, []],
    [{ west: -2, south: 1, east: 0.1, north: 2 }, [1]],
    [{ west: -10, south: -10, east: 30, north: 30 }, [1, 2]],
    [{ west: 178, south: 1, east: 180, north: 2 }, [3]],
  ])("has the regions inside of %j", (rectangle, ids) => {
    expect(index.within(rectangle)).toEqual(ids);
  });

  it.each([
    [20.5, 10, 0.6, [1]],
    [20.5, 10, 0.4, []],
    [10.5, 7, 0.6, [1, 2]],
    // Half a degree of longitude at 60° is a quarter of a degree of a great circle.
    [20.5, 20, 0.48, [1]],
    [169.9, 10, 0.2, [3]],
    [-179.9, 10, 0.2, [3, 4]],
    [179.9, 10, 0.2, [3, 4]],
    [0, -79.5, 0.6, [5]],
  ])("has the regions around %d, %d within %d°: %j", (longitude, latitude, degrees, ids) => {
    expect(index.around(longitude, latitude, degrees)).toEqual(ids);
  });

  it("has the nearest of several", () => {
    const two = createRegionIndex({
      lines: [around(0, 0, 10, 10), around(11, 0, 20, 10)],
      regions: [
        { id: 1, rings: [[0]] },
        { id: 2, rings: [[1]] },
      ],
      unitsPerDegree: 10,
    });
    expect(two.nearest(10.4, 5, 1)).toEqual([1]);
    expect(two.nearest(10.6, 5, 1)).toEqual([2]);
    expect(two.nearest(10.5, 5, 1)).toEqual([1, 2]);
    expect(two.nearest(10.5, 5, 0.3)).toEqual([]);
  });
});
