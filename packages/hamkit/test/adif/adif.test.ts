import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseAdif, readAdif, repairAdif, undoRepairs, validateRecord } from "../../src/adif.js";

const rulesOf = (record: Record<string, string>) =>
  validateRecord(record).map(({ rule, field }) => `${field} ${rule}`);

describe("parseAdif", () => {
  it("takes the declared length, even if it contains the next tag", () => {
    const { records, findings } = parseAdif("<CALL:6>DL1ABC<NAME:20>Hans<QTH:6>Berlin<BAND:3>20m<EOR>");
    expect(records).toEqual([{ CALL: "DL1ABC", NAME: "Hans<QTH:6>Berlin<BA" }]);
    expect(findings).toMatchObject([{ rule: "length-too-long", field: "NAME", record: 0 }]);
  });

  it("takes the declared length, even if the value goes on", () => {
    const { records, findings } = parseAdif("<CALL:6>DL1ABC<NAME:3>Hans<BAND:3>20m<EOR>");
    expect(records).toEqual([{ CALL: "DL1ABC", NAME: "Han", BAND: "20m" }]);
    expect(findings).toMatchObject([{ rule: "length-too-short" }]);
  });

  it("keeps the last record of a truncated file, and reports it", () => {
    const { records, findings } = parseAdif("<CALL:6>DL1ABC<EOR><CALL:5>DH1TW");
    expect(records).toEqual([{ CALL: "DL1ABC" }, { CALL: "DH1TW" }]);
    expect(findings).toMatchObject([{ level: "warning", rule: "eor-missing", record: 1 }]);
  });

  it("never throws on text, and terminates", () => {
    const tag = fc.constantFrom(
      "<CALL:3>",
      "<EOR>",
      "<EOH>",
      "<A:-1>",
      "<ADX>",
      "<RECORD>",
      "é",
      "\0",
      "<",
      ">",
      "AB",
    );
    const text = fc.array(tag).map((parts) => parts.join(""));
    expect(() => fc.assert(fc.property(text, (each) => void repairAdif(each)))).not.toThrow();
    expect(() => fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseAdif(bytes)))).not.toThrow();
  });

  it("rejects other types with the value and what is expected", () => {
    expect(() => parseAdif(5 as never)).toThrow("input: 5 is not the bytes of an ADIF file, or its text");
  });
});

describe("readAdif", () => {
  it("does not wait for the end of the file", async () => {
    const record = `<CALL:5>DH1TW<COMMENT:5000>${"x".repeat(5000)}<EOR>\n`;
    let pulled = 0;
    function* endless(): Generator<string> {
      for (;;) {
        pulled++;
        yield record;
      }
    }
    let read = 0;
    for await (const { index } of readAdif(endless())) {
      read = index + 1;
      if (read === 1000) break;
    }
    expect(read).toBe(1000);
    expect(pulled).toBeLessThan(1010);
  });

  it("reads characters that are cut by the end of a piece", async () => {
    const bytes = new TextEncoder().encode("<NAME:7>Jürgen<QTH:5>Köln<EOR>");
    const records = [];
    for await (const { record } of readAdif(Array.from(bytes, (byte) => Uint8Array.of(byte))))
      records.push(record);
    expect(records).toEqual([{ NAME: "Jürgen", QTH: "Köln" }]);
  });

  it("rejects what is not iterable", async () => {
    await expect(readAdif(5 as never).next()).rejects.toThrow("stream: 5 is not an iterable");
  });
});

describe("validateRecord", () => {
  it.each([
    [{ QSO_DATE: "20260230" }, "QSO_DATE date-impossible"],
    [{ QSO_DATE: "20240229" }, undefined],
    [{ TIME_ON: "2359" }, undefined],
    [{ STATE: "WI", DXCC: "1" }, "STATE state-unknown"],
    [{ STATE: "anything", DXCC: "7777" }, "DXCC dxcc-unknown"],
    [{ MY_STATE: "WI", MY_DXCC: "291" }, undefined],
    [{ CNTY: "Bavaria", DXCC: "230" }, undefined],
    [{ CNTY: "AK,Aleutians East", DXCC: "6" }, undefined],
    [{ ANT_AZ: "370" }, "ANT_AZ ant-az-range"],
    [{ KEY: "x", K_INDEX: "10" }, "K_INDEX k-index"],
    [{ VUCC_GRIDS: "EN98,FM08,EM97,FM07" }, "VUCC_GRIDS grid-form"],
    [{ VUCC_GRIDS: "EM98,FM08,EM97,FM07" }, undefined],
    [{ VUCC_GRIDS: "RJ90,AJ00" }, undefined],
    [{ CREDIT_SUBMITTED: "DXCC:CARD&FAX" }, "CREDIT_SUBMITTED credit-form"],
    [{ CREDIT_SUBMITTED: "IOTA,WAS:LOTW&CARD" }, undefined],
    [{ PROP_MODE: "XX" }, "PROP_MODE enumeration-value"],
    [{ CONTEST_ID: "MY-CLUB-SPRINT" }, undefined],
    [{ MODE: "MFSK", SUBMODE: "NEW1" }, undefined],
    [{ LAT: "N091 00.000" }, "LAT location-range"],
    [{ SILENT_KEY: "maybe" }, "SILENT_KEY boolean"],
  ])("checks %j", (record, expected) => {
    expect(rulesOf(record as Record<string, string>)).toEqual(expected === undefined ? [] : [expected]);
  });

  it("compares DXCC with the call at the time of the QSO", () => {
    const record = { CALL: "DH1TW", DXCC: "291", QSO_DATE: "20240102", TIME_ON: "0304" };
    const asked: unknown[] = [];
    const findings = validateRecord(record, {
      entityOf: (call, at) => {
        asked.push(call, at?.toISOString());
        return 230;
      },
    });
    expect(asked).toEqual(["DH1TW", "2024-01-02T03:04:00.000Z"]);
    expect(findings).toMatchObject([{ rule: "dxcc-call-conflict", field: "DXCC" }]);
  });
});

describe("repairAdif", () => {
  it("repairs more than one fault of a record, and what a repair reveals", () => {
    const { records } = repairAdif("<CALL:6>dl1abc<FREQ:8>7074 kHz<MODE:3>JS8<QSO_DATE:10>2026-03-22<EOR>");
    expect(records).toEqual([
      { CALL: "DL1ABC", FREQ: "7.074", MODE: "MFSK", SUBMODE: "JS8", QSO_DATE: "20260322", BAND: "40m" },
    ]);
  });

  it("does not touch what has several readings", () => {
    const text = "<BAND:3>20m<FREQ:5>7.074<MODE:3>SSB<SUBMODE:3>FT4<QSO_DATE:10>03/04/2026<EOR>";
    expect(repairAdif(text)).toMatchObject({ records: parseAdif(text).records, repairs: [] });
  });

  it("restores lines whose ends were shortened, also where the length then covers the next tag", () => {
    const text = "<ADDRESS:19>Street 1\nTown\nLand<NAME:4>Hans<EOR>";
    const { records, repairs } = repairAdif(text);
    expect(records).toEqual([{ ADDRESS: "Street 1\r\nTown\r\nLand", NAME: "Hans" }]);
    expect(repairs.map(({ rule }) => rule)).toEqual(["length-too-long", "line-breaks-lf"]);
  });

  it("reports a value that the letter has otherwise, and restores it", () => {
    const text = "<CALL:6>DL1ABC<NAME:3>Hans<EOR>";
    const { records, repairs } = repairAdif(text);
    expect(records).toEqual([{ CALL: "DL1ABC", NAME: "Hans" }]);
    expect(repairs).toEqual([
      { record: 0, rule: "length-too-short", field: "NAME", before: "Han", after: "Hans" },
    ]);
    expect(undoRepairs(records, repairs)).toEqual(parseAdif(text).records);
  });
});

describe("the size of hamkit/adif in a browser", () => {
  const source = fileURLToPath(new URL("../../src/", import.meta.url));

  /** Bytes of a program with these names, minified and compressed. */
  async function sizeOf(names: string): Promise<number> {
    const { outputFiles } = await build({
      stdin: { contents: `export { ${names} } from "./adif.js"`, resolveDir: source, loader: "ts" },
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    return gzipSync(outputFiles[0]?.contents ?? "").length;
  }

  it("is 10 kB for the parser, without tables", async () => {
    expect(await sizeOf("parseAdif, readAdif")).toBeLessThan(10_000);
  });

  it("is 60 kB with all tables, except the entities", async () => {
    const size = await sizeOf(
      "parseAdif, readAdif, FIELDS, DATA_TYPES, ENUMERATIONS, MODES, validateRecord, repairAdif",
    );
    const entities = await sizeOf("ENTITIES");
    expect(size - entities).toBeLessThan(60_000);
  });
});
