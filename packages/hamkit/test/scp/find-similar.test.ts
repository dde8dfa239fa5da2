import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ArgumentTypeError, ValueError } from "../../src/errors.js";
import { findSimilar } from "../../src/scp/search.js";
import { createScpList } from "../../src/scp/scp-list.js";
import { naiveDistance } from "./naive-distance.js";

const list = createScpList("DL1ABC\nDL1ABD\nDL1BAC\nDL1AB\nDL1ABCD\nDL2ABD\nLD1BAC\nDL1A\nDL1ABC/P\nK1A");

describe("findSimilar", () => {
  it("finds the call itself, and what one change makes of it: same length first", () => {
    expect(findSimilar(list, " dl1abc ")).toEqual([
      { call: "DL1ABC", distance: 0 },
      { call: "DL1ABD", distance: 1 },
      { call: "DL1BAC", distance: 1 },
      { call: "DL1AB", distance: 1 },
      { call: "DL1ABCD", distance: 1 },
    ]);
  });

  it("finds what two changes make of it, when asked", () => {
    const further = findSimilar(list, "DL1ABC", { distance: 2 }).slice(5);
    expect(further).toEqual([
      { call: "DL2ABD", distance: 2 },
      { call: "LD1BAC", distance: 2 },
      { call: "DL1A", distance: 2 },
      { call: "DL1ABC/P", distance: 2 },
    ]);
  });

  it("gives the best ones where there are more than the limit", () => {
    expect(findSimilar(list, "DL1ABC", { distance: 2, limit: 2 }).map(({ call }) => call)).toEqual([
      "DL1ABC",
      "DL1ABD",
    ]);
  });

  it.each(["", "DL1?BC", "DL1 ABC", "dl1aßc", "A", "DL1ABC".repeat(10_000)])(
    "finds nothing for %j",
    (call) => {
      expect(findSimilar(list, call)).toEqual([]);
    },
  );

  it.each([1, 2] as const)("finds what following every possible change finds, at distance %i", (distance) => {
    const call = fc.stringMatching(/^[AB][AB1]{2,4}$/);
    fc.assert(
      fc.property(fc.array(call, { maxLength: 25 }), call, (calls, wanted) => {
        const found = findSimilar(createScpList(calls.join("\n")), wanted, { distance, limit: 100 });
        const expected = [...new Set(calls)]
          .map((text) => ({ call: text, distance: naiveDistance(wanted, text, distance) }))
          .filter((similar) => similar.distance <= distance)
          .sort(
            (a, b) =>
              a.distance - b.distance ||
              Math.abs(a.call.length - wanted.length) - Math.abs(b.call.length - wanted.length) ||
              (a.call < b.call ? -1 : 1),
          );
        expect(found).toEqual(expected);
      }),
    );
  });

  it("rejects other distances, invalid limits, and values that are not strings", () => {
    for (const distance of [0, 3, 1.5, Number.NaN, "1"])
      expect(() => findSimilar(list, "DL1ABC", { distance: distance as 1 })).toThrow(ValueError);
    expect(() => findSimilar(list, "DL1ABC", { limit: 0 })).toThrow(ValueError);
    expect(() => findSimilar(list, null as unknown as string)).toThrow(ArgumentTypeError);
  });
});
