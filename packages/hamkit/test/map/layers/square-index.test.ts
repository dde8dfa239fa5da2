import { describe, expect, it } from "vitest";

import { locatorOf, runsOf, squareAt } from "../../../src/map/layers/square-index.js";

describe("the squares", () => {
  it.each([
    [{ latitude: -90, longitude: -180 }, 0, "AA00"],
    [{ latitude: 48.52, longitude: 9.4 }, 138 * 180 + 94, "JN48"],
    [{ latitude: 90, longitude: 179.9 }, 179 * 180 + 179, "RR99"],
    [{ latitude: 0, longitude: 180 }, 90 * 180, "AJ00"],
  ])("have a number and a locator: %o", (position, square, locator) => {
    expect(squareAt(position)).toBe(square);
    expect(locatorOf(square)).toBe(locator);
  });

  it("are joined to rows, not beyond 180°", () => {
    expect(runsOf([5, 3, 4, 179, 180, 181, 400])).toEqual([
      { first: 3, count: 3 },
      { first: 179, count: 1 },
      { first: 180, count: 2 },
      { first: 400, count: 1 },
    ]);
  });
});
