/** What a JSON log has and no record holds is a problem in each reader, with its line. */
import { describe, expect, it } from "vitest";

import { parseAdif, readAdif, type AdifFileFinding } from "../../../src/adif.js";
import { readLog } from "../../../src/logs.js";

const QSO = '{"CALL":"DH1TW"}';

describe.each([
  ["a number among the records", `[${QSO},\n5]`, 2, "a record that is not an object of texts"],
  ["a text among the records", `{"qsos":[${QSO},\n"W1AW"]}`, 2, "a record that is not an object of texts"],
  ["an array among the records", `[${QSO},\n[["W1AW"]]]`, 2, "a record that is not an object of texts"],
  ["null among the records", `[${QSO},\nnull]`, 2, "a record that is not an object of texts"],
  ["a name that occurs twice", `[${QSO},\n{"CALL":"W1AW","CALL":"K1AB"}]`, 2, '"CALL": occurs twice'],
  ["a value that is an object", `[${QSO},\n{"CALL":"W1AW","NAME":{"a":"b"}}]`, 2, '"NAME": expected a text'],
  ["an unknown member", `{"qsos":[${QSO}],\n"contacts":[{"CALL":"W1AW"}]}`, 2, '"contacts" is no member'],
  ["an unknown text", `{"qsos":[${QSO}],\n"call":"W1AW"}`, 2, '"call" is no member'],
  [
    "an unknown member of the header",
    `{\n"header":{"text":"","call":"W1AW"},"qsos":[${QSO}]}`,
    2,
    "header.call",
  ],
  ["a header that is a text", `{\n"header":"W1AW","qsos":[${QSO}]}`, 2, '"header": unexpected value'],
  [
    "records that are an object",
    `{"records":[${QSO}],\n"qsos":{"CALL":"W1AW"}}`,
    2,
    '"qsos": unexpected value',
  ],
  ["text behind the end", `[${QSO}]\nW1AW`, 2, "text behind the end"],
  ["a quoted text behind the end", `[${QSO}]\n"W1AW"`, 2, "text behind the end"],
  ["a second document", `[${QSO}]\n{"CALL":"W1AW"}`, 2, "text behind the end"],
  ["text between records", `[${QSO}\nW1AW]`, 2, "a record that is not an object of texts"],
])("%s", (_, text, line, message) => {
  it("is a problem", async () => {
    const { problems, qsos } = await readLog(text);
    expect(problems[0]).toMatchObject({ line, message: expect.stringContaining(message) });
    expect(qsos[0]?.fields).toMatchObject([{ name: "CALL", value: "DH1TW" }]);
  });

  it("is a finding, whole and piece by piece", async () => {
    const { findings, records } = parseAdif(text);
    expect(findings[0]?.message).toContain(`line ${line}: `);
    expect(findings[0]?.message).toContain(message);
    for (const size of [1, 5]) {
      const streamed: AdifFileFinding[] = [];
      const read = [];
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      for await (const { record } of readAdif(pieces, { onFinding: (finding) => streamed.push(finding) }))
        read.push(record);
      expect(streamed).toEqual(findings);
      expect(read).toEqual(records);
    }
  });
});

it.each([
  `\uFEFF[${QSO}]\n`,
  `{"header":{"text":"x","fields":{"A":"b"}},"types":{"A":"S"},"qsos":[${QSO},{"A":"b:c,{","B":null,"C":5}]}`,
  `{"header":{},"records":[${QSO}],"findings":[{"rule":"x"}],"repairs":[]}`,
])("a sound document has none: %s", async (text) => {
  expect((await readLog(text)).problems).toEqual([]);
  expect(parseAdif(text.replace("\uFEFF", "")).findings).toEqual([]);
});
