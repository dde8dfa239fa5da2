/** Calls whose text can be read in two ways, with the embedded country file. */
import { beforeAll, describe, expect, it } from "vitest";

import { loadEmbeddedCountryFile } from "../../src/country-file/country-file.js";
import { identify } from "../../src/lookup/identify.js";
import type { CallsignRecord } from "../../src/lookup/record.js";
import type { IdentifiedCallsign, TableSource } from "../../src/lookup/source.js";
import { createTable } from "../../src/lookup/table.js";

let table: TableSource;

beforeAll(async () => {
  table = await loadEmbeddedCountryFile();
});

function found(callsign: string, source = table, at = new Date("2026-01-01T00:00:00Z")): IdentifiedCallsign {
  const answer = identify(callsign, { table: source, at });
  if (answer.kind !== "identified") throw new Error(`${callsign} is ${answer.kind}`);
  return answer;
}

describe("two parts that look like calls (prefix-that-looks-like-a-call)", () => {
  // Codes of the ARRL DXCC list: Norfolk, Easter, Rotuma, Falklands, Bahamas, British Virgin Islands, Hawaii.
  it.each([
    ["AI5P/VK9N", 189],
    ["VK9N/AI5P", 189],
    ["N6T/CE0Y", 47],
    ["DL1A/3D2R", 460],
    ["3D2R/DL1A", 460],
    ["3D2R/DL1ABC", 460],
    ["DL1A/VP8F", 141],
    ["9H5A/C6A", 60],
    ["AA7V/VP2V", 65],
    ["DL1A/KH6X", 110],
  ])("place %s by the prefix of the island", (callsign, adif) => {
    expect(found(callsign).record.adif).toBe(adif);
  });
});

describe("the digit of the own area (the-own-area-s-digit)", () => {
  it.each([
    ["RX9WN/9", 15, 16],
    ["UA9WAB/9", 15, 16],
    ["UA0YAY/0", 15, 23],
    ["UA0YAY/0/P", 15, 23],
    ["UA0IT/0", 15, 19],
    ["VE3ABC/0", 1, 4],
    ["VE3ABC/3", 1, 4],
  ])("changes nothing: %s", (callsign, adif, cqz) => {
    const [call = ""] = callsign.split("/");
    expect(found(callsign).record).toEqual(found(call).record);
    expect(found(callsign).record).toMatchObject({ adif, cqz });
  });

  it("leaves other digits as they are, and those of entries of the whole callsign", () => {
    expect(found("UA9WAB/3").record.adif).toBe(54);
    expect(found("VE3ABC/7").record.cqz).toBe(3);
    expect(found("VY2ABC/0").record.cqz).toBe(found("VY0ABC").record.cqz);
    expect(found("UE9FDA/9")).toMatchObject({ matchedBy: "callsign", match: "UE9FDA/9" });
  });

  it("keeps UE9FDA/9 in European Russia where its entry is not valid", () => {
    const record = (country: string, adif: number): CallsignRecord => ({
      country,
      adif,
      continent: "EU",
      latitude: 0,
      longitude: 0,
      cqz: 16,
    });
    const builder = createTable({ entities: new Map() });
    builder.addPrefix("UE9", { value: record("ASIATIC RUSSIA", 15) });
    builder.addPrefix("UE9F", { value: record("EUROPEAN RUSSIA", 54) });
    builder.addExact("UE9FDA/9", { value: record("ASIATIC RUSSIA", 15), end: Date.UTC(2003, 0) });
    const dated: TableSource = { ...builder.table, name: "dated", date: undefined };
    expect(found("UE9FDA/9", dated, new Date("2002-06-01")).record.adif).toBe(15);
    expect(found("UE9FDA/9", dated, new Date("2004-06-01"))).toMatchObject({
      match: "UE9F",
      record: { adif: 54 },
    });
  });
});

describe("listed stations with activity suffixes (listed-under-a-shared-prefix)", () => {
  it.each([
    ["TX5K/P", 36],
    ["TX5K/M", 36],
    ["TX5K/QRP", 36],
    ["3Y0J/P", 24],
    ["VP6D/P", 513],
    ["VK9DLX/P", 147],
    ["VK9DLX/QRP/P", 147],
    ["KC4USV/P", 13],
    ["4U1UN/P", 289],
  ])("stay at the place of the entry: %s", (callsign, adif) => {
    const [call = ""] = callsign.split("/");
    expect(found(callsign)).toMatchObject({
      matchedBy: "callsign",
      match: call,
      assumed: true,
      record: { adif },
    });
    expect(found(callsign).record).toEqual(found(call).record);
    expect(found(call)).not.toHaveProperty("assumed");
  });

  it("are placed by a prefix or digit if they name one, and at sea", () => {
    expect(found("VK9DLX/VP6").record.adif).toBe(172);
    expect(found("VK9DLX/6").record.adif).toBe(150);
    expect(found("TX5K/MM").record.adif).toBe(999);
  });

  it("are placed by a prefix that only one entity has, whatever the list has for the call", () => {
    expect(found("KL7FQR").record.adif).toBe(291);
    expect(found("KL7FQR/P")).toMatchObject({ matchedBy: "prefix", record: { adif: 6 } });
  });
});

describe("P and a digit behind a call (portable-in-a-call-area)", () => {
  it.each([
    ["JL3VUL/P3", "JL3VUL"],
    ["WV3E/P3", "WV3E"],
    ["KK4YEL/P6", "KK4YEL/6"],
    ["DL1ABC/P7", "DL1ABC/7"],
    ["UA9WAB/P9", "UA9WAB"],
  ])("is the call area, and neither Cyprus nor North Korea: %s", (callsign, same) => {
    expect(found(callsign).record).toEqual(found(same).record);
  });

  // Papua New Guinea, Aruba, North Korea; Cyprus before the call.
  it.each([
    ["VK3BCJ/P2", 163],
    ["N6BT/P4", 91],
    ["OK1DTG/P5", 344],
    ["P3/JL3VUL", 215],
  ])("stays the prefix that visitors write: %s", (callsign, adif) => {
    expect(found(callsign).record.adif).toBe(adif);
  });
});

describe("the abbreviation of a state (states-behind-a-call)", () => {
  it.each(["AA5TL/OR", "W1AW/AZ", "K6WSC/SD", "N6AR/FL", "W1AW/DE", "W1AW/TX"])(
    "leaves a station of the United States there: %s",
    (callsign) => {
      expect(found(callsign).record.adif).toBe(291);
    },
  );

  // Belgium behind another call; Norway, Finland, Czechia, Netherlands: prefixes of visitors.
  it.each([
    ["DL1ABC/OR", 209],
    ["OR/AA5TL", 209],
    ["W1AW/LA", 266],
    ["W1AW/OH", 224],
    ["W1AW/OK", 503],
    ["W1AW/PA", 263],
  ])("is a prefix otherwise: %s", (callsign, adif) => {
    expect(found(callsign).record.adif).toBe(adif);
  });
});

describe("calls without a suffix or a digit (calls-of-other-forms)", () => {
  it.each([
    ["BV100", 386],
    ["BU100", 386],
    ["HD1QRC90", 120],
    ["5UAIHM", 187],
    ["4UNR", 206],
    ["HL22", 137],
    ["HL22/P", 137],
    ["JK2VOC/SO200", 339],
  ])("are calls: %s", (callsign, adif) => {
    expect(found(callsign).record.adif).toBe(adif);
  });

  it.each(["OZ/JO81", "E5", "VK9", "12345", "TEST", "3DA", "A100"])("are not: %s", (text) => {
    expect(identify(text, { table }).kind).toBe("unknown");
  });
});
