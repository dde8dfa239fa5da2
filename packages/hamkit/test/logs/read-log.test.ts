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
    ["PK\u0003\u0004", '"PK\\u0003\\u0004"'],
  ])("rejects %j, and names what it found", async (text, found) => {
    const failure: unknown = await readLog(text, { name: "my.log" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LogError);
    expect(failure).toMatchObject({
      message: `my.log: expected a log in ADIF, Cabrillo or EDI, found ${found}`,
    });
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
