import { describe, expect, it } from "vitest";

import { formatTimestamp, systemClock } from "../../src/platform/clock.js";

describe("systemClock", () => {
  it("returns milliseconds of this computer's time", () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now - before).toBeLessThan(1000);
  });
});

it("a moment is written with six digits behind the second", () => {
  expect(formatTimestamp(Date.UTC(2026, 10, 21, 2, 57, 2))).toBe("2026-11-21T02:57:02.000000Z");
  expect(formatTimestamp(Date.UTC(2026, 0, 1, 0, 0, 0, 7))).toBe("2026-01-01T00:00:00.007000Z");
});
