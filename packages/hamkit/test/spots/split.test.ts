/** The listening frequency in the comment of a spot. */
import { expect, it } from "vitest";

import { describeSpotComment } from "../../src/feeds/lines/spot-comment-details.js";
import { parseFeedLine } from "../../src/feeds/lines/parse-feed-line.js";
import { spotOfItem } from "../../src/feeds/merge/feed-spot.js";
import { readFeedSpot } from "../../src/feeds/connections/event-stream-source.js";
import { decodeSpot } from "../../src/spots/decode-spot.js";

it.each([
  ["QSX 14200-14210", 14_200],
  ["QSX 14200", 14_200],
  ["QSX 14.205", 14_205],
  ["listening 14205", 14_205],
  ["listening on 14205", 14_205],
  ["U5", 14_200],
  ["UP 5", 14_200],
  ["UP5-10", 14_200],
  ["5UP", 14_200],
  ["DOWN 3", 14_192],
])("%s is a split", (comment, expected) => {
  expect(describeSpotComment(comment, 14_195).qsxKHz).toBe(expected);
});

it.each(["wake up 7", "back up 2 the mic", "UP 73", "listening", "DL5 de U", "tnx 5 up the hill"])(
  "%s is none",
  (comment) => {
    expect(describeSpotComment(comment, 14_195).qsxKHz).toBeUndefined();
  },
);

// Fixed: a direction without a number vanished.
it.each([
  ["UP", "up"],
  ["up", "up"],
  ["DN", "down"],
  ["DOWN", "down"],
  ["DWN", "down"],
  ["UP UP", "up"],
  ["UP UP UP!!!", "up"],
  ["CW UP", "up"],
  ["UP CW", "up"],
  ["CQ UP", "up"],
  ["CQ DX UP", "up"],
  ["UP, tnx QSO", "up"],
  ["tnx UP", "up"],
  ["599 UP", "up"],
  ["5NN DN", "down"],
  ["QSX UP", "up"],
  ["QSX DN", "down"],
  ["listening up", "up"],
  ["listens down", "down"],
  ["split up", "up"],
  ["calling EU (UP)", "up"],
  ["FT8 -12 dB UP", "up"],
  ["CW 20 dB 25 WPM UP", "up"],
  ["UP 73", "up"],
  ["UP EU only", "up"],
  ["up a bit", "up"],
] as const)("%s listens %s, without a frequency", (comment, expected) => {
  const { listens, qsxKHz } = describeSpotComment(comment, 14_195);
  expect({ listens, qsxKHz }).toEqual({ listens: expected, qsxKHz: undefined });
  const spot = decodeSpot(`DX de DH1TW: 14195.0 DL1ABC ${comment} 1200Z`);
  expect(spot).toMatchObject({ kind: "spot", listens: expected });
  expect(spot).not.toHaveProperty("qsx");
});

it.each([
  "wake up",
  "wake up 7",
  "back up",
  "BACK UP AGN",
  "up to now",
  "up to date",
  "set up",
  "UP EARLY",
  "73 up",
  "what's up",
  "show up pse",
  "pile up",
  "pile-up",
  "big pileup",
  "pick up",
  "QSY up",
  "signal up",
  "going down",
  "down in the noise",
  "band is down",
  "up the hill",
  "UP/DN",
  "UP DN",
  "DN45",
  "cup",
  "downtown",
  "sundown",
  "up10dB",
])("%s listens nowhere", (comment) => {
  const { listens, qsxKHz } = describeSpotComment(comment, 14_195);
  expect({ listens, qsxKHz }).toEqual({ listens: undefined, qsxKHz: undefined });
});

it.each([
  ["DWN 3", 14_192],
  ["UP UP 5", 14_200],
  ["3 DWN", 14_192],
])("%s has a frequency and no direction", (comment, expected) => {
  const { listens, qsxKHz } = describeSpotComment(comment, 14_195);
  expect({ listens, qsxKHz }).toEqual({ listens: undefined, qsxKHz: expected });
});

it.each(["up 10 dB", "sig up 10dB", "up 5 min", "up 2 hours", "up 20%", "up 2 S units"])(
  "%s is no distance in kHz",
  (comment) => {
    const { listens, qsxKHz } = describeSpotComment(comment, 14_195);
    expect({ listens, qsxKHz }).toEqual({ listens: undefined, qsxKHz: undefined });
  },
);

it("a direction is in the spots of feeds, also of those that came as JSON", () => {
  const item = parseFeedLine("DX de DH1TW:     14195.0  VK9XX        UP                             1801Z");
  const spot = spotOfItem(item, "a node");
  expect(spot).toMatchObject({ dx: "VK9XX", listens: "up" });
  expect(readFeedSpot(JSON.parse(JSON.stringify(spot)))).toEqual(spot);
  expect(readFeedSpot({ ...JSON.parse(JSON.stringify(spot)), listens: "left" })).not.toHaveProperty(
    "listens",
  );
});
