/** JSON, which `writeLog` writes, as input of hamkit/adif. */
import { readFileSync, existsSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { parseAdif, readAdif, repairAdif } from "../../src/adif.js";
import { readLog, writeLog } from "../../src/logs.js";
import { sharedPath } from "../golden.js";

const SOURCE =
  "A log\n<ADIF_VER:5>3.1.7<EOH>\n<CALL:5>DH1TW<NAME:5>J\u00F6rg<APP_X_Y:1:N>5<EOR>\n<CALL:4>W1AW<FREQ:6>14,074<EOR>\n";

async function jsonOf(text: string | Uint8Array): Promise<Uint8Array> {
  return writeLog(await readLog(text), { format: "json" });
}

async function streamed(bytes: Uint8Array, size: number) {
  const records = [];
  const findings: string[] = [];
  const pieces = [];
  for (let index = 0; index < bytes.length; index += size) pieces.push(bytes.subarray(index, index + size));
  for await (const { record } of readAdif(pieces, { onFinding: ({ rule }) => findings.push(rule) }))
    records.push(record);
  return { records, findings };
}

describe("JSON", () => {
  it("gives the records of the file that it was written from", async () => {
    const { header, records } = parseAdif(SOURCE);
    expect(parseAdif(await jsonOf(SOURCE))).toEqual({ header, records, findings: [] });
  });

  it.each([1, 7, 64, 1 << 16])("is read in pieces of %d bytes", async (size) => {
    expect(await streamed(await jsonOf(SOURCE), size)).toEqual({
      records: parseAdif(SOURCE).records,
      findings: [],
    });
  });

  // Fixed: where a piece ended within a character, and the next one held nothing but the rest, both became other letters.
  it.each([1, 2, 3])("and ADX keep characters of several bytes in pieces of %d bytes", async (size) => {
    const names = ["J\u00F6rg", "\u65E5\u672C", "\u{1F4FB}\u{1F4FB}"];
    const log = await readLog(
      names.map((name) => `<NAME:${Buffer.byteLength(name)}>${name}<EOR>`).join("\n"),
    );
    for (const format of ["json", "adx"] as const) {
      const { records } = await streamed(writeLog(log, { format }), size);
      expect(records.map(({ NAME }) => NAME)).toEqual(names);
    }
  });

  it("is repaired", async () => {
    expect(repairAdif(await jsonOf(SOURCE)).records[1]?.["FREQ"]).toBe("14.074");
  });

  it("is reported where it is cut or malformed", async () => {
    const text = new TextDecoder().decode(await jsonOf(SOURCE));
    const cut = parseAdif(text.slice(0, -10));
    expect(cut.records).toHaveLength(1);
    expect(cut.findings.map(({ rule, level }) => `${level} ${rule}`)).toEqual(["error json-cut"]);
    const malformed = parseAdif(text.replace('"CALL":"W1AW"', '"CALL" "W1AW"'));
    expect(malformed.records).toHaveLength(1);
    expect(malformed.findings.map(({ rule }) => rule)).toEqual(["json-malformed"]);
    expect((await streamed(new TextEncoder().encode(text.slice(0, -10)), 50)).findings).toEqual(["json-cut"]);
  });

  const official = sharedPath("next/adif/test-qsos.adi");
  it.skipIf(!existsSync(official))("gives the records of the official test QSOs", async () => {
    const bytes = readFileSync(official);
    const { records } = parseAdif(bytes);
    const json = await jsonOf(bytes);
    expect(parseAdif(json).records).toEqual(records);
    expect((await streamed(json, 1 << 16)).records).toEqual(records);
  });
});
