import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ArgumentTypeError, ValueError } from "../../src/errors.js";
import { findByPart } from "../../src/scp/search.js";
import { createScpList } from "../../src/scp/scp-list.js";

const list = createScpList("DL1AB\nDL1ABC\nDL1XY\nAB1\nW1AB\nK1ABC\nLZ1ABD\nOH1ABCD\nDL1ABC/P\nRAEM");

/** Alphabet of few characters, so that parts are found. */
const CALL = fc.stringMatching(/^[AB][AB1/]{2,6}$/);
const PART = fc.stringMatching(/^[AB1/?]{1,5}$/);

/** Every call, sorted by the rules of the doc comment, by regular expressions. */
function naive(calls: readonly string[], part: string): string[] {
  const pattern = part.replaceAll("?", ".");
  const rank = (call: string): number =>
    [`^${pattern}$`, `^${pattern}`, `${pattern}$`, pattern].findIndex((text) => new RegExp(text).test(call));
  return [...new Set(calls)]
    .filter((call) => rank(call) !== -1)
    .sort((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1));
}

describe("findByPart", () => {
  it.each([
    ["1ABC", ["K1ABC", "DL1ABC", "OH1ABCD", "DL1ABC/P"]],
    ["dl1abc", ["DL1ABC", "DL1ABC/P"]],
    [" AB ", ["AB1", "W1AB", "DL1AB", "K1ABC", "DL1ABC", "LZ1ABD", "OH1ABCD", "DL1ABC/P"]],
    ["/P", ["DL1ABC/P"]],
    ["?1AB?", ["K1ABC", "DL1ABC", "LZ1ABD", "OH1ABCD", "DL1ABC/P"]],
    ["D??A", ["DL1AB", "DL1ABC", "DL1ABC/P"]],
    ["????????", ["DL1ABC/P"]],
    ["QQQ", []],
  ])("finds %j, best first", (part, calls) => {
    expect(findByPart(list, part)).toEqual(calls);
  });

  it.each(["", "  ", "DL1 ABC", "D*", "DL1ß", "ı", "x".repeat(10_000)])("finds nothing for %j", (part) => {
    expect(findByPart(list, part)).toEqual([]);
  });

  it("gives the best ones where there are more than the limit", () => {
    expect(findByPart(list, "ab", { limit: 3 })).toEqual(["AB1", "W1AB", "DL1AB"]);
    expect(findByPart(list, "dl", { limit: 1 })).toEqual(["DL1AB"]);
  });

  it("gives 50 where it isn't told", () => {
    const many = createScpList(Array.from({ length: 100 }, (_, index) => `K${index}ABC`).join("\n"));
    expect(findByPart(many, "ABC")).toHaveLength(50);
  });

  it("finds what a search through all calls by regular expressions finds, in the same order", () => {
    fc.assert(
      fc.property(
        fc.array(CALL, { maxLength: 40 }),
        PART,
        fc.integer({ min: 1, max: 40 }),
        (calls, part, limit) => {
          const found = findByPart(createScpList(calls.join("\n")), part, { limit });
          expect(found).toEqual(naive(calls, part).slice(0, limit));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("rejects an invalid limit, and values that are not strings", () => {
    for (const limit of [0, -1, 1.5, Number.NaN, Infinity, "9" as unknown as number])
      expect(() => findByPart(list, "A", { limit })).toThrow(ValueError);
    expect(() => findByPart(list, 1 as unknown as string)).toThrow(ArgumentTypeError);
  });
});
