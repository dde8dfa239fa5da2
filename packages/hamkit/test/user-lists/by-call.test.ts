import { describe, expect, it } from "vitest";

import { byCall } from "../../src/user-lists/list-file.js";

describe("byCall", () => {
  it("has each value under its call; of equal calls the last one counts", () => {
    expect(byCall(["W1AW", "K1JT", "W1AW"], [1, 2, 3])).toEqual({ W1AW: 3, K1JT: 2 });
  });

  it.each(["__proto__", "constructor", "toString", ""])("takes %o for a name like others", (name) => {
    const users = byCall([name], [1]);
    expect(Object.getPrototypeOf(users)).toBeNull();
    expect(Object.entries(users)).toEqual([[name, 1]]);
  });
});
