import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { LogError } from "../../../src/errors.js";
import { readLog } from "../../../src/logs/read-log.js";
import { writeLog } from "../../../src/logs/write-log.js";
import { latin1, logOf, pairs, written } from "../log-text.js";

/** Put together after the example in ADIF 3.1.6. */
const SAMPLE = `<?xml version="1.0" encoding="UTF-8"?>
<!-- a log -->
<ADX>
  <HEADER>
    <ADIF_VER>3.0.5</ADIF_VER>
    <PROGRAMID>monolog</PROGRAMID>
    <USERDEF FIELDID="1" TYPE="N">EPC</USERDEF>
    <USERDEF FIELDID="2" TYPE="E" ENUM="{S,M,L}">SWEATERSIZE</USERDEF>
    <USERDEF FIELDID="3" TYPE="N" RANGE="{5:20}">SHOESIZE</USERDEF>
  </HEADER>
  <RECORDS>
    <RECORD>
      <QSO_DATE>19900620</QSO_DATE>
      <CALL>VK9NS</CALL> <!-- Jim & Kirsti -->
      <NAME_INTL>J&#246;rg &amp; &lt;Zo&#xEB;&gt;</NAME_INTL>
      <USERDEF FIELDNAME="SweaterSize">M</USERDEF>
      <APP PROGRAMID="MONOLOG" FIELDNAME="Compression" TYPE="s">off</APP>
      <NOTES><![CDATA[two
lines]]></NOTES>
      <QTH/>
    </RECORD>
    <RECORD></RECORD>
    <RECORD><CALL>ON4UN</CALL></RECORD>
  </RECORDS>
</ADX>
`;

const document = (records: string) => `<ADX><HEADER/><RECORDS>${records}</RECORDS></ADX>`;

describe("readLog of .adx", () => {
  it("reads header, fields of users and applications, references and CDATA under the names of .adi", async () => {
    const log = await readLog(SAMPLE);
    expect(log.format).toBe("adx");
    expect(pairs(log.header)).toEqual([
      ["ADIF_VER", "3.0.5"],
      ["PROGRAMID", "monolog"],
      ["USERDEF1", "EPC"],
      ["USERDEF2", "SWEATERSIZE,{S,M,L}"],
      ["USERDEF3", "SHOESIZE,{5:20}"],
    ]);
    expect(log.header.fields.map(({ type }) => type)).toEqual([undefined, undefined, "N", "E", "N"]);
    expect(log.qsos.map(pairs)).toEqual([
      [
        ["QSO_DATE", "19900620"],
        ["CALL", "VK9NS"],
        ["NAME_INTL", "Jörg & <Zoë>"],
        ["SWEATERSIZE", "M"],
        ["APP_MONOLOG_COMPRESSION", "off"],
        ["NOTES", "two\nlines"],
        ["QTH", ""],
      ],
      [["CALL", "ON4UN"]],
    ]);
    expect(log.qsos[0]?.fields[4]?.type).toBe("S");
    expect(log.qsos.map(({ line }) => line)).toEqual([12, 23]);
    expect(log.problems).toEqual([]);
  });

  it("gives the file back as it was, comments and layout included", async () => {
    for (const text of [
      SAMPLE,
      `\uFEFF${SAMPLE.replaceAll("\n", "\r\n")}`,
      document("<RECORD><CALL>A</CALL></RECORD>"),
    ]) {
      expect(written(await readLog(text))).toBe(text);
    }
  });

  it("reads names of any case", async () => {
    const { qsos } = await readLog(
      '<adx><records><record><call>DH1TW</call><app programid="x" fieldname="y">z</app></record></records></adx>',
    );
    expect(qsos.map(pairs)).toEqual([
      [
        ["CALL", "DH1TW"],
        ["APP_X_Y", "z"],
      ],
    ]);
  });

  it("reads other encodings that a declaration names, and writes UTF-8", async () => {
    const text = `<?xml version="1.0" encoding="ISO-8859-1"?>${document("<RECORD><NAME>J\u00F6rg</NAME></RECORD>")}`;
    const log = await readLog(latin1(text));
    expect(log.qsos.map(pairs)).toEqual([[["NAME", "Jörg"]]]);
    expect(written(log)).toBe(text.replace("ISO-8859-1", "UTF-8"));
    const utf16 = Buffer.from(`\uFEFF${text.replace("ISO-8859-1", "UTF-16")}`, "utf16le");
    expect(written(await readLog(new Uint8Array(utf16)))).toBe(text.replace("ISO-8859-1", "UTF-8"));
    await expect(readLog(text.replace("ISO-8859-1", "KOI8-R"))).rejects.toThrow(
      "expected text in UTF-8, found KOI8-R",
    );
  });

  it("reports text outside of fields, and keeps it", async () => {
    const text = document("<RECORD>oops <CALL>DH1TW</CALL></RECORD>");
    const log = await readLog(text);
    expect(log.problems).toEqual([
      { line: 1, kind: "line", message: 'unexpected text outside of fields: "oops"' },
    ]);
    expect(written(log)).toBe(text);
  });

  it.each([
    ["a document type", `<!DOCTYPE ADX [<!ENTITY a "b">]>${document("")}`, "without a DOCTYPE"],
    ["entities", document("<RECORD><CALL>&call;</CALL></RECORD>"), "well-formed XML"],
    ["a part of a file", SAMPLE.slice(0, 700), "well-formed XML"],
    ["another document", "<?xml version='1.0'?><html></html>", "an ADX document, found <html>"],
    ["tags that don't match", document("<RECORD><CALL>A</NAME></RECORD>"), "well-formed XML"],
  ])("rejects %s", async (_, text, message) => {
    const failure: unknown = await readLog(text, { name: "my.adx" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LogError);
    expect(failure).toMatchObject({
      code: "log/unreadable",
      file: "my.adx",
      message: expect.stringContaining(message),
    });
  });
});

// Fixed: a document of more than 16 MB was refused, as one without a tag, where it was read in one piece.
it("reads a document of more than 16 MB", async () => {
  const record = `<RECORD><CALL>DH1TW</CALL><COMMENT>${"x".repeat(100_000)}</COMMENT></RECORD>`;
  const { qsos, problems } = await readLog(`<ADX><RECORDS>${record.repeat(180)}</RECORDS></ADX>`);
  expect([qsos.length, problems]).toEqual([180, []]);
});

describe("writeLog to .adx", () => {
  it("writes what readLog reads again, for any text that XML can have", async () => {
    const name = fc.oneof(
      fc.constantFrom("CALL", "APP_X_Y_Z", "APP_", "USERDEF", "XMLNS", "1ST", "A B", 'A"<&>B', "Ü"),
      fc.stringMatching(/^[A-Z][A-Z0-9_]{0,9}$/),
    );
    const value = fc.string({ unit: "grapheme" });
    const field = fc.record({ name, value });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(field, { minLength: 1 })), async (qsos) => {
        const log = await readLog(writeLog(logOf(...qsos), { format: "adx" }));
        expect(log.qsos.map(pairs)).toEqual(qsos.map((fields) => pairs({ fields })));
      }),
    );
  });

  it("puts U+FFFD for what XML has no place for, and keeps ends of lines and blanks", async () => {
    const log = logOf([
      { name: "NOTES", value: " a\r\nb\u0000\u001B[31m\uD800 " },
      { name: "APP_X_Y", value: "1", type: "N" },
    ]);
    const text = written(log, "adx");
    expect(text).toContain("<NOTES> a&#13;\nb\uFFFD\uFFFD[31m\uFFFD </NOTES>");
    expect(text).toContain('<APP PROGRAMID="X" FIELDNAME="Y" TYPE="N">1</APP>');
    expect(pairs((await readLog(text)).qsos[0] ?? { fields: [] })[0]?.[1]).toBe(
      " a\r\nb\uFFFD\uFFFD[31m\uFFFD ",
    );
  });

  it("turns user-defined fields of .adi into those of .adx, and back", async () => {
    const adi =
      "x\n<ADIF_VER:5>3.1.4\n<PROGRAMID:1>p\n<USERDEF1:3:N>EPC\n<USERDEF2:19:E>SweaterSize,{S,M,L}\n<USERDEF3:15:N>ShoeSize,{5:20}\n<EOH>\n<EPC:1>7<SWEATERSIZE:1>M<EOR>\n";
    const adx = written(await readLog(adi), "adx");
    expect(adx).toContain('<USERDEF FIELDID="1" TYPE="N">EPC</USERDEF>');
    expect(adx).toContain('<USERDEF FIELDID="2" TYPE="E" ENUM="{S,M,L}">SweaterSize</USERDEF>');
    expect(adx).toContain('<USERDEF FIELDID="3" TYPE="N" RANGE="{5:20}">ShoeSize</USERDEF>');
    expect(adx).toContain(
      '<RECORD><USERDEF FIELDNAME="EPC">7</USERDEF><USERDEF FIELDNAME="SWEATERSIZE">M</USERDEF></RECORD>',
    );
    const back = written(await readLog(adx), "adi");
    expect(back.slice(back.indexOf("<ADIF_VER"))).toBe(
      adi.slice(2).replace("7<SW", "7 <SW").replace("M<EOR", "M <EOR"),
    );
  });
});
