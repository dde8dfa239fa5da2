import { describe, expect, it } from "vitest";

import type { FeedSpot } from "../../../src/feeds.js";
import { createRecentSpots } from "../../../src/feeds/merge/duplicate-spots.js";

const spot = (dx: string, frequencyKHz: number, spotter = "DH1TW", skimmer = false): FeedSpot => ({
  source: "x",
  time: new Date(0),
  frequencyKHz,
  dx,
  spotter,
  skimmer,
  comment: "",
});

describe("createRecentSpots", () => {
  it("finds spots of a station by a spotter within one kilohertz, whatever their comment and source", () => {
    const recent = createRecentSpots({ windowMs: 1000, maxSpots: 100 });
    expect(recent.isNew(spot("W1AW", 14_025.9), 0)).toBe(true);
    expect(recent.isNew(spot("W1AW", 14_026.1), 1)).toBe(false);
    expect(recent.isNew(spot("W1AW", 14_025.0), 1)).toBe(false);
    expect(recent.isNew(spot("W1AW", 14_027.0), 1)).toBe(true);
    expect(recent.isNew(spot("W1AW", 14_024.8), 1)).toBe(true);
    expect(recent.isNew(spot("W2AW", 14_025.9), 1)).toBe(true);
    expect(recent.isNew(spot("W1AW", 14_025.9, "DL1ABC"), 1)).toBe(true);
  });

  it("takes a user with and without SSID for one, and skimmers with different ones for several", () => {
    const recent = createRecentSpots({ windowMs: 1000, maxSpots: 100 });
    expect(recent.isNew(spot("W1AW", 14_025, "K1TTT-9"), 0)).toBe(true);
    expect(recent.isNew(spot("W1AW", 14_025, "K1TTT"), 0)).toBe(false);
    expect(recent.isNew(spot("W1AW", 14_025, "KM3T-2", true), 0)).toBe(true);
    expect(recent.isNew(spot("W1AW", 14_025, "KM3T-3", true), 0)).toBe(true);
  });

  it("forgets after the window, which repetitions don't prolong", () => {
    const recent = createRecentSpots({ windowMs: 1000, maxSpots: 100 });
    expect([0, 600, 999, 1000, 1600].map((now) => recent.isNew(spot("W1AW", 14_025), now))).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
    expect(recent.size).toBe(1);
  });

  it("remembers no more than it may", () => {
    const recent = createRecentSpots({ windowMs: 1_000_000, maxSpots: 100 });
    for (let index = 0; index < 10_000; index++) recent.isNew(spot(`W${index}`, 14_025), index);
    expect(recent.size).toBeLessThanOrEqual(101);
    expect(recent.isNew(spot("W9999", 14_025), 10_000)).toBe(false);
    expect(recent.isNew(spot("W1", 14_025), 10_000)).toBe(true);
  });

  it("forgets everything where the clock is set back", () => {
    const recent = createRecentSpots({ windowMs: 1000, maxSpots: 100 });
    recent.isNew(spot("W1AW", 14_025), 1_000_000);
    expect(recent.isNew(spot("W1AW", 14_025), 10)).toBe(true);
  });

  it("remembers nothing with a window of 0", () => {
    const recent = createRecentSpots({ windowMs: 0, maxSpots: 100 });
    expect([0, 0].map((now) => recent.isNew(spot("W1AW", 14_025), now))).toEqual([true, true]);
    expect(recent.size).toBe(0);
  });
});

// Fixed: an activator who spots the end on the frequency of the spot before stayed on the air.
it("the end of an activation repeats no spot before it", () => {
  const recent = createRecentSpots({ windowMs: 1000, maxSpots: 100 });
  const end: FeedSpot = { ...spot("W1AW", 14_025), qrt: true };
  expect(recent.isNew(spot("W1AW", 14_025), 0)).toBe(true);
  expect(recent.isNew(end, 1)).toBe(true);
  expect(recent.isNew(end, 2)).toBe(false);
  expect(recent.isNew(spot("W1AW", 14_025), 3)).toBe(false);
});
