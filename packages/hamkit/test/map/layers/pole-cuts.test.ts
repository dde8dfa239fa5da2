import { describe, expect, it } from "vitest";

import { cutAtPoles } from "../../../src/map/layers/pole-cuts.js";
import { draw, linesOf, ofClass, readPath } from "../svg.js";

const place = (latitude: number, longitude: number) => ({ latitude, longitude });

describe("a path over a pole", () => {
  it("is a line to the pole, and one from it", () => {
    expect(cutAtPoles([place(60, 10), place(80, -170), place(70, -170)])).toEqual([
      [
        [10, 60],
        [10, 90],
      ],
      [
        [-170, 90],
        [-170, 80],
        [-170, 70],
      ],
    ]);
    expect(cutAtPoles([place(-60, 10), place(-90, 0)])).toEqual([
      [
        [10, -60],
        [10, -90],
      ],
    ]);
    expect(cutAtPoles([place(90, 77), place(60, 10)])).toEqual([
      [
        [10, 90],
        [10, 60],
      ],
    ]);
  });

  it("is one line where it passes at some distance, and across 180°", () => {
    for (const line of [
      [place(85, 0), place(85, 100)],
      [place(10, 179), place(12, -179)],
    ])
      expect(cutAtPoles(line)).toHaveLength(1);
  });

  it("has no line along the edge of the map, which was a hook", async () => {
    const size = { width: 1440, height: 720, view: {}, caption: false };
    for (const options of [
      { from: place(48, 9), to: place(40, -171), longpath: true },
      { from: place(48, 9), to: place(-90, 0), longpath: true },
      { paths: [{ from: place(48, 9), to: place(-90, 0) }] },
      { paths: [{ from: place(48, 9), to: place(40, -171) }] },
    ]) {
      const root = await draw({ ...size, ...options });
      const lines = ["route", "ray"].flatMap((kind) =>
        ofClass(root, kind).flatMap(({ attributes }) => readPath(attributes["d"] ?? "")),
      );
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines)
        for (const [index, { x, y }] of line.entries()) {
          const before = line[index - 1] ?? { x, y };
          const isAlongEdge = [y, before.y].every((each) => each < 1 || each > 719);
          expect(isAlongEdge && Math.abs(x - before.x) > 1).toBe(false);
        }
    }
  });

  it("is straight on an azimuthal map", async () => {
    const root = await draw({ from: place(48, 9), to: place(40, -171), projection: "azimuthal", width: 800 });
    const points = linesOf(root, "route", "short").flat();
    for (const { x } of points) expect(x).toBeCloseTo(points[0]?.x ?? 0, 0);
  });
});
