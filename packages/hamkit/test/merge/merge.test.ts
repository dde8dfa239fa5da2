import { describe, expect, it } from "vitest";

import type { AdifRecord } from "../../src/adif.js";
import { ArgumentTypeError, ValueError } from "../../src/errors.js";
import { createContactIndex, matchReport, mergeLogs, mergeRecords } from "../../src/merge.js";

/** A contact at 12:00, but for these fields. */
function qso(fields: AdifRecord = {}): AdifRecord {
  return { CALL: "DL1ABC", BAND: "20m", MODE: "FT8", QSO_DATE: "20240630", TIME_ON: "1200", ...fields };
}

/** How many contacts two records are. */
function contacts(one: AdifRecord, other: AdifRecord, windowMinutes?: number): number {
  return mergeLogs([[one], [other]], { windowMinutes }).records.length;
}

describe("the same contact", () => {
  it.each([
    ["the minute before", { TIME_ON: "1159" }],
    ["ten minutes later", { TIME_ON: "121000" }],
    ["a call in lower case", { CALL: " dl1abc" }],
    ["the band by its frequency", { BAND: "", FREQ: "14.074" }],
    ["the name of the group", { MODE: "DATA" }],
    ["another mode of the group in the same minute", { MODE: "JT65" }],
    ["no own call", { STATION_CALLSIGN: "" }],
    ["a finer own square", { MY_GRIDSQUARE: "JO62QM" }],
  ])("has %s", (_name, fields) => {
    expect(contacts(qso({ STATION_CALLSIGN: "DH1TW", MY_GRIDSQUARE: "JO62" }), qso(fields))).toBe(1);
  });

  it.each([
    ["eleven minutes later", { TIME_ON: "1211" }],
    ["another band", { BAND: "40m" }],
    ["another group of modes", { MODE: "CW" }],
    ["another mode of the group, three minutes later", { MODE: "RTTY", TIME_ON: "1203" }],
    ["another day", { QSO_DATE: "20240629" }],
    ["another own call", { STATION_CALLSIGN: "DH1TW/P" }],
    ["another own park", { MY_POTA_REF: "DE-0002" }],
    ["a satellite", { PROP_MODE: "SAT" }],
    ["no time", { TIME_ON: "" }],
    ["no band", { BAND: "" }],
  ])("has not %s", (_name, fields) => {
    const one = qso({ STATION_CALLSIGN: "DH1TW", MY_POTA_REF: "DE-0001", PROP_MODE: "F2" });
    expect(contacts(one, qso(fields))).toBe(2);
  });

  it("goes on over midnight and the year's end", () => {
    const late = qso({ QSO_DATE: "20231231", TIME_ON: "2358" });
    expect(contacts(late, qso({ QSO_DATE: "20240101", TIME_ON: "0003" }))).toBe(1);
    expect(contacts(late, qso({ QSO_DATE: "20240101", TIME_ON: "0003" }), 4)).toBe(2);
    expect(contacts(qso({ QSO_DATE: "20240101", TIME_ON: "0003" }), late)).toBe(1);
  });

  it("is the nearest in time", () => {
    const index = createContactIndex();
    for (const time of ["1140", "1157", "1202", "1220"]) index.add(qso({ TIME_ON: time }));
    expect(index.find(qso())).toEqual({ index: 2, minutes: 2 });
    expect(index.find(qso({ TIME_ON: "1300" }))).toBeUndefined();
    expect(() => createContactIndex({ windowMinutes: -1 })).toThrow(ValueError);
    expect(() => createContactIndex({ windowMinutes: Number.NaN })).toThrow(ValueError);
  });
});

describe("mergeRecords", () => {
  it.each([
    ["a locator", { GRIDSQUARE: "JN48" }, { GRIDSQUARE: "JN48QM" }, "JN48QM"],
    ["a time", { TIME_ON: "1200" }, { TIME_ON: "120034" }, "120034"],
    ["a frequency", { FREQ: "14.07" }, { FREQ: "14.0743" }, "14.0743"],
    ["a mode", { MODE: "DATA" }, { MODE: "FT8" }, "FT8"],
    ["a confirmation", { LOTW_QSL_RCVD: "R" }, { LOTW_QSL_RCVD: "Y" }, "Y"],
    ["a value that was missing", { NAME: "" }, { NAME: "Tom" }, "Tom"],
  ])("takes %s that says more, and keeps it the other way round", (_name, less, more, after) => {
    const forth = mergeRecords(less, more);
    expect(Object.values(forth.record)).toEqual([after]);
    expect(forth.conflicts).toEqual([]);
    const back = mergeRecords(more, less);
    expect(back).toEqual({ record: more, changes: [], conflicts: [] });
  });

  it.each([
    [{ CQZ: "05" }, { CQZ: "5" }],
    [{ FREQ: "14.074" }, { FREQ: "14.07400" }],
    [{ NAME: "Tom" }, { NAME: "TOM " }],
    [{ MODE: "MFSK", SUBMODE: "FT4" }, { MODE: "FT4" }],
    [{ MODE: "SSB", SUBMODE: "USB" }, { MODE: "PHONE" }],
    [{ QSL_RCVD: "V" }, { QSL_RCVD: "Y" }],
    [
      { QSO_DATE: "20240630", TIME_ON: "235959" },
      { QSO_DATE: "20240701", TIME_ON: "000005" },
    ],
  ])("sees no conflict in %j and %j", (kept, other) => {
    expect(mergeRecords(kept as AdifRecord, other as AdifRecord)).toEqual({
      record: kept,
      changes: [],
      conflicts: [],
    });
  });

  it("keeps the first of two values that contradict, and names both", () => {
    const kept = qso({ STATE: "CT", CQZ: "5", QSL_RCVD: "I", TIME_ON: "1200" });
    const { record, changes, conflicts } = mergeRecords(
      kept,
      qso({ STATE: "NY", CQZ: "4", QSL_RCVD: "Y", TIME_ON: "1207", MODE: "JT65" }),
    );
    expect(record).toBe(kept);
    expect(changes).toEqual([]);
    expect(conflicts.map(({ field, kept: one, other }) => `${field} ${one} ${other}`)).toEqual([
      "MODE FT8 JT65",
      "TIME_ON 1200 1207",
      "STATE CT NY",
      "CQZ 5 4",
      "QSL_RCVD I Y",
    ]);
  });

  it("takes the date of a confirmation with it", () => {
    const kept = { LOTW_QSL_RCVD: "N", LOTW_QSLRDATE: "20200101" };
    const { record, conflicts } = mergeRecords(kept, { LOTW_QSL_RCVD: "Y", LOTW_QSLRDATE: "20240702" });
    expect(record).toEqual({ LOTW_QSL_RCVD: "Y", LOTW_QSLRDATE: "20240702" });
    expect(conflicts).toEqual([]);
    expect(kept.LOTW_QSL_RCVD).toBe("N");
  });
});

describe("mergeLogs", () => {
  it("has each contact once, in the order of its first record", () => {
    const first = [qso({ NAME: "Tom" }), qso({ CALL: "W1AW" })];
    const second = [qso({ CALL: "JA1ABC" }), qso({ NAME: "Thomas", STATE: "BW" }), qso({ DXCC: "230" })];
    const { records, merged, repeated } = mergeLogs([first, second]);
    expect(records.map(({ CALL }) => CALL)).toEqual(["DL1ABC", "W1AW", "JA1ABC"]);
    expect(records[0]).toMatchObject({ NAME: "Tom", STATE: "BW", DXCC: "230" });
    expect(merged).toMatchObject([
      { repeated: 2, conflicts: [{ field: "NAME", kept: "Tom", other: "Thomas" }] },
    ]);
    expect(repeated).toBe(2);
  });

  it("keeps what can't be compared", () => {
    const { records, incomparable } = mergeLogs([[{ CALL: "DL1ABC" }, { CALL: "DL1ABC" }, {}]]);
    expect(records).toHaveLength(3);
    expect(incomparable).toBe(3);
    expect(() => mergeLogs([5 as never])).toThrow(ArgumentTypeError);
    expect(mergeLogs([])).toMatchObject({ records: [], repeated: 0 });
  });
});

describe("matchReport", () => {
  const lotw = (fields: AdifRecord) => qso({ APP_LOTW_MODEGROUP: "DATA", ...fields });

  it("confirms contacts of LoTW, and notes those that it only knows", () => {
    const log = [qso(), qso({ CALL: "W1AW", MODE: "RTTY" }), qso({ CALL: "K1ABC" })];
    const { records, matched, confirmed, unmatched } = matchReport(log, [
      lotw({ QSL_RCVD: "Y", QSLRDATE: "20240702", TIME_ON: "122959", GRIDSQUARE: "JO62QM", DXCC: "230" }),
      lotw({ CALL: "W1AW", MODE: "DATA", QSL_RCVD: "N" }),
      lotw({ CALL: "K9XYZ", QSL_RCVD: "Y" }),
    ]);
    expect(records[0]).toMatchObject({
      LOTW_QSL_RCVD: "Y",
      LOTW_QSLRDATE: "20240702",
      GRIDSQUARE: "JO62QM",
      TIME_ON: "1200",
    });
    expect(records[1]).toEqual({ ...log[1], LOTW_QSL_SENT: "Y" });
    expect(records[2]).toBe(log[2]);
    expect({ matched: matched.length, confirmed }).toEqual({ matched: 2, confirmed: 1 });
    expect(unmatched.map(({ CALL }) => CALL)).toEqual(["K9XYZ"]);
  });

  it("shows what a report contradicts, and keeps the log's", () => {
    const [match] = matchReport([qso({ STATE: "CT" })], [lotw({ QSL_RCVD: "Y", STATE: "NY" })]).matched;
    expect(match?.record).toMatchObject({ STATE: "CT", LOTW_QSL_RCVD: "Y" });
    expect(match?.conflicts).toEqual([{ field: "STATE", kept: "CT", other: "NY" }]);
  });

  it("reads inboxes of eQSL and logbooks of QRZ", () => {
    const inbox = qso({ APP_EQSL_AG: "Y", QSL_SENT: "Y", QSL_SENT_VIA: "E", RST_SENT: "-10" });
    expect(matchReport([qso({ RST_SENT: "-05" })], [inbox]).records).toEqual([
      qso({ RST_SENT: "-05", EQSL_QSL_RCVD: "Y", EQSL_AG: "Y" }),
    ]);
    const known = qso({ APP_QRZLOG_LOGID: "1", APP_QRZLOG_STATUS: "N" });
    const found = qso({ CALL: "W1AW", APP_QRZLOG_STATUS: "C", APP_QRZLOG_QSLDATE: "20240703" });
    expect(matchReport([qso(), qso({ CALL: "W1AW" })], [known, found])).toMatchObject({
      confirmed: 1,
      records: [
        { QRZCOM_QSO_UPLOAD_STATUS: "Y" },
        { QRZCOM_QSO_DOWNLOAD_STATUS: "Y", QRZCOM_QSO_DOWNLOAD_DATE: "20240703" },
      ],
    });
    expect(matchReport([qso()], [qso()], { source: "eqsl" }).confirmed).toBe(1);
    expect(() => matchReport([], [], { source: "x" as never })).toThrow(ValueError);
  });

  it("takes all fields of the log of another program", () => {
    const { records } = matchReport([qso()], [qso({ QSL_RCVD: "Y", NOTES: "a card" })]);
    expect(records).toEqual([qso({ QSL_RCVD: "Y", NOTES: "a card" })]);
  });
});
