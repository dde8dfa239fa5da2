/** The official test QSOs of ADIF 3.1.7, and a few of their kind for checkouts without them. */
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { parseAdif, readAdif, validateRecord } from "../../src/adif.js";
import { userDefinedNames } from "../../src/logs/adif-text/adx-writer.js";
import { readLog, writeLog } from "../../src/logs.js";
import { sharedPath } from "../golden.js";

const path = sharedPath("next/adif/test-qsos.adi");

/** Comments between records, names and values in mixed case, line breaks, a tag in a value, a user-defined field. */
const OWN = [
  " a header\r\n<ADIF_VER:5>3.1.7\r\n<USERDEF1:18:E>Power,{QRPP,QRP}\r\n<EOH>\r\n",
  "==== Not including: nothing ====\r\n<call:5>DH1TW <Mode:2>cw <POWER:4>QrpP <BAND:3>20M <eor>\r\n",
  "<CALL:4>W1AW<ADDRESS:12>Street\r\nTown<COMMENT:15>I say <CALL:3>x<QSL_RCVD:1>y<EOR>\r\n",
].join("");

const files = [
  { name: "own", text: OWN, records: 2, fields: 7 },
  ...(existsSync(path)
    ? [{ name: "official", text: readFileSync(path, "latin1"), records: 6197, fields: 180 }]
    : []),
];

describe.each(files)("the $name test QSOs", ({ text, records: count, fields }) => {
  const bytes = Buffer.from(text, "latin1");
  const { header, records, findings } = parseAdif(bytes);

  it("are read by the letter", () => {
    expect(findings).toEqual([]);
    expect(records).toHaveLength(count);
    expect(new Set(records.flatMap((record) => Object.keys(record))).size).toBe(fields);
  });

  it("have no findings but information", () => {
    const names = Object.entries(header.fields).map(([name, value]) => ({ name, value }));
    const userDefined = userDefinedNames(names);
    const found = records.flatMap((record) => validateRecord(record, { userDefined }));
    expect(found.filter(({ level }) => level !== "info")).toEqual([]);
    expect(found.filter(({ rule }) => rule === "field-unknown")).toEqual([]);
  });

  it("are the same read piece by piece, wherever the pieces end", async () => {
    for (const size of [count > 10 ? 1009 : 1, 4096, 65_536]) {
      const streamed = [];
      for await (const { record } of readAdif(piecesOf(bytes, size))) streamed.push(record);
      expect(streamed).toEqual(records);
    }
  });

  it("are written byte by byte as they were", async () => {
    expect(Buffer.from(writeLog(await readLog(bytes))).equals(bytes)).toBe(true);
  });

  it("are the same after ADX and back", async () => {
    const adx = writeLog(await readLog(bytes), { format: "adx" });
    expect(parseAdif(adx).findings).toEqual([]);
    expect(parseAdif(adx).records).toEqual(records);
    const streamed = [];
    for await (const { record } of readAdif(piecesOf(adx, 997))) streamed.push(record);
    expect(streamed).toEqual(records);
  });
});

function* piecesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let index = 0; index < bytes.length; index += size) yield bytes.subarray(index, index + size);
}
