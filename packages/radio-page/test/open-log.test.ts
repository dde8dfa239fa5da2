import { describe, expect, it } from "vitest";

import { filterLog, openLog, readRows, writeShown } from "../src/log/open-log.js";

const ALL = { bands: [], modes: [] };

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
    const overview = await openLog(bytes(ADIF), "a.adi", "JN48QM");
    expect(overview).toMatchObject({ name: "a.adi", format: "adi", qsos: 4, unreadCount: 2 });
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
    await openLog(bytes(ADIF), "a.adi", "JN48QM");
    const all = await filterLog(ALL);
    expect(all.qsos).toBe(4);
    expect(all.squares).toEqual([{ locator: "FN31", confirmed: true }]);
    expect(all.paths).toHaveLength(3);
    const shown = await filterLog({ bands: ["20m"], modes: ["CW", "FT8"] });
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
      },
      expect.objectContaining({ call: "DH1TW", band: "20m", mode: "FT8" }),
    ]);
    expect(readRows(2, 100)).toHaveLength(1);
  });

  it("is saved as it is shown", async () => {
    await openLog(bytes(ADIF), "a.adi", "JN48QM");
    await filterLog({ bands: ["15m"], modes: [] });
    const text = new TextDecoder().decode(writeShown("adi"));
    expect(text).toContain("<CALL:6>JA1ABC");
    expect(text).toContain("<COUNTRY:5>Japan");
    expect(text).not.toContain("W1AW");
    await filterLog(ALL);
    expect(new TextDecoder().decode(writeShown("csv")).split("\r\n")).toHaveLength(1 + 4 + 1);
  });

  it("keeps the own locators of the log", async () => {
    const log = "<CALL:4>W1AW<MY_GRIDSQUARE:6>JO31AA<EOR>";
    await openLog(bytes(log), "a.adi", "FN31PR");
    const { paths } = await filterLog(ALL);
    expect(paths[0]?.from.longitude).toBeCloseTo(6.04, 2);
  });

  it("is Cabrillo too", async () => {
    const log =
      "START-OF-LOG: 3.0\nCALLSIGN: DH1TW\nQSO: 14025 CW 2024-11-23 1200 DH1TW 599 14 W1AW 599 5\nEND-OF-LOG:\n";
    const overview = await openLog(bytes(log), "a.cbr", undefined);
    expect(overview).toMatchObject({ format: "cabrillo", qsos: 1, bands: [{ name: "20m", qsos: 1 }] });
  });

  it("rejects a file that isn't a log", async () => {
    await expect(openLog(bytes("%PDF-1.4"), "a.pdf", undefined)).rejects.toThrow(/a\.pdf/);
  });
});
