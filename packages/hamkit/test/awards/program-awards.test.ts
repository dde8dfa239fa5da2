import { describe, expect, it } from "vitest";

import type { AdifRecord } from "../../src/adif.js";
import { countAwards } from "../../src/awards.js";
import { qso, rulesOf } from "./contacts.js";

describe("POTA", () => {
  const activation = (count: number, fields: (index: number) => AdifRecord) =>
    Array.from({ length: count }, (_, index) =>
      qso({ CALL: `DL${index}ABC`, MY_POTA_REF: "DE-0001", QSO_DATE: "20250501", ...fields(index) }),
    );

  it("counts ten contacts of a UTC day as an activation, not ten around midnight", () => {
    const midnight = activation(10, (index) => ({ QSO_DATE: index < 5 ? "20250502" : "20250503" }));
    const counts = countAwards([...activation(10, () => ({})), ...midnight]);
    expect(counts["pota.activator"]).toMatchObject({
      qsosByParkDay: { "DE-0001 20250501": 10, "DE-0001 20250502": 5, "DE-0001 20250503": 5 },
      validActivations: ["DE-0001 20250501"],
      parkToPark: 0,
      units: ["DE-0001"],
    });
  });

  it("counts a station again on another band or in another mode, and not again otherwise", () => {
    const records = [
      ...activation(5, () => ({ CALL: "DL1ABC" })),
      ...activation(2, (index) => ({ CALL: "DL1ABC", MODE: index === 0 ? "SSB" : "USB" })),
      ...activation(1, () => ({ CALL: "DL1ABC", BAND: "40m" })),
    ];
    expect(countAwards(records)["pota.activator"]?.qsosByParkDay).toEqual({ "DE-0001 20250501": 3 });
  });

  it("counts contacts for each park of a two-fer, and park to park for both awards", () => {
    const both = { MY_POTA_REF: "DE-0001,DE-0002@DE-BB", POTA_REF: "PL-0001" };
    const counts = countAwards(activation(10, (index) => (index === 0 ? both : {})));
    expect(counts["pota.activator"]).toMatchObject({
      qsosByParkDay: { "DE-0001 20250501": 10, "DE-0002 20250501": 1 },
      parkToPark: 1,
    });
    expect(counts["pota.hunter"]).toMatchObject({ parks: 1, qsos: 1, list: ["PL-0001"] });
  });

  // rules.json, pota.activator: a contact is a duplicate by call, band, mode, UTC day and park.
  it("counts park to park again from another park of the own, and the same whatever the order of the contacts", () => {
    const from = (park: string, fields: AdifRecord = {}) =>
      qso({ CALL: "K1A", MY_POTA_REF: park, QSO_DATE: "20250501", ...fields });
    const other = { POTA_REF: "US-0001" };
    const parkToPark = (...records: AdifRecord[]) => countAwards(records)["pota.activator"]?.parkToPark;
    expect(parkToPark(from("DE-0001", other), from("DE-0009", other))).toBe(2);
    expect(parkToPark(from("DE-0001", other), from("DE-0001"))).toBe(1);
    expect(parkToPark(from("DE-0001"), from("DE-0001", other))).toBe(1);
    expect(parkToPark(from("DE-0001,DE-0002", other), from("DE-0002,DE-0001", other))).toBe(1);
    expect(parkToPark(from("DE-0001", other), from("DE-0001", { ...other, BAND: "40m" }))).toBe(2);
    expect(parkToPark(from("nonsense", other))).toBe(0);
  });

  it("takes a call with a suffix for another station", () => {
    const records = ["G4ABC", "G4ABC/P"].flatMap((call) => activation(1, () => ({ CALL: call })));
    expect(countAwards(records)["pota.activator"]?.qsosByParkDay).toEqual({ "DE-0001 20250501": 2 });
  });

  it("reads SIG_INFO, and new names of parks", () => {
    const records = [
      qso({ SIG: "POTA", SIG_INFO: "K-0001" }),
      qso({ POTA_REF: "VE-0001", QSO_DATE: "20230101" }),
      qso({ POTA_REF: "VE-0001", QSO_DATE: "20250101" }),
      qso({ POTA_REF: "G-0001", QSO_DATE: "20230101" }),
      qso({ POTA_REF: "GB-0001", QSO_DATE: "20250101" }),
      qso({ POTA_REF: "nonsense" }),
    ];
    expect(countAwards(records)["pota.hunter"]?.list).toEqual(["CA-0001", "GB-0001", "US-0001", "VE-0001"]);
    expect(rulesOf(records)).toEqual({ "reference-renamed": 3, "reference-unknown": 1 });
  });

  it("counts no contact through a repeater, but through satellites", () => {
    const records = [
      ...activation(1, () => ({ PROP_MODE: "RPT" })),
      ...activation(1, () => ({ PROP_MODE: "SAT" })),
    ];
    expect(countAwards(records)["pota.activator"]?.qsosByParkDay).toEqual({ "DE-0001 20250501": 1 });
  });
});

describe("SOTA and WWFF", () => {
  const summit = (call: string, day: string, fields: AdifRecord = {}) =>
    qso({ CALL: call, QSO_DATE: day, MY_SOTA_REF: "DM/BW-001", ...fields });

  it("scores a summit with four different stations, once a calendar year", () => {
    const stations = ["DL1A", "DL2A", "DL3A", "DL4A"];
    const records = [
      ...["DL1A", "DL1A", "DL2A", "DL3A"].map((call, index) =>
        summit(call, "20250101", { BAND: ["20m", "40m"][index] ?? "20m" }),
      ),
      ...stations.map((call) => summit(call, "20250201")),
      ...stations.map((call) => summit(call, "20250301", { SOTA_REF: "HB/VS-001" })),
      ...stations.map((call) => summit(call, "20260101")),
    ];
    expect(countAwards(records)["sota.activator"]).toMatchObject({
      stationsBySummitDay: {
        "DM/BW-001 20250101": 3,
        "DM/BW-001 20250201": 4,
        "DM/BW-001 20250301": 4,
        "DM/BW-001 20260101": 4,
      },
      scoring: ["DM/BW-001 20250201", "DM/BW-001 20260101"],
      summitToSummit: 4,
    });
    expect(countAwards(records)["sota.chaser"]).toMatchObject({ summits: 1, scoringQsos: 1 });
  });

  // SOTA General Rules, as rules.json has them: 4 contacts for points, with different stations.
  it("takes a station for one, whatever the prefix and suffix of its call", () => {
    const calls = ["G4ABC", "G4ABC/P", "G4ABC/M", "HB9/G4ABC", "G4ABC-7/P", "G4XYZ", "/", ""];
    const records = calls.map((call) => summit(call, "20250101", { MY_SOTA_REF: "G/LD-003" }));
    expect(countAwards(records.slice(0, 6))["sota.activator"]).toMatchObject({
      stationsBySummitDay: { "G/LD-003 20250101": 2 },
      scoring: [],
    });
    expect(() => countAwards(records)).not.toThrow();
  });

  it("counts 44 contacts of a reserve over several days", () => {
    const contacts = (count: number, day: string, reference: string) =>
      Array.from({ length: count }, (_, index) =>
        qso({
          CALL: `DL1${String.fromCharCode(65 + (index % 26))}${index > 25 ? "B" : "A"}`,
          QSO_DATE: day,
          MY_WWFF_REF: reference,
        }),
      );
    const records = [
      ...contacts(30, "20250501", "DLFF-0001"),
      ...contacts(14, "20250601", "dlff-0001"),
      ...contacts(43, "20250501", "DLFF-0002"),
    ];
    expect(countAwards(records)["wwff.activator"]).toMatchObject({
      qsosByReference: { "DLFF-0001": 44, "DLFF-0002": 43 },
      validActivations: ["DLFF-0001"],
      nextLevel: 11,
    });
  });
});
