import { describe, expect, it } from "vitest";

import { compassPoint, milesOf, positionText } from "../../../src/cli/terminal/geo-text.js";

describe("geo text", () => {
  it.each([
    [0, "N"],
    [11.2, "N"],
    [11.3, "NNE"],
    [45, "NE"],
    [90, "E"],
    [180, "S"],
    [270, "W"],
    [348.7, "NNW"],
    [348.8, "N"],
    [359.99, "N"],
  ])("finds the compass point of %d°", (heading, point) => {
    expect(compassPoint(heading)).toBe(point);
  });

  it("names the sides of equator and prime meridian", () => {
    expect(positionText({ latitude: -33.92, longitude: 18.42 }, 1)).toBe("33.9° S, 18.4° E");
    expect(positionText({ latitude: 0, longitude: -0.125 }, 2)).toBe("0.00° N, 0.13° W");
  });

  it("counts international miles", () => {
    expect(milesOf(1.609344)).toBe(1);
  });
});
