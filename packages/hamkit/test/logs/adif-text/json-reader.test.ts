import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { LogError } from "../../../src/errors.js";
import { readLog } from "../../../src/logs/read-log.js";
import { writeLog } from "../../../src/logs/write-log.js";
import { adi, logOf, written } from "../log-text.js";

describe("readLog of JSON", () => {
  it("reads what writeLog wrote: names, values, types, repeated names, header", async () => {
    const source =
      `text {"header":1}\n${adi("ADIF_VER", "3.1.7")}<USERDEF1:4:N>Temp<EOH>\n` +
      `<CALL:5>DH1TW${adi("NAME", 'Jörg "JJ"\r\n\\')}<CALL:5>again<CALL#2:1>x<APP_X_Y:1:N>5<EOR>\n<CALL:4>W1AW<EOR>\n`;
    const log = await readLog(source);
    const json = written(log, "json");
    const again = await readLog(json);
    expect(again.format).toBe("json");
    expect(again.problems).toEqual([]);
    const withoutSource = ({
      name,
      value,
      type,
    }: {
      name: string;
      value: string;
      type?: string | undefined;
    }) => ({
      name,
      value,
      ...(type !== undefined && { type }),
    });
    expect(again.header.fields.map(withoutSource)).toEqual(log.header.fields.map(withoutSource));
    expect(again.header.text).toBe(log.header.text);
    expect(again.qsos.map(({ fields }) => fields)).toEqual(
      log.qsos.map(({ fields }) => fields.map(withoutSource)),
    );
    expect(written(again, "json")).toBe(json);
    expect(written(again)).toBe(json);
    expect(again.qsos.map(({ line }) => line)).toEqual([4, 5]);
  });

  it("accepts an array of records, members of other names, and numbers", async () => {
    const array = await readLog('[ {"call":"DH1TW","CQZ":14,"NAME":null},\n{"CALL":"W1AW"}]');
    expect(array.qsos.map(({ fields }) => fields)).toEqual([
      [
        { name: "CALL", value: "DH1TW" },
        { name: "CQZ", value: "14" },
      ],
      [{ name: "CALL", value: "W1AW" }],
    ]);
    const named = await readLog(
      '{"records":[{"CALL":"W1AW"}],"findings":[{"record":0}],"header":{"fields":{}}}',
    );
    expect(named.qsos).toHaveLength(1);
    expect(named.problems).toEqual([]);
  });

  it.each([
    ['[{"CALL":"W1AW"},{"CALL":', "end", 1],
    ['{"qsos":[{"CALL":"W1AW"},\n{"CALL":"DH1T', "end", 1],
    ['[{"CALL":"W1AW"},\n{"CALL" "DH1TW"}]', "line", 1],
    ['[{"CALL":"W1AW","X":{"a":1}}]', "line", 1],
    ['[{"CALL":"W1AW"}]]', "end", 1],
    [`[{"CALL":"W1AW"},${"[".repeat(30)}`, "end", 1],
  ])("reports damage, and reads the rest: %j", async (text, kind, count) => {
    const log = await readLog(text);
    expect(log.problems.map((problem) => problem.kind)).toEqual([kind]);
    expect(log.qsos).toHaveLength(count);
  });

  it("gives __proto__ no power", async () => {
    const log = await readLog('[{"__proto__":"x","CALL":"W1AW"},{"constructor":"y"}]');
    expect(log.qsos[0]?.fields[0]).toEqual({ name: "__PROTO__", value: "x" });
    expect({}).not.toHaveProperty("x");
  });

  it.each(["{}", "[]", "[1,2]", "{ }", "[text] without a tag"])("takes %j for no log", async (text) => {
    await expect(readLog(text)).rejects.toThrow(LogError);
  });

  it("does not take the text of an .adi header for JSON", async () => {
    expect(await readLog("[My log] {x}\n<EOH><CALL:4>W1AW<EOR>")).toMatchObject({ format: "adi" });
  });

  it("reads any fields that were written", async () => {
    const name = fc.oneof(
      fc.constantFrom("CALL", "X#2", "X", "#1", "A#"),
      fc.stringMatching(/^[A-Z_#]{1,4}$/),
    );
    const fields = fc.array(fc.record({ name, value: fc.string({ unit: "binary" }) }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { minLength: 1 }), async (qsos) => {
        const log = await readLog(writeLog(logOf(...qsos), { format: "json" }));
        expect(log.qsos.map((qso) => qso.fields)).toEqual(qsos);
      }),
    );
  });
});
