import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ArgumentTypeError, LogXmlError } from "../../src/errors.js";
import { identify } from "../../src/lookup/identify.js";
import type { TableSource } from "../../src/lookup/source.js";
import type { LogXmlEntry, LogXmlSink } from "../../src/log-xml/log-xml-entry.js";
import { parseLogXml, createLogXml } from "../../src/log-xml/log-xml.js";
import { scanLogXml } from "../../src/log-xml/log-xml-scan.js";
import { dataPath, hasGolden } from "../golden.js";

const small = readFileSync(new URL("../fixtures/small-log.xml", import.meta.url), "utf8");

/** What a reader hands over. */
function collector() {
  const entries: LogXmlEntry[] = [];
  const faults: string[] = [];
  let date: string | undefined;
  const sink: LogXmlSink = {
    entry: (entry) => entries.push(entry),
    fault: (section, problem) => faults.push(`${section}: ${problem}`),
    date: (text) => {
      date = text;
    },
  };
  return { sink, result: () => ({ date, faults, entries: entries.map(comparable) }) };
}

/** The scanner finds some periods among the facts, and says otherwise that there is none. */
function comparable({ facts, period, ...entry }: LogXmlEntry): object {
  const { start: _start, end: _end, ...others } = facts;
  return { ...entry, start: period.start, end: period.end, facts: others };
}

function scanned(text: string): object | undefined {
  const { sink, result } = collector();
  return scanLogXml(text, sink) ? result() : undefined;
}

function parsed(text: string): object {
  const { sink, result } = collector();
  parseLogXml(text, "text", sink);
  return result();
}

function parsedOrNot(text: string): object | undefined {
  try {
    return parsed(text);
  } catch {
    return undefined;
  }
}

function failureOf(text: string): LogXmlError {
  try {
    createLogXml(text, { name: "cty.xml" });
  } catch (failure) {
    if (failure instanceof LogXmlError) return failure;
    throw failure;
  }
  throw new Error("No failure");
}

function about(callsign: string, at: string, table: TableSource = createLogXml(small)): string {
  const answer = identify(callsign, { table, at: new Date(at) });
  if (answer.kind !== "identified") return answer.kind;
  const { record, needsEntry } = answer;
  return `${record.country} ${record.cqz}${needsEntry ? ", needs an entry" : ""}`;
}

describe("createLogXml", () => {
  const table = createLogXml(small, { name: "small-log.xml" });

  it("tells what it was made of", () => {
    expect(table).toMatchObject({
      name: "small-log.xml",
      date: "2026-02-01",
      size: 11,
      skipped: 0,
      entityCount: 5,
    });
  });

  it("has longitude east positive, as the file", () => {
    expect(table.prefix("VE8", Date.UTC(2020, 0, 1))).toEqual({
      country: "CANADA",
      adif: 1,
      cqz: 1,
      continent: "NA",
      longitude: -80,
      latitude: 45,
    });
  });

  it("has entities, deleted ones too, with names unescaped", () => {
    expect(table.entity(218)).toMatchObject({ country: "CZECHOSLOVAKIA", deleted: true, prefix: "OK" });
    expect(table.entity(4)?.country).toBe("AGALEGA & ST BRANDON ISLANDS");
    expect(table.entity(999)).toBeUndefined();
  });

  it.each([
    ["OK1ABC", "1992-12-31T23:59:59.999Z", "CZECHOSLOVAKIA 15"],
    ["OK1ABC", "1993-01-01T00:00:00.000Z", "CZECH REPUBLIC 15"],
    ["OK/DL1ABC", "1992-12-31T23:59:59Z", "CZECHOSLOVAKIA 15"],
    ["3B8/OK1X", "2020-05-01T00:00:00Z", "AGALEGA & ST BRANDON ISLANDS 39"],
    ["3B8/OK1X", "2020-05-31T23:59:59.5Z", "AGALEGA & ST BRANDON ISLANDS 39"],
    ["3B8/OK1X", "2020-06-01T00:00:00Z", "unknown"],
  ])("includes both ends of a period, by whole seconds: %s at %s", (callsign, at, expected) => {
    expect(about(callsign, at)).toBe(expected);
  });

  it("changes a copy for a zone exception, so that other calls keep their zone", () => {
    expect(about("VE8EV", "2020-01-01", table)).toBe("CANADA 2");
    expect(about("VE8AB", "2020-01-01", table)).toBe("CANADA 1");
    expect(about("VE8EV", "2030-01-01", table)).toBe("CANADA 1");
    expect(table.zoneException?.("VE8EV", Date.UTC(2020, 0, 1))).toBe(2);
  });

  it("knows operations that don't count, and tells them from unknown calls (invalid-operations-are-told-apart)", () => {
    expect(about("OK9BAD", "1995-06-01", table)).toBe("invalid-operation");
    expect(about("OK9BAD", "1996-06-01", table)).toBe("CZECH REPUBLIC 15");
    expect(about("QQ1ABC", "1995-06-01", table)).toBe("unknown");
    expect(table.isInvalidOperation?.("OK9BAD", Date.UTC(1995, 5, 1))).toBe(true);
  });

  it("has records of unassigned prefixes and of stations at sea", () => {
    expect(about("1Z9I", "2020-01-01", table)).toBe("invalid-operation");
    expect(table.prefix("1Z", 0)).toEqual({ country: "INVALID" });
    expect(about("VE0ABC", "2020-01-01", table)).toBe("MARITIME MOBILE undefined");
  });

  it("doesn't count a beacon under an unassigned prefix (invalid-prefixes)", () => {
    expect(about("1Z9I/B", "2020-01-01", table)).toBe("invalid-operation");
    expect(about("1Z/OK1ABC/BCN", "2020-01-01", table)).toBe("invalid-operation");
    expect(identify("OK1ABC/B", { table })).toMatchObject({
      record: { country: "CZECH REPUBLIC", beacon: true },
    });
  });

  it("reports stations that are not listed where only listed ones count (unlisted-stations-are-reported)", () => {
    expect(about("KH4AB", "2020-01-01", table)).toBe("MIDWAY ISLAND 31, needs an entry");
    expect(about("KH4AB", "1970-01-01", table)).toBe("MIDWAY ISLAND 31");
    expect(about("KH4/N0CALL", "2020-01-01", table)).toBe("MIDWAY ISLAND 31");
  });

  it("takes the entry with the lowest number where several hold", () => {
    expect(about("OK5TWO", "2020-01-01", table)).toBe("CANADA 5");
  });

  it("reads bytes, with a byte order mark and an XML declaration too (log-xml-is-xml)", () => {
    const bytes = new TextEncoder().encode(`\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n${small}`);
    expect(createLogXml(bytes).size).toBe(table.size);
  });

  it("reads a file on one line (log-xml-is-xml)", () => {
    expect(createLogXml(small.replaceAll(/>\s+</g, "><")).size).toBe(table.size);
  });

  it("reads sections with one entry or none (log-xml-is-xml)", () => {
    const one = /<prefix record.*?<\/prefix>/s.exec(small)?.[0] ?? "";
    const file = `<clublog date='2020-01-01'><entities/><prefixes>${one}</prefixes><exceptions></exceptions></clublog>`;
    expect(createLogXml(file).size).toBe(1);
  });

  it("skips sections that it doesn't know", () => {
    const file = small.replace("<prefixes>", "<news><item><call>X</call></item></news><prefixes>");
    expect(createLogXml(file).size).toBe(table.size);
  });

  it("leaves out entries that can't be used, with a warning for each of the first", () => {
    const bad = [
      "<call>BAD CALL</call><entity>X</entity><adif>1</adif><cqz>5</cqz><cont>NA</cont><long>1</long><lat>1</lat>",
      "<call>A1</call><entity>X</entity><adif>1</adif><cqz>41</cqz><cont>NA</cont><long>1</long><lat>1</lat>",
      "<call>A2</call><entity>X</entity><adif>1</adif><cqz>5</cqz><cont>XX</cont><long>1</long><lat>1</lat>",
      "<call>A3</call><entity>X</entity><adif>1</adif><cqz>5</cqz><cont>NA</cont><long></long><lat>1</lat>",
      "<call>A4</call><entity>X</entity><adif>1</adif><cqz>5</cqz><cont>NA</cont><long>1</long><lat>1</lat><end>soon</end>",
    ].map((fields, index) => `<prefix record='${100 + index}'>${fields}</prefix>`);
    const warnings: string[] = [];
    const file = createLogXml(small.replace("<prefixes>", `<prefixes>${bad.join("\n")}`), {
      name: "cty.xml",
      warn: (message) => warnings.push(message),
    });
    expect([file.size, file.skipped]).toEqual([table.size, 5]);
    expect(warnings).toEqual([
      'cty.xml: left out an entry of prefixes: expected a call or prefix of A-Z, 0-9, / and -, found "BAD CALL"',
      'cty.xml: left out an entry of prefixes: expected cqz from 0 to 40, found "41"',
      'cty.xml: left out an entry of prefixes: expected cont, a continent, found "XX"',
      'cty.xml: left out an entry of prefixes: expected long from -180 to 180 degrees, found ""',
      'cty.xml: left out an entry of prefixes: expected a date such as 2013-11-15T00:00:00+00:00, found "soon"',
    ]);
  });

  it("refuses half a file, and tells where it ends", () => {
    const half = failureOf(small.slice(0, small.length / 2));
    expect(half).toMatchObject({ code: "log-xml/unreadable", file: "cty.xml" });
    expect(half.line).toBeGreaterThan(20);
    expect(half.message).toMatch(/^cty\.xml, line \d+: expected XML, found unclosed tag/);
  });

  it.each([
    ["a page of HTML", "<html><body>Invalid or missing API Key</body></html>", "a clublog element"],
    ["plain text", "Invalid or missing API Key", "XML"],
    ["nothing", "", "XML"],
    ["a file without entries", "<clublog date='2020-01-01'></clublog>", "calls and prefixes"],
  ])("refuses %s", (_, text, expected) => {
    expect(failureOf(text).expected).toBe(expected);
  });

  it("refuses a document type declaration, and so every entity that it could declare", () => {
    const bomb = `<!DOCTYPE clublog [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${small.replace("CANADA", "&b;")}`;
    expect(failureOf(bomb).expected).toBe("no document type declaration");
  });

  it.each([
    ["an unknown entity", ">CAN&eacute;ADA<"],
    ["the name of an object's member as an entity", ">&constructor;<"],
    ["a character that may not be in XML", ">CANADA\u0001<"],
    ["an unknown section that is not well-formed", "></entity></entity_list><news><a></b></news><"],
  ])("refuses %s, with the line", (_, content) => {
    const fault = failureOf(small.replace(">CANADA<", content));
    expect(fault.expected).toBe("XML");
    expect(fault.line).toBeGreaterThan(1);
  });

  it("refuses what is neither text nor bytes", () => {
    expect(() => createLogXml(42 as unknown as string)).toThrow(ArgumentTypeError);
  });
});

describe("scanLogXml", () => {
  it("reads the layout of the service as the parser does", () => {
    expect(scanned(small)).toEqual(parsed(small));
    expect(scanned(small.replaceAll(/>\s+</g, "><"))).toEqual(parsed(small));
  });

  it.skipIf(!hasGolden)("reads the real file as the parser does", () => {
    const text = readFileSync(dataPath("clublog-cty-2014-04-12.xml"), "utf8");
    expect(scanned(text)).toBeDefined();
    expect(scanned(text)).toEqual(parsed(text));
  });

  it.each([
    ["comments", small.replace("<prefixes>", "<prefixes><!-- <prefix> -->")],
    ["CDATA", small.replace(">CANADA<", "><![CDATA[CANADA]]><")],
    ["attributes that it doesn't know", small.replace("<entity>CANADA", "<entity lang='en'>CANADA")],
    ["character references", small.replace(">CANADA<", ">CANAD&#65;<")],
    ["elements in elements", small.replace(">CANADA<", "><b>CANADA</b><")],
    ["the end of February", small.replace("1992-12-31T23", "1992-02-30T23")],
  ])("leaves %s to the parser", (_, text) => {
    expect(text).not.toBe(small);
    expect(scanned(text)).toBeUndefined();
    expect(() => parsed(text)).not.toThrow();
  });

  it("answers as the parser or not at all, whatever is changed in a file", () => {
    const place = fc.nat({ max: small.length - 1 });
    const piece = fc.constantFrom(
      "",
      "<",
      ">",
      "&",
      "'",
      "/",
      " ",
      "x",
      "</call>",
      "<end>",
      "<call>",
      "\n",
      "<!--",
      "&lt;",
      "]]>",
      "\r",
      "\u0001",
      "\u00a0",
    );
    fc.assert(
      fc.property(place, fc.nat({ max: 12 }), piece, (start, length, inserted) => {
        const text = small.slice(0, start) + inserted + small.slice(start + length);
        return isDeepStrictEqual(scanned(text) ?? parsedOrNot(text), parsedOrNot(text));
      }),
      { numRuns: 2000 },
    );
    expect(parsedOrNot("<clublog>")).toBeUndefined();
  });
});
