import { afterEach, describe, expect, it } from "vitest";

import { awardsOf, missingOf } from "../src/log/award-progress.js";
import {
  bandOrder,
  closeLog,
  contactsShown,
  filterLogs,
  openLog,
  placesShown,
  readRows,
  sortLogs,
  writeShown,
} from "../src/log/log-book.js";
import { NEWEST_FIRST, NO_FILTER, type LogFilter } from "../src/log/log-types.js";

let open: readonly { readonly id: string }[] = [];
afterEach(async () => {
  for (const { id } of open) await closeLog(id);
  open = [];
  sortLogs(NEWEST_FIRST);
});

/** Opens a log, shows all of it in the order of the file, and closes it after the test. */
async function opened(text: string, name = "a.adi", locator: string | undefined = "JN48QM") {
  const overview = await openLog(bytes(text), name, locator);
  open = overview.logs;
  sortLogs({ column: "line", isDescending: false });
  filterLogs(NO_FILTER);
  return overview;
}

function calls(filter: Partial<LogFilter>): string[] {
  filterLogs({ ...NO_FILTER, ...filter });
  return readRows(0, 100).map(({ call }) => call);
}

function bytes(text: string): ArrayBuffer {
  return new TextEncoder().encode(text).buffer;
}

const ADIF = `Made by hand <EOH>
<CALL:4>W1AW<QSO_DATE:8>20240601<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<GRIDSQUARE:6>FN31PR<QSL_RCVD:1>Y<EOR>
<CALL:6>JA1ABC<QSO_DATE:8>20240601<TIME_ON:4>1205<FREQ:6>21.074<MODE:4>MFSK<SUBMODE:3>FT4<EOR>
<CALL:5>DH1TW<QSO_DATE:8>20240601<TIME_ON:4>1210<BAND:3>20M<MODE:3>FT8<EOR>
<CALL:2>??<QSO_DATE:8>20240699<TIME_ON:4>1215<BAND:3>20m<MODE:2>CW<EOR>
`;

describe("an open log", () => {
  it("has bands, modes, and what could not be read by line", async () => {
    const overview = await opened(ADIF);
    expect(overview).toMatchObject({ logs: [{ name: "a.adi", qsos: 4 }], qsos: 4, unreadCount: 2 });
    // Where no storage is, as in this test.
    expect(overview.problem).toContain("not kept");
    expect(overview.bands).toEqual([
      { name: "20m", qsos: 3 },
      { name: "15m", qsos: 1 },
    ]);
    expect(overview.modes).toEqual([
      { name: "CW", qsos: 2 },
      { name: "FT4", qsos: 1 },
      { name: "FT8", qsos: 1 },
    ]);
    expect(overview.unread).toEqual([
      { line: 5, message: expect.stringContaining("20240699") as string },
      { line: 5, message: expect.stringContaining("??") as string },
    ]);
  });

  it("filters rows, summary and map together", async () => {
    await opened(ADIF);
    const all = filterLogs(NO_FILTER);
    expect(all.qsos).toBe(4);
    const places = await placesShown();
    expect(places.squares).toEqual([{ locator: "FN31", confirmed: true }]);
    expect(places.paths).toHaveLength(3);
    expect(places.entities.filter(({ confirmed }) => confirmed).map(({ adif }) => adif)).toEqual([291]);
    const shown = filterLogs({ ...NO_FILTER, bands: ["20m"], modes: ["CW", "FT8"] });
    expect(shown.qsos).toBe(3);
    expect(shown.entities).toEqual([
      { name: "Fed. Rep. of Germany", qsos: 1 },
      { name: "United States", qsos: 1 },
    ]);
    expect(shown.cqZones).toEqual([
      { name: "5", qsos: 1 },
      { name: "14", qsos: 1 },
    ]);
    expect(shown.bands).toEqual([{ name: "20m", qsos: 3 }]);
    expect(readRows(0, 2)).toEqual([
      {
        line: 2,
        time: "2024-06-01 12:00",
        call: "W1AW",
        band: "20m",
        mode: "CW",
        country: "United States",
        cqz: "5",
        ituz: "8",
        locator: "FN31PR",
        distanceKm: "6168.6", // the haversine formula by hand
        heading: "296.2", // the azimuth by hand: 296.21
        confirmed: "card",
      },
      expect.objectContaining({ call: "DH1TW", band: "20m", mode: "FT8" }),
    ]);
    expect(readRows(2, 100)).toHaveLength(1);
  });

  it("is saved as it is shown", async () => {
    await opened(ADIF);
    filterLogs({ ...NO_FILTER, bands: ["15m"] });
    const text = new TextDecoder().decode(writeShown("adi"));
    expect(text).toContain("<CALL:6>JA1ABC");
    expect(text).toContain("<COUNTRY:5>Japan");
    expect(text).not.toContain("W1AW");
    filterLogs(NO_FILTER);
    expect(new TextDecoder().decode(writeShown("csv")).split("\r\n")).toHaveLength(1 + 4 + 1);
  });

  it("keeps the own locators of the log", async () => {
    const log = "<CALL:4>W1AW<MY_GRIDSQUARE:6>JO31AA<EOR>";
    await opened(log, "a.adi", "FN31PR");
    const { paths } = await placesShown();
    expect(paths[0]?.from.longitude).toBeCloseTo(6.04, 2);
  });

  it("is Cabrillo too", async () => {
    const log =
      "START-OF-LOG: 3.0\nCALLSIGN: DH1TW\nQSO: 14025 CW 2024-11-23 1200 DH1TW 599 14 W1AW 599 5\nEND-OF-LOG:\n";
    const overview = await opened(log, "a.cbr", undefined);
    expect(overview).toMatchObject({ qsos: 1, bands: [{ name: "20m", qsos: 1 }] });
  });

  it("is FLE too, with the words that were not understood", async () => {
    const log = "mycall dl0xyz\ndate 2024-11-23\n20m cw\n1200 w1aw\n2 ja1abc 599 foo\n";
    const overview = await opened(log, "a.txt", undefined);
    expect(overview).toMatchObject({ qsos: 2, bands: [{ name: "20m", qsos: 2 }], unreadCount: 1 });
  });

  it("rejects a file that isn't a log", async () => {
    await expect(openLog(bytes("%PDF-1.4"), "a.pdf", undefined)).rejects.toThrow(/a\.pdf/);
  });
});

const CLUB = `<CALL:6>VK2ABC<QSO_DATE:8>20250101<TIME_ON:4>0900<BAND:3>10m<MODE:2>CW<NAME:4>Matt<LOTW_QSL_RCVD:1>Y<EOR>
<CALL:4>W1AW<QSO_DATE:8>20230101<BAND:4>160m<MODE:2>CW<EQSL_QSL_RCVD:1>Y<EOR>`;

describe("several logs", () => {
  it("are one table, and each is shown alone and closed singly", async () => {
    await opened(ADIF);
    const { logs, qsos, bands } = await opened(CLUB, "club.adi");
    expect(logs.map(({ name }) => name)).toEqual(["a.adi", "club.adi"]);
    expect(qsos).toBe(6);
    expect(bands.map(({ name }) => name)).toEqual(["160m", "20m", "15m", "10m"]);
    const [first, club] = logs;
    expect(calls({ logs: [club?.id ?? ""] })).toEqual(["VK2ABC", "W1AW"]);
    const left = await closeLog(first?.id ?? "");
    expect(left.logs.map(({ name }) => name)).toEqual(["club.adi"]);
    expect(calls({})).toEqual(["VK2ABC", "W1AW"]);
  });

  it("of one name are one: the newer", async () => {
    await opened(ADIF);
    expect((await opened(CLUB, "a.adi")).logs.map(({ qsos }) => qsos)).toEqual([2]);
  });
});

describe("filters of logs", () => {
  it.each([
    [{ text: "matt" }, ["VK2ABC"]],
    [{ text: "united 160" }, ["W1AW"]],
    [{ from: "2024-01-01", until: "2024-12-31" }, ["W1AW", "JA1ABC", "DH1TW", "??"]],
    [{ from: "2025-01-01" }, ["VK2ABC"]],
    [{ until: "2023-01-01" }, ["W1AW"]],
    [{ confirmation: "card" }, ["W1AW"]],
    [{ confirmation: "lotw" }, ["VK2ABC"]],
    [{ confirmation: "eqsl" }, ["W1AW"]],
    [{ confirmation: "confirmed" }, ["W1AW", "VK2ABC", "W1AW"]],
    [{ confirmation: "unconfirmed" }, ["JA1ABC", "DH1TW", "??"]],
    [{ confirmation: "confirmed", bands: ["160m"], modes: ["CW"] }, ["W1AW"]],
  ] as const)("%j", async (filter, expected) => {
    await opened(ADIF);
    await opened(CLUB, "club.adi");
    expect(calls(filter).slice(0, expected.length)).toEqual(expected);
    // A day that is no date, 2024-06-99, is neither before nor after.
    expect(calls(filter).slice(expected.length)).toEqual([]);
  });
});

describe("the order of logs", () => {
  it.each([
    ["time", true, ["VK2ABC", "??", "DH1TW", "JA1ABC", "W1AW", "W1AW"]],
    ["call", false, ["??", "DH1TW", "JA1ABC", "VK2ABC", "W1AW", "W1AW"]],
    ["band", false, ["W1AW", "W1AW", "DH1TW", "??", "JA1ABC", "VK2ABC"]],
    // DH1TW is 0 km from itself by country; ?? has no distance and comes last in both directions.
    ["distanceKm", true, ["VK2ABC", "JA1ABC", "W1AW", "W1AW", "DH1TW", "??"]],
    ["country", true, ["W1AW", "W1AW", "JA1ABC", "DH1TW", "VK2ABC", "??"]],
  ] as const)("by %s", async (column, isDescending, expected) => {
    await opened(ADIF);
    await opened(CLUB, "club.adi");
    sortLogs({ column, isDescending });
    expect(readRows(0, 10).map(({ call }) => call)).toEqual(expected);
  });
});

describe("awards of logs", () => {
  it("have rows of bands, and what is missing by name", async () => {
    await opened(ADIF);
    await opened(CLUB, "club.adi");
    const awards = await awardsOf(contactsShown(), bandOrder());
    const dxcc = awards.find(({ id }) => id === "dxcc");
    // Four entities of 340; the card of W1AW and the LoTW of VK2ABC confirm, eQSL doesn't.
    expect(dxcc?.rows[0]).toMatchObject({ label: "All bands", worked: 4, confirmed: 2, missing: 336 });
    expect(dxcc?.rows.slice(1).map(({ label, worked, confirmed }) => [label, worked, confirmed])).toEqual([
      ["160m", 1, 0],
      ["20m", 2, 1],
      ["15m", 1, 0],
      ["10m", 1, 1],
    ]);
    const [all] = dxcc?.rows ?? [];
    const { unworked, unconfirmed } = await missingOf(contactsShown(), all as NonNullable<typeof all>);
    expect(unworked).toHaveLength(336);
    expect(unworked).toContain("Brazil (PY)");
    expect(unconfirmed).toEqual(["Fed. Rep. of Germany (DL)", "Japan (JA)"]);
    expect(awards.map(({ id }) => id)).toContain("waz");
  });
});
