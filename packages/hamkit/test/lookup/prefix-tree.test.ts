import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { PrefixTree } from "../../src/lookup/table.js";

const any = (value: string): string => value;
const text = fc.stringMatching(/^[A-Z0-9/]{1,6}$/);

describe("PrefixTree", () => {
  it("finds the longest of any prefixes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 200 }), text, fc.nat(6), (prefixes, call, shortest) => {
        const tree = new PrefixTree<string>(1);
        for (const prefix of prefixes) tree.set(prefix, prefix);
        const expected = prefixes
          .filter((prefix) => call.startsWith(prefix) && prefix.length >= shortest)
          .sort((a, b) => b.length - a.length)[0];
        expect(tree.longest(call, shortest, any, undefined)?.found).toBe(expected);
        expect(tree.size).toBe(prefixes.length);
      }),
    );
  });

  it("skips values without a result", () => {
    const tree = new PrefixTree<number[]>();
    tree.set("A", [1, 2]);
    tree.set("AB", [2]);
    const pick = (values: readonly number[], wanted: number): number | undefined =>
      values.find((one) => one === wanted);
    expect(tree.longest("ABC", 1, pick, 1)).toEqual({ found: 1, length: 1 });
    expect(tree.longest("ABC", 1, pick, 2)).toEqual({ found: 2, length: 2 });
    expect(tree.longest("ABC", 1, pick, 3)).toBeUndefined();
  });

  it("has no prefixes of texts with characters that no callsign has", () => {
    const tree = new PrefixTree<string>();
    tree.set("A", "A");
    expect(tree.get("\u00c4")).toBeUndefined();
    expect(tree.get("a")).toBeUndefined();
    expect(tree.longest("\u{1f600}", 1, any, undefined)).toBeUndefined();
  });
});
