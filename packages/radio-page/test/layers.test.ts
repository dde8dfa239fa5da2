import { describe, expect, it } from "vitest";

import { readLayers, switched } from "../src/layers/layers.js";
import { layerOptions } from "../src/map/use-map-settings.js";

describe("the layers", () => {
  it("are those of a log at first, and are switched one by one", () => {
    const first = readLayers();
    expect(Array.from(first)).toEqual(["squares", "paths"]);
    expect(Array.from(switched(first, "borders", true))).toEqual(["squares", "paths", "borders"]);
    expect(Array.from(switched(first, "paths", false))).toEqual(["squares"]);
  });

  it("have the zones of one kind", () => {
    const cq = switched(readLayers(), "cq", true);
    const itu = switched(cq, "itu", true);
    expect(itu.has("cq")).toBe(false);
    expect(layerOptions({ layers: itu, beam: 0 }, undefined).zones).toBe("itu");
    expect(switched(itu, "itu", false).has("itu")).toBe(false);
  });

  it("ask the map for what is on, and for nothing else", () => {
    const places = { squares: [{ locator: "JN48" }], entities: [], paths: [] };
    const off = layerOptions({ layers: new Set(), beam: 0 }, places);
    expect(Object.values(off).filter((value) => value !== undefined && value !== false)).toEqual([]);
    const on = layerOptions({ layers: new Set(["squares", "names", "moon"]), beam: 30 }, places);
    expect(on).toMatchObject({
      squares: places.squares,
      entityTexts: { names: true, prefixes: false },
      hasMoon: true,
      beam: { width: 30 },
    });
  });
});
