/** Keys in memory that a database shares, also while the database is unavailable. */
import { beforeEach, describe, expect, it } from "vitest";

import {
  createSharedExpiries,
  type Duration,
  type ExpiryStore,
} from "../../../src/platform/login-throttling/shared-expiries.js";

let now = 0;
beforeEach(() => {
  now = 1_000_000;
});
const clock = { now: () => now };

/** A table in memory that fails on request. */
function flakyStore() {
  const written: Duration[] = [];
  const state = { isAway: false };
  const store: ExpiryStore = {
    async write(durations) {
      if (state.isAway) throw new Error("away");
      written.push(...durations);
    },
    readChanges: async () => now,
    prune: async () => {},
  };
  return { store, written, state };
}

describe("shared expiries", () => {
  it("keep a bounded number of keys: those changed last", () => {
    const expiries = createSharedExpiries({ merge: "sum", clock, maxKeys: 3 });
    for (const key of ["a", "b", "c", "a", "d"]) expiries.extend(key, 1000);
    expect(expiries.size).toBe(3);
    expect(["a", "b", "c", "d"].map((key) => expiries.remainingMs(key))).toEqual([2000, 0, 1000, 1000]);
  });

  it("hold no more than that of what waits for a table that is away", async () => {
    const { store, written, state } = flakyStore();
    state.isAway = true;
    const expiries = createSharedExpiries({ store, merge: "sum", clock, maxKeys: 3 });
    for (let number = 0; number < 100; number++) expiries.extend(String(number), 1000);
    await expect(expiries.sync()).rejects.toThrow("away");
    expiries.extend("100", 1000);
    state.isAway = false;
    await expiries.sync();
    expect(written.map(({ id }) => id)).toEqual(["98", "99", "100"]);
  });

  it("lose nothing while the table is away, and write nothing twice", async () => {
    const { store, written, state } = flakyStore();
    const sum = createSharedExpiries({ store, merge: "sum", clock, maxKeys: 10 });
    sum.extend("a", 1000);
    state.isAway = true;
    await expect(sum.sync()).rejects.toThrow("away");
    sum.extend("a", 500);
    expect(sum.remainingMs("a")).toBe(1500);
    state.isAway = false;
    await sum.sync();
    await sum.sync();
    expect(written).toEqual([{ id: "a", ms: 1500 }]);
  });

  it("end by themselves, and are forgotten", async () => {
    const expiries = createSharedExpiries({ merge: "latest", clock, maxKeys: 10 });
    expiries.extend("a", 1000);
    expiries.extend("a", 500);
    now += 999;
    expect(expiries.remainingMs("a")).toBe(1);
    now += 1;
    expect(expiries.remainingMs("a")).toBe(0);
    await expiries.prune();
    expect(expiries.size).toBe(0);
  });
});
