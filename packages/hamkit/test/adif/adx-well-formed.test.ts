/** ADX that is not well-formed passes no reader. */
import { expect, it } from "vitest";

import { parseAdif, readAdif, type AdifFileFinding } from "../../src/adif.js";
import { readLog } from "../../src/logs.js";

const adx = (fields: string) => `<ADX><RECORDS><RECORD><BAND>20m</BAND>${fields}</RECORD></RECORDS></ADX>`;

it.each([
  ["a bare ampersand", adx("<NAME>A & B</NAME>")],
  ["tags that don't match", adx("<CALL>DH1TW</NAME>")],
  ["two roots", `${adx("<CALL>DH1TW</CALL>")}<ADX/>`],
  ["an undefined entity", adx("<NAME>&nbsp;</NAME>")],
  ["a control character", adx("<NAME>A\u0001</NAME>")],
  ["a duplicate attribute", adx('<APP TYPE="S" TYPE="N" PROGRAMID="A" FIELDNAME="B">x</APP>')],
  ["an unbound prefix", adx("<x:NAME>A</x:NAME>")],
  ["an attribute without quotes", adx("<NAME a=b>A</NAME>")],
])("%s is an error with line and offset, and what precedes it is kept", async (_, text) => {
  const { records, findings } = parseAdif(text);
  expect(findings).toMatchObject([{ level: "error", rule: "adx-malformed", line: 1 }]);
  expect(findings[0]?.offset).toBeGreaterThan(0);
  expect(records).toMatchObject([{ BAND: "20m" }]);
  await expect(readLog(text)).rejects.toThrow("well-formed XML");
});

const RECORD = "<RECORD><CALL>DH1TW</CALL></RECORD>";

it.each([
  ["A & B", "& B</NAME>"],
  ["A &amp B", "&amp B"],
  ["A && B", "&& B"],
  ["A &nbsp; B", "&nbsp; B"],
  ["A &#; B", "&#; B"],
  ["A & B &amp; C;", "& B &amp;"],
  ["<![CDATA[ & <!-- ]]> & B", "& B"],
  ["<!-- & <![CDATA[ --> & B", "& B"],
])("a bare ampersand is an error at its place, whatever follows: %s", async (name, rest) => {
  const before = `<ADX><RECORDS>\n${RECORD}\n<RECORD><BAND>20m</BAND>`;
  const text = `${before}<NAME>${name}</NAME></RECORD>\n${RECORD.repeat(50)}</RECORDS></ADX>`;
  const offset = text.lastIndexOf(rest, before.length + 60);
  const place = { level: "error", rule: "adx-malformed", line: 3, offset };
  const parsed = parseAdif(text);
  expect(parsed.records).toEqual([{ CALL: "DH1TW" }, { BAND: "20m" }]);
  expect(parsed.findings).toMatchObject([place]);
  await expect(readLog(text)).rejects.toThrow(`(offset ${offset})`);
  for (const size of [1, 2, 7, 300]) {
    const findings: AdifFileFinding[] = [];
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const records = [];
    for await (const { record } of readAdif(pieces, { onFinding: (finding) => findings.push(finding) }))
      records.push(record);
    expect(records).toEqual(parsed.records);
    expect(findings).toEqual(parsed.findings);
  }
});

it.each([
  ["&lt;A&gt; &amp; &quot;B&apos;", "<A> & \"B'"],
  ["&#65;&#x42;", "AB"],
  ["<![CDATA[A & B]]>", "A & B"],
  ["A<!-- & -->B", "AB"],
  ["A<?x & ?>B", "AB"],
])("references, and ampersands where XML allows them, are read: %s", async (text, value) => {
  const document = adx(`<NAME>${text}</NAME>`);
  expect(parseAdif(document)).toMatchObject({ records: [{ NAME: value }], findings: [] });
  const records = [];
  for await (const { record } of readAdif(Array.from(document))) records.push(record);
  expect(records).toEqual([{ BAND: "20m", NAME: value }]);
});

it("a document that ends within a reference is cut", () => {
  const { findings } = parseAdif("<ADX><RECORDS><RECORD><BAND>20m</BAND><NAME>A &am");
  expect(findings).toMatchObject([{ rule: "adx-cut" }]);
});

it("an element within a field is reported, and its text is kept", async () => {
  const text = adx("<CALL><b>DH1TW</b></CALL>");
  expect(parseAdif(text)).toMatchObject({
    records: [{ BAND: "20m", CALL: "DH1TW" }],
    findings: [{ rule: "adx-unexpected" }],
  });
  expect((await readLog(text)).problemCount).toBe(1);
});
