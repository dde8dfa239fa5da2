import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readLog } from "../../../src/logs/read-log.js";
import { writeLog } from "../../../src/logs/write-log.js";
import { adi, fieldsOf, latin1, pairs, written } from "../log-text.js";
import { cpuMs } from "../../fixtures/cpu-time.js";

/** The messages of a log's problems, each with its line. */
async function problemsOf(data: string | Uint8Array): Promise<string[]> {
  const { problems } = await readLog(data);
  return problems.map(({ line, kind, message }) => `${line} ${kind}: ${message}`);
}

describe("readLog of .adi", () => {
  it("reads the header, user-defined and application-defined fields, types and QSOs", async () => {
    // Put together after the examples in ADIF 3.1.6: a free text, USERDEF fields, APP fields, the letters of types.
    const log = await readLog(
      [
        "Generated on 2011-11-22 at 02:15:23Z for WN4AZY",
        "<adif_ver:5>3.0.5",
        "<programid:7>MonoLog",
        "<USERDEF1:8:N>QRP_ARCI",
        "<USERDEF2:19:E>SweaterSize,{S,M,L}",
        "<EOH>",
        "<qso_date:8:D>19900620 <time_on:4>1523 <call:5>VK9NS <band:3>20M",
        "<APP_MONOLOG_BIRTHDAY:8:D>19470726<QRP_ARCI:5>12345<eor>",
        "<call:5>ON4UN<Eor>",
        "",
      ].join("\r\n"),
    );
    expect(log.format).toBe("adi");
    expect(log.header.text).toBe("Generated on 2011-11-22 at 02:15:23Z for WN4AZY");
    expect(pairs(log.header)).toEqual([
      ["ADIF_VER", "3.0.5"],
      ["PROGRAMID", "MonoLog"],
      ["USERDEF1", "QRP_ARCI"],
      ["USERDEF2", "SweaterSize,{S,M,L}"],
    ]);
    expect(log.qsos.map(({ line }) => line)).toEqual([7, 9]);
    expect(log.qsos.map(pairs)).toEqual([
      [
        ["QSO_DATE", "19900620"],
        ["TIME_ON", "1523"],
        ["CALL", "VK9NS"],
        ["BAND", "20M"],
        ["APP_MONOLOG_BIRTHDAY", "19470726"],
        ["QRP_ARCI", "12345"],
      ],
      [["CALL", "ON4UN"]],
    ]);
    expect(log.qsos[0]?.fields.map(({ type }) => type)).toEqual([
      "D",
      undefined,
      undefined,
      undefined,
      "D",
      undefined,
    ]);
    expect(log.problems).toEqual([]);
  });

  it("reads values by their length, whatever they contain", async () => {
    expect(
      await fieldsOf(adi("COMMENT", "see <EOR> and <CALL:3>", "NAME", "", "CALL", "DH1TW") + "<EOR>"),
    ).toEqual([
      ["COMMENT", "see <EOR> and <CALL:3>"],
      ["NAME", ""],
      ["CALL", "DH1TW"],
    ]);
  });

  it("begins with the first QSO where there is no header, even behind a byte order mark", async () => {
    expect(await fieldsOf(`\uFEFF${adi("CALL", "DH1TW")}<EOR>`)).toEqual([["CALL", "DH1TW"]]);
    const { header, qsos } = await readLog(`\uFEFFmy log ${adi("ADIF_VER", "3.1.6")}<EOH>`);
    expect([header.text, pairs(header), qsos]).toEqual(["my log", [["ADIF_VER", "3.1.6"]], []]);
  });

  it("reads text of Windows, which has two bytes for each character", async () => {
    const text = Buffer.from(`\uFEFF${adi("NAME", "Jörg", "CALL", "DH1TW")}<EOR>`, "utf16le");
    expect(await fieldsOf(new Uint8Array(text))).toEqual([
      ["NAME", "Jörg"],
      ["CALL", "DH1TW"],
    ]);
  });

  it.each([
    ["bytes of UTF-8", "<NAME:5>Jörg<CALL:5>DH1TW<EOR>", "Jörg"],
    ["characters", "<NAME:4>Jörg<CALL:5>DH1TW<EOR>", "Jörg"],
    ["characters, with text behind blanks", "<NAME:8>Žofia Žá <CALL:5>DH1TW<EOR>", "Žofia Žá"],
    [
      "UTF-16 units, as JavaScript and C# do",
      "<NAME:5>Ann 📻\n<CALL:5>DH1TW<EOR>".replace("5", "6"),
      "Ann 📻",
    ],
    ["code points, as Python does", "<NAME:5>Ann 📻<CALL:5>DH1TW<EOR>", "Ann 📻"],
  ])("understands lengths that count %s", async (_, text, name) => {
    expect(await fieldsOf(text)).toEqual([
      ["NAME", name],
      ["CALL", "DH1TW"],
    ]);
    expect(await problemsOf(text)).toEqual([]);
  });

  it("reads Windows-1252, also beside UTF-8 in the same log", async () => {
    const text = `${adi("QTH", "Köln")}<NAME:4>J\u00F6rg<COMMENT:2>\u0080\u0099<EOR>`.replace(
      "Köln",
      "K\u00C3\u00B6ln",
    );
    expect(await fieldsOf(latin1(text))).toEqual([
      ["QTH", "Köln"],
      ["NAME", "Jörg"],
      ["COMMENT", "€™"],
    ]);
  });

  it("does not let a length that is too large swallow the rest of the log", async () => {
    const text = `<CALL:5>DH1TW<EOR>\n<CALL:999999999>DL1ABC \n<BAND:3>20m<EOR>\n<CALL:5>W1AW/<EOR>`;
    const log = await readLog(text);
    expect(log.qsos.map(pairs)).toEqual([
      [["CALL", "DH1TW"]],
      [
        ["CALL", "DL1ABC"],
        ["BAND", "20m"],
      ],
      [["CALL", "W1AW/"]],
    ]);
    expect(await problemsOf(text)).toEqual([
      "2 length: CALL: the declared length is 999999999, but the file ends earlier",
    ]);
  });

  it("ends a value before the next field where its length runs into that", async () => {
    const text = `<CALL:9>DL1ABC<BAND:3>20m<EOR>`;
    expect(await fieldsOf(text)).toEqual([
      ["CALL", "DL1ABC"],
      ["BAND", "20m"],
    ]);
    expect(await problemsOf(text)).toEqual([
      "1 length: CALL: the declared length is 9, but the next field begins earlier",
    ]);
  });

  it("uses a length that is too small, and reports it", async () => {
    const text = `<CALL:3>DL1ABC<BAND:3>20m // a comment<EOR>`;
    expect(await fieldsOf(text)).toEqual([
      ["CALL", "DL1"],
      ["BAND", "20m"],
    ]);
    expect(await problemsOf(text)).toEqual([
      '1 length: CALL: the declared length is 3, but "ABC" follows the value',
    ]);
  });

  it("keeps the last QSO if its end is missing, and reports it", async () => {
    const text = `${adi("CALL", "DH1TW")}<EOR>\n${adi("CALL", "W1AW", "BAND", "20m")}\n`;
    expect((await readLog(text)).qsos.map(pairs)).toEqual([
      [["CALL", "DH1TW"]],
      [
        ["CALL", "W1AW"],
        ["BAND", "20m"],
      ],
    ]);
    expect(await problemsOf(text)).toEqual(["2 end: the last QSO has no <EOR>: the file may be truncated"]);
  });

  it("takes ends without QSOs, tags without length and second headers for text", async () => {
    const text = `<EOR>${adi("CALL", "A1A")}<EOR>\n<EOR>my <b>log</b> <a:x> <:3> < <<CALL:5> \n${adi("ADIF_VER", "3.1.0")}<EOH>${adi("CALL", "B1B")}<EOR>\n<APP_LoTW_EOF>\n`;
    const log = await readLog(text);
    expect(log.qsos.map(pairs)).toEqual([[["CALL", "A1A"]], [["CALL", "B1B"]]]);
    expect(written(log)).toBe(text);
  });

  it("counts problems, and keeps a thousand", async () => {
    const { problems, problemCount } = await readLog("<A:1>xyz".repeat(5000));
    expect([problems.length, problemCount]).toEqual([1000, 5001]);
  });

  it.each([
    ["tags that never end", "<".repeat(300_000)],
    ["lengths beyond the end", "<A:9999999>x".repeat(60_000)],
    ["lengths far beyond the next tag", "<A:400000>xy".repeat(60_000)],
    ["lengths in characters", "<A:4000>é".repeat(60_000)],
    ["different names", Array.from({ length: 60_000 }, (_, index) => `<N${index}:1>x`).join("")],
  ])("is not slowed down by %s", async (_, text) => {
    const start = cpuMs();
    await readLog(`${text}<EOR>`);
    expect(cpuMs() - start).toBeLessThan(3000);
  });

  it("gives every byte back that it was given", async () => {
    const pieces = fc.oneof(
      fc.constantFrom(
        "<EOR>",
        "<eoh>",
        "\r\n",
        " ",
        "<CALL:5>DH1TW",
        "<NAME:4>J\u00F6rg",
        "<X:3>",
        "<B:2:N>",
        "<",
        ">",
      ),
      fc.string({ unit: "binary", maxLength: 8 }).map((text) => Buffer.from(text, "utf8").toString("latin1")),
      fc
        .tuple(fc.constantFrom("QTH", "app_x_y", "ü"), fc.nat(9))
        .map(([name, length]) => `<${name}:${length}>`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces), async (parts) => {
        const bytes = latin1(`<A:1>b${parts.join("")}`);
        expect(Buffer.from(writeLog(await readLog(bytes)))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 200 },
    );
  });

  it("finds all fields again that were written by their lengths", async () => {
    const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,15}$/).filter((text) => !/^EO[RH]$/.test(text));
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a <EOR> b", "<CALL:5>x", "Jörg"));
    const qso = fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(qso, { minLength: 1, maxLength: 4 }), async (qsos) => {
        const text = qsos.map((fields) => `${adi(...fields.flat())}<EOR>`).join("\n");
        const { qsos: found, problemCount } = await readLog(text);
        if (problemCount > 0) return; // a value that looks like a length in characters, or like tags
        expect(found.map(pairs)).toEqual(qsos);
      }),
    );
  });
});
