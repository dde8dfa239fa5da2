import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createPathText } from "../../../src/map/drawing/path-text.js";
import { readPath } from "../svg.js";

/** A line through points. */
function line(...points: readonly (readonly [x: number, y: number])[]): string {
  const path = createPathText();
  for (const [i, [x, y]] of points.entries()) {
    if (i === 0) path.moveTo(x, y);
    else path.lineTo(x, y);
  }
  return path.read();
}

describe("createPathText", () => {
  it("writes a line as a start and steps of tenths", () => {
    expect(line([1, 2], [1.5, 2.04], [0, 10.26])).toBe("M1 2l.5 0-1.5 8.3");
  });

  it("puts a blank between numbers only where there is no minus sign", () => {
    expect(line([-0.3, -0.5], [-20, 0.1], [3, -7])).toBe("M-.3-.5l-19.7 .6 23-7.1");
  });

  it("leaves out steps that can't be seen, without losing them", () => {
    expect(line([0, 0], [0.04, 0], [0.08, 0], [0.12, 0])).toBe("M0 0l.1 0");
    expect(line([0, 0], [0.01, 0])).toBe("M0 0");
  });

  it("merges collinear steps, but not steps back", () => {
    expect(line([0, 0], [1, 2], [2, 4], [3, 6])).toBe("M0 0l3 6");
    expect(line([0, 0], [2, 0], [1, 0])).toBe("M0 0l2 0-1 0");
  });

  it("closes rings, and starts again behind them", () => {
    const path = createPathText();
    path.moveTo(0, 0);
    path.lineTo(1, 0);
    path.lineTo(1, 1);
    path.closePath();
    path.moveTo(5, 5);
    path.lineTo(6, 5);
    expect(path.read()).toBe("M0 0l1 0 0 1zM5 5l1 0");
  });

  it("ends where the line ends, within half a tenth, however long it is", () => {
    const point = fc.tuple(
      fc.double({ min: -50, max: 50, noNaN: true }),
      fc.double({ min: -50, max: 50, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(point, { minLength: 2, maxLength: 100 }), (points) => {
        const [x, y] = points.at(-1) ?? [0, 0];
        const end = readPath(line(...points))[0]?.at(-1);
        expect(Math.abs((end?.x ?? NaN) - x)).toBeLessThanOrEqual(0.050_001);
        expect(Math.abs((end?.y ?? NaN) - y)).toBeLessThanOrEqual(0.050_001);
      }),
    );
  });
});
