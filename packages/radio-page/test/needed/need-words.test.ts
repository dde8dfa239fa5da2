import { createAwardCounter, needs, spotContact } from "hamkit/awards";
import { describe, expect, it } from "vitest";

import { needWords, type AskedStation } from "../../src/needed/need-words.js";

const HIS = { QSO_DATE: "20240630", BAND: "20m", MODE: "CW" };
const log = createAwardCounter();
log.add({ ...HIS, CALL: "W1AW", DXCC: "291", STATE: "CT", LOTW_QSL_RCVD: "Y", CONT: "NA" });
log.add({ ...HIS, CALL: "DL1ABC", DXCC: "230", CQZ: "14", ITUZ: "28", CONT: "EU" });

function words(station: AskedStation, ...awards: readonly string[]): string[] {
  const found = needs(log, { ...spotContact(station as never), DXCC: entityOf(station.dx) });
  return needWords(found.filter(({ award }) => awards.includes(award))).map(
    ({ text, isNew }) => `${isNew ? "+" : "-"} ${text}`,
  );
}

function entityOf(dx: string): string {
  return dx.startsWith("W") ? "291" : dx.startsWith("DL") ? "230" : "339";
}

describe("needWords", () => {
  it.each([
    [{ dx: "JA1ABC", band: "20m", mode: "CW" }, ["dxcc"], ["+ New entity"]],
    [{ dx: "W2ABC", band: "40m", mode: "CW" }, ["dxcc"], ["+ New entity on 40m"]],
    [{ dx: "W2ABC", band: "20m", mode: "SSB" }, ["dxcc"], ["+ New entity in phone"]],
    [{ dx: "W2ABC", band: "40m", mode: "FT8" }, ["dxcc"], ["+ New entity on 40m, in digital"]],
    [{ dx: "W2ABC", band: "20m", mode: "CW" }, ["dxcc"], []],
    [{ dx: "DL2ABC", band: "20m", mode: "CW" }, ["dxcc"], ["- Entity not confirmed"]],
    [{ dx: "JA1ABC", band: "20m", mode: "CW" }, ["dxcc", "waz"], ["+ New entity", "+ New zone 25"]],
    [
      { dx: "W2ABC", band: "20m", mode: "CW", references: ["POTA US-6653"] },
      ["dxcc", "pota.hunter"],
      ["+ New park US-6653"],
    ],
    [{ dx: "DL2ABC", band: "6m", mode: "FT8", dxGrid: "JN48" }, ["vucc"], ["+ New square JN48 on 6m"]],
  ] as const)("%j for %j: %j", (station, awards, expected) => {
    expect(words(station, ...awards)).toEqual(expected);
  });

  it("answers for a call that is looked up by the counts of all bands", () => {
    expect(words({ dx: "W2ABC" }, "dxcc")).toEqual([]);
    expect(words({ dx: "DL2ABC" }, "dxcc")).toEqual(["- Entity not confirmed"]);
    expect(words({ dx: "JA1ABC" }, "dxcc")).toEqual(["+ New entity"]);
  });
});
