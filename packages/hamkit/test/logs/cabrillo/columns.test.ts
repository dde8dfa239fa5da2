/** Columns of contest logs: each is understood, or a problem names its line; a field never has the raw text. */
import { describe, expect, it } from "vitest";

import { readLog } from "../../../src/logs.js";
import { pairs } from "../log-text.js";

const cabrillo = (line: string) => `START-OF-LOG: 3.0\n${line}\nEND-OF-LOG:\n`;
const edi = (header: string, record: string) =>
  `[REG1TEST;1]\nPCall=SE0I\n${header}\n[QSORecords;1]\n${record}\n[END;]\n`;

async function read(text: string) {
  const { qsos, problems } = await readLog(text);
  const fields = Object.fromEntries(qsos.flatMap(pairs));
  return { fields, problems: problems.map(({ line, message }) => `${line}: ${message}`) };
}

describe("a mode column of Cabrillo", () => {
  it.each([
    ["CW", "CW"],
    ["CW-U", "CW"],
    ["CW-L", "CW"],
    ["cw", "CW"],
    ["PH", "SSB"],
    ["SSB", "SSB"],
    ["USB", "SSB", "USB"],
    ["LSB", "SSB", "LSB"],
    ["FM", "FM"],
    ["AM", "AM"],
    ["RY", "RTTY"],
    ["RTTY", "RTTY"],
    ["FT8", "FT8"],
    ["FT4", "MFSK", "FT4"],
    ["BPSK31", "PSK", "PSK31"],
    ["PSK31", "PSK", "PSK31"],
    ["DG"],
    ["DIGI"],
  ])("%s is the mode %s %s", async (column, mode?: string, submode?: string) => {
    const line = `QSO: 7058 ${column} 2024-11-23 2359 SE0I 599 14 CN3A 599 33`;
    const { fields, problems } = await read(cabrillo(line));
    expect([fields["MODE"], fields["SUBMODE"], problems]).toEqual([mode, submode, []]);
  });

  it.each(["XX", "CWX", "599"])("%s is a problem", async (column) => {
    const line = `QSO: 7058 ${column} 2024-11-23 2359 SE0I 599 14 CN3A 599 33`;
    const { fields, problems } = await read(cabrillo(line));
    expect([fields["MODE"], problems]).toEqual([
      undefined,
      [`2: "${column}" is not a mode of Cabrillo (CW, PH, FM, RY, DG)`],
    ]);
  });
});

describe("a frequency column of Cabrillo", () => {
  it.each([
    ["1810", "160m", "1.81"],
    ["14025", "20m", "14.025"],
    ["14025.5", "20m", "14.0255"],
    ["3.5", "80m", "3.5"],
    ["7.058", "40m", "7.058"],
    ["14025kHz", "20m", "14.025"],
    ["14.025MHz", "20m", "14.025"],
    ["14025000", "20m", "14.025"],
    ["20M", "20m", undefined],
    ["50", "6m", undefined],
    ["70", "4m", undefined],
    ["144", "2m", undefined],
    ["144.2", "2m", "144.2"],
    ["144,2", "2m", "144.2"],
    ["144200", "2m", "144.2"],
    ["222", "1.25m", undefined],
    ["432", "70cm", undefined],
    ["432.1", "70cm", "432.1"],
    ["902", "33cm", undefined],
    ["1.2G", "23cm", undefined],
    ["1.3G", "23cm", undefined],
    ["1296", "23cm", "1296"],
    ["2.3G", "13cm", undefined],
    ["2.4G", "13cm", undefined],
    ["2304", "13cm", "2304"],
    ["3.4G", "9cm", undefined],
    ["5.7G", "6cm", undefined],
    ["5760", "6cm", "5760"],
    ["10G", "3cm", undefined],
    ["10368", "3cm", "10368"],
    ["24G", "1.25cm", undefined],
    ["47G", "6mm", undefined],
    ["75G", "4mm", undefined],
    ["122G", "2.5mm", undefined],
    ["134G", "2mm", undefined],
    ["241G", "1mm", undefined],
  ])("%s is the band %s", async (column, band, frequency) => {
    const line = `QSO: ${column} PH 2026-06-13 1200 SE0I 59 JO65 DL1ABC 59 JN48`;
    const { fields, problems } = await read(cabrillo(line));
    expect([fields["BAND"], fields["FREQ"], problems]).toEqual([band, frequency, []]);
  });

  it.each(["LIGHT", "13999", "0", "20X", "1.1G", "14.025.50"])("%s is a problem", async (column) => {
    const line = `QSO: ${column} PH 2026-06-13 1200 SE0I 59 JO65 DL1ABC 59 JN48`;
    const { fields, problems } = await read(cabrillo(line));
    expect([fields["BAND"], fields["FREQ"], problems]).toEqual([
      undefined,
      undefined,
      [`2: "${column}" is not a frequency in an amateur band`],
    ]);
  });
});

describe("date and time of Cabrillo", () => {
  it.each([
    ["2024-11-23", "2359", "20241123", "2359"],
    ["2024/11/23", "23:59", "20241123", "2359"],
    ["2024.11.23", "235930", "20241123", "235930"],
    ["20241123", "23:59:30", "20241123", "235930"],
    ["2024-1-5", "0001Z", "20240105", "0001"],
  ])("%s %s are read as meant", async (date, time, adifDate, adifTime) => {
    const { fields, problems } = await read(
      cabrillo(`QSO: 14025 CW ${date} ${time} SE0I 599 14 CN3A 599 33`),
    );
    expect([fields["QSO_DATE"], fields["TIME_ON"], problems]).toEqual([adifDate, adifTime, []]);
  });

  it.each([
    ["23/11/2024", "2359", '2: "23/11/2024" is not a date YYYY-MM-DD'],
    ["2024-13-01", "2359", '2: "2024-13-01" is not a date YYYY-MM-DD'],
    ["2024-02-30", "2359", '2: "2024-02-30" is not a date YYYY-MM-DD'],
    ["241123", "2359", '2: "241123" is not a date YYYY-MM-DD'],
    ["2024112", "2359", '2: "2024112" is not a date YYYY-MM-DD'],
    ["2024-11-23", "2460", '2: "2460" is not a time HHMM'],
    ["2024-11-23", "259", '2: "259" is not a time HHMM'],
  ])("%s %s is a problem, and no field", async (date, time, problem) => {
    const { fields, problems } = await read(
      cabrillo(`QSO: 14025 CW ${date} ${time} SE0I 599 14 CN3A 599 33`),
    );
    expect(problems).toEqual([problem]);
    expect([fields["QSO_DATE"], fields["TIME_ON"]]).not.toContain(problem.includes("date") ? date : time);
    expect(fields["APP_HAMKIT_CABRILLO"]).toContain(date);
  });
});

describe("columns of EDI", () => {
  const RECORD = "260613;1200;DL1ABC;1;59;001;59;002;;JN48AA;100;;;;";

  it.each([
    ["144 MHz", "2m"],
    ["2m", "2m"],
    ["144", "2m"],
    ["145 MHz", "2m"],
    ["432,2", "70cm"],
    ["70 cm", "70cm"],
    ["1,3 GHz", "23cm"],
    ["1296 MHz", "23cm"],
    ["1296", "23cm"],
    ["2.4GHz", "13cm"],
    ["10 GHz", "3cm"],
  ])("PBand=%s is the band %s", async (band, adif) => {
    const { fields, problems } = await read(edi(`PBand=${band}`, RECORD));
    expect([fields["BAND"], problems]).toEqual([adif, []]);
  });

  it("another band, mode, date or time is a problem with its line", async () => {
    const { fields, problems } = await read(
      edi("PBand=two", "261313;2460;DL1ABC;X;59;001;59;002;;JN48AA;1;;;;"),
    );
    expect(problems).toEqual([
      '5: "261313" is not a date YYMMDD',
      '5: "2460" is not a time HHMM',
      '5: "X" is not a mode code from 0 to 9',
      "3: PBand=two: expected an amateur band, such as 144 MHz",
    ]);
    expect([fields["BAND"], fields["MODE"], fields["QSO_DATE"], fields["TIME_ON"]]).toEqual(
      Array.from({ length: 4 }),
    );
  });

  it("modes by name and dates with hyphens are read as meant", async () => {
    const { fields, problems } = await read(
      edi("PBand=144 MHz", "26/06/13;12:00;DL1ABC;FT8;59;1;59;2;;JN48AA;1;;;;"),
    );
    expect([fields["MODE"], fields["QSO_DATE"], fields["TIME_ON"], problems]).toEqual([
      "FT8",
      "20260613",
      "1200",
      [],
    ]);
  });
});
