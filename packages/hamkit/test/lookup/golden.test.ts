import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { homeCall } from "../../src/callsign/home-call.js";
import { isHamkitError } from "../../src/errors.js";
import { createCountryFile } from "../../src/country-file/country-file.js";
import { dataPath, goldenRows, hasGolden } from "../golden.js";
import { explain, explainHome, RULE_NAMES, type CallRow } from "./golden-rules.js";

const WITH_2023_FILE = {
  "activity-suffixes": 17,
  "areas-of-us-territories": 9,
  "beacons-by-their-suffix": 22,
  "blanks-around-a-call": 3,
  "call-area-by-digit": 225,
  "calls-of-other-forms": 1,
  "calls-without-form": 1,
  "empty-parts": 3,
  "entry-of-the-station": 38,
  equal: 88090,
  "kg4-with-one-or-three-letters": 95,
  "letters-outside-ascii": 3,
  "listed-under-a-shared-prefix": 22,
  "mobile-stations": 121,
  "more-than-three-places": 1,
  "no-call-in-it": 9,
  "place-nearest-to-the-call": 10,
  "portable-in-a-call-area": 1,
  "prefix-that-looks-like-a-call": 91,
  "prefixes-before-any-call": 3,
  "states-behind-a-call": 2,
  "suffixes-cut-down-to-a-prefix": 1,
  "suffixes-that-are-no-prefix": 20,
};

const WITH_2014_FILE = {
  "activity-suffixes": 7,
  "areas-of-us-territories": 4,
  "beacons-by-their-suffix": 9,
  "blanks-around-a-call": 3,
  "call-area-by-digit": 128,
  "calls-of-other-forms": 4,
  "calls-without-form": 1,
  "empty-parts": 4,
  "entity-codes-of-names": 2,
  "entry-of-the-station": 50,
  equal: 22861,
  "kg4-with-one-or-three-letters": 20,
  "letters-outside-ascii": 3,
  "listed-under-a-shared-prefix": 12,
  "mobile-stations": 120,
  "more-than-three-places": 1,
  "no-call-in-it": 9,
  "place-nearest-to-the-call": 5,
  "portable-in-a-call-area": 1,
  "prefix-that-looks-like-a-call": 69,
  "states-behind-a-call": 1,
  "suffixes-that-are-no-prefix": 18,
};

const HOME_WITH_2023_FILE = {
  "calls-of-other-forms": 6,
  "empty-parts": 1,
  equal: 88096,
  "home-call-in-one-piece": 261,
  "home-call-not-cut-out": 79,
  "home-call-of-two": 308,
  "letters-outside-ascii": 4,
  "too-many-calls-for-a-home": 1,
};

const HOME_WITH_2014_FILE = {
  "calls-of-other-forms": 7,
  "empty-parts": 1,
  equal: 22668,
  "home-call-in-one-piece": 220,
  "home-call-not-cut-out": 88,
  "home-call-of-two": 311,
  "letters-outside-ascii": 4,
  "too-many-calls-for-a-home": 1,
};

const differences = readFileSync(new URL("../../../../docs/differences.md", import.meta.url), "utf8");

describe("the differences from the peer", () => {
  it.each(RULE_NAMES)("are documented under their name: %s", (name) => {
    expect(differences).toContain(`\n### ${name}\n`);
  });
});

describe.skipIf(!hasGolden)("the peer's answers about callsigns", () => {
  it.each([
    ["callinfo", "cty-2023-05.plist", WITH_2023_FILE],
    ["callinfo_2014plist", "cty-2014-04.plist", WITH_2014_FILE],
  ])("are ours too in %s, but for the named differences", async (golden, plist, expected) => {
    const table = await createCountryFile(readFileSync(dataPath(plist)), { name: plist });
    const rows = goldenRows<CallRow>(golden).filter(isCall);
    const { counts, faults } = tally(rows, (row) => explain(row, table, timeOf(row)));
    expect(faults).toEqual([]);
    expect(counts).toEqual(expected);
  });

  it.each([
    ["callinfo", HOME_WITH_2023_FILE],
    ["callinfo_2014plist", HOME_WITH_2014_FILE],
  ])("about home calls are ours too in %s, but for the named differences", (golden, expected) => {
    const rows = goldenRows<CallRow>(golden).filter(
      (row) => isCall(row) && ("home" in row || "home_err" in row),
    );
    const { counts, faults } = tally(rows, (row) => explainHome(row, homeOf(row.call)));
    expect(faults).toEqual([]);
    expect(counts).toEqual(expected);
  });
});

function isCall(row: CallRow): boolean {
  return typeof row.call === "string" && row.kind !== "timestamp type";
}

function timeOf({ timestamp = "2024-01-01T00:00:00Z" }: CallRow): Date {
  return new Date(timestamp);
}

function homeOf(text: string): string | undefined {
  try {
    return homeCall(text);
  } catch (error) {
    if (isHamkitError(error) && error.code === "callsign/none-in-text") return undefined;
    throw error;
  }
}

function tally(rows: readonly CallRow[], outcomeOf: (row: CallRow) => string | undefined) {
  const counts: Record<string, number> = {};
  const faults: string[] = [];
  for (const row of rows) {
    const outcome = outcomeOf(row);
    if (outcome === undefined) faults.push(`${row.call} (${row.kind})`);
    else counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return { counts, faults };
}
