import { expect, it } from "vitest";

import { hasNul } from "../../../src/platform/text/text-length.js";

/** Lists within each other, with a value in the innermost. */
function nested(value: unknown, depth: number): unknown {
  let list = value;
  for (let level = 0; level < depth; level++) list = [list];
  return list;
}

it.each([
  ["a\0b", true],
  ["ab", false],
  [{ a: ["b", { c: "\0" }] }, true],
  [{ a: { "\0": 1 } }, true],
  [{ a: [null, 1, true, "\\u0000"] }, false],
  [undefined, false],
])("U+0000 is found in texts, members and names: %j", (value, found) => {
  expect(hasNul(value)).toBe(found);
});

it("values of any depth and width are searched without an overflow of the stack", () => {
  expect(hasNul(nested("a\0", 1_000_000))).toBe(true);
  expect(hasNul(nested("a", 1_000_000))).toBe(false);
  expect(hasNul(Array.from({ length: 1_000_000 }, () => "a"))).toBe(false);
});
