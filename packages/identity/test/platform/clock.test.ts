import { describe, expect, it } from "vitest";

import { systemClock } from "../../src/platform/clock.js";

describe("systemClock", () => {
  it("returns milliseconds of this computer's time", () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now - before).toBeLessThan(1000);
  });
});
