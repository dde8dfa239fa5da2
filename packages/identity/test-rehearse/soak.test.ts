/** An hour of mixed load; `SOAK_MINUTES` sets another time. The machine should do nothing else: peaks and delays are checked too. */
import { availableParallelism } from "node:os";

import { expect, it } from "vitest";

import { MAX_MEGABYTES, memorySlope, soakContract } from "../test-system/reliability/soak/soak-contract.js";
import { median } from "../test/theil-sen.js";

const MINUTES = Number(process.env["SOAK_MINUTES"] ?? 60);
if (!(MINUTES >= 4)) throw new Error(`SOAK_MINUTES is ${MINUTES}: a slope needs 4 minutes at least`);
/** In MB per hour. A smaller leak is not told from noise: in a day it would be 24 MB. */
const MAX_LEAK = 1;
/** The interval's upper end: noise may not hide a leak above it. For an hour, and wider for a shorter run. */
const MAX_UNCERTAIN = 10 * (60 / MINUTES) ** 1.5;
/** One password is hashed at a time on two cores; each further one needs 19 MiB. */
const FURTHER_HASHES = 20 * Math.max(0, availableParallelism() - 2);
const MAX_LAG_MS = 50;

const LOAD = { seconds: MINUTES * 60, perSecond: 100, sampleEveryMs: 5000, idleMs: 30_000 };

soakContract({ ...LOAD, toleranceMegabytes: 0 }, (soakOf) => {
  it("has memory that does not grow: the slope's interval reaches down to zero, or nearly, and not far up", () => {
    const { low, high } = memorySlope(soakOf());
    expect(low).toBeLessThanOrEqual(MAX_LEAK);
    expect(high).toBeLessThanOrEqual(MAX_UNCERTAIN);
  });

  it("has a peak within the bound too", () => {
    expect(soakOf().peakMegabytes).toBeLessThanOrEqual(MAX_MEGABYTES.underLoad + FURTHER_HASHES);
  });

  it(`has an event loop that is late by less than ${MAX_LAG_MS} ms`, () => {
    expect(median(soakOf().underLoad.map(({ lagMs }) => lagMs))).toBeLessThan(MAX_LAG_MS);
  });
});
