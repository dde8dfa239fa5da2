import { describe, expect, it } from "vitest";

import { repairAdif, undoRepairs, parseAdif, type AdifRecord } from "../../src/adif.js";

const textOf = (record: AdifRecord) =>
  `${Object.entries(record)
    .map(([name, value]) => `<${name}:${value.length}>${value}`)
    .join("")}<EOR>`;

/** The fields that repairs changed, after them, and the rules. */
function repaired(record: AdifRecord): { rules: readonly string[]; values: AdifRecord } {
  const text = textOf(record);
  const { records, repairs } = repairAdif(text);
  expect(undoRepairs(records, repairs)).toEqual(parseAdif(text).records);
  const [after = {}] = records;
  const values = Object.fromEntries(Object.entries(after).filter(([name, value]) => record[name] !== value));
  return { rules: repairs.map(({ rule }) => rule), values };
}

describe("repairs of values as other programs write them", () => {
  it.each([
    [{ QSL_SENT: "YES" }, "enumeration-word", { QSL_SENT: "Y" }],
    [{ QSL_RCVD: "yes" }, "enumeration-word", { QSL_RCVD: "Y" }],
    [{ QSL_RCVD: "Requested" }, "enumeration-word", { QSL_RCVD: "R" }],
    [{ LOTW_QSL_SENT: "No" }, "enumeration-word", { LOTW_QSL_SENT: "N" }],
    [{ QSL_SENT_VIA: "Bureau" }, "enumeration-word", { QSL_SENT_VIA: "B" }],
    [{ QSO_COMPLETE: "YES" }, "enumeration-word", { QSO_COMPLETE: "Y" }],
    [{ CLUBLOG_QSO_UPLOAD_STATUS: "YES" }, "enumeration-word", { CLUBLOG_QSO_UPLOAD_STATUS: "Y" }],
    [{ ANT_PATH: "Long Path" }, "enumeration-word", { ANT_PATH: "L" }],
    [{ PROP_MODE: "Aircraft Scatter" }, "enumeration-word", { PROP_MODE: "AS" }],
    [{ BAND: "20M" }, "band-in-upper-case", { BAND: "20m" }],
    [{ MODE: "PH" }, "mode-form", { MODE: "SSB" }],
    [{ MODE: "OLIVIA-8-500" }, "mode-that-is-a-submode", { MODE: "OLIVIA", SUBMODE: "OLIVIA 8/500" }],
    [{ MODE: "OLIVIA", SUBMODE: "OLIVIA-8-500" }, "submode-form", { SUBMODE: "OLIVIA 8/500" }],
  ])("replaces a value that is spelled out: %j", (record, rule, values) => {
    const found = repaired(record);
    expect(new Set(found.rules)).toEqual(new Set([rule]));
    expect(found.values).toEqual(values);
  });

  it.each([
    ["9:05 PM", "2105"],
    ["0905pm", "2105"],
    ["12:30 AM", "0030"],
    ["12:30 PM", "1230"],
    ["11:59:59 a.m.", "115959"],
    ["9 PM", "2100"],
  ])("replaces a time of 12 hours: %s", (time, expected) => {
    expect(repaired({ TIME_ON: time })).toEqual({ rules: ["time-12-hour"], values: { TIME_ON: expected } });
  });

  it.each([
    ["14.074.00", "14.074"],
    ["14.074.50", "14.0745"],
    ["7.030.5", "7.0305"],
    ["14.074.000", "14.074"],
    ["144.300.00", "144.3"],
  ])("replaces a frequency with two dots: %s", (frequency, expected) => {
    const band = { "7": "40m", "14": "20m", "144": "2m" }[frequency.split(".")[0] ?? ""] ?? "";
    const found = repaired({ BAND: band, FREQ: frequency });
    expect(found).toEqual({ rules: ["frequency-form"], values: { FREQ: expected } });
  });

  it.each([
    [{ NAME: "Hans\u0000\u0000" }, { NAME: "Hans" }],
    [{ CALL: "DL1ABC\u001a" }, { CALL: "DL1ABC" }],
    [{ NAME: "Hans\tMeier" }, { NAME: "Hans Meier" }],
    [{ QSO_DATE: "20240101\u0000" }, { QSO_DATE: "20240101" }],
  ])("removes control characters around a value, and replaces tabulators: %j", (record, values) => {
    expect(repaired(record as AdifRecord)).toEqual({ rules: ["control-character"], values });
  });

  it("divides a locator of 12 characters", () => {
    expect(repaired({ GRIDSQUARE: "JN48QM55LL12" }).values).toEqual({
      GRIDSQUARE: "JN48QM55",
      GRIDSQUARE_EXT: "LL12",
    });
    expect(repaired({ GRIDSQUARE: "JN48QM55LL12", GRIDSQUARE_EXT: "LL12" }).values).toEqual({
      GRIDSQUARE: "JN48QM55",
    });
    expect(repaired({ GRIDSQUARE: "JN48", GRIDSQUARE_EXT: "JN48QM55LL" }).values).toEqual({
      GRIDSQUARE: "JN48QM55",
      GRIDSQUARE_EXT: "LL",
    });
  });

  it.each([
    [{ TIME_ON: "13:05 PM" }],
    [{ TIME_ON: "0:30 PM" }],
    [{ TIME_ON: "9" }],
    [{ FREQ: "27.555.00", BAND: "10m" }],
    [{ NAME: "Ha\u0000ns" }],
    [{ CALL: "DL1\u0007ABC" }],
    [{ QSL_SENT: "MAYBE" }],
    [{ QSL_SENT_VIA: "Manager" }],
    [{ MODE: "OLIVIA", SUBMODE: "OLIVIA 9/999" }],
    [{ GRIDSQUARE: "JN48QM55LL", GRIDSQUARE_EXT: "MM" }],
    [{ GRIDSQUARE: "JN49", GRIDSQUARE_EXT: "JN48QM55LL" }],
    [{ DXCC: "230", CQZ: "5", CONT: "NA", COUNTRY: "FRANCE" }],
    [{ TIME_ON: "1200", TIME_OFF: "1145" }],
    [{ LAT: "N048 30.000" }],
  ])("does not guess: %j", (record) => {
    expect(repaired(record as AdifRecord)).toEqual({ rules: [], values: {} });
  });
});
