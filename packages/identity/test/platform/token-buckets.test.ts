import { beforeEach, describe, expect, it } from "vitest";

import { createMemoryBuckets, type MemoryBuckets } from "../../src/platform/token-buckets.js";

let now = 0;
beforeEach(() => {
  now = 0;
});
const clock = { now: () => now };
const TOO_SOON = (retryAfterSeconds: number): object => ({ isAllowed: false, retryAfterSeconds });
const ALLOWED = { isAllowed: true };

function buckets(burst: number, perSecond: number, maxKeys = 100): MemoryBuckets {
  return createMemoryBuckets({ burst, perSecond, maxKeys, clock });
}

describe("a token bucket", () => {
  it("allows a burst, then the refill rate, and reports when to retry", () => {
    const limit = buckets(3, 0.5);
    expect([1, 2, 3, 4].map(() => limit.take("alice"))).toEqual([ALLOWED, ALLOWED, ALLOWED, TOO_SOON(2)]);
    now = 1500;
    expect(limit.take("alice")).toEqual(TOO_SOON(1));
    now = 2000;
    expect([limit.take("alice"), limit.take("alice")]).toEqual([ALLOWED, TOO_SOON(2)]);
  });

  it("is each key's own", () => {
    const limit = buckets(1, 1);
    expect([limit.take("alice"), limit.take("bob"), limit.take("alice")]).toEqual([
      ALLOWED,
      ALLOWED,
      TOO_SOON(1),
    ]);
  });

  it("never refills beyond a burst, however long the wait", () => {
    const limit = buckets(2, 1);
    limit.take("alice");
    now = 1e9;
    expect([1, 2, 3].map(() => limit.take("alice"))).toEqual([ALLOWED, ALLOWED, TOO_SOON(1)]);
  });

  it("keeps at most the configured number of keys: those used last", () => {
    const limit = buckets(1, 0.001, 3);
    for (const key of ["a", "b", "c", "a", "d"]) limit.take(key);
    expect(limit.size).toBe(3);
    expect(["a", "c", "d"].map((key) => limit.take(key))).toEqual([
      TOO_SOON(1000),
      TOO_SOON(1000),
      TOO_SOON(1000),
    ]);
    expect(limit.take("b")).toEqual(ALLOWED);
  });

  it("takes nothing away when the clock is set back", () => {
    now = 10_000;
    const limit = buckets(2, 1);
    limit.take("alice");
    now = 0;
    expect([limit.take("alice"), limit.take("alice")]).toEqual([ALLOWED, TOO_SOON(1)]);
  });

  it.each([
    [0, 1],
    [1, 0],
    [Number.NaN, 1],
    [1, -1],
  ])("of %d at once and %d per second is refused", (burst, perSecond) => {
    expect(() => buckets(burst, perSecond)).toThrow("is not at least 1");
  });
});
