import { describe, expect, it } from "vitest";

import { repairAdif, validateRecord } from "../../src/adif.js";

const rulesOf = (record: Record<string, string>) =>
  validateRecord(record).map(({ rule, field }) => `${field} ${rule}`);

const levelsOf = (record: Record<string, string>) =>
  validateRecord(record).map(({ level, rule, field }) => `${level} ${field} ${rule}`);

/** The record after its repair. */
function repaired(record: Record<string, string>): Record<string, string> | undefined {
  const fields = Object.entries(record).map(([name, value]) => `<${name}:${value.length}>${value}`);
  return repairAdif(`${fields.join("")}<EOR>`).records[0];
}

describe("validateRecord", () => {
  it.each([
    [{ QSO_DATE: "20260230" }, "QSO_DATE date-impossible"],
    [{ QSO_DATE: "20240229" }, undefined],
    [{ TIME_ON: "2359" }, undefined],
    [{ STATE: "WI", DXCC: "1" }, "STATE state-unknown"],
    [{ STATE: "anything", DXCC: "7777" }, "DXCC dxcc-unknown"],
    [{ MY_STATE: "WI", MY_DXCC: "291" }, undefined],
    [{ CNTY: "Bavaria", DXCC: "230" }, undefined],
    [{ CNTY: "AK,Aleutians East", DXCC: "6" }, undefined],
    [{ ANT_AZ: "370" }, "ANT_AZ ant-az-range"],
    [{ KEY: "x", K_INDEX: "10" }, "K_INDEX k-index"],
    [{ VUCC_GRIDS: "EN98,FM08,EM97,FM07" }, "VUCC_GRIDS grid-form"],
    [{ VUCC_GRIDS: "EM98,FM08,EM97,FM07" }, undefined],
    [{ VUCC_GRIDS: "RJ90,AJ00" }, undefined],
    [{ VUCC_GRIDS: "JO30XA,JO40AA" }, undefined],
    [{ VUCC_GRIDS: "jo30xa,JO40aa" }, undefined],
    [{ VUCC_GRIDS: "EM98XA,FM08AA,EM97XX,FM07AX" }, undefined],
    [{ MY_VUCC_GRIDS: "JO30XA,JO40" }, undefined],
    [{ VUCC_GRIDS: "JO30XA,JO30AA" }, "VUCC_GRIDS grid-form"],
    [{ VUCC_GRIDS: "JO30XA,JO50AA" }, "VUCC_GRIDS grid-form"],
    [{ VUCC_GRIDS: "JO30X,JO40A" }, "VUCC_GRIDS grid-form"],
    [{ VUCC_GRIDS: "JO30XA12,JO40AA12" }, "VUCC_GRIDS grid-form"],
    [{ VUCC_GRIDS: "JO30YY,JO40AA" }, "VUCC_GRIDS grid-form"],
    [{ CREDIT_SUBMITTED: "DXCC:CARD&FAX" }, "CREDIT_SUBMITTED credit-form"],
    [{ CREDIT_SUBMITTED: "IOTA,WAS:LOTW&CARD" }, undefined],
    [{ PROP_MODE: "XX" }, "PROP_MODE enumeration-value"],
    [{ CONTEST_ID: "MY-CLUB-SPRINT" }, undefined],
    [{ MODE: "MFSK", SUBMODE: "NEW1" }, undefined],
    [{ SILENT_KEY: "maybe" }, "SILENT_KEY boolean"],
  ])("checks %j", (record, expected) => {
    expect(rulesOf(record as Record<string, string>)).toEqual(expected === undefined ? [] : [expected]);
  });

  it("compares DXCC with the call at the time of the QSO", () => {
    const record = { CALL: "DH1TW", DXCC: "291", QSO_DATE: "20240102", TIME_ON: "0304" };
    const asked: unknown[] = [];
    const findings = validateRecord(record, {
      entityOf: (call, at) => {
        asked.push(call, at?.toISOString());
        return 230;
      },
    });
    expect(asked).toEqual(["DH1TW", "2024-01-02T03:04:00.000Z"]);
    expect(findings).toMatchObject([{ rule: "dxcc-call-conflict", field: "DXCC" }]);
  });

  // ADIF 3.1.7, ANT_AZ and ANT_EL: values outside of the range are import-only, and normalized for export: 370 is 10, 100 is 80.
  it.each([
    ["ANT_AZ", "370", "10"],
    ["ANT_AZ", "-90", "270"],
    ["ANT_EL", "100", "80"],
    ["ANT_EL", "190", "-10"],
    ["ANT_EL", "-100", "-80"],
    ["ANT_EL", "360", "0"],
    ["ANT_EL", "-180", "0"],
    ["ANT_EL", "9".repeat(400), "9".repeat(400)],
  ])("folds the angle %s %s to %s", (name, angle, expected) => {
    const rule = `${name.toLowerCase().replace("_", "-")}-range`;
    expect(validateRecord({ [name]: angle })).toMatchObject([{ level: "info", rule }]);
    expect(repaired({ [name]: angle })).toEqual({ [name]: expected });
  });

  // ADIF 3.1.7, Secondary_Administrative_Subdivision: 58 of Alaska (DXCC 6), of which 25 are deleted.
  it.each([
    [{ CNTY: "AK,Nowhere", DXCC: "6" }, ["error CNTY county-unknown"]],
    [{ MY_CNTY: "AK,Nowhere", MY_DXCC: "6" }, ["error MY_CNTY county-unknown"]],
    [{ CNTY: "ak,aleutians east", DXCC: "6" }, []],
    [{ CNTY: "AK,First Judicial District", DXCC: "6" }, ["info CNTY deleted-value"]],
    [{ CNTY: "XX,Pierce" }, ["warning CNTY county-without-state"]],
    [{ CNTY: "WI,Pierce" }, []],
    [{ CNTY: "XX,Pierce", DXCC: "230" }, []],
    [{ USACA_COUNTIES: "MA,Franklin:XX,Hampshire" }, ["warning USACA_COUNTIES county-without-state"]],
  ])("checks the county of %j", (record, expected) => {
    expect(levelsOf(record)).toEqual(expected);
  });

  it.each([
    [{ LON: "E181 00.000" }, "error LON location-range"],
    [{ LON: "W999 00.000" }, "error LON location-range"],
    [{ LON: "181" }, "error LON location-range"],
    [{ LON: "-180.5" }, "error LON location-range"],
    [{ LAT: "N091 00.000" }, "error LAT location-range"],
    [{ LAT: "91" }, "error LAT location-range"],
    [{ MY_LAT: "N 90° 30'" }, "error MY_LAT location-range"],
    [{ LAT: "N089 60.000" }, "warning LAT location-form"],
    [{ LON: "180" }, "warning LON location-form"],
  ])("tells a coordinate out of range from another form: %j", (record, expected) => {
    const position = { LAT: "N048 30.000", LON: "E009 00.000", MY_LON: "E009 00.000" };
    const both = "MY_LAT" in record ? position : { LAT: position.LAT, LON: position.LON };
    expect(levelsOf({ ...both, ...record })).toEqual([expected]);
  });

  // ADIF 3.1.7 marks these as import-only or deleted.
  it.each([
    [{ STATE: "DF", DXCC: "50" }, ["info STATE import-only-value"]],
    [{ STATE: "df", DXCC: "50" }, ["info STATE import-only-value"]],
    [{ STATE: "051", DXCC: "5" }, ["info STATE deleted-value"]],
    [{ CONTEST_ID: "EA-RTTY" }, ["info CONTEST_ID import-only-value"]],
    [{ ARRL_SECT: "NWT" }, ["info ARRL_SECT deleted-value"]],
    [{ QSL_RCVD: "V" }, ["info QSL_RCVD import-only-value"]],
    [{ STATE: "WI", DXCC: "291" }, []],
  ])("informs of import-only and deleted values: %j", (record, expected) => {
    expect(levelsOf(record as Record<string, string>)).toEqual(expected);
  });

  it("takes RR73, the end of a contact, for no locator, and repairs nothing to it", () => {
    for (const grid of ["RR73", "rr73", "RR73 ", "RR737"]) {
      expect(levelsOf({ GRIDSQUARE: grid })).toEqual(["warning GRIDSQUARE grid-form"]);
      expect(repaired({ GRIDSQUARE: grid })).toEqual({ GRIDSQUARE: grid });
    }
    expect(levelsOf({ GRIDSQUARE: "RR73AB", MY_GRIDSQUARE: "RR72" })).toEqual([]);
  });
});
