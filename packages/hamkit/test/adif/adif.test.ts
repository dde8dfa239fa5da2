import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { build } from "esbuild";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { FIELDS, parseAdif, readAdif, repairAdif, undoRepairs, validateRecord } from "../../src/adif.js";
import { cpuMs } from "../fixtures/cpu-time.js";

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

  it("calls a length too long that is so by the next tag's first character alone, as repairAdif does", () => {
    for (const [name, value, length] of [
      ["NAME", "Hans", 5],
      ["NAME", "Hans\n", 6],
      ["NAME", "Hans ", 6],
      ["NOTES", "a\nb", 4],
    ] as const) {
      const text = `<CALL:6>DL1ABC<${name}:${length}>${value}<BAND:3>20m<EOR>`;
      expect(parseAdif(text).records[0]).toEqual({ CALL: "DL1ABC", [name]: `${value}<` });
      for (const read of [parseAdif, repairAdif])
        expect(read(text).findings).toMatchObject([{ rule: "length-too-long", field: name }]);
      expect(repairAdif(text).records[0]).toMatchObject({ BAND: "20m" });
    }
  });

  it("ends records and the header at marks with a length of 0, and reports them", () => {
    const text = "Test<PROGRAMID:4>Test<EOH:0><CALL:6>DL1ABC<EOR:0>\n<CALL:4>W1AW<eor:0>";
    const { header, records, findings } = parseAdif(text);
    expect(header.fields).toEqual({ PROGRAMID: "Test" });
    expect(records).toEqual([{ CALL: "DL1ABC" }, { CALL: "W1AW" }]);
    const found = { level: "warning", rule: "mark-with-length" };
    expect(findings).toMatchObject([found, { ...found, record: 0 }, { ...found, record: 1 }]);
    expect(findings[0]).not.toHaveProperty("record");
  });

  it("reports a web page about the file, not about a record", () => {
    const { findings } = parseAdif("<html><body>Username/password incorrect</body></html>");
    expect(findings).toMatchObject([{ level: "error", rule: "html-instead-of-adif" }]);
    expect(findings[0]).not.toHaveProperty("record");
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

  it("rejects what is not an iterable of pieces", async () => {
    await expect(readAdif(5 as never).next()).rejects.toThrow("stream: 5 is not an iterable");
    await expect(readAdif(new Uint8Array(3) as never).next()).rejects.toThrow(
      "put a whole file into an array",
    );
    await expect(readAdif("<EOR>" as never).next()).rejects.toThrow("stream: ");
    await expect(readAdif([5] as never).next()).rejects.toThrow("piece of stream: 5 is not bytes or text");
  });

  it("reads a character that the end of a text cuts", async () => {
    const records = [];
    for await (const { record } of readAdif(["<NAME:4>\ud83d", "\ude00<EOR>"])) records.push(record);
    expect(records).toEqual([{ NAME: "\u{1f600}" }]);
  });

  it.each(["utf-16le", "utf-16be"])("reads %s as parseAdif does", async (encoding) => {
    const text = "\ufeff<NAME:6>Jürgen<QTH:2>日本<EOR>";
    const bytes = new Uint8Array(Buffer.from(text, "utf16le"));
    if (encoding === "utf-16be") for (let i = 0; i < bytes.length; i += 2) bytes.subarray(i, i + 2).reverse();
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const found: unknown[] = [];
    const records = [];
    for await (const { record } of readAdif(pieces, { onFinding: (finding) => found.push(finding) }))
      records.push(record);
    expect(records).toEqual([{ NAME: "Jürgen", QTH: "日本" }]);
    expect(found).toMatchObject([{ rule: "utf16-file" }, {}, {}]);
    expect(parseAdif(bytes)).toMatchObject({ records, findings: found });
  });
});

/** Milliseconds of processor time that a task takes. */
async function timeOf(task: () => unknown): Promise<number> {
  const started = cpuMs();
  await task();
  return cpuMs() - started;
}

describe("hostile files", () => {
  it.each([
    ["a tag that never ends", `<A:${" ".repeat(200_000)}`],
    ["tags that never end", "<A:".repeat(100_000)],
    ["blanks in a tag", `<${" ".repeat(200_000)}A`],
    ["comments that never end", `<ADX>${"<!--".repeat(100_000)}`],
    ["sections that never end", `<ADX>${"<![CDATA[".repeat(50_000)}`],
    ["declarations that never end", `<ADX>${"<?".repeat(200_000)}`],
    ["attributes that never end", `<ADX><A ${'b="c" '.repeat(50_000)}`],
    ["lengths of the whole file", `${"<A:99999999>x".repeat(20_000)}é`],
    ["a definition of a field", `<USERDEF1:200000>${",{".repeat(100_000)}<EOH>`],
  ])("%s take linear time", async (_, text) => {
    expect(await timeOf(() => repairAdif(text))).toBeLessThan(1000);
    expect(await timeOf(() => parseAdif(text))).toBeLessThan(1000);
  });

  /** Reads a stream of a piece that is repeated, and the growth of what stays in memory meanwhile, in MB. */
  async function growthOf(piece: string, times: number): Promise<number> {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const retained = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = retained();
    let most = before;
    const bytes = new TextEncoder().encode(piece);
    function* pieces(): Generator<Uint8Array> {
      for (let time = 1; time <= times; time++) {
        yield bytes;
        if (time % (times / 10) === 0) most = Math.max(most, retained());
      }
    }
    for await (const record of readAdif(pieces())) void record;
    return (most - before) / 1e6;
  }

  it.each([
    ["text without a tag", "x".repeat(1 << 16)],
    ["fields without an end of the record", "<CALL:5>DH1TW ".repeat(4096)],
    ["ends of records alone", "<EOR>".repeat(10_000)],
    ["comments within an element of ADX", `<ADX><RECORDS><RECORD><CALL>${"x<!-- -->".repeat(8000)}`],
  ])("%s take bounded memory", async (_, piece) => {
    expect(await growthOf(piece, piece.startsWith("<EOR>") ? 60 : 1000)).toBeLessThan(30);
  });

  it("splits a record that does not end", () => {
    const { records, findings } = parseAdif(`${"<CALL:5>DH1TW".repeat(10_000)}<EOR><CALL:4>W1AW<EOR>`);
    expect(records).toEqual([{ CALL: "DH1TW" }, { CALL: "W1AW" }]);
    expect(
      findings.filter(({ rule }) => rule !== "duplicate-field" && rule !== "duplicate-eor"),
    ).toMatchObject([{ level: "error", rule: "record-too-long", record: 0 }]);
  });

  it("values of any field are checked in linear time", async () => {
    const values = [
      `${" ".repeat(100_000)}x`,
      `1${" ".repeat(100_000)}x`,
      `${"\n".repeat(100_000)}x`,
      "1,".repeat(50_000),
      "A".repeat(100_000),
      "/".repeat(100_000),
    ];
    for (const { name } of FIELDS) {
      const ms = await timeOf(() => values.map((value) => validateRecord({ [name]: value })));
      expect({ name, isSlow: ms > 1000 }).toEqual({ name, isSlow: false });
    }
  });

  it("values of 200 KB are checked in linear time, whatever their data type", async () => {
    const types = new Map(FIELDS.map((field) => [`${field.type} ${field.enumeration ?? ""}`, field.name]));
    const names = [...types.values(), "FREQ", "TX_PWR", "CALL", "SUBMODE", "CONTEST_ID", "COUNTRY"];
    const values = ["1", "-.5", "A1", "/", " ", "\n", ",", "AK,x:"].map(
      (text) => `${text.repeat(2e5 / text.length)}!`,
    );
    for (const name of names)
      for (const value of values) {
        const ms = await timeOf(() => validateRecord({ [name]: value, DXCC: "6" }));
        expect({ name, text: value.slice(0, 5), isSlow: ms > 1000 }).toMatchObject({ isSlow: false });
      }
  }, 60_000);
});

describe("repairAdif", () => {
  it("repairs more than one fault of a record, and what a repair reveals", () => {
    const { records } = repairAdif("<CALL:6>dl1abc<FREQ:8>7074 kHz<MODE:3>JS8<QSO_DATE:10>2026-03-22<EOR>");
    expect(records).toEqual([
      { CALL: "DL1ABC", FREQ: "7.074", MODE: "MFSK", SUBMODE: "JS8", QSO_DATE: "20260322", BAND: "40m" },
    ]);
  });

  it.each([
    ["20", "20m"],
    ["6", "6m"],
    ["14", "20m"],
    ["3.5", "80m"],
    ["7 MHz", "40m"],
    ["2 MHz", "160m"],
    ["24", "12m"],
    ["24 MHz", "12m"],
    ["40", undefined],
    ["60", undefined],
    ["10", undefined],
    ["2", undefined],
    ["4", undefined],
    ["70", undefined],
    ["23", undefined],
  ])("takes the band %s for %s, and for none where the number is also another band's", (band, expected) => {
    const text = `<CALL:5>DH1TW<BAND:${band.length}>${band}<EOR>`;
    const { records, repairs } = repairAdif(text);
    expect(records[0]?.["BAND"]).toBe(expected ?? band);
    expect(repairs.length).toBe(expected === undefined ? 0 : 1);
    expect(validateRecord({ BAND: band })).toHaveLength(1);
  });

  it("takes the band that the frequency has, where a number is that of two", () => {
    const { records } = repairAdif(
      "<BAND:2>40<FREQ:6>7,0740<EOR><BAND:2>40<FREQ:4>40.6<EOR><BAND:2>40<FREQ:2>14<EOR>",
    );
    expect(records.map(({ BAND: band }) => band)).toEqual(["40m", "8m", "40"]);
  });

  it("takes 24 for 12m, and for nothing where the frequency is in the band of 24 GHz", () => {
    const { records } = repairAdif("<BAND:2>24<FREQ:5>24.92<EOR><BAND:2>24<FREQ:7>24048.1<EOR>");
    expect(records.map(({ BAND: band }) => band)).toEqual(["12m", "24"]);
  });

  it("does not take corrections of the header for those of the first record", () => {
    const text = "<ADIF_VER:9>3.1.7 <PROGRAMID:4>Test<EOH><CALL:5>DH1TW<EOR>";
    const { header, records, repairs, findings } = repairAdif(text);
    expect(header.fields).toEqual({ ADIF_VER: "3.1.7", PROGRAMID: "Test" });
    expect(repairs).toEqual([]);
    expect(findings).toMatchObject([{ rule: "length-too-long", field: "ADIF_VER" }]);
    expect(findings[0]).not.toHaveProperty("record");
    expect(undoRepairs(records, repairs)).toEqual([{ CALL: "DH1TW" }]);
  });

  it("rejects other arguments of undoRepairs", () => {
    expect(() => undoRepairs([], undefined as never)).toThrow(
      "repairs: undefined is not the repairs of repairAdif",
    );
  });

  it("restores a field that occurs twice to its last value", () => {
    const text = "<CALL:5>DH1TW<NAME:2>Hans<NAME:3>Ann<EOR>";
    const { records, repairs } = repairAdif(text);
    expect(records).toEqual([{ CALL: "DH1TW", NAME: "Ann" }]);
    expect(undoRepairs(records, repairs)).toEqual(parseAdif(text).records);
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

  it("is less than 19 kB for the parser, of which 6 kB are that of XML, without tables", async () => {
    expect(await sizeOf("parseAdif, readAdif")).toBeLessThan(18_700);
  });

  it("is 69 kB with all tables, except the entities", async () => {
    const size = await sizeOf(
      "parseAdif, readAdif, FIELDS, DATA_TYPES, ENUMERATIONS, MODES, validateRecord, repairAdif",
    );
    const entities = await sizeOf("ENTITIES");
    expect(size - entities).toBeLessThan(69_500);
  });
});
