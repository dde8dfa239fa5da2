import { describe, expect, it } from "vitest";
import { ArgumentTypeError, PositionError } from "../../src/errors.js";
import { checkPosition, type Position } from "../../src/geo/position.js";

describe("checkPosition", () => {
  it.each([
    [90, 180],
    [-90, -180],
    [0, 0],
    [48.52, 9.375],
  ])("lets %d, %d pass", (latitude, longitude) => {
    expect(checkPosition({ latitude, longitude })).toEqual({ latitude, longitude });
  });

  it.each([
    [90.000_001, 0, "latitude"],
    [-91, 0, "latitude"],
    [NaN, 0, "latitude"],
    [Infinity, 0, "latitude"],
    [0, 180.000_001, "longitude"],
    [0, -181, "longitude"],
    [0, NaN, "longitude"],
    [0, -Infinity, "longitude"],
  ])("rejects %d, %d, because the %3$s is out of its range", (latitude, longitude, argument) => {
    const check = () => checkPosition({ latitude, longitude });
    expect(check).toThrow(PositionError);
    expect(check).toThrow(argument);
  });

  it.each(["48", null, undefined, true, [48], {}, 48n])(
    "rejects %o, because it is not a number",
    (latitude) => {
      const check = () => checkPosition({ latitude, longitude: 9 } as unknown as Position);
      expect(check).toThrow(ArgumentTypeError);
      expect(check).toThrow(TypeError);
    },
  );
});
