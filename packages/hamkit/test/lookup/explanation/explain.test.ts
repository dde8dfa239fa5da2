/** Explanations with the embedded country file. */
import { readFileSync } from "node:fs";

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import {
  createLogXml,
  explain,
  identify,
  loadEmbeddedCountryFile,
  type Explanation,
} from "../../../src/lookup.js";
import type { TableSource } from "../../../src/lookup/source.js";
import { dataPath, hasGolden } from "../../golden.js";

const AT = new Date("2026-11-22T00:00:00Z");

let table: TableSource;

beforeAll(async () => {
  table = await loadEmbeddedCountryFile();
});

function explained(callsign: string, source: TableSource = table, at = AT): Explanation {
  return explain(callsign, { table: source, at });
}

/** A call, the rule at work, and the answer; the notes were written by hand from threads of other programs. */
interface Case {
  readonly id: number;
  readonly call: string;
  readonly rule: string;
  readonly hamkit: {
    readonly kind: string;
    readonly country?: string;
    readonly dxcc?: number;
    readonly cqz?: number;
    readonly ituz?: number;
    readonly matchedBy?: string;
    readonly match?: string;
  };
}

const cases = readFileSync(new URL("cases.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case);

describe("the published cases", () => {
  it.each(cases)("$id $call: $rule", ({ call, rule, hamkit }) => {
    const found = explained(call);
    const answer =
      found.kind === "identified"
        ? {
            kind: found.kind,
            country: found.record.country,
            dxcc: found.record.adif,
            cqz: found.record.cqz,
            ituz: found.record.ituz,
            matchedBy: found.matchedBy,
            match: found.match,
          }
        : { kind: found.kind };
    expect({ rule: found.rule, ...answer }).toEqual({ rule, ...hamkit });
  });
});

/** Whether the explanation has all that `identify` returns, and the entry is the one of the record. */
function agrees(callsign: string, source: TableSource, at = AT): boolean {
  const answer = identify(callsign, { table: source, at });
  const explanation = explain(callsign, { table: source, at });
  const { entry, overrides } = explanation;
  if (explanation.kind !== answer.kind) return false;
  if (explanation.kind !== "identified" || answer.kind !== "identified")
    return answer.kind !== "unknown" || entry === undefined;
  const isEqual =
    explanation.matchedBy === answer.matchedBy &&
    explanation.match === answer.match &&
    explanation.source === answer.source &&
    explanation.assumed === answer.assumed &&
    explanation.needsEntry === answer.needsEntry &&
    isSame(explanation.record, answer.record);
  if (answer.matchedBy === "suffix") return isEqual && entry === undefined;
  const section = answer.matchedBy === "callsign" ? "calls" : "prefixes";
  const { beacon: _, ...record } = answer.record;
  const zone = overrides.find(({ by }) => by === "zone-exception");
  const own = zone === undefined ? entry?.record : { ...entry?.record, cqz: zone.value };
  return isEqual && entry?.key === answer.match && entry.section === section && isSame(own, record);
}

/** By their members: the records of beacons and zone exceptions are copies. */
function isSame(one: object | undefined, other: object): boolean {
  const entries = Object.entries(other);
  if (one === other) return true;
  return (
    one !== undefined &&
    Object.keys(one).length === entries.length &&
    entries.every(([key, value]) => Reflect.get(one, key) === value)
  );
}

/** Calls, prefixes and suffixes in any order, most of which make no sense. */
const callsigns = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "DL1ABC",
        "KG4AB",
        "KG4ABC",
        "VK9XNA",
        "TX5K",
        "3Y0J",
        "KP5",
        "VP8DY",
        "UA9WAB",
        "HL22",
        "RAEM",
      ),
      fc.constantFrom(
        "P",
        "MM",
        "AM",
        "QRP",
        "B",
        "3",
        "9",
        "0",
        "LH",
        "R",
        "KH6",
        "VP9",
        "VK9N",
        "CE0Y",
        "3D2",
        "JO81",
      ),
      fc.stringMatching(/^[A-Z0-9]{1,2}[0-9][A-Z]{0,4}$/),
      fc.stringMatching(/^[A-Z0-9/-]{0,8}$/),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join("/"));

describe("explain and identify", () => {
  it("agree for calls made of random parts", () => {
    fc.assert(
      fc.property(callsigns, (callsign) => {
        expect(agrees(callsign, table)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it("agree for calls of the country file, with and without suffixes", () => {
    const calls = Array.from(table.content().calls, ({ key }) => key);
    const wrong = calls.flatMap((call, index) => {
      const suffix = ["", "/P", "/MM", "/3", "/QRP", "/VP9", "-9", "/B"][index % 8] ?? "";
      return [call, call + suffix].filter((callsign) => !agrees(callsign, table));
    });
    expect(calls.length).toBeGreaterThan(20_000);
    expect(wrong).toEqual([]);
  });

  it.skipIf(!hasGolden)("agree for the calls of a contest list, with two tables", () => {
    const calls = readFileSync(dataPath("MASTER.SCP"), "latin1")
      .split(/\r?\n/)
      .filter((line) => line !== "" && !line.startsWith("#"));
    const xml = createLogXml(readFileSync(dataPath("clublog-cty-2014-04-12.xml")));
    expect(calls.filter((call) => !agrees(call, table))).toEqual([]);
    const at = new Date("2005-06-01T00:00:00Z");
    expect(calls.filter((call) => !agrees(call, xml, at))).toEqual([]);
  });

  it.skipIf(!hasGolden)("agree for all calls of log XML, at the ends of their periods", () => {
    const xml = createLogXml(readFileSync(dataPath("clublog-cty-2014-04-12.xml")));
    const { calls, invalidOperations = [], zoneExceptions = [] } = xml.content();
    const wrong = [...calls, ...invalidOperations, ...zoneExceptions].flatMap(({ key, start, end }) => {
      const moments = [start ?? 0, (start ?? 0) - 1, end ?? AT.getTime(), (end ?? AT.getTime()) + 1000];
      return moments.filter((at) => !agrees(key, xml, new Date(at))).map((at) => `${key} ${at}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe("parts", () => {
  it.each([
    ["DH1TW", "DH1TW call", ""],
    ["dh1tw-9", "DH1TW call, -9 ssid", "-9"],
    ["HC2/DH1TW/P", "HC2 before, DH1TW call, P activity", "P"],
    ["VE1CWJ/VP9", "VE1CWJ call, VP9 after", ""],
    ["UA9WAB/9", "UA9WAB call, 9 own-area", "9"],
    ["UA9WAB/3/QRP", "UA9WAB call, 3 area, QRP same-station", "QRP"],
    ["W1AW/3/6", "W1AW call, 3 unused, 6 area", "3"],
    ["M0ABC/MM", "M0ABC call, MM maritime", ""],
    ["M0ABC/AM", "M0ABC call, AM aeronautical", ""],
    ["DB0XYZ/B", "DB0XYZ call, B beacon", "B"],
    ["3D2/R/DL1ABC", "3D2 before, R before, DL1ABC call", ""],
    ["ZL1EX/AY7W/P/5", "ZL1EX call, AY7W after, P activity, 5 area", "P"],
    ["JL3VUL/P3", "JL3VUL call, P3 own-area", "P3"],
    ["KK4YEL/P6", "KK4YEL call, P6 area", ""],
    ["AA5TL/OR", "AA5TL call, OR state", "OR"],
    ["DL1ABC-2/P", "DL1ABC call, -2 ssid, P activity", "-2, P"],
    // Of an entry of the whole callsign nothing is set aside.
    ["KH6AL/W6", "KH6AL call, W6 after", ""],
    ["DL8LAS-#", "DL8LAS call, -# spotter", "-#"],
    ["DL8LAS-3-#", "DL8LAS call, -3 ssid, -# spotter", "-3, -#"],
    ["DH1TW/P-@", "DH1TW call, P activity, -@ spotter", "P, -@"],
    ["", "", ""],
    ["INVALID", "", ""],
  ])("of %s", (callsign, parts, setAside) => {
    const found = explained(callsign);
    expect(found.parts.map(({ text, role }) => `${text} ${role}`).join(", ")).toBe(parts);
    expect(found.setAside.map(({ text }) => text).join(", ")).toBe(setAside);
  });
});

describe("certainty", () => {
  // The shared prefixes are those that the issues of other programs name: QLog 944 and 372, SliceLogger 63 and 40.
  it.each([
    ["3Y0PI", "shared-prefix", "3Y"],
    ["3Y0J", "exact-entry", "3Y"],
    ["TX9ZZZ", "shared-prefix", "TX"],
    ["TO0XX", "shared-prefix", "TO"],
    ["FO/DL1ABC", "shared-prefix", "FO"],
    ["VK0MA", "shared-prefix", "VK0"],
    ["VK9AB/P", "shared-prefix", "VK9"],
    ["KG4AB", "shared-prefix", "KG4"],
    ["KG4ABC", "shared-prefix", "KG4"],
    ["KP4AA", "shared-prefix", "KP4"],
    ["E51CZZ", "shared-prefix", "E5"],
    ["JD1BMH", "shared-prefix", "JD1"],
    ["4U1ZZZ", "shared-prefix", "4U"],
    ["R1ABC", "shared-prefix", "R1"],
    ["CE0AAA", "shared-prefix", "CE0"],
    ["4U1UN", "exact-entry", "4U"],
    ["TX5K/P", "assumed-entry", "TX"],
    // A longer prefix belongs to one of them.
    ["VK9XX", "single-entity", undefined],
    ["CE0ZA", "single-entity", undefined],
    ["FT5XO", "single-entity", undefined],
    ["RI1FJL", "single-entity", undefined],
    ["DL1ABC", "single-entity", undefined],
    ["KL7FQR/B", "exact-entry", undefined],
    ["M0ABC/MM", "no-entity", undefined],
    ["1M1A", "no-entry", undefined],
    ["INVALID", "no-entry", undefined],
  ])("of %s", (callsign, certainty, prefix) => {
    const found = explained(callsign);
    expect({ certainty: found.certainty, prefix: found.shared?.prefix }).toEqual({ certainty, prefix });
  });

  it("names the entities that share a prefix", () => {
    expect(explained("3Y0PI").shared?.entities).toEqual([
      { adif: 13, country: "Antarctica" },
      { adif: 24, country: "Bouvet" },
      { adif: 199, country: "Peter 1 Island" },
    ]);
    expect(explained("4U1ZZZ").shared?.entities).toEqual([]);
  });
});

describe("entries", () => {
  it("name key, source and date", () => {
    expect(explained("VP9/VE1CWJ")).toMatchObject({
      entry: { section: "prefixes", key: "VP9", record: { adif: 64 } },
      source: "embedded country file VER20260530",
      sourceDate: "2026-05-30",
    });
    expect(explained("KP5/NP3VI").entry).toMatchObject({ section: "calls", key: "KP5/NP3VI" });
  });

  it("name the text that was searched, if it is no part of the callsign", () => {
    expect(explained("W1AW/3").searched).toBe("W3");
    expect(explained("VK9XNA").searched).toBe("VK9N");
    expect(explained("KG4ABC").searched).toBe("K4");
    expect(explained("DL1ABC").searched).toBeUndefined();
    expect(explained("EA8/DL1ABC").searched).toBeUndefined();
  });

  it.each([
    [
      "W6ABC",
      [
        ["cqz", 3, 5],
        ["ituz", 6, 8],
      ],
    ],
    [
      "UA0Y",
      [
        ["cqz", 23, 17],
        ["ituz", 32, 30],
      ],
    ],
    ["IT9ABC", [["country", "Sicily", "Italy"]]],
    ["KC4USV", [["cqz", 30, 12]]],
    ["DL1ABC", []],
  ])("tell what differs from the entity: %s", (callsign, expected) => {
    const { overrides } = explained(callsign);
    const shown = overrides.filter(({ field }) => field !== "position");
    expect(shown.map(({ field, value, usual }) => [field, value, usual])).toEqual(expected);
    expect(overrides.every(({ by }) => by === "entry")).toBe(true);
  });

  it("tell what was passed over, and why", () => {
    const lost = (callsign: string) =>
      explained(callsign).passedOver.map(({ key, reason, record }) => `${key} ${record.adif} ${reason}`);
    expect(lost("3Y0J")).toEqual(["3Y 13 entry-first"]);
    expect(lost("VK9XX")).toEqual(["VK9 189 shorter-prefix", "VK 150 shorter-prefix"]);
    expect(lost("VE1CWJ/VP9")).toEqual(["VE 1 other-part"]);
    expect(lost("KL7FQR/P")).toEqual(["KL7FQR 291 may-be-away", "K 291 shorter-prefix"]);
    expect(lost("HC2/DH1TW")).toEqual([]);
    // Both parts have the prefix that decides.
    expect(lost("DL1ABC/DL")).toEqual([]);
    expect(lost("INVALID")).toEqual([]);
  });
});

describe("unknown callsigns", () => {
  it.each([
    ["", "not-a-callsign-text"],
    ["DL1ABC?", "not-a-callsign-text"],
    ["A".repeat(31), "not-a-callsign-text"],
    ["INVALID", "no-call-form"],
    ["DL1ABC//P", "no-call-form"],
    ["1M1A", "no-entry"],
  ])("have a reason: %j", (callsign, reason) => {
    expect(explained(callsign)).toMatchObject({
      kind: "unknown",
      rule: "none",
      reason,
      certainty: "no-entry",
    });
  });
});

describe("arguments", () => {
  it.each([
    ["no table", () => explain("DL1ABC", {}), "argument/wrong-type"],
    ["no options", () => explain("DL1ABC", undefined as never), "argument/wrong-type"],
    ["an empty list of tables", () => explain("DL1ABC", { tables: [] }), "argument/wrong-type"],
    ["no text", () => explain(5 as never, { table }), "argument/wrong-type"],
    ["no date", () => explain("DL1ABC", { table, at: new Date("x") }), "argument/invalid"],
  ])("are checked: %s", (_, call, code) => {
    expect(call).toThrow(expect.objectContaining({ code }));
  });

  it("may have a table that has no list of entries by key", () => {
    const plain: TableSource = { ...table };
    delete plain.entries;
    expect(explained("VK9XX", plain)).toMatchObject({
      entry: { key: "VK9X" },
      passedOver: [{ key: "VK9" }, { key: "VK" }],
    });
    expect(explained("3Y0J", plain).entry).toMatchObject({ section: "calls", key: "3Y0J" });
  });
});
