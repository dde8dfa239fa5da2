import fc from "fast-check";
import { loadEmbeddedCountryFile } from "../../src/lookup.js";
import { beforeAll, describe, expect, it } from "vitest";

import { ArgumentTypeError, ValueError } from "../../src/errors.js";
import { identify, identifyMany } from "../../src/lookup/identify.js";
import type { Identification, TableSource } from "../../src/lookup/source.js";
import type { CallsignRecord } from "../../src/lookup/record.js";
import { createTable } from "../../src/lookup/table.js";
import { smallTable } from "../fixtures/small-table.js";

let table: TableSource;

beforeAll(async () => {
  table = await smallTable();
});

const AT = new Date("2024-01-01T00:00:00Z");

function about(callsign: string, at = AT): Identification {
  return identify(callsign, { table, at });
}

/** "Italy I", the country and what matched; or the kind of nothing. */
function summary(callsign: string, at = AT): string {
  const answer = about(callsign, at);
  return answer.kind === "identified"
    ? `${answer.record.country}, ${answer.matchedBy} ${answer.match}`
    : answer.kind;
}

describe("identify", () => {
  it("finds the longest prefix", () => {
    expect(about("DH1TW")).toEqual({
      kind: "identified",
      matchedBy: "prefix",
      match: "DH",
      source: "small-cty.dat VER20250607",
      record: {
        country: "Fed. Rep. of Germany",
        adif: 230,
        cqz: 14,
        ituz: 28,
        continent: "EU",
        latitude: 51,
        longitude: 10,
      },
    });
    expect(summary("UA9XYZ")).toBe("Asiatic Russia, prefix UA9");
    expect(summary("UA1NAB")).toBe("European Russia, prefix UA1N");
    expect(summary("UB5ABC")).toBe("European Russia, prefix U");
  });

  it.each([
    ["DM19ERZ/BEF", "Fed. Rep. of Germany, callsign DM19ERZ/BEF"],
    ["IQ9XX", "Sicily, callsign IQ9XX"],
    ["kl7fqr", "United States, callsign KL7FQR"],
    ["HC2/DH1TW", "Ecuador, prefix HC"],
    ["DH1TW/HC2/P", "Ecuador, prefix HC"],
    ["MM/DL1ABC", "Scotland, prefix MM"],
    ["DL1ABC/MM", "MARITIME MOBILE, suffix MM"],
    ["DL1ABC/AM", "AIRCRAFT MOBILE, suffix AM"],
    ["DL1ABC/MM2", "MARITIME MOBILE, suffix MM"],
    ["W6ABC/AG", "United States, prefix W6"],
    ["VK9/X/W1A", "Christmas Island, prefix VK9X"],
    ["W5JLH/SOTA", "United States, prefix W"],
    ["DH1TW/FD", "Fed. Rep. of Germany, prefix DH"],
    ["F/DH1TW", "France, prefix F"],
    ["ZZ/DH1TW", "unknown"],
    ["QQ1ABC", "unknown"],
    ["W1AW/W6", "United States, prefix W6"],
  ])("reads %s", (callsign, expected) => {
    expect(summary(callsign)).toBe(expected);
  });

  it.each([
    ["W1AW/6", 3],
    ["W1AW/0/P", 4],
    ["KL7FQR/6", 5],
  ])("goes by the digit of a call area, which the peer never does: %s", (callsign, cqz) => {
    expect(about(callsign)).toMatchObject({ kind: "identified", record: { cqz } });
  });

  it.each([
    ["UA9AAA/3", "European Russia, prefix U"],
    ["UA3AAA/9", "Asiatic Russia, prefix UA9"],
    ["EA1ABC/8", "Canary Islands, prefix EA8"],
    ["JD1BNN/3", "Ogasawara, prefix JD1"],
    ["IT9XYZ/2", "Sicily, prefix IT9"],
    ["A61A/5", "United Arab Emirates, prefix A6"],
    ["A6A/5", "United Arab Emirates, prefix A6"],
    ["KG6ABC/4", "United States, prefix K"],
    ["W100AW/6", "United States, prefix W6"],
    ["UA90R/3", "European Russia, prefix U"],
    ["R100A/9", "Asiatic Russia, prefix R9"],
    ["KH6ABC/4", "United States, prefix K"],
    ["AL5P/7", "United States, prefix K"],
  ])("exchanges the digit only where digits name areas: %s", (callsign, expected) => {
    expect(summary(callsign)).toBe(expected);
  });

  it.each([
    ["KG4AB", "Guantanamo Bay, prefix KG4"],
    ["KG4A", "United States, prefix K"],
    ["KG4ABC", "United States, prefix K"],
    ["KG4ABC/P", "United States, prefix K"],
    ["W1AW/KG4", "Guantanamo Bay, prefix KG4"],
    ["KG4/W1AW", "Guantanamo Bay, prefix KG4"],
  ])("takes KG4 for Guantanamo Bay with two letters only: %s", (callsign, expected) => {
    expect(summary(callsign)).toBe(expected);
  });

  it.each([
    ["VK9CXA", "2024-01-01", "Christmas Island, prefix VK9X"],
    ["VK9CXA", "1990-01-01", "Cocos (Keeling) Islands, prefix VK9C"],
    ["VK9XY", "2024-01-01", "Christmas Island, prefix VK9X"],
    ["VK9ABC", "2024-01-01", "Norfolk Island, prefix VK9"],
  ])("goes by the second letter of VK9 calls since 2006: %s in %s", (callsign, day, expected) => {
    expect(summary(callsign, new Date(day))).toBe(expected);
  });

  it.each([
    ["RT9V/W2PE", "Asiatic Russia, prefix RT9V"],
    ["VK9X/W1AW", "Christmas Island, prefix VK9X"],
    ["W2PE/RT9V", "Asiatic Russia, prefix RT9V"],
    ["A6A/W1B", "United Arab Emirates, prefix A6"],
    ["A6B/RT9V", "United Arab Emirates, prefix A6"],
  ])("takes the prefix that looks like a call for the place: %s", (callsign, expected) => {
    expect(summary(callsign)).toBe(expected);
  });

  it.each([
    "DH1TW/YL",
    "DH1TW/PM",
    "DH1TW/70",
    "DH1TW/2K",
    "DH1TW/A1",
    "DH1TW/JO81",
    "DH1TW/QRP",
    "DH1TW/M/P",
  ])("does not take the suffix of an activity for a prefix: %s", (callsign) => {
    expect(summary(callsign)).toBe("Fed. Rep. of Germany, prefix DH");
  });

  it("knows main prefixes with a slash: 3D2/R/DL1ABC is a KeyError in the peer", () => {
    expect(summary("3D2/R/DL1ABC")).toBe("Rotuma Island, prefix 3D2/R");
    expect(summary("3D2/DL1ABC")).toBe("Fiji, prefix 3D2");
  });

  it("marks beacons by their suffix, and DM19ERZ/BEF is none", () => {
    const beacon = (callsign: string): unknown => {
      const answer = about(callsign);
      return answer.kind === "identified" && "beacon" in answer.record;
    };
    expect(["GB3LER/B", "HC2/DH1TW/BCN", "GB3LER/B/P"].map(beacon)).toEqual([true, true, true]);
    expect(["DM19ERZ/BEF", "GB3LER", "GB3LER/P"].map(beacon)).toEqual([false, false, false]);
  });

  it("goes by the station's own entry where the suffix leaves it at home", () => {
    expect(summary("KL7FQR/B")).toBe("United States, callsign KL7FQR");
    expect(summary("KL7FQR-9")).toBe("United States, callsign KL7FQR");
    expect(summary("KL7FQR/P")).toBe("Alaska, prefix KL");
  });

  it("knows the calls on the air that follow no form", () => {
    expect(["7QAA", "2sz", "2SZ/P"].map((callsign) => summary(callsign))).toEqual([
      "Malawi, prefix 7Q",
      "England, prefix G",
      "England, prefix G",
    ]);
  });

  it.each([
    "",
    " ",
    "A",
    "/",
    "//",
    "DH1TW/",
    "X/MM",
    "/MM",
    "TEST",
    "OZ/JO81",
    "ß1ABC",
    "DL1ABC'; DROP",
    "😀",
    "K".repeat(300),
  ])("does not know %o", (callsign) => {
    expect(about(callsign)).toEqual({ kind: "unknown" });
  });

  it("ignores surrounding blanks, case and SSIDs", () => {
    for (const callsign of [" DH1TW", "dh1tw\n", "DH1TW-9", "dh1tw/p-2 "]) {
      expect(summary(callsign)).toBe("Fed. Rep. of Germany, prefix DH");
    }
  });

  it("answers any text without throwing", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.stringMatching(/^[A-Z0-9/-]{1,30}$/),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(about(text).kind).not.toBe("invalid-operation");
      }),
    );
  });

  it("returns frozen records", () => {
    const answer = about("DH1TW");
    expect(answer.kind === "identified" && Object.isFrozen(answer.record)).toBe(true);
    expect(() => {
      if (answer.kind === "identified") (answer.record as { cqz: number }).cqz = 99;
    }).toThrow(TypeError);
    expect(about("DH1TW")).toMatchObject({ record: { cqz: 14 } });
  });

  it("refuses a callsign that is not a string, and invalid dates", () => {
    expect(() => identify(null as unknown as string, { table })).toThrow(ArgumentTypeError);
    expect(() => identify("DH1TW", {} as { table: TableSource })).toThrow(ArgumentTypeError);
    expect(() => identify("DH1TW", undefined as unknown as { table: TableSource })).toThrow(
      ArgumentTypeError,
    );
    expect(() => identifyMany([], { table: {} as TableSource })).toThrow(ArgumentTypeError);
    expect(() => identify("DH1TW", { table, at: new Date("never") })).toThrow(ValueError);
    expect(() => identify("DH1TW", { table, at: 0 as unknown as Date })).toThrow(ValueError);
  });
});

describe("identifyMany", () => {
  it("answers in the order of the callsigns", () => {
    expect(identifyMany(["DH1TW", "??", "F1ABC"], { table, at: AT }).map(({ kind }) => kind)).toEqual([
      "identified",
      "unknown",
      "identified",
    ]);
  });
});

describe("identify on a table with periods and lists", () => {
  const record = (country: string, cqz: number): CallsignRecord =>
    Object.freeze({ country, adif: 1, continent: "EU", latitude: 0, longitude: 0, cqz });
  const DAY = Date.UTC(1992, 0, 1);
  const builder = createTable({ entities: new Map() });
  builder.addPrefix("OK", { value: record("CZECHOSLOVAKIA", 15), end: DAY - 1000 });
  builder.addPrefix("OK", { value: record("CZECH REPUBLIC", 15), start: DAY });
  builder.addPrefix("VE8", { value: record("CANADA", 1) });
  builder.addExact("OK1X", { value: record("SLOVAKIA", 15), start: DAY, end: DAY });
  const dated: TableSource = {
    ...builder.table,
    name: "dated",
    date: undefined,
    isInvalidOperation: (call) => call === "OK0BAD",
    zoneException: (call) => (call === "VE8EV" ? 2 : undefined),
  };
  const country = (callsign: string, at: number): string | undefined => {
    const answer = identify(callsign, { table: dated, at: new Date(at) });
    return answer.kind === "identified" ? answer.record.country : answer.kind;
  };

  it("uses the moment in every prefix search, also for OK/DL1ABC, where the peer doesn't", () => {
    expect([DAY - 1000, DAY].map((at) => country("OK1ABC", at))).toEqual([
      "CZECHOSLOVAKIA",
      "CZECH REPUBLIC",
    ]);
    expect([DAY - 1000, DAY].map((at) => country("OK/DL1ABC", at))).toEqual([
      "CZECHOSLOVAKIA",
      "CZECH REPUBLIC",
    ]);
    // The last second is a whole one.
    expect(country("OK1ABC", DAY - 1)).toBe("CZECHOSLOVAKIA");
  });

  it("counts both ends of a period", () => {
    expect([DAY - 1, DAY, DAY + 999, DAY + 1000].map((at) => country("OK1X", at))).toEqual([
      "CZECHOSLOVAKIA",
      "SLOVAKIA",
      "SLOVAKIA",
      "CZECH REPUBLIC",
    ]);
  });

  it("distinguishes an invalid operation from an unknown call", () => {
    expect(country("OK0BAD", DAY)).toBe("invalid-operation");
    expect(country("QQ0BAD", DAY)).toBe("unknown");
  });

  it("writes a zone exception into a copy: VE8 calls keep their zone after VE8EV, which they don't in the peer", () => {
    const zone = (callsign: string): number | undefined => {
      const answer = identify(callsign, { table: dated, at: new Date(DAY) });
      return answer.kind === "identified" ? answer.record.cqz : undefined;
    };
    expect(["VE8AA", "VE8EV", "VE8AA"].map(zone)).toEqual([1, 2, 1]);
  });
});

describe("stations at sea and in the air", () => {
  it.each(["W1AW/MM", "W1AW/MM2", "W1AW/AM"])("have no position and no zones, as %s", async (callsign) => {
    const answer = identify(callsign, { table: await loadEmbeddedCountryFile() });
    expect(answer).toMatchObject({ kind: "identified", record: { continent: "" } });
    const keys = answer.kind === "identified" ? Object.keys(answer.record) : [];
    expect(keys.sort()).toEqual(["adif", "continent", "country"]);
  });
});

describe("ships of Canada and Liberia (ships-are-in-no-entity)", () => {
  it.each(["VE0MM", "VE0ABC/P", "EL0XYZ", "VE0MM/MM"])(
    "are in no entity with the country file, as %s",
    async (callsign) => {
      const answer = identify(callsign, { table: await loadEmbeddedCountryFile() });
      expect(answer).toMatchObject({ kind: "identified", record: { adif: 999, continent: "" } });
    },
  );
});
