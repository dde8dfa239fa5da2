/** The ends of activations: no live spots. */
import { describe, expect, it } from "vitest";

import { parsePotaSpot, parseSotaSpot, parseWwffSpot } from "../../../src/feeds/lines/activator-spot.js";
import type { SpotItem } from "../../../src/feeds/lines/feed-item.js";
import { spotOfItem } from "../../../src/feeds/merge/feed-spot.js";
import { readFeedSpot } from "../../../src/feeds/connections/event-stream-source.js";

const SOTA = {
  id: 5,
  timeStamp: "2026-02-26T17:51:41",
  callsign: "DL1ABC",
  associationCode: "DL",
  summitCode: "EW-017",
  activatorCallsign: "DL1ABC/P",
  frequency: "14.0625",
  mode: "cw",
};
const POTA = {
  activator: "K2NEW",
  frequency: "14062.5",
  mode: "CW",
  reference: "US-6653",
  spotTime: "2026-08-15T16:04:15",
  spotter: "W8EKM",
};
const WWFF = {
  activator: "WB8MIW",
  frequency_khz: 7046,
  mode: "ssb",
  reference: "KFF-2482",
  spotter: "WE9V",
  spot_time: 1_778_777_319,
};

const PROGRAMS: readonly (readonly [string, (more: object, comment: string) => SpotItem | undefined])[] = [
  ["SOTA", (more, comments) => parseSotaSpot({ ...SOTA, comments, ...more })],
  ["POTA", (more, comments) => parsePotaSpot({ ...POTA, comments, ...more })],
  ["WWFF", (more, remarks) => parseWwffSpot({ ...WWFF, remarks, ...more })],
];

/** Whether a spot is one of a station on the air, an end, or none. */
function stateOf(item: SpotItem | undefined): string {
  if (item === undefined) return "not read";
  const spot = spotOfItem(item, "x");
  if (spot === undefined) return "none";
  // Also for those who read it as JSON.
  expect(readFeedSpot(JSON.parse(JSON.stringify(spot)))).toEqual(spot);
  return spot.qrt === true ? "end" : "live";
}

// Fixed: spots of the types QRT and TEST were live.
describe.each(PROGRAMS)("a spot of %s", (_program, spotOf) => {
  it.each([
    ["QRT", "end"],
    ["qrt", "end"],
    [" QRT ", "end"],
    ["TEST", "none"],
    ["Test", "none"],
    ["NORMAL", "live"],
    ["", "live"],
    [null, "live"],
    [undefined, "live"],
    [7, "live"],
  ])("of the type %j is: %s", (type, expected) => {
    expect(stateOf(spotOf({ type }, "CQ"))).toBe(expected);
  });

  it.each([
    ["QRT", "end"],
    ["qrt tnx all", "end"],
    ["now QRT", "end"],
    ["73, QRT.", "end"],
    ["QRT thanks 73", "end"],
    ["QRT due to rain", "end"],
    ["not QRT", "live"],
    ["Not QRT yet", "live"],
    ["not yet QRT", "live"],
    ["isn't QRT", "live"],
    ["QRT soon", "live"],
    ["QRT very soon", "live"],
    ["going QRT soon", "live"],
    ["QRT 15 min", "live"],
    ["QRT 15min", "live"],
    ["QRT in 15 min", "live"],
    ["QRT for 10 minutes", "live"],
    ["QRT at 1500z", "live"],
    ["QRT?", "live"],
    ["last calls before QRT", "live"],
    ["QRTX", "live"],
    ["CQ", "live"],
  ])("with the comment %j is: %s", (comment, expected) => {
    expect(stateOf(spotOf({}, comment))).toBe(expected);
  });
});
