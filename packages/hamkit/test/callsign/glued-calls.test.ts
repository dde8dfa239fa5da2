/** Columns without a blank between them are no call; special calls are. */
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { isFullCall } from "../../src/callsign/form.js";
import { sharedPath } from "../golden.js";

it.each([
  "ZP123RV3YR",
  "W1AWW1AW",
  "JA1AAAW1AW",
  "9A1AAW1AW",
  "K3LRN6T",
  "W1AWE51ABC",
  "DL1ABCDL1ABC",
  "W1AW9A1AA",
  "3D2AGVP8ABC",
])("%s is two columns, no call", (text) => {
  expect(isFullCall(text)).toBe(false);
});

it.each([
  "TM100AVIATION",
  "GB13COL",
  "8J1RL",
  "II0MARCONI",
  "VK2000SYDNEY",
  "OE9M0N",
  "HD1QRC90",
  "UW100G1MV",
  "HF0JP2S",
  "LM2T75Y",
  "8J1C70Y",
  "VI4WIP50",
])("%s is a call", (text) => {
  expect(isFullCall(text)).toBe(true);
});

/** The calls of lists of stations on the air. Typing errors, such as those among the exceptions of Club Log, are not in them. */
const LISTS: readonly (readonly [name: string, calls: RegExp])[] = [
  ["MASTER.SCP", /^[A-Z0-9/]+$/gm],
  ["lotw-user-activity.csv", /^[A-Z0-9/]+(?=,)/gm],
  ["cty.csv", /(?<==)[A-Z0-9/]+/g],
];

describe.each(LISTS)("%s", (name, form) => {
  const path = sharedPath(`data/${name}`);
  it.skipIf(!existsSync(path))("has no call that is refused as two columns", () => {
    const calls = readFileSync(path, "latin1").match(form) ?? [];
    const parts = calls.flatMap((call) => call.split("/"));
    const hasInnerDigit = /^[0-9]?[A-Z]{1,2}[0-9]{1,4}[A-Z]{1,4}[0-9]{1,3}[A-Z]{0,5}$/;
    expect(parts.length).toBeGreaterThan(10_000);
    expect(parts.filter((part) => hasInnerDigit.test(part) && !isFullCall(part))).toEqual([]);
  });
});
