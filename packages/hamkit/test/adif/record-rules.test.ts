import { describe, expect, it } from "vitest";

import { validateRecord, type AdifRecord } from "../../src/adif.js";

const findingsOf = (record: AdifRecord, now?: string) =>
  validateRecord(record, now === undefined ? {} : { now: new Date(now) }).map(
    ({ level, rule, field }) => `${level} ${field} ${rule}`,
  );

describe("contradictions between the fields of a record", () => {
  // Zones and continents of the DXCC list: Germany (230) 14, 28, EU; the United States (291) CQ 3 to 5, ITU 6 to 8, NA. Those that
  // the table of entities lacks are in AD1C's country file: African Italy (IG9) AF, ITU 37; Socotra (7O/s) CQ 37; Penrhyn ITU 63.
  it.each([
    [{ DXCC: "230", CQZ: "14", ITUZ: "28", CONT: "EU" }, []],
    [{ DXCC: "230", CQZ: "15" }, ["warning CQZ cqz-dxcc-conflict"]],
    [{ DXCC: "230", ITUZ: "27" }, ["warning ITUZ ituz-dxcc-conflict"]],
    [{ DXCC: "230", CONT: "AS" }, ["warning CONT cont-dxcc-conflict"]],
    [{ DXCC: "230", CONT: "eu", CQZ: "014" }, []],
    [{ DXCC: "291", CQZ: "3", ITUZ: "8", CONT: "NA" }, []],
    [{ DXCC: "291", CQZ: "14" }, ["warning CQZ cqz-dxcc-conflict"]],
    [{ DXCC: "248", CONT: "AF", CQZ: "33", ITUZ: "37" }, []],
    [{ DXCC: "492", CQZ: "37", ITUZ: "48" }, []],
    [{ DXCC: "191", ITUZ: "63" }, []],
    [{ MY_DXCC: "230", MY_CQ_ZONE: "14", MY_ITU_ZONE: "28" }, []],
    [{ MY_DXCC: "230", MY_CQ_ZONE: "5" }, ["warning MY_CQ_ZONE cqz-dxcc-conflict"]],
    [{ MY_DXCC: "230", MY_ITU_ZONE: "8" }, ["warning MY_ITU_ZONE ituz-dxcc-conflict"]],
    [{ DXCC: "291", MY_DXCC: "230", CQZ: "5", MY_CQ_ZONE: "14" }, []],
    [{ CQZ: "14", CONT: "NA" }, []],
    [{ DXCC: "0", CQZ: "14", CONT: "NA" }, []],
  ])("compares zones and continent with DXCC: %j", (record, expected) => {
    expect(findingsOf(record as AdifRecord)).toEqual(expected);
  });

  it("names both values, and the zones of the entity", () => {
    expect(validateRecord({ DXCC: "291", CQZ: "14" })[0]?.message).toBe(
      "CQZ: CQ zone 14, but DXCC 291 (United States of America) is in 3, 4, 5",
    );
    expect(validateRecord({ DXCC: "230", COUNTRY: "Austria" })[0]?.message).toBe(
      'COUNTRY: "Austria", but DXCC 230 is Germany',
    );
  });

  it.each([
    [{ DXCC: "230", COUNTRY: "FEDERAL REPUBLIC OF GERMANY" }, []],
    [{ DXCC: "230", COUNTRY: "Federal Republic of Germany" }, []],
    // Other programs' names, which may be right.
    [{ DXCC: "230", COUNTRY: "Fed. Rep. of Germany" }, []],
    [{ DXCC: "230", COUNTRY: "Germany" }, []],
    [{ DXCC: "230", COUNTRY: "AUSTRIA" }, ["warning COUNTRY country-dxcc-conflict"]],
    [{ DXCC: "216", COUNTRY: "San Andrés & Providencia" }, []],
    [{ MY_DXCC: "230", MY_COUNTRY: "FRANCE" }, ["warning MY_COUNTRY country-dxcc-conflict"]],
    // The state that the entity belongs to.
    [{ DXCC: "110", COUNTRY: "UNITED STATES OF AMERICA" }, []],
    [{ COUNTRY: "FRANCE" }, []],
  ])("compares COUNTRY with DXCC where it names another entity: %j", (record, expected) => {
    expect(findingsOf(record as AdifRecord)).toEqual(expected);
  });

  it.each([
    ["20260102", []],
    // The calendar of the station may be a day ahead of UTC.
    ["20260103", []],
    ["20260104", ["warning QSO_DATE date-in-future"]],
    ["20360101", ["warning QSO_DATE date-in-future"]],
  ])("reports a date in the future: %s", (date, expected) => {
    expect(findingsOf({ QSO_DATE: date }, "2026-01-02T23:59:59Z")).toEqual(expected);
  });

  it("takes the present day for dates in the future", () => {
    expect(findingsOf({ QSO_DATE: "99991231" })).toEqual(["warning QSO_DATE date-in-future"]);
    expect(findingsOf({ QSO_DATE: "20240101", QSLRDATE: "99991231" })).toEqual([
      "warning QSLRDATE date-in-future",
    ]);
  });

  it.each([
    [{ LAT: "N048 30.000" }, ["warning LAT coordinate-missing"]],
    [{ LON: "E009 00.000", LAT: "" }, ["warning LON coordinate-missing"]],
    [
      { MY_LAT: "N048 30.000", LON: "E009 00.000", LAT: "N048 30.000" },
      ["warning MY_LAT coordinate-missing"],
    ],
    [{ MY_LON: "E009 00.000" }, ["warning MY_LON coordinate-missing"]],
    [{ LAT: "N048 30.000", LON: "E009 00.000" }, []],
    [{ LAT: "", LON: "" }, []],
  ])("reports half a position: %j", (record, expected) => {
    expect(findingsOf(record as AdifRecord)).toEqual(expected);
  });

  it.each([
    [{ TIME_ON: "1200", TIME_OFF: "1215" }, []],
    [{ TIME_ON: "120030", TIME_OFF: "1200" }, []],
    [{ TIME_ON: "2355", TIME_OFF: "0005" }, []],
    [{ TIME_ON: "1200", TIME_OFF: "1145" }, ["info TIME_OFF time-off-before-on"]],
    [
      { QSO_DATE: "20240101", QSO_DATE_OFF: "20240101", TIME_ON: "2355", TIME_OFF: "0005" },
      ["warning TIME_OFF time-off-before-on"],
    ],
    [{ QSO_DATE: "20240101", QSO_DATE_OFF: "20240102", TIME_ON: "1200", TIME_OFF: "1145" }, []],
    [{ QSO_DATE: "20240102", QSO_DATE_OFF: "20240101" }, ["warning QSO_DATE_OFF date-off-before-date"]],
  ])("reports an end before the begin: %j", (record, expected) => {
    expect(findingsOf(record as AdifRecord)).toEqual(expected);
  });

  it.each([
    [{ GRIDSQUARE: "JN48QM55", GRIDSQUARE_EXT: "LL" }, []],
    [{ GRIDSQUARE: "JN48QM55", GRIDSQUARE_EXT: "LL12" }, []],
    [{ GRIDSQUARE: "JN48QM", GRIDSQUARE_EXT: "LL" }, ["warning GRIDSQUARE_EXT grid-extension-without-grid"]],
    [{ GRIDSQUARE_EXT: "LL" }, ["warning GRIDSQUARE_EXT grid-extension-without-grid"]],
    [{ MY_GRIDSQUARE_EXT: "LL" }, ["warning MY_GRIDSQUARE_EXT grid-extension-without-grid"]],
  ])("reports characters 9 to 12 without the 8 before: %j", (record, expected) => {
    expect(findingsOf(record as AdifRecord)).toEqual(expected);
  });

  // ADIF 3.1.7, Secondary_Administrative_Subdivision_Alt: 73 of the list NZ_Regions.
  it.each([
    [{ CNTY_ALT: "NZ_Regions:Auckland/Rodney" }, []],
    [{ CNTY_ALT: "nz_regions:auckland/rodney;NZ_Regions:Northland/Kaipara" }, []],
    [{ CNTY_ALT: "NZ_Regions:Auckland/Nowhere" }, ["error CNTY_ALT cnty-alt-unknown"]],
    [{ MY_CNTY_ALT: "Rodney" }, ["error MY_CNTY_ALT cnty-alt-unknown"]],
  ])("checks subdivisions of other lists: %j", (record, expected) => {
    expect(findingsOf(record as AdifRecord)).toEqual(expected);
  });

  it.each([
    [{ NAME: "Ha\u0000ns" }, ["warning NAME control-character"]],
    [{ NAME: "Hans\u001a" }, ["warning NAME control-character"]],
    [{ ADDRESS: "Street\r\nTown" }, []],
    [{ ADDRESS: "Street\r\nTo\u007fwn" }, ["warning ADDRESS control-character"]],
    [{ CALL: "DL1\u0007ABC" }, ["warning CALL control-character"]],
    [{ QSO_DATE: "20240101\u0000" }, ["warning QSO_DATE control-character"]],
    [{ NAME: "Jürgen" }, []],
    [{ NAME: "a\nb" }, ["warning NAME line-break-in-string"]],
  ])("reports control characters: %j", (record, expected) => {
    expect(findingsOf(record as AdifRecord)).toEqual(expected);
  });
});
