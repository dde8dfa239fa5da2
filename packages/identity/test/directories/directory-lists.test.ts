/** Pages of a directory's entries, which come in an order of their own. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createLeast } from "../../src/directories/directory-lists.js";

describe("the items with the least ids", () => {
  it("are those of a sorted list, however they come", () => {
    const ids = fc.array(fc.array(fc.integer({ min: 0, max: 99 }).map(String), { maxLength: 50 }));
    fc.assert(
      fc.property(
        ids,
        fc.integer({ min: 1, max: 10 }),
        fc.constantFrom("", "4", "77"),
        (parts, count, marker) => {
          const least = createLeast<{ id: string }>({ count, marker });
          for (const part of parts) least.add(part.map((id) => ({ id })));
          const expected = [...new Set(parts.flat())]
            .filter((id) => id > marker)
            .sort()
            .slice(0, count);
          expect(least.items().map(({ id }) => id)).toEqual(expected);
        },
      ),
    );
  });

  it("are few in memory, and the first of each id", () => {
    const least = createLeast<{ id: string; at: number }>({ count: 3, marker: "" });
    for (let at = 0; at < 20_000; at++) least.add([{ id: String(at % 5000).padStart(4, "0"), at }]);
    expect(least.items()).toEqual([
      { id: "0000", at: 0 },
      { id: "0001", at: 1 },
      { id: "0002", at: 2 },
    ]);
  });
});
