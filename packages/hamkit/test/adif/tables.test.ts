import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { DATA_TYPES, ENTITIES, ENUMERATIONS, FIELDS, MODES } from "../../src/adif.js";
import { ADIF_BANDS } from "../../src/bands/band-edges.js";
import { hasGolden, sharedPath } from "../golden.js";

/** Rows of each enumeration of ADIF 3.1.7, counted in its export. */
const COUNTS = {
  Ant_Path: 4,
  ARRL_Section: 90,
  Award: 29,
  Award_Sponsor: 11,
  Band: 33,
  Contest_ID: 256,
  Continent: 7,
  Credit: 71,
  DXCC_Entity_Code: 403,
  EQSL_AG: 3,
  Mode: 91,
  Morse_Key_Type: 7,
  Primary_Administrative_Subdivision: 1965,
  Propagation_Mode: 20,
  QSL_Medium: 3,
  QSL_Rcvd: 5,
  QSL_Sent: 5,
  QSL_Via: 4,
  QSO_Complete: 4,
  QSO_Download_Status: 3,
  QSO_Upload_Status: 3,
  Region: 10,
  Secondary_Administrative_Subdivision: 58,
  Secondary_Administrative_Subdivision_Alt: 73,
  Submode: 187,
};

describe("the tables of ADIF 3.1.7", () => {
  it("have all rows", () => {
    const counts = Object.entries(ENUMERATIONS).map(([name, entries]) => [name, entries.length]);
    expect(Object.fromEntries(counts)).toEqual(COUNTS);
    expect([FIELDS.length, DATA_TYPES.length, MODES.length, ENTITIES.length]).toEqual([186, 28, 91, 402]);
  });

  it("mark what is deleted or import-only", () => {
    const { ARRL_Section, Award, Contest_ID, DXCC_Entity_Code, Mode } = ENUMERATIONS;
    expect(ARRL_Section.filter(({ deleted }) => deleted)).toHaveLength(5);
    expect(DXCC_Entity_Code.filter(({ deleted }) => deleted)).toHaveLength(62);
    const importOnly = [Award, Contest_ID, Mode].map(
      (list) => list.filter((entry) => entry.importOnly).length,
    );
    expect(importOnly).toEqual([29, 4, 42]);
    expect(FIELDS.filter((field) => field.importOnly).map(({ name }) => name)).toEqual([
      "GUEST_OP",
      "VE_PROV",
    ]);
  });

  it("name the replacement of each import-only mode", () => {
    const old = MODES.filter(({ importOnly }) => importOnly);
    expect(old.filter(({ replacement }) => replacement === undefined)).toEqual([]);
    expect(MODES.find(({ mode }) => mode === "C4FM")?.replacement).toEqual({
      mode: "DIGITALVOICE",
      submode: "C4FM",
    });
  });

  it("list the submodes of the Submode table, not those that only the Mode table has", () => {
    expect(MODES.find(({ mode }) => mode === "PSK")?.submodes).not.toContain("PSK500C4");
    expect(MODES.find(({ mode }) => mode === "MFSK")?.submodes).toEqual(
      expect.arrayContaining(["FT4", "JS8", "MFSK128", "MFSK128L"]),
    );
  });

  it("agree in the codes of entities, and which are deleted", () => {
    const codes = ENUMERATIONS.DXCC_Entity_Code.filter(({ code }) => code !== "0");
    expect(ENTITIES.map(({ code, deleted = false }) => [String(code), deleted])).toEqual(
      codes.map(({ code, deleted = false }) => [code, deleted]),
    );
  });

  it("refer to each other", () => {
    const types = new Set(DATA_TYPES.map(({ name }) => name));
    expect(FIELDS.filter(({ type }) => !types.has(type))).toEqual([]);
    const names = new Set(FIELDS.map(({ name }) => name));
    const partners = FIELDS.flatMap(({ my, intl, scope }) => [my, intl, scope]).filter(
      (name) => name !== undefined,
    );
    expect(partners.filter((name) => !names.has(name))).toEqual([]);
  });

  it("have the bands of hamkit/frequency", () => {
    const bands = ENUMERATIONS.Band.map(({ code, lowerMHz = 0, upperMHz = 0 }) => [code, lowerMHz, upperMHz]);
    expect(bands).toEqual(ADIF_BANDS.map(({ adif, lower, upper }) => [adif, lower / 1000, upper / 1000]));
  });

  it.skipIf(!hasGolden)("are those of the published files", () => {
    const folder = sharedPath("next/adif");
    for (const file of readdirSync(folder).filter((name) => name.startsWith("enum-"))) {
      const { enumeration, records } = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as {
        enumeration: keyof typeof ENUMERATIONS;
        records: { code: string | number }[];
      };
      expect(ENUMERATIONS[enumeration].map(({ code }) => code)).toEqual(
        records.map(({ code }) => String(code)),
      );
    }
  });
});
