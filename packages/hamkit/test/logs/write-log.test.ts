import { describe, expect, it } from "vitest";

import { ArgumentTypeError, ValueError } from "../../src/errors.js";
import { readLog } from "../../src/logs/read-log.js";
import { writeLog } from "../../src/logs/write-log.js";
import { latin1, logOf, pairs, written } from "./log-text.js";

describe("writeLog", () => {
  const log = logOf(
    [
      { name: "CALL", value: "DH1TW" },
      { name: "NAME", value: 'Jörg "JJ", Zoë' },
      { name: "CALL", value: "again" },
    ],
    [
      { name: "__proto__", value: "x\r\ny" },
      { name: "CALL", value: "W1AW" },
    ],
  );

  it("counts bytes of UTF-8 in .adi, and adds the required header", async () => {
    const text = written(log, "adi");
    expect(text).toBe(
      "ADIF log\n<ADIF_VER:5>3.1.7\n<PROGRAMID:6>hamkit\n<EOH>\n" +
        '<CALL:5>DH1TW <NAME:16>Jörg "JJ", Zoë <CALL:5>again <EOR>\n<__proto__:4>x\r\ny <CALL:4>W1AW <EOR>\n',
    );
    expect((await readLog(text)).qsos.map(pairs)[0]).toEqual(log.qsos.map(pairs)[0]);
  });

  it("writes JSON, where no name and no value is lost", () => {
    const document = JSON.parse(written(log, "json")) as { header: object; qsos: object[] };
    expect(document.header).toEqual({ text: "", fields: {} });
    expect(document.qsos.map((qso) => Object.entries(qso))).toEqual([
      [
        ["CALL", "DH1TW"],
        ["NAME", 'Jörg "JJ", Zoë'],
        ["CALL#2", "again"],
      ],
      [
        ["__proto__", "x\r\ny"],
        ["CALL", "W1AW"],
      ],
    ]);
    expect(JSON.parse(written(logOf(), "json"))).toEqual({ header: { text: "", fields: {} }, qsos: [] });
  });

  it("writes CSV with a column for each name, quoted as RFC 4180 requires", () => {
    expect(written(log, "csv")).toBe(
      'CALL,NAME,CALL#2,__proto__\r\nDH1TW,"Jörg ""JJ"", Zoë",again,\r\nW1AW,,,"x\r\ny"\r\n',
    );
  });

  it("decodes what it has to, when the format changes, and leaves bytes alone, when it does not", async () => {
    const bytes = latin1("<NAME:4>J\u00F6rg<QTH:4>K\u00C3\u00B6l<EOR>");
    expect(written(await readLog(bytes), "csv")).toBe("NAME,QTH\r\nJörg,Köl\r\n");
    expect(Buffer.from(writeLog(await readLog(bytes)))).toEqual(Buffer.from(bytes));
  });

  it("rejects CSV with more fields than any log has: each QSO has a cell for each", () => {
    const qsos = Array.from({ length: 2001 }, (_, index) => [{ name: `A${index}`, value: "x" }]);
    expect(() => writeLog(logOf(...qsos), { format: "csv" })).toThrow("at most 2000 different fields");
    expect(written(logOf(...qsos.slice(1)), "csv").length).toBeGreaterThan(2000 * 2000);
  });

  it("writes names that no tag can have with others", () => {
    const odd = logOf([
      { name: "A:B<C>,{\n", value: "x" },
      { name: "", value: "y" },
    ]);
    expect(written(odd, "adi")).toContain("<A_B_C____:1>x <_:1>y <EOR>");
  });

  it("puts QSOs of one log into another of any format", async () => {
    const adx = await readLog("<ADX><RECORDS><RECORD><CALL>DH1TW</CALL></RECORD></RECORDS></ADX>");
    const adi = await readLog("<CALL:4>W1AW<EOR>\n");
    const both = { ...adi, qsos: [...adi.qsos, ...adx.qsos] };
    expect(written(both)).toBe("<CALL:4>W1AW<EOR>\n<CALL:5>DH1TW <EOR>\n");
    expect((await readLog(writeLog(both, { format: "adx" }))).qsos.map(pairs)).toEqual([
      [["CALL", "W1AW"]],
      [["CALL", "DH1TW"]],
    ]);
  });

  it("rejects other formats, and values that are not a log", () => {
    const wrong = (value: unknown) => value as never;
    expect(() => writeLog(log, { format: wrong("xls") })).toThrow(ValueError);
    expect(() => writeLog(log, { format: wrong("toString") })).toThrow(ValueError);
    expect(() => writeLog(wrong([]))).toThrow(ArgumentTypeError);
    expect(() => writeLog(wrong(undefined))).toThrow(ArgumentTypeError);
  });
});
