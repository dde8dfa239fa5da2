import { gzipSync } from "node:zlib";

import { AdifParser } from "adif-parser-ts";
import { describe, expect, it } from "vitest";

import { ArgumentTypeError, LogError } from "../../src/errors.js";
import { readLog } from "../../src/logs/read-log.js";
import { adi, pairs } from "./log-text.js";

describe("readLog", () => {
  it.each([
    ["<CALL:5>DH1TW<EOR>", "adi"],
    ["free text\n<EOH>", "adi"],
    ["\n <ADX><HEADER/></ADX>", "adx"],
    ["<?xml version='1.0'?>\n<ADX/>", "adx"],
    ["\uFEFF<?xml version='1.0'?>\n<ADX/>", "adx"],
    ["START-OF-LOG: 3.0\nEND-OF-LOG:\n", "cabrillo"],
    ["\uFEFF\r\nstart-of-log: 2.0\r\n", "cabrillo"],
  ])("detects the format by the content: %j is %s", async (text, format) => {
    expect((await readLog(text)).format).toBe(format);
  });

  it.each([
    ["", "nothing"],
    [" \n", "nothing"],
    ["{}", '"{}"'],
  ])("rejects %j, and names what it found", async (text, found) => {
    const failure: unknown = await readLog(text, { name: "my.log" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LogError);
    expect(failure).toMatchObject({
      message: `my.log: expected a log in ADIF, Cabrillo, EDI or FLE, found ${found}`,
    });
  });

  const qso = "Test <EOH>\n<CALL:4>W1AW<QSO_DATE:8>20240601<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>\n";
  const noise = (length: number) =>
    Uint8Array.from({ length }, (_, index) => (Math.imul(index + 1, 2_654_435_761) >>> 13) & 255);
  const tar = Buffer.concat([
    Buffer.from("mine.adi".padEnd(257, "\0") + "ustar".padEnd(255, "\0")),
    Buffer.from(qso),
  ]);
  const after = (start: string, rest: Uint8Array = noise(5000)) =>
    Buffer.concat([Buffer.from(start, "latin1"), rest]);
  it.each([
    ["mine.tgz", gzipSync(qso), "a gzip file (.gz, .tgz), which has to be unpacked first"],
    [
      "two.zip",
      after("PK\u0003\u0004mine.adi", Buffer.from(qso + qso)),
      "a ZIP file, which has to be unpacked first",
    ],
    ["mine.tar", tar, "a tar file, which has to be unpacked first"],
    ["mine.7z", after("7z\u00BC\u00AF\u0027\u001C"), "a 7z file, which has to be unpacked first"],
    ["mine.bz2", after("BZh91AY&SY"), "a bzip2 file, which has to be unpacked first"],
    ["mine.xz", after("\u00FD7zXZ\u0000"), "an xz file, which has to be unpacked first"],
    ["map.png", after("\u0089PNG\r\n\u001A\n", Buffer.from(qso)), "a PNG picture"],
    ["card.jpg", after("\u00FF\u00D8\u00FF\u00E0", Buffer.from(qso)), "a JPEG picture"],
    ["card.pdf", after("%PDF-1.4\n", Buffer.from(qso)), "a PDF document"],
    ["log.db", after("SQLite format 3\0", Buffer.from(qso)), "an SQLite database"],
    ["noise", Buffer.concat([noise(5000), Buffer.from(qso)]), "binary data"],
    ["zeros", Buffer.concat([new Uint8Array(5000), Buffer.from(qso)]), "binary data"],
  ])("refuses %s, even if a log is in it letter for letter", async (name, content, found) => {
    await expect(readLog(content, { name })).rejects.toThrow(
      `${name}: expected a log in ADIF, Cabrillo, EDI or FLE, found ${found}`,
    );
  });

  it.each([
    ["a comment in any language", Buffer.from(`Журнал связей ÄÖÜ 日誌\n${qso}`)],
    ["Windows-1252", Buffer.from(`M\u00FCnchen \u0080\u0099\n${qso}`, "latin1")],
    ["an end of file as in DOS, and a form feed", Buffer.from(`\f${qso}\u001A`)],
    ["a few zero bytes", Buffer.from(`Logger \0\0\n${"a comment ".repeat(20)}${qso}`)],
    ["UTF-16", Buffer.from(`\uFEFF${qso}`, "utf16le")],
  ])("reads a log with %s", async (_, content) => {
    expect((await readLog(content)).qsos).toHaveLength(1);
  });

  it("rejects logs that would not fit into the memory", async () => {
    await expect(readLog(new Uint8Array(256 * 1024 * 1024 + 1))).rejects.toThrow(
      "the log: expected a log of 256 MB or less, found one of 256 MB",
    );
  });

  it.each([undefined, null, 5, {}, [60]])("rejects %j, which is not the content of a file", async (data) => {
    await expect(readLog(data as never)).rejects.toBeInstanceOf(ArgumentTypeError);
  });

  it("reads bytes of any kind of view", async () => {
    const bytes = Buffer.from(" <CALL:5>DH1TW<EOR>");
    const view = new DataView(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1);
    expect((await readLog(view as never)).qsos.map(pairs)).toEqual([[["CALL", "DH1TW"]]]);
  });

  it("reads what adif-parser-ts reads, where the log is one that both understand", async () => {
    const qsos = Array.from({ length: 500 }, (_, index) =>
      adi(
        "call",
        `DL${index}AB`,
        "Comment",
        `a <b> ${"x".repeat(index % 40)}\r\n<eor>`,
        "APP_X_Y",
        "",
        "BAND",
        "20m",
      ),
    );
    const text = `A log of 500\n${adi("ADIF_VER", "3.1.6", "PROGRAMID", "x")}<eoh>\n${qsos.join("<EOR>\r\n")}<eor>`;
    const peer = AdifParser.parseAdi(text);
    const ours = await readLog(text);
    const inLowerCase = ({ fields }: (typeof ours.qsos)[number]) =>
      Object.fromEntries(fields.map(({ name, value }) => [name.toLowerCase(), value]));
    expect(ours.qsos.map(inLowerCase)).toEqual(peer.records);
    expect({ text: ours.header.text, adif_ver: "3.1.6", programid: "x" }).toEqual(peer.header);
  });
});
