import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { candidateKeys, type TableSection } from "../../src/lookup/candidate-keys.js";
import { identifyAt } from "../../src/lookup/identify.js";
import type { SearchedTable } from "../../src/lookup/source.js";
import type { CallsignRecord } from "../../src/lookup/record.js";

const RECORD: CallsignRecord = {
  country: "Testland",
  adif: 1,
  continent: "EU",
  latitude: 0,
  longitude: 0,
  cqz: 1,
};

/** A table that has what `has` says, and writes down what it is asked for. */
function recordingTable(has: (section: TableSection, key: string) => boolean): {
  table: SearchedTable;
  asked: Set<string>;
} {
  const asked = new Set<string>();
  const find = (section: TableSection, key: string): boolean => {
    asked.add(`${section} ${key}`);
    return has(section, key);
  };
  const record = (section: TableSection, key: string): CallsignRecord | undefined =>
    find(section, key) ? RECORD : undefined;
  const table: SearchedTable = {
    name: "recording",
    exact: (call) => record("calls", call),
    prefix: (prefix) => record("prefixes", prefix),
    longestPrefix(text, _at, minLength) {
      for (let length = text.length; length >= minLength; length--) {
        const found = record("prefixes", text.slice(0, length));
        if (found !== undefined) return { record: found, length };
      }
      return undefined;
    },
    isInvalidOperation: (call) => find("invalidOperations", call),
    zoneException: (call) => (find("zoneExceptions", call) ? 5 : undefined),
  };
  return { table, asked };
}

function candidates(text: string, at: number): Set<string> {
  return new Set(
    Object.entries(candidateKeys(text, at) ?? {}).flatMap(([section, keys]) =>
      (keys as string[]).map((key) => `${section} ${key}`),
    ),
  );
}

const PARTS = [
  "DL",
  "K",
  "W6",
  "KH6",
  "3D2",
  "R",
  "VK9",
  "VK9N",
  "3D2R",
  "C6A",
  "0",
  "X",
  "RT9V",
  "KG4AAA",
  "EA8",
  "JD1",
  "6",
  "P",
  "MM",
  "QRP",
  "B",
];
const CALLS = [
  "DH1TW",
  "W1AW",
  "UA9AAA",
  "VK9XO",
  "KG4AA",
  "W100AW",
  "7QAA",
  "E51ABC",
  "K1A",
  "TX5K",
  "VE3ABC",
  "4UNR",
  "HL22",
];

/** Parts of callsigns put together, and texts of a callsign's characters. */
const callsigns = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...PARTS, ...CALLS), fc.stringMatching(/^[A-Z0-9]{1,6}$/)), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join("/")),
  fc.stringMatching(/^[A-Z0-9/-]{0,14}$/),
  fc.string(),
);

const moments = fc.constantFrom(Date.UTC(1980, 0), Date.UTC(2006, 0, 1), Date.UTC(2026, 0));

describe("the candidate keys of a callsign", () => {
  it("contain every key that identifying it asks any table for", () => {
    fc.assert(
      fc.property(callsigns, moments, fc.func(fc.boolean()), fc.boolean(), (text, at, luck, isSparse) => {
        const { table, asked } = recordingTable((section, key) => !isSparse && luck(section, key));
        identifyAt(text, table, at);
        const known = candidates(text, at);
        expect([...asked].filter((key) => !known.has(key))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it("are the call and its prefixes", () => {
    expect(candidateKeys("dh1tw-9", 0)).toEqual({
      calls: ["DH1TW"],
      prefixes: ["D", "DH", "DH1", "DH1T", "DH1TW"],
      invalidOperations: ["DH1TW"],
      zoneExceptions: ["DH1TW"],
    });
  });

  it("are the lists only for stations at sea, and none for a text that cannot be a callsign", () => {
    expect(candidateKeys("DH1TW/MM", 0)).toMatchObject({ calls: [], prefixes: [] });
    expect(candidateKeys("no call", 0)).toBeUndefined();
  });
});
