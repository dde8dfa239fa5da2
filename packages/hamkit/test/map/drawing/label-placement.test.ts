import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createChart } from "../../../src/map/drawing/projection.js";
import {
  placeLabels,
  type LabelRequest,
  type LabelConstraints,
  drawStations,
} from "../../../src/map/layers/stations.js";
import { readMapOptions, type MapPlace } from "../../../src/map/map-options.js";
import { routesOf } from "../../../src/map/route.js";
import { boxAround, contains, overlap, type Box, type Point } from "../../../src/map/drawing/shape.js";

const FRAME: Box = { x: 0, y: 0, width: 400, height: 200 };
const AROUND: LabelConstraints = { frame: FRAME, marks: [], gap: 9, path: [], obstacles: [] };

function encloses(outer: Box, { x, y, width, height }: Box): boolean {
  return contains(outer, { x, y }) && contains(outer, { x: x + width, y: y + height });
}

function label(mark: Point, width = 60, height = 17): LabelRequest {
  return { mark, width, height };
}

function place(mark: Point, constraints: Partial<LabelConstraints> = {}) {
  const [placed] = placeLabels([label(mark)], { ...AROUND, marks: [mark], ...constraints });
  if (placed === undefined) throw new Error("no label");
  return placed;
}

describe("placeLabels", () => {
  it("puts a label to the right of its mark, where nothing speaks against it", () => {
    expect(place({ x: 100, y: 100 })).toMatchObject({
      box: { x: 109, y: 91.5, width: 60, height: 17 },
      anchor: "start",
    });
  });

  it("puts it to the left at the right edge", () => {
    const { box, anchor } = place({ x: 380, y: 100 });
    expect(anchor).toBe("end");
    expect(box.x + box.width).toBe(371);
  });

  it("keeps it off the path", () => {
    const path = Array.from({ length: 100 }, (_, i) => ({ x: 100 + 3 * i, y: 100 }));
    const { box } = place({ x: 100, y: 100 }, { path });
    expect(path.filter((point) => contains(box, point))).toEqual([]);
  });

  it("keeps it off what had better not be covered", () => {
    const obstacle = boxAround({ x: 130, y: 100 }, 20, 20);
    expect(overlap(place({ x: 100, y: 100 }, { obstacles: [obstacle] }).box, obstacle)).toBe(false);
  });

  it("keeps it off the other mark", () => {
    const marks = [
      { x: 100, y: 100 },
      { x: 120, y: 100 },
    ];
    expect(contains(place({ x: 100, y: 100 }, { marks }).box, { x: 120, y: 100 })).toBe(false);
  });

  it("places nothing where there is nothing to place", () => {
    expect(placeLabels([], AROUND)).toEqual([]);
  });

  it("never lets two labels overlap or leave the frame, wherever their marks are", () => {
    const point = fc.record({
      x: fc.double({ min: 0, max: 400, noNaN: true }),
      y: fc.double({ min: 0, max: 200, noNaN: true }),
    });
    const near = fc.record({ x: fc.integer({ min: -20, max: 20 }), y: fc.integer({ min: -20, max: 20 }) });
    const width = fc.integer({ min: 0, max: 180 });
    fc.assert(
      fc.property(
        point,
        fc.oneof(point, near),
        fc.boolean(),
        width,
        width,
        (a, other, isNear, width1, width2) => {
          const b = isNear
            ? { x: Math.min(Math.max(a.x + other.x, 0), 400), y: Math.min(Math.max(a.y + other.y, 0), 200) }
            : other;
          const requests = [label(a, width1), label(b, width2)];
          const placed = placeLabels(requests, {
            ...AROUND,
            marks: [a, b],
            obstacles: [boxAround(a, 99, 99)],
          });
          expect(placed).toHaveLength(2);
          const [one, two] = placed.map(({ box }) => box);
          if (one === undefined || two === undefined) throw new Error("two labels");
          expect(overlap(one, two)).toBe(false);
          const rounded = { x: -1e-9, y: -1e-9, width: 400 + 2e-9, height: 200 + 2e-9 };
          expect(encloses(rounded, one) && encloses(rounded, two)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("the labels of a map", () => {
  const LONG = "A rather long name of a station far away";
  const PAIRS: readonly (readonly [name: string, from: MapPlace, to: MapPlace])[] = [
    ["of one city", { locator: "JO62QM", label: "DL1ABC" }, { locator: "JO62RM", label: "DK2XYZ" }],
    ["of equal locators", { locator: "JN48QM", label: "DL1ABC" }, { locator: "JN48QM", label: "DK2XYZ" }],
    ["of the poles", { latitude: 90, longitude: 0 }, { latitude: -90, longitude: 0 }],
    ["of one pole", { latitude: 90, longitude: 0, label: "A" }, { latitude: 90, longitude: 180, label: "B" }],
    [
      "on both sides of the 180th meridian",
      { latitude: 0, longitude: 179.9 },
      { latitude: 0, longitude: -179.9 },
    ],
    ["on the 180th meridian", { latitude: 1, longitude: 180 }, { latitude: -1, longitude: -180 }],
    [
      "in a corner",
      { latitude: -89, longitude: 179, label: LONG },
      { latitude: -88, longitude: 178, label: LONG },
    ],
    [
      "in opposite corners",
      { latitude: 89, longitude: -179, label: LONG },
      { latitude: -89, longitude: 179, label: LONG },
    ],
    ["of antipodes", { latitude: 48.5, longitude: 9.4 }, { latitude: -48.5, longitude: -170.6 }],
    [
      "a meter apart",
      { latitude: 48.5, longitude: 9.4, label: LONG },
      { latitude: 48.500_01, longitude: 9.4, label: LONG },
    ],
    ["side by side", { latitude: 0, longitude: 0, label: LONG }, { latitude: 0, longitude: 20, label: LONG }],
  ];

  describe.each(["equirectangular", "natural-earth", "azimuthal"] as const)("%s", (projection) => {
    it.each(PAIRS)("overlap neither each other nor the edge: %s", (_, from, to) => {
      for (const width of [240, 960]) {
        const request = readMapOptions({ from, to, projection, width, longpath: true });
        const chart = createChart(request);
        const path = routesOf(request).flatMap(({ points }) => points.map(chart.locate));
        const { svg, boxes } = drawStations(request, path, chart, []);
        expect(svg.match(/class="label"/g)).toHaveLength(2);
        const [one, two] = boxes; // labels come first, marks behind them
        if (one === undefined || two === undefined) throw new Error("two labels");
        expect(overlap(one, two)).toBe(false);
        const drawing = { x: 0, y: 0, width: chart.width, height: chart.height };
        expect(encloses(drawing, one) && encloses(drawing, two)).toBe(true);
      }
    });
  });
});
