import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { ArgumentTypeError, AttributeError, LocatorError, ValueError } from "../../../src/errors.js";
import {
  annotateLog,
  type AnnotateLogOptions,
  type AnnotatedLog,
} from "../../../src/logs/annotation/annotation.js";
import type { Log } from "../../../src/logs/log.js";
import { readLog } from "../../../src/logs/read-log.js";
import type { TableSource } from "../../../src/lookup/source.js";
import { smallTable } from "../../fixtures/small-table.js";
import { adi, logOf, pairs, written } from "../log-text.js";

let table: TableSource;
beforeAll(async () => {
  table = await smallTable();
});

const now = new Date("2024-06-30T12:00:00Z");

function annotate(log: Log, options: Partial<AnnotateLogOptions> = {}): AnnotatedLog {
  return annotateLog(log, { table, now, ...options });
}

/** A log of one QSO of 1 January 2024, annotated. */
function annotateQso(
  fields: Record<string, string>,
  options: Partial<AnnotateLogOptions> = {},
): AnnotatedLog {
  const all = { QSO_DATE: "20240101", TIME_ON: "1200", ...fields };
  return annotate(logOf(Object.entries(all).map(([name, value]) => ({ name, value }))), options);
}

/** The fields of the first QSO, but for date and time. */
function fieldsOf({ log }: AnnotatedLog): Record<string, string> {
  const [qso = { fields: [] }] = log.qsos;
  return Object.fromEntries(pairs(qso).filter(([name = ""]) => !["QSO_DATE", "TIME_ON"].includes(name)));
}

describe("annotateLog", () => {
  it("adds country, entity, zones and continent behind the fields of a QSO", () => {
    const annotated = annotateQso({ CALL: "ja1abc", NAME: "Taro" });
    expect(fieldsOf(annotated)).toEqual({
      CALL: "ja1abc",
      NAME: "Taro",
      COUNTRY: "Japan",
      DXCC: "339",
      CQZ: "25",
      ITUZ: "45",
      CONT: "AS",
    });
    expect(annotated).toMatchObject({ unidentified: [], disagreements: [] });
  });

  it("adds distance and heading from one's own locator", () => {
    // Germany at 51° N 10° E, from JN48QM at 48.5208° N 9.3750° E, by the haversine formula and the heading by hand.
    expect(fieldsOf(annotateQso({ CALL: "DL1ABC" }, { locator: "JN48QM" }))).toMatchObject({
      DISTANCE: "279.3",
      APP_HAMKIT_HEADING: "9",
    });
  });

  it("believes the other station's locator before the middle of its country", () => {
    const fields = fieldsOf(annotateQso({ CALL: "W1AW", GRIDSQUARE: "FN31PR" }, { locator: "JN48QM" }));
    expect(fields).toMatchObject({ DISTANCE: "6168.6", APP_HAMKIT_HEADING: "296.2" }); // as hamkit path
  });

  it("uses the long path if ANT_PATH is L, and none for other paths", () => {
    const call = { CALL: "W1AW", GRIDSQUARE: "FN31PR" };
    const by = (path: string) => fieldsOf(annotateQso({ ...call, ANT_PATH: path }, { locator: "JN48QM" }));
    expect(by("L")).toMatchObject({ DISTANCE: "33861.6", APP_HAMKIT_HEADING: "116.2" }); // as hamkit path
    expect(by("s")).toMatchObject({ DISTANCE: "6168.6" });
    expect(by("G")).not.toHaveProperty("DISTANCE");
    expect(by("O")).not.toHaveProperty("APP_HAMKIT_HEADING");
  });

  it("takes one's own place from the log, or else from one's own call", () => {
    const call = { CALL: "W1AW", GRIDSQUARE: "FN31PR" };
    const from = (own: Record<string, string>, locator?: string) =>
      fieldsOf(annotateQso({ ...call, ...own }, { locator }))["DISTANCE"];
    expect(from({ MY_GRIDSQUARE: "JN48QM" })).toBe("6168.6");
    expect(from({ MY_GRIDSQUARE: "AA00" }, "JN48QM")).toBe("6168.6");
    expect(from({ MY_LAT: "N048 31.250", MY_LON: "E009 22.500" })).toBe("6168.6"); // the center of JN48QM
    expect(from({ MY_GRIDSQUARE: "JO51AA" })).toBe(
      from({ STATION_CALLSIGN: "DL1ABC", MY_GRIDSQUARE: "JO51AA" }),
    );
    expect(from({ STATION_CALLSIGN: "DL1ABC" })).toBe(from({ MY_LAT: "N051 00.000", MY_LON: "E010 00.000" }));
    expect(from({ OPERATOR: "DL1ABC" })).toBe(from({ STATION_CALLSIGN: "DL1ABC" }));
    expect(from({ STATION_CALLSIGN: "DL1ABC/MM" })).toBeUndefined();
    expect(from({})).toBeUndefined();
  });

  it("reads locators of up to ten characters, and coordinates", () => {
    const to = (there: Record<string, string>) =>
      fieldsOf(annotateQso({ CALL: "W1AW", ...there }, { locator: "JN48QM" }))["DISTANCE"];
    expect(to({ GRIDSQUARE: "fn31pr21", GRIDSQUARE_EXT: "RU" })).toBe(to({ GRIDSQUARE: "FN31PR21RU" }));
    expect(to({ GRIDSQUARE: "FN31PR21" })).not.toBe(to({ GRIDSQUARE: "FN31PR" }));
    expect(to({ LAT: "N041 43.750", LON: "W072 42.500" })).toBe("6168.6"); // the center of FN31PR
    expect(to({ LAT: "N091 00.000", LON: "W072 42.500" })).toBe(to({}));
  });

  // By the haversine formula from 48.5208 N 9.375 E; squares: EM98, FM08, EM97 and FM07 meet at 38 N 80 W, JO30 and JO40 along 8 E
  // from 50 to 51 N, RJ90 and AJ00 along 180 E. The field FN is from 40 to 50 N and 80 to 60 W, far from the middle of the USA.
  it.each([
    [{ CALL: "W1AW", VUCC_GRIDS: "EM98,FM08,EM97,FM07" }, "6912.3", undefined],
    [{ CALL: "DL1ABC", VUCC_GRIDS: "JO30,JO40" }, "241.4", "56"],
    [{ CALL: "DL1ABC", VUCC_GRIDS: "JO30, jo40aa" }, "194.3", "3"],
    [{ CALL: "T2AA", VUCC_GRIDS: "RJ90,AJ00" }, "14489.9", "56"],
    [{ CALL: "W1AW", GRIDSQUARE: "FN" }, "5778.5", "990"],
    // The middle of the entity is in the field.
    [{ CALL: "DL1ABC", GRIDSQUARE: "JO" }, "279.3", undefined],
    [{ CALL: "DL1ABC", VUCC_GRIDS: "JO30,JO50" }, "279.3", undefined],
    [{ CALL: "W1AW", VUCC_GRIDS: "EM98,FM08", GRIDSQUARE: "FN31PR" }, "6168.6", undefined],
  ])(
    "takes where grids meet, and fields of two characters, with their uncertainty: %j",
    (there, distance, error) => {
      const fields = fieldsOf(annotateQso(there, { locator: "JN48QM" }));
      expect(fields).toMatchObject({ DISTANCE: distance });
      expect(fields["APP_HAMKIT_DISTANCE_ERROR"]).toBe(error);
    },
  );

  it("looks each QSO up by the rules of its own time", () => {
    // The Australian islands had other prefixes before 2006: docs/commands/call.md.
    const at = (date: string) => fieldsOf(annotateQso({ CALL: "VK9XNA", QSO_DATE: date }))["COUNTRY"];
    expect([at("20010630"), at("20240101")]).toEqual(["Christmas Island", "Norfolk Island"]);
  });

  it("names the DXCC entity where the country file has a country that isn't one", () => {
    expect(fieldsOf(annotateQso({ CALL: "IT9ABC" }))).toMatchObject({
      COUNTRY: "Italy",
      DXCC: "248",
      CQZ: "15",
    });
  });

  it("knows that stations at sea and in the air are in no entity, which ADIF writes as 0", () => {
    expect(fieldsOf(annotateQso({ CALL: "DL1ABC/MM" }, { locator: "JN48QM" }))).toEqual({
      CALL: "DL1ABC/MM",
      DXCC: "0",
    });
    const withGrid = annotateQso({ CALL: "DL1ABC/MM", GRIDSQUARE: "IO80" }, { locator: "JN48QM" });
    expect(fieldsOf(withGrid)).toHaveProperty("DISTANCE");
    expect(withGrid.summary.entities).toEqual([{ adif: 0, country: "", qsos: 1 }]);
  });

  it("keeps the values of the log, and reports differences", () => {
    const annotated = annotateQso(
      { CALL: "DL1ABC", DXCC: "230", CQZ: "15", ITUZ: "028", CONT: "eu", DISTANCE: "1" },
      { locator: "JN48QM" },
    );
    expect(fieldsOf(annotated)).toMatchObject({
      CQZ: "15",
      ITUZ: "028",
      CONT: "eu",
      DISTANCE: "1",
      COUNTRY: "Fed. Rep. of Germany",
    });
    expect(annotated.disagreements).toEqual([
      { line: 1, call: "DL1ABC", field: "CQZ", logged: "15", found: "14" },
    ]);
    expect(annotated.summary).toMatchObject({ added: 2, replaced: 0, cqZones: [{ cqz: 15, qsos: 1 }] });
  });

  it("adds nothing that would not fit another entity of the log's", () => {
    const annotated = annotateQso({ CALL: "DL1ABC", DXCC: "248", CQZ: "15" }, { locator: "JN48QM" });
    expect(fieldsOf(annotated)).toEqual({ CALL: "DL1ABC", DXCC: "248", CQZ: "15" });
    expect(annotated.disagreements).toEqual([
      { line: 1, call: "DL1ABC", field: "DXCC", logged: "248", found: "230" },
    ]);
    expect(annotated.summary.entities).toEqual([{ adif: 248, country: "Italy", qsos: 1 }]);
  });

  it("replaces what the log has when it is told to", () => {
    const logged = { CALL: "DL1ABC", DXCC: "248", COUNTRY: "Italy", CQZ: "15", CONT: "EU", DISTANCE: "1" };
    const annotated = annotateQso(logged, { locator: "JN48QM", overwrite: true });
    expect(Object.entries(fieldsOf(annotated))).toEqual([
      ["CALL", "DL1ABC"],
      ["DXCC", "230"],
      ["COUNTRY", "Fed. Rep. of Germany"],
      ["CQZ", "14"],
      ["CONT", "EU"],
      ["DISTANCE", "279.3"],
      ["ITUZ", "28"],
      ["APP_HAMKIT_HEADING", "9"],
    ]);
    expect(annotated.disagreements.map(({ field }) => field)).toEqual(["DXCC", "CQZ"]);
    expect(annotated.summary).toMatchObject({ added: 2, replaced: 4 });
    const atSea = annotateQso({ ...logged, CALL: "DL1ABC/MM" }, { overwrite: true });
    expect(fieldsOf(atSea)).toEqual({ CALL: "DL1ABC/MM", DXCC: "0", CQZ: "15", CONT: "EU", DISTANCE: "1" });
  });

  it("fills in fields that are there and empty", () => {
    const fields = fieldsOf(annotateQso({ CQZ: "", CALL: "DL1ABC", CONT: " " }));
    expect(Object.entries(fields).slice(0, 3)).toEqual([
      ["CQZ", "14"],
      ["CALL", "DL1ABC"],
      ["CONT", "EU"],
    ]);
  });

  it("lists the QSOs that can't be identified, and leaves them as they are", () => {
    const log = logOf(
      [{ name: "CALL", value: "QQ0QQ" }],
      [{ name: "NAME", value: "Hans" }],
      [{ name: "CALL", value: "PIRATE" }],
    );
    const barring = { ...table, isInvalidOperation: (call: string) => call === "PIRATE" };
    const { log: after, unidentified, summary } = annotate(log, { table: barring });
    expect(unidentified).toEqual([
      { line: 1, call: "QQ0QQ", reason: "unknown" },
      { line: 2, call: "", reason: "no-call" },
      { line: 3, call: "PIRATE", reason: "invalid-operation" },
    ]);
    expect(after.qsos).toEqual(log.qsos);
    expect(summary).toMatchObject({ qsos: 3, identified: 0, added: 0 });
  });

  it.each([
    [{ QSO_DATE: "" }, "QSO_DATE is missing"],
    [{ QSO_DATE: "2024-01-01" }, 'QSO_DATE: "2024-01-01" is not a date YYYYMMDD from 1930 on'],
    [{ QSO_DATE: "20230229" }, 'QSO_DATE: "20230229" is not a date YYYYMMDD from 1930 on'],
    [{ QSO_DATE: "19000101" }, 'QSO_DATE: "19000101" is not a date YYYYMMDD from 1930 on'],
    [{ QSO_DATE: "99991231" }, "QSO_DATE: 99991231 is in the future"],
    [{ TIME_ON: "" }, "TIME_ON is missing"],
    [{ TIME_ON: "2460" }, 'TIME_ON: "2460" is not a time HHMM or HHMMSS'],
    [{ TIME_ON: "12" }, 'TIME_ON: "12" is not a time HHMM or HHMMSS'],
    [{ GRIDSQUARE: "JN48ZZ" }, 'GRIDSQUARE: "JN48ZZ" is not a Maidenhead locator'],
    [{ MY_GRIDSQUARE: "home" }, 'MY_GRIDSQUARE: "home" is not a Maidenhead locator'],
  ])("reports %j and still identifies the QSO", (fields, message) => {
    const annotated = annotateQso({ CALL: "DL1ABC", ...fields });
    expect(annotated.problems.map((problem) => problem.message)).toEqual([message]);
    expect(annotated.problemCount).toBe(1);
    expect(fieldsOf(annotated)).toMatchObject({ DXCC: "230" });
  });

  it("accepts 29 February of leap years and times with seconds", () => {
    expect(annotateQso({ CALL: "DL1ABC", QSO_DATE: "20240229", TIME_ON: "235959" }).problems).toEqual([]);
  });

  it("counts entities, zones and bands by the final fields", () => {
    const calls = ["DL1ABC", "JA1ABC", "DH1TW", "W6ABC", "W1AW"];
    const bands = ["20M", "6m", "20m", "", "my band"];
    const log = logOf(
      ...calls.map((value, index) => [
        { name: "CALL", value },
        { name: "BAND", value: bands[index] ?? "" },
        { name: "FREQ", value: "3.573" },
      ]),
    );
    expect(annotate(log).summary).toEqual({
      qsos: 5,
      identified: 5,
      added: 25,
      replaced: 0,
      entities: [
        { adif: 230, country: "Fed. Rep. of Germany", qsos: 2 },
        { adif: 291, country: "United States", qsos: 2 },
        { adif: 339, country: "Japan", qsos: 1 },
      ],
      cqZones: [
        { cqz: 3, qsos: 1 },
        { cqz: 5, qsos: 1 },
        { cqz: 14, qsos: 2 },
        { cqz: 25, qsos: 1 },
      ],
      bands: [
        { band: "80m", qsos: 1 },
        { band: "20m", qsos: 2 },
        { band: "6m", qsos: 1 },
        { band: "my band", qsos: 1 },
      ],
    });
  });

  it("writes new fields as the log writes its own, and everything else as it was", async () => {
    const text =
      "My log\n<EOH>\n<Call:6>JA1ABC\n  <APP_X_Y:1:S>z // a comment\n  <qso_date:8>20240101\n  <time_on:4>1200\n<eor>\n";
    expect(written(annotate(await readLog(text)).log)).toBe(
      text.replace(
        "\n<eor>",
        "\n  <COUNTRY:5>Japan\n  <DXCC:3>339\n  <CQZ:2>25\n  <ITUZ:2>45\n  <CONT:2>AS\n<eor>",
      ),
    );
    const dense = `${adi("CALL", "DL1ABC/MM", "QSO_DATE", "20240101", "TIME_ON", "1200")}<EOR>`;
    expect(written(annotate(await readLog(dense)).log)).toBe(dense.replace("<EOR>", "<DXCC:1>0<EOR>"));
    const adx = "<ADX><RECORDS>\n<RECORD>\n <CALL>DL1ABC/MM</CALL>\n</RECORD></RECORDS></ADX>";
    expect(written(annotate(await readLog(adx)).log)).toBe(
      adx.replace("\n</REC", "\n <DXCC>0</DXCC>\n</REC"),
    );
  });

  it("loses no field of any log, and changes nothing the second time", async () => {
    const name = fc.constantFrom(
      "CALL",
      "NAME",
      "CQZ",
      "DXCC",
      "COUNTRY",
      "GRIDSQUARE",
      "APP_A_B",
      "FOO",
      "QSO_DATE",
    );
    const value = fc.oneof(
      fc.constantFrom("DL1ABC", "20240101", "JN48", "14", "230", ""),
      fc.string({ unit: "binary" }),
    );
    const gap = fc.constantFrom("", " ", "\r\n", " // remark ");
    const field = fc.tuple(name, value, gap).map(([one, text, after]) => adi(one, text) + after);
    const qso = fc.array(field, { minLength: 1, maxLength: 6 }).map((fields) => `${fields.join("")}<EOR>\n`);
    await fc.assert(
      fc.asyncProperty(fc.array(qso, { maxLength: 5 }), async (qsos) => {
        const before = await readLog(`log<EOH>${qsos.join("")}`);
        const { log } = annotate(before, { locator: "JN48QM" });
        for (const [index, { fields }] of before.qsos.entries()) {
          const after = log.qsos[index]?.fields ?? [];
          // Empty fields may have been filled in.
          expect(fields.map((one, place) => (one.value.trim() === "" ? one : after[place]))).toEqual(fields);
        }
        const once = written(log);
        expect(written(annotate(await readLog(once), { locator: "JN48QM" }).log)).toBe(once);
      }),
    );
  });

  it("rejects invalid arguments", () => {
    const log = logOf();
    const wrong = (value: unknown) => value as never;
    expect(() => annotate(log, { locator: "JN48ZZ" })).toThrow(LocatorError);
    expect(() => annotate(log, { locator: wrong(48) })).toThrow(AttributeError);
    expect(() => annotate(log, { table: wrong({}) })).toThrow(ArgumentTypeError);
    expect(() => annotate(log, { now: new Date(Number.NaN) })).toThrow(ValueError);
    expect(() => annotate(wrong("<CALL:5>DH1TW<EOR>"))).toThrow(ArgumentTypeError);
  });
});
