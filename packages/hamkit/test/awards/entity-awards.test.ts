import { beforeAll, describe, expect, it } from "vitest";

import { countAwards, createAwardCounter } from "../../src/awards.js";
import { loadEmbeddedCountryFile, type TableSource } from "../../src/lookup.js";
import { counter, qso, rulesOf, unitsOf } from "./contacts.js";

describe("DXCC", () => {
  it("counts deleted entities for the total, not for the current list", () => {
    const counts = countAwards([qso({ DXCC: "229", QSO_DATE: "19900101" }), qso()]);
    expect(counts["dxcc.mixed.current"]).toMatchObject({ units: [230] });
    expect(counts["dxcc.mixed.withDeleted"]).toMatchObject({ units: [229, 230] });
    expect(counts["dxcc.challenge"]).toMatchObject({ units: ["230 20m"] });
  });

  it("counts an entity only between its first and its last day", () => {
    const records = [
      qso({ DXCC: "229", QSO_DATE: "19901002" }),
      qso({ DXCC: "229", QSO_DATE: "19901003" }),
      qso({ DXCC: "503", QSO_DATE: "19921231", CQZ: "15" }),
      qso({ DXCC: "503", QSO_DATE: "19930101", CQZ: "15" }),
    ];
    expect(unitsOf("dxcc.mixed.withDeleted", records.slice(1, 3))).toEqual([]);
    expect(unitsOf("dxcc.mixed.withDeleted", records)).toEqual([229, 503]);
    expect(rulesOf(records)).toEqual({ "entity-date-conflict": 2 });
  });

  it("counts no contact on 60 m, through a repeater or Echolink, on two bands, or before 15 November 1945", () => {
    const records = [
      qso({ BAND: "60m" }),
      qso({ BAND: "2m", PROP_MODE: "RPT" }),
      qso({ PROP_MODE: "ECH" }),
      qso({ BAND_RX: "40m" }),
      qso({ FREQ: "14.020", FREQ_RX: "7.020" }),
      qso({ QSO_DATE: "19451114" }),
    ];
    expect(unitsOf("dxcc.mixed.withDeleted", records)).toEqual([]);
    expect(unitsOf("dxcc.mixed.current", [qso({ FREQ: "14.020", FREQ_RX: "14.025" })])).toEqual([230]);
    expect(unitsOf("dxcc.mixed.current", [qso({ BAND_RX: "20M" })])).toEqual([230]);
    expect(unitsOf("dxcc.mixed.withDeleted", [qso({ QSO_DATE: "19451115", DXCC: "81" })])).toEqual([81]);
  });

  it("counts no ship and no aircraft, whatever entity the log gives them", () => {
    const records = [
      qso({ CALL: "DL1ABC/MM" }),
      qso({ CALL: "DL1ABC/MM2" }),
      qso({ CALL: "DL1ABC/AM" }),
      qso({ CALL: "VE0MM", DXCC: "1" }),
      qso({ CALL: "VE0ABC/P", DXCC: "1" }),
      qso({ CALL: "EL0AB", DXCC: "434" }),
      qso({ DXCC: "0" }),
    ];
    expect(unitsOf("dxcc.mixed.current", records)).toEqual([]);
    expect(rulesOf(records)).toEqual({ "entity-at-sea": 6 });
  });

  it("counts contacts through satellites for the satellite award alone", () => {
    const records = [
      qso({ BAND: "13cm", BAND_RX: "3cm", PROP_MODE: "SAT" }),
      qso({ DXCC: "223", SAT_NAME: "AO-7" }),
    ];
    const counts = countAwards(records);
    expect(counts["dxcc.satellite"]).toMatchObject({ units: [223, 230] });
    expect(counts["dxcc.mixed.current"]).toMatchObject({ worked: 0 });
    expect(counts["dxcc.band.13cm"]).toMatchObject({ worked: 0 });
  });

  it("groups modes, submodes and names that ADIF does not have", () => {
    const modes = [
      "SSB",
      "USB",
      "FM",
      "DIGITALVOICE",
      "C4FM",
      "PHONE",
      "CW",
      "FT8",
      "FT4",
      "SSTV",
      "JS8",
      "Sunset",
    ];
    const entities = [1, 14, 15, 21, 29, 32, 40, 45, 46, 50, 51, 52];
    const counts = countAwards(
      modes.map((mode, index) => qso({ MODE: mode, DXCC: String(entities[index]) })),
    );
    expect(counts["dxcc.phone.current"]?.units).toEqual(entities.slice(0, 6));
    expect(counts["dxcc.cw.current"]?.units).toEqual([40]);
    expect(counts["dxcc.digital.current"]?.units).toEqual(entities.slice(7));
    expect(countAwards([qso({ MODE: "MFSK", SUBMODE: "FT4" })])["dxcc.digital.current"]).toMatchObject({
      worked: 1,
    });
  });

  it("takes the band from the frequency if the log lacks it", () => {
    const { BAND: _band, ...record } = qso({ FREQ: "7.074" });
    expect(unitsOf("dxcc.band.40m", [record])).toEqual([230]);
  });

  it("confirms by card and LoTW, not by eQSL, and says what confirmed", () => {
    const records = [
      qso({ QSL_RCVD: "V" }),
      qso({ LOTW_QSL_RCVD: "Y" }),
      qso({ DXCC: "223", EQSL_QSL_RCVD: "Y", QRZCOM_QSO_DOWNLOAD_STATUS: "Y" }),
      qso({ DXCC: "227", QSL_RCVD: "R" }),
      qso({ DXCC: "209", QSL_RCVD: "Y", QSL_RCVD_VIA: "E" }),
    ];
    const count = counter(records).count("dxcc.mixed.current");
    expect(count).toMatchObject({
      worked: 4,
      confirmed: 1,
      confirmedUnits: [230],
      bySource: { card: 1, lotw: 1, eqsl: 1, qrz: 1 },
      accepted: ["card", "lotw"],
      nextLevel: 100,
    });
    expect(counter(records).needed("dxcc.mixed.current").unconfirmed).toEqual([209, 223, 227]);
  });

  it("counts credits that the sponsor granted as confirmed, and shows those that were submitted", () => {
    const records = [
      qso({ CREDIT_GRANTED: "DXCC:CARD&LOTW,WAS" }),
      qso({ DXCC: "223", CREDIT_SUBMITTED: "dxcc,DXCC_BAND" }),
      qso({ DXCC: "227", CREDIT_GRANTED: "IOTA" }),
    ];
    const counts = countAwards(records);
    expect(counts["dxcc.mixed.current"]).toMatchObject({ confirmedUnits: [230], submitted: 1, granted: 1 });
    expect(counts["dxcc.band.20m"]).toMatchObject({ confirmed: 0, submitted: 1, granted: 0 });
  });

  it("has classes that need several counts", () => {
    const classes = counter([qso({ LOTW_QSL_RCVD: "Y" })]).classes();
    expect(classes.find(({ name }) => name === "5BDXCC")).toMatchObject({
      award: "dxcc",
      isReached: false,
      needs: { "dxcc.band.20m": { confirmed: 1, needed: 100 } },
    });
  });
});

describe("entities by a table", () => {
  let table: TableSource;
  beforeAll(async () => {
    table = await loadEmbeddedCountryFile();
  });

  it("identifies calls whose entity the log lacks", () => {
    const { DXCC: _dxcc, ...record } = qso();
    expect(unitsOf("dxcc.mixed.current", [record])).toEqual([]);
    expect(rulesOf([record])).toEqual({ "entity-missing": 1 });
    expect(unitsOf("dxcc.mixed.current", [record], { table })).toEqual([230]);
    expect(rulesOf([record], { table })).toEqual({});
  });

  it("counts the log's entity, and reports another one of the call", () => {
    const record = qso({ DXCC: "291", CONT: "NA", CQZ: "5" });
    expect(unitsOf("dxcc.mixed.current", [record], { table })).toEqual([291]);
    expect(counter([record], { table }).contradictions()[0]).toMatchObject({
      rule: "entity-call-conflict",
      count: 1,
      examples: [
        {
          record: 0,
          call: "DL1ABC",
          field: "DXCC",
          message: "DXCC: 291 (United States of America), but DL1ABC is Fed. Rep. of Germany (230)",
        },
      ],
    });
  });

  it("takes the continent of the call before that of the log", () => {
    const record = qso({ CALL: "TA1ABC", DXCC: "390", CONT: "AS", CQZ: "20" });
    expect(unitsOf("wac.mixed", [record], { table })).toEqual(["EU"]);
    expect(rulesOf([record], { table })).toEqual({ "continent-call-conflict": 1 });
  });

  it("takes the zone of an entry of the call before that of the log, but not that of a prefix", () => {
    const quebec = (call: string, zone: string) => qso({ CALL: call, DXCC: "1", CONT: "NA", CQZ: zone });
    expect(unitsOf("waz.mixed", [quebec("VE2IM", "5")], { table })).toEqual([2]);
    expect(rulesOf([quebec("VE2IM", "5")], { table })).toEqual({ "zone-call-conflict": 1 });
    expect(unitsOf("waz.mixed", [quebec("VE2GSO", "2")], { table })).toEqual([2]);
    const zonesAt = () => ({ cqz: [2, 5], ituz: [4] });
    expect(
      unitsOf("waz.mixed", [{ ...quebec("VE2IM", "5"), GRIDSQUARE: "FN60" }], { table, zonesAt }),
    ).toEqual([5]);
  });

  it("leaves Antarctica where it is, which country files take for South America", () => {
    const record = qso({ CALL: "DP0GVN", DXCC: "13", CONT: "AN", CQZ: "38" });
    expect(unitsOf("wac.mixed", [record], { table })).toEqual([]);
    expect(rulesOf([record], { table })).toEqual({});
  });

  it("reports no conflict of a deleted entity, which tables of today don't know", () => {
    const record = qso({ CALL: "OK1OLD", DXCC: "218", QSO_DATE: "19890601", CQZ: "15" });
    expect(rulesOf([record], { table })).toEqual({});
  });

  it("finds the regions of the WAE list that no prefix tells", () => {
    const records = [
      qso({ CALL: "GM3WOJ", DXCC: "279" }),
      qso({ CALL: "GM3ZET", DXCC: "279" }),
      qso({ CALL: "4U1A", DXCC: "206", CQZ: "15" }),
      qso({ CALL: "TA1ABC", DXCC: "390", CQZ: "20" }),
      qso({ CALL: "TA2ABC", DXCC: "390", CQZ: "20", CONT: "AS" }),
      qso({ CALL: "IG9A", DXCC: "248", CQZ: "33", CONT: "AF" }),
    ];
    expect(unitsOf("wae", records, { table })).toEqual(["279", "ET", "IV", "SI"]);
  });

  it("needs a table that is loaded", () => {
    const promise = loadEmbeddedCountryFile() as unknown as TableSource;
    expect(() => createAwardCounter({ table: promise })).toThrow("await it");
  });
});

describe("WAE", () => {
  it("counts regions instead of their entity", () => {
    const records = [
      qso({ CALL: "IT9ABC", DXCC: "248", CQZ: "15" }),
      qso({ CALL: "I1ABC", DXCC: "248", CQZ: "15" }),
      qso({ CALL: "GM3AB", DXCC: "279", REGION: "SI" }),
      qso({ CALL: "Z61AA", DXCC: "0", REGION: "KO", QSO_DATE: "20150101", CQZ: "15" }),
      qso({ CALL: "JA1AA", DXCC: "339", CONT: "AS", CQZ: "25" }),
      qso({ DXCC: "229", QSO_DATE: "19880601" }),
    ];
    const awards = counter(records);
    expect(awards.count("wae").units).toEqual(["229", "248", "522", "SI", "SY"]);
    expect(awards.count("wae.current").units).toEqual(["248", "522", "SI", "SY"]);
    expect(rulesOf([qso({ REGION: "SI" })])).toEqual({ "region-entity-conflict": 1 });
  });

  it("counts a country on at most five bands, one point each (wae-points-of-the-darc)", () => {
    const bands = ["160m", "80m", "40m", "20m", "15m", "10m"];
    const awards = counter(bands.map((band) => qso({ BAND: band, DCL_QSL_RCVD: "Y" })));
    expect(awards.count("wae.points")).toMatchObject({ worked: 5, confirmed: 5 });
    expect(awards.needed("wae.points")).toEqual({ unconfirmed: [] });
    expect(awards.classes().find(({ name }) => name === "WAE III")).toMatchObject({
      needs: { wae: { confirmed: 1, needed: 40 }, "wae.points": { confirmed: 5, needed: 100 } },
    });
  });
});
