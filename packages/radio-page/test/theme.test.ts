import { describe, expect, it } from "vitest";

import { themeOf } from "../src/theme.js";

describe("the colors", () => {
  // At JN48QM the sun rises at 07:14 and sets at 15:37 UTC on 2014-01-01 (USNO).
  const day = new Date("2014-01-01T12:00Z");
  const night = new Date("2014-01-01T16:00Z");

  it.each([
    ["auto", false, "JN48QM", day, "light"],
    ["auto", false, "JN48QM", night, "dark"],
    ["auto", true, "JN48QM", day, "dark"],
    ["auto", false, undefined, night, "light"],
    ["light", true, "JN48QM", night, "light"],
    ["dark", false, "JN48QM", day, "dark"],
  ] as const)("%s, dark system %s, at %s, %o: %s", (choice, isSystemDark, locator, now, expected) => {
    expect(themeOf(choice, { isSystemDark, locator, now })).toBe(expected);
  });
});
