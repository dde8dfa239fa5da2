import { describe, expect, it } from "vitest";

import type { AdifRecord } from "../../src/adif.js";
import { countAwards } from "../../src/awards.js";
import { zonesAt } from "../../src/zones.js";
import { counter, qso, rulesOf, unitsOf, usa } from "./contacts.js";

describe("WAS", () => {
  it("counts the District of Columbia as Maryland (dc-is-no-state)", () => {
    expect(unitsOf("was.mixed", [usa({ STATE: "DC" }), usa({ STATE: "MD" }), usa({ STATE: "CT" })])).toEqual([
      "CT",
      "MD",
    ]);
  });

  it("counts Alaska and Hawaii by their entities, since they are states", () => {
    const records = [
      usa({ DXCC: "6", STATE: "AK", QSO_DATE: "19590102" }),
      usa({ DXCC: "110", QSO_DATE: "19590821" }),
      usa({ DXCC: "202", STATE: "PR" }),
      usa({ DXCC: "138", STATE: "HI" }),
      usa({ DXCC: "150", STATE: "WA" }),
    ];
    expect(unitsOf("was.mixed", records)).toEqual(["HI"]);
  });

  it("reports states of other entities and unknown ones", () => {
    const records = [usa({ STATE: "AK" }), usa({ DXCC: "6", STATE: "CA" }), usa({ STATE: "XX" })];
    expect(unitsOf("was.mixed", records)).toEqual(["AK"]);
    expect(rulesOf(records)).toMatchObject({ "state-entity-conflict": 2, "state-unknown": 1 });
  });

  it("counts Triple Play by LoTW since 2009, not on 60 m", () => {
    const records = [
      usa({ STATE: "CT", QSO_DATE: "20081231", LOTW_QSL_RCVD: "Y" }),
      usa({ STATE: "CT", QSO_DATE: "20090101", QSL_RCVD: "Y" }),
      usa({ STATE: "CT", MODE: "FT8", LOTW_QSL_RCVD: "Y" }),
      usa({ STATE: "CT", MODE: "SSB", BAND: "60m", LOTW_QSL_RCVD: "Y" }),
    ];
    expect(counter(records).count("was.triplePlay")).toMatchObject({
      units: ["CT cw", "CT digital"],
      confirmedUnits: ["CT digital"],
    });
  });

  it("lists what is needed, also of a band and a mode together", () => {
    const awards = counter([
      usa({ STATE: "CT", LOTW_QSL_RCVD: "Y" }),
      usa({ STATE: "CT", MODE: "SSB" }),
      usa({ STATE: "CA", BAND: "40m" }),
    ]);
    expect(awards.needed("was.mixed").unconfirmed).toEqual(["CA"]);
    expect(awards.needed("was.mixed").unworked).toHaveLength(48);
    expect(awards.count("was.mixed", { band: "20m", modes: ["SSB"] })).toMatchObject({
      units: ["CT"],
      confirmed: 0,
    });
    expect(awards.needed("was.mixed", { band: "20m", modes: ["cw"] })).toMatchObject({ unconfirmed: [] });
    expect(awards.needed("was.fiveBand").unworked).toHaveLength(248);
  });
});

describe("zones", () => {
  // ea4k/klog#462: N7UVH in Idaho was zone 4 in logs; foldynl/QLog#569.
  it("takes the zone of the state before the log's (zone-of-the-place)", () => {
    const record = { ...usa({ CALL: "N7UVH", STATE: "ID" }), CQZ: "4" };
    expect(unitsOf("waz.mixed", [record])).toEqual([3]);
    expect(rulesOf([record])).toEqual({ "zone-state-conflict": 1 });
  });

  it("accepts each zone of a province in two zones", () => {
    const quebec = (zone: string) => qso({ CALL: "VE2GSO", DXCC: "1", STATE: "QC", CONT: "NA", CQZ: zone });
    expect(unitsOf("waz.mixed", [quebec("2"), quebec("5"), quebec("4")])).toEqual([2, 5]);
    expect(rulesOf([quebec("4")])).toEqual({ "zone-state-conflict": 1 });
  });

  it("takes the zone of the grid before the log's, if a function knows it", () => {
    const known = () => ({ cqz: [29], ituz: [58] });
    const record = qso({ CALL: "VK5DOC", DXCC: "150", CONT: "OC", CQZ: "30", GRIDSQUARE: "PF95" });
    expect(unitsOf("waz.mixed", [record], { zonesAt: known })).toEqual([29]);
    expect(unitsOf("itu", [record], { zonesAt: known })).toEqual([58]);
    expect(rulesOf([record], { zonesAt: known })).toEqual({ "zone-grid-conflict": 1 });
  });

  // JN47 is in zone 14 and 15: its center in Germany, its east in Vorarlberg.
  it("accepts each zone of which a part is in the square", () => {
    const austria = (fields: AdifRecord) =>
      qso({ CALL: "OE9ABC", DXCC: "206", CQZ: "15", GRIDSQUARE: "JN47", ...fields });
    expect(unitsOf("waz.mixed", [austria({})], { zonesAt })).toEqual([15]);
    expect(rulesOf([austria({})], { zonesAt })).toEqual({});
    expect(unitsOf("waz.mixed", [austria({ CQZ: "" })], { zonesAt })).toEqual([15]);
  });

  it("does not count the zone of a mistyped grid, which the entity doesn't have", () => {
    const record = qso({ CQZ: "", GRIDSQUARE: "PM95" });
    expect(unitsOf("waz.mixed", [record], { zonesAt })).toEqual([14]);
    expect(rulesOf([record], { zonesAt })).toEqual({ "grid-entity-conflict": 1 });
  });

  it("takes the only zone of an entity where the log has none", () => {
    const { CQZ: _zone, ...record } = qso();
    expect(unitsOf("waz.mixed", [record])).toEqual([14]);
    expect(unitsOf("itu", [record])).toEqual([28]);
  });

  it("reports zones that don't exist, and those outside the entity", () => {
    expect(rulesOf([qso({ CQZ: "41" })])).toEqual({ "zone-unknown": 1 });
    expect(rulesOf([qso({ CQZ: "25" })])).toEqual({ "zone-entity-conflict": 1 });
    expect(unitsOf("waz.mixed", [qso({ CQZ: "25" })])).toEqual([14]);
    expect(unitsOf("waz.mixed", [qso({ DXCC: "150", CONT: "OC", CQZ: "25" })])).toEqual([25]);
  });

  it("counts eQSL for WAZ with authenticity guaranteed only", () => {
    const records = [
      qso({ EQSL_QSL_RCVD: "Y" }),
      qso({ CQZ: "15", DXCC: "5", EQSL_QSL_RCVD: "Y", EQSL_AG: "Y" }),
    ];
    expect(counter(records).count("waz.mixed").confirmedUnits).toEqual([15]);
  });

  it("counts 160 m since 1975", () => {
    expect(unitsOf("waz.band.160m", [qso({ BAND: "160m", QSO_DATE: "19741231" })])).toEqual([]);
    expect(unitsOf("waz.band.160m", [qso({ BAND: "160m", QSO_DATE: "19750101" })])).toEqual([14]);
  });
});

describe("WAC", () => {
  it("does not count Antarctica", () => {
    expect(unitsOf("wac.mixed", [qso({ DXCC: "13", CONT: "AN", CQZ: "38" })])).toEqual([]);
  });

  it("takes the entity's continent if the log's is another", () => {
    const record = qso({ CALL: "UA9ABC", DXCC: "15", CONT: "EU", CQZ: "17" });
    expect(unitsOf("wac.mixed", [record])).toEqual(["AS"]);
    expect(rulesOf([record])).toEqual({ "continent-entity-conflict": 1 });
  });

  it("counts QRP up to 5 W since 1985", () => {
    const records = [qso({ TX_PWR: "5" }), qso({ DXCC: "339", CONT: "AS", CQZ: "25", TX_PWR: "5.5" })];
    expect(unitsOf("wac.qrp", records)).toEqual(["EU"]);
    expect(unitsOf("wac.qrp", [qso({ TX_PWR: "1", QSO_DATE: "19841231" })])).toEqual([]);
  });
});

describe("VUCC", () => {
  const vhf = (fields: AdifRecord) => qso({ BAND: "2m", ...fields });

  it("counts the square of a locator, and all of VUCC_GRIDS (all-grids-of-a-contact)", () => {
    const records = [vhf({ GRIDSQUARE: "jo62qm" }), vhf({ VUCC_GRIDS: "JO55, JO56", GRIDSQUARE: "JO55" })];
    expect(unitsOf("vucc.2m", records)).toEqual(["JO55", "JO56", "JO62"]);
    expect(rulesOf(records)).toEqual({});
  });

  it.each([
    [{ VUCC_GRIDS: "JO30XA,JO40AA" }, ["JO30", "JO40"]],
    [{ VUCC_GRIDS: "jo30xa, JO40", GRIDSQUARE: "JO40AA" }, ["JO30", "JO40"]],
    [{ VUCC_GRIDS: "EM98XA,FM08AA,EM97XX,FM07AX" }, ["EM97", "EM98", "FM07", "FM08"]],
  ])("counts VUCC_GRIDS of six characters: %j", (fields, expected) => {
    const records = [vhf(fields)];
    expect(unitsOf("vucc.2m", records)).toEqual(expected);
    expect(rulesOf(records)).toEqual({});
  });

  it("does not count RR73, contacts before 1983, and texts that are no grid", () => {
    const records = [
      vhf({ GRIDSQUARE: "RR73" }),
      vhf({ GRIDSQUARE: "JN18", QSO_DATE: "19821231" }),
      vhf({ GRIDSQUARE: "SS99" }),
      vhf({ GRIDSQUARE: "JO6" }),
    ];
    expect(unitsOf("vucc.2m", records)).toEqual([]);
    expect(rulesOf(records)).toEqual({ "grid-unknown": 3 });
  });

  it("counts ships, which are at sea in a grid, but not aircraft", () => {
    const at = (call: string) => vhf({ CALL: call, DXCC: "0", GRIDSQUARE: "IN53" });
    expect(unitsOf("vucc.2m", [at("DL1ABC/MM")])).toEqual(["IN53"]);
    expect(unitsOf("vucc.2m", [at("DL1ABC/AM")])).toEqual([]);
  });

  it("counts the 488 grids of FFMA on 6 m alone", () => {
    const records = [
      qso({ BAND: "6m", GRIDSQUARE: "EM12" }),
      qso({ BAND: "6m", GRIDSQUARE: "JO62" }),
      qso({ GRIDSQUARE: "EM13" }),
    ];
    expect(unitsOf("ffma", records)).toEqual(["EM12"]);
  });
});

describe("WPX", () => {
  it("counts ships by their call, and all bands apart from those of CQ (prefixes-on-other-bands)", () => {
    const records = [qso({ CALL: "OH2AA/MM", DXCC: "0" }), qso({ CALL: "F5ABC", DXCC: "227", BAND: "2m" })];
    expect(unitsOf("wpx.mixed", records)).toEqual(["F5", "OH2"]);
    expect(unitsOf("wpx.hf", records)).toEqual(["OH2"]);
  });

  it("takes PFX, and reports what the call has instead", () => {
    expect(unitsOf("wpx.mixed", [qso({ PFX: "DA2" })])).toEqual(["DA2"]);
    expect(rulesOf([qso({ PFX: "DA2" }), qso({ PFX: "DL1" })])).toEqual({ "prefix-conflict": 1 });
  });

  it("counts eQSL, and continents by themselves", () => {
    const counts = countAwards([qso({ EQSL_QSL_RCVD: "Y" })]);
    expect(counts["wpx.mixed"]).toMatchObject({ confirmed: 1 });
    expect(counts["wpx.continent.EU"]).toMatchObject({ worked: 1, nextLevel: 160 });
    expect(counts["wpx.continent.NA"]).toMatchObject({ worked: 0 });
  });
});

describe("IOTA and USA-CA", () => {
  it("counts a group once for several entities, in any case", () => {
    const records = [
      qso({ IOTA: "eu-005", DXCC: "223" }),
      qso({ IOTA: "EU-005", DXCC: "279", CLUBLOG_QSO_DOWNLOAD_STATUS: "Y" }),
    ];
    expect(counter(records).count("iota")).toMatchObject({ units: ["EU-005"], confirmed: 1 });
  });

  it("reports groups of another continent, and texts that are no reference", () => {
    const records = [
      qso({ IOTA: "OC-001" }),
      qso({ IOTA: "EU5" }),
      qso({ IOTA: "AF-019", DXCC: "248", CQZ: "33" }),
    ];
    expect(rulesOf(records)).toEqual({ "reference-entity-conflict": 1, "reference-unknown": 1 });
  });

  it("counts counties, and leaves independent cities to the applicant", () => {
    const records = [
      usa({ STATE: "MA", CNTY: "MA,Franklin" }),
      usa({ STATE: "MA", USACA_COUNTIES: "MA,Franklin:MA,Hampshire" }),
      usa({ STATE: "VA", CNTY: "VA,Alexandria City" }),
      usa({ STATE: "VA", CNTY: "VA,James City" }),
    ];
    expect(unitsOf("usaca", records)).toEqual(["MA,FRANKLIN", "MA,HAMPSHIRE", "VA,JAMES CITY"]);
    expect(rulesOf(records)).toEqual({ "county-independent-city": 1 });
  });
});
