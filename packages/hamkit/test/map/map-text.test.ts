import { describe, expect, it } from "vitest";

import { readMapOptions } from "../../src/map/map-options.js";
import { routesOf } from "../../src/map/route.js";
import { kilometers, mapDescription, mapTitle, momentText, routeFigures } from "../../src/map/map-text.js";

describe("kilometers", () => {
  it.each([
    [0, "0 km"],
    [0.04, "0 km"],
    [5.55, "5.5 km"],
    [99.94, "99.9 km"],
    [99.95, "100 km"],
    [999.6, "1,000 km"],
    [6168.617, "6,169 km"],
    [40_030.17, "40,030 km"],
  ])("writes %d as %s", (km, text) => {
    expect(kilometers(km)).toBe(text);
  });
});

describe("routeFigures", () => {
  it("never writes 360°", () => {
    expect(routeFigures({ kind: "short", distanceKm: 1000, heading: 359.7, points: [] })).toBe(
      "1,000 km · 0°",
    );
  });
});

describe("momentText", () => {
  it.each([
    ["2014-01-01T12:34:56Z", "2014-01-01 12:34 UTC"],
    ["-000500-03-01T00:00:00Z", "-000500-03-01 00:00 UTC"],
  ])("writes %s as %s", (moment, text) => {
    expect(momentText(new Date(moment))).toBe(text);
  });
});

describe("the name and description of a map", () => {
  it.each([
    [{}, "World map", "Equirectangular world map."],
    [{ to: "FN31PR" }, "World map with FN31PR", "Equirectangular world map."],
    [
      { date: new Date("2014-01-01T00:00Z"), projection: "natural-earth" },
      "World map with day and night",
      "World map in the Natural Earth projection. Day and night at 2014-01-01 00:00 UTC.",
    ],
    [
      { from: "JN48QM", to: "JN48QM", projection: "azimuthal" },
      "Great circle from JN48QM to JN48QM",
      "Azimuthal equidistant world map centered on JN48QM. Short path: 0 km.",
    ],
  ] as const)("tell what is drawn: %o", (options, title, description) => {
    const request = readMapOptions(options);
    expect(mapTitle(request)).toBe(title);
    expect(mapDescription(request, routesOf(request))).toBe(description);
  });
});
