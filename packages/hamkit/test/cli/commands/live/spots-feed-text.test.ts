/** Spots in the table of `hamkit spots --connect`. */
import { expect, it } from "vitest";

import { feedTable } from "../../../../src/cli/commands/live/spots-feed.js";
import type { FeedSpot } from "../../../../src/feeds.js";

it.each([
  ["CQ", true, "QRT  SOTA DL/EW-017  CQ"],
  ["", true, "QRT  SOTA DL/EW-017"],
  ["qrt 73", true, "SOTA DL/EW-017  qrt 73"],
  ["CQ", undefined, "SOTA DL/EW-017  CQ"],
] as const)("the comment %j of a spot with qrt %s", (comment, qrt, expected) => {
  const spot: FeedSpot = {
    source: "SOTA",
    time: new Date("2026-02-26T17:51:00Z"),
    frequencyKHz: 14_062.5,
    dx: "DL1ABC/P",
    spotter: "DL1ABC",
    skimmer: false,
    comment,
    references: ["SOTA DL/EW-017"],
    ...(qrt === undefined ? undefined : { qrt }),
  };
  const table = feedTable(
    { hasDistance: false, hasNeeds: false },
    { ink: (_style, text) => text, width: undefined },
  );
  expect(
    table
      .row({ row: spot })
      .split(/ {2,}SOTA {2,}/)[1]
      ?.trimEnd(),
  ).toBe(expected);
});
