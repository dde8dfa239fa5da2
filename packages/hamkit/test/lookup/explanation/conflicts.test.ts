/** Sources that differ, periods, and the words of explanations. */
import { beforeAll, describe, expect, it } from "vitest";

import {
  createLogXml,
  explain,
  explanationText,
  identify,
  loadEmbeddedCountryFile,
  type Conflict,
  type ExplainOptions,
  type Explanation,
  type TableSource,
} from "../../../src/lookup.js";

const AT = new Date("2026-11-22T00:00:00Z");

function xmlEntry(name: string, record: number, call: string, facts: string, period = ""): string {
  return `<${name} record='${record}'><call>${call}</call>${facts}${period}</${name}>`;
}

function xmlFacts(entity: string, adif: number, cont: string, cqz: number): string {
  return `<entity>${entity}</entity><adif>${adif}</adif><cqz>${cqz}</cqz><cont>${cont}</cont><long>0</long><lat>0</lat>`;
}

const NIUE = xmlFacts("NIUE", 188, "OC", 32);
const ZEALAND = xmlFacts("NEW ZEALAND", 170, "OC", 32);
const FALKLANDS = xmlFacts("FALKLAND ISLANDS", 141, "SA", 13);
const SHETLANDS = xmlFacts("SOUTH SHETLAND ISLANDS", 241, "SA", 13);
const USA = xmlFacts("UNITED STATES OF AMERICA", 291, "NA", 5);

/** Written for these tests: Niue's prefix until 2011, an operation of 1980, a zone, an invalid operation. */
const LOG_XML = `<clublog date='2026-02-01T00:00:00+00:00'>
<exceptions>
${xmlEntry("exception", 4, "VP8DY", FALKLANDS)}
${xmlEntry("exception", 9, "VP8DY", SHETLANDS, "<start>1980-01-01T00:00:00+00:00</start><end>1980-12-31T23:59:59+00:00</end>")}
${xmlEntry("exception", 5, "K5K", USA, "<start>2006-01-01T00:00:00+00:00</start><end>2006-01-31T12:00:00+00:00</end>")}
${xmlEntry("exception", 6, "K5K", NIUE, "<start>2006-01-01T00:00:00+00:00</start><end>2006-01-31T12:00:00+00:00</end>")}
</exceptions>
<prefixes>
${xmlEntry("prefix", 1, "ZK", ZEALAND)}
${xmlEntry("prefix", 2, "ZK2", NIUE, "<end>2011-08-31T23:59:59+00:00</end>")}
${xmlEntry("prefix", 3, "VP8", FALKLANDS)}
${xmlEntry("prefix", 8, "K", USA)}
${xmlEntry("prefix", 9, "1Z", "<entity>INVALID</entity>")}
</prefixes>
<invalid_operations><invalid record='1'><call>T88A</call></invalid></invalid_operations>
<zone_exceptions><zone_exception record='1'><call>K7ABC</call><zone>3</zone></zone_exception></zone_exceptions>
</clublog>`;

let cty: TableSource;
const xml = createLogXml(LOG_XML, { name: "cty.xml" });

beforeAll(async () => {
  cty = await loadEmbeddedCountryFile();
});

function about(callsign: string, options: ExplainOptions = { table: cty }): Explanation {
  return explain(callsign, { at: AT, ...options });
}

function conflict<Kind extends Conflict["kind"]>(
  { conflicts }: Explanation,
  kind: Kind,
): Extract<Conflict, { kind: Kind }> | undefined {
  return conflicts.find((one): one is Extract<Conflict, { kind: Kind }> => one.kind === kind);
}

describe("periods", () => {
  it("are those of the entry, as dates", () => {
    const at = new Date("2005-01-01T00:00:00Z");
    expect(about("ZK2KK", { table: xml, at })).toMatchObject({
      entry: { key: "ZK2", end: new Date("2011-08-31T23:59:59Z"), id: 2 },
      source: "cty.xml",
      sourceDate: "2026-02-01",
      passedOver: [{ key: "ZK", reason: "shorter-prefix" }],
    });
  });

  it("exclude entries, which are named", () => {
    expect(about("ZK2KK", { table: xml })).toMatchObject({
      record: { adif: 170 },
      entry: { key: "ZK" },
      passedOver: [{ key: "ZK2", reason: "other-period", record: { adif: 188 } }],
    });
  });

  it("decide before entries without one", () => {
    const explanation = about("VP8DY", { table: xml, at: new Date("1980-06-01T00:00:00Z") });
    expect(explanation).toMatchObject({ record: { adif: 241 }, entry: { id: 9 } });
    expect(explanation.passedOver).toMatchObject([
      { section: "calls", id: 4, reason: "undated" },
      { section: "prefixes", key: "VP8", reason: "entry-first" },
    ]);
  });

  it("decide by number where they are equal", () => {
    const explanation = about("K5K", { table: xml, at: new Date("2006-01-10T00:00:00Z") });
    expect(explanation.passedOver[0]).toMatchObject({ id: 6, reason: "higher-number" });
  });
});

describe("lists of log XML", () => {
  it("are named where they decide", () => {
    expect(about("T88A", { table: xml })).toMatchObject({
      kind: "invalid-operation",
      rule: "invalid operation",
      certainty: "exact-entry",
    });
    expect(about("1Z9I", { table: xml })).toMatchObject({
      kind: "invalid-operation",
      rule: "invalid operation",
      certainty: "no-entity",
      entry: { key: "1Z" },
    });
    expect(explanationText(about("1Z9I", { table: xml }))).toContain("does not count for DXCC");
    expect(about("K7ABC", { table: xml })).toMatchObject({
      record: { cqz: 3 },
      entry: { record: { cqz: 5 } },
      overrides: [{ by: "zone-exception", field: "cqz", value: 3, usual: 5 }],
    });
  });
});

describe("several sources", () => {
  it("are asked in their order, and the first that knows the callsign answers", () => {
    expect(about("DL1ABC", { tables: [xml, cty] })).toMatchObject({
      source: cty.name,
      record: { adif: 230 },
      others: [{ source: "cty.xml", answer: { kind: "unknown" }, differs: ["answer"] }],
    });
    expect(about("QQ0QQ", { tables: [xml, cty] })).toMatchObject({ kind: "unknown", source: "cty.xml" });
  });

  it("are compared in entity, continent and zones, but for zones that one of them lacks", () => {
    const [other] = about("VP8ABC", { tables: [cty, xml] }).others;
    expect(other).toMatchObject({
      source: "cty.xml",
      sourceDate: "2026-02-01",
      differs: [],
      entry: { key: "VP8" },
    });
    const [zones] = about("K7ABC", { tables: [cty, xml] }).others;
    expect(zones?.differs).toEqual([]);
    const [w6] = about("K6ABC", { tables: [cty, xml] }).others;
    expect(w6?.differs).toEqual(["cqz"]);
  });
});

describe("conflicts", () => {
  it("shared-prefix: 3Y, TX, KG4, E5, FO", () => {
    for (const callsign of ["3Y0PI", "TX9ZZZ", "KG4AB", "E51CZZ", "FO/DL1ABC"])
      expect(conflict(about(callsign), "shared-prefix")).toBeDefined();
    expect(conflict(about("3Y0J"), "shared-prefix")).toBeUndefined();
  });

  it("change-with-time: a prefix of Niue until 2011", () => {
    const found = conflict(about("ZK2KK", { tables: [cty, xml] }), "change-with-time");
    expect(found?.entries).toMatchObject([{ source: "cty.xml", key: "ZK2", record: { adif: 188 } }]);
    expect(conflict(about("ZK2KK"), "change-with-time")).toBeUndefined();
  });

  it("postal-country: the address of a callbook", () => {
    const record = { callsign: "KP4AA", country: "United States", land: "Puerto Rico", adif: 202, cqz: 8 };
    const answer = {
      kind: "identified",
      record,
      matchedBy: "service",
      match: "KP4AA",
      source: "callbook",
    } as const;
    const explanation = about("KP4AA", { table: cty, answers: [{ source: "callbook", answer }] });
    expect(conflict(explanation, "postal-country")).toEqual({
      kind: "postal-country",
      source: "callbook",
      postal: "United States",
    });
    expect(explanation.others[0]?.differs).toEqual([]);
    expect(explanationText(explanation)).toContain("callbook: agrees: Puerto Rico, DXCC 202, CQ 8");
  });

  it("unknown-to-some: only one source has the callsign", () => {
    expect(conflict(about("DL1ABC", { tables: [cty, xml] }), "unknown-to-some")?.sources).toEqual([
      "cty.xml",
    ]);
    const answer = {
      kind: "identified",
      record: { adif: 247 },
      matchedBy: "service",
      match: "1M1A",
      source: "log",
    } as const;
    const explanation = about("1M1A", { table: cty, answers: [{ source: "log", answer }] });
    expect(conflict(explanation, "unknown-to-some")?.sources).toEqual([cty.name]);
    expect(conflict(about("VP8ABC", { tables: [cty, xml] }), "unknown-to-some")).toBeUndefined();
  });

  it("sources-differ: the same call in two tables", () => {
    expect(conflict(about("K6ABC", { tables: [cty, xml] }), "sources-differ")).toEqual({
      kind: "sources-differ",
      source: "cty.xml",
      differs: ["cqz"],
    });
    const invalid = about("T88A", { tables: [cty, xml] });
    expect(conflict(invalid, "sources-differ")?.differs).toEqual(["answer"]);
  });

  it.each([
    ["VE1CWJ/VP9", "VE1CWJ", 1],
    ["M0ABC/MM", "MM", 279],
    ["M0ABC/AM", "AM", 281],
    ["DL1ABC/LH", "LH", 266],
    ["UA9ABC/3", "UA9ABC", 15],
    ["RT9V/W2PE", "W2PE", 291],
    ["JL3VUL/P3", "P3", 215],
    ["AA5TL/OR", "OR", 209],
  ])("suffix-or-prefix: %s", (callsign, text, adif) => {
    const readings = conflict(about(callsign), "suffix-or-prefix")?.readings ?? [];
    expect(readings.map((one) => ({ text: one.text, adif: one.record.adif }))).toEqual([{ text, adif }]);
  });

  it.each(["HC2/DH1TW", "DL1ABC/P", "DL1ABC", "W1AW/6", "KP5/NP3VI"])(
    "none of two readings: %s",
    (callsign) => {
      expect(conflict(about(callsign), "suffix-or-prefix")).toBeUndefined();
    },
  );

  it.each([
    ["IT9ABC", "Sicily", 248, "Italy"],
    ["4U1A", "Vienna Intl Ctr", 206, "Austria"],
    ["TA1ABC", "European Turkey", 390, "Asiatic Turkey"],
  ])("not-for-dxcc: %s", (callsign, country, adif, dxcc) => {
    expect(conflict(about(callsign), "not-for-dxcc")).toEqual({
      kind: "not-for-dxcc",
      country,
      dxcc: { adif, country: dxcc },
    });
  });

  it("default-zone: entities of several zones, where the prefix gives one", () => {
    expect(conflict(about("W1ABC"), "default-zone")).toEqual({
      kind: "default-zone",
      cqz: 5,
      zones: [3, 4, 5],
    });
    expect(conflict(about("VE2ABC"), "default-zone")?.zones).toContain(2);
    expect(conflict(about("DL1ABC"), "default-zone")).toBeUndefined();
    expect(conflict(about("K7ABC", { table: xml }), "default-zone")).toBeUndefined();
  });

  it.each([
    ["RU4H", "prefix"],
    ["E2E", "prefix"],
    ["FT8WW", "mode"],
    ["FT4TA", "mode"],
    ["RR7A", "message"],
    ["HL22", "locator"],
    ["DL1ABC", undefined],
    ["TX5K/P", "prefix"],
  ])("looks-like: %s", (callsign, looksLike) => {
    expect(conflict(about(callsign), "looks-like")?.looksLike).toBe(looksLike);
  });

  it("never change the answer", () => {
    for (const callsign of ["T88A", "ZK2KK", "IT9ABC", "KG4AB"])
      expect(about(callsign, { tables: [cty, xml] })).toMatchObject(
        identify(callsign, { table: cty, at: AT }),
      );
  });
});

describe("the text", () => {
  it("names answer, parts, entry, source, certainty and what was passed over", () => {
    expect(explanationText(about("VE1CWJ/VP9")).split("\n")).toEqual([
      "VE1CWJ/VP9",
      "Answer       Bermuda, DXCC 64, NA, CQ 5, ITU 11",
      "Parts        VE1CWJ the call; VP9 behind the call",
      "Decided by   the prefix behind the call",
      "Matched      prefix VP9",
      "Source       embedded country file VER20260530 of 2026-05-30",
      "Certainty    the prefix belongs to one entity",
      "Passed over  prefix VE, Canada: another part names the place",
      "Look twice   VE1CWJ could be read as Canada",
    ]);
  });

  it("names periods", () => {
    const text = explanationText(about("K5K", { tables: [xml, cty], at: new Date("2006-02-01T00:00:00Z") }));
    expect(text).toContain("call K5K from 2006-01-01 to 2006-01-31 12:00:00, NIUE: not valid at that time");
  });

  it("is one line more for an unknown text, without its control characters", () => {
    expect(explanationText(about("\u001B[31mX"))).toBe(
      '"\\u001b[31mX"\nAnswer  unknown: callsigns have 1 to 30 characters of A-Z, 0-9, / and -\nSource  ' +
        "embedded country file VER20260530 of 2026-05-30",
    );
  });

  it("has no control characters of a text, nor more than 40 of its characters", () => {
    const [heading = "", ...lines] = explanationText(about(`\u202E\u0085${"x".repeat(10_000)}`)).split("\n");
    expect(heading).toBe(`"\uFFFD\uFFFD${"x".repeat(38)}..."`);
    expect(lines.length).toBe(2);
  });

  it("has a bounded number of lines, however many entries were passed over", () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      xmlEntry("exception", index + 1, "K5K", USA, `<start>${2100 + index}-01-01T00:00:00+00:00</start>`),
    );
    const source = createLogXml(`<clublog><exceptions>${many.join("")}</exceptions></clublog>`);
    const text = explanationText(about("K5K", { table: source }));
    expect(text.split("\n").length).toBeLessThan(15);
    expect(text).toContain("Passed over  194 more entries");
  });
});
