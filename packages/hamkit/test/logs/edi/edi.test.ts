import { describe, expect, it } from "vitest";

import { LogError, ValueError } from "../../../src/errors.js";
import { pointsOf } from "../../../src/logs/edi/edi-writer.js";
import type { LogProblem, Qso } from "../../../src/logs/log.js";
import { readLog } from "../../../src/logs/read-log.js";
import { writeLog, type WriteLogOptions } from "../../../src/logs/write-log.js";
import { logOf, pairs, written } from "../log-text.js";

/** In the form of the standard's examples, with a bonus for squares, a duplicate, a QSO that is not valid, and remarks. */
const SOURCE = [
  "[REG1TEST;1]",
  "TName=IARU Region 1 VHF",
  "TDate=20240907;20240908",
  "PCall=OZ9SIG",
  "PWWLo=JO55WW",
  "PExch=",
  "PSect=SINGLE",
  "PBand=144 MHz",
  "CQSOs=2;1",
  "CQSOP=544",
  "CWWLs=2;500;1",
  "CWWLB=1000",
  "CToSc=1544",
  "CODXC=DL1ABC;JO31AA;500",
  "[Remarks]",
  "fun",
  "[QSORecords;4]",
  "240907;1400;OZ1FDJ;1;59;001;59;006;;JO65FR;44;;N;N;",
  "240907;1405;DL1ABC;2;599;002;599;001;;JO31AA;500;;N;N;",
  "240907;1406;OZ1FDJ;1;59;003;59;007;;JO65FR;0;;;;D",
  "240908;0900;ERROR;1;59;004;;;;;0;;;;",
  "[END;TACLog]",
  "",
];

async function source(end = "\r\n") {
  return readLog(SOURCE.join(end));
}

const QSO = {
  STATION_CALLSIGN: "OZ9SIG",
  MY_GRIDSQUARE: "JO55WW",
  CALL: "OZ1FDJ",
  QSO_DATE: "20240907",
  TIME_ON: "140000",
  BAND: "2m",
  MODE: "SSB",
  RST_SENT: "59",
  RST_RCVD: "59",
  STX: "1",
  SRX: "6",
  GRIDSQUARE: "JO65FR",
  CONTEST_ID: "IARU-VHF",
};

function edi(qsos: readonly Readonly<Record<string, string>>[], options: WriteLogOptions = {}): string[] {
  const log = logOf(...qsos.map((qso) => Object.entries(qso).map(([name, value]) => ({ name, value }))));
  return Buffer.from(writeLog(log, { format: "edi", ...options }))
    .toString()
    .split("\r\n");
}

describe("readLog of EDI", () => {
  it("reads the records, and what the header says of all", async () => {
    const log = await source();
    expect(log).toMatchObject({ format: "edi", problems: [] });
    expect(log.qsos.map(({ line }) => line)).toEqual([18, 19, 20, 21]);
    expect(Object.fromEntries(log.qsos.slice(1, 2).flatMap(pairs) as [string, string][])).toEqual({
      CALL: "DL1ABC",
      QSO_DATE: "20240907",
      TIME_ON: "1405",
      MODE: "CW",
      RST_SENT: "599",
      RST_RCVD: "599",
      STX: "002",
      SRX: "001",
      GRIDSQUARE: "JO31AA",
      APP_HAMKIT_EDI: SOURCE[18],
      STATION_CALLSIGN: "OZ9SIG",
      MY_GRIDSQUARE: "JO55WW",
      BAND: "2m",
      CONTEST_ID: "IARU Region 1 VHF",
    });
    expect(log.header.text.split("\n")).toEqual([...SOURCE.slice(0, 17), "[END;TACLog]"]);
  });

  it("has no call where the log has ERROR, which marks a QSO that is not valid", async () => {
    const { qsos } = await source();
    expect(qsos[3]?.fields.some(({ name }) => name === "CALL")).toBe(false);
  });

  it.each([
    ["50 MHz", "6m"],
    ["145 MHz", "2m"],
    ["435 MHz", "70cm"],
    ["1,3 GHz", "23cm"],
    ["1296 MHz", "23cm"],
    ["2.3 GHz", "13cm"],
    ["76 GHz", "4mm"],
    ["144 GHz", "2mm"],
    ["248 GHz", "1mm"],
    ["144", "2m"],
    ["14 lions", undefined],
  ])("knows the band %s as %s", async (name, band) => {
    const { qsos } = await readLog(SOURCE.join("\n").replace("144 MHz", name));
    expect(qsos[0]?.fields.find((field) => field.name === "BAND")?.value).toBe(band);
  });

  it.each([
    ["1", "SSB"],
    ["2", "CW"],
    ["3", "SSB"],
    ["4", "CW"],
    ["5", "AM"],
    ["6", "FM"],
    ["7", "RTTY"],
    ["8", "SSTV"],
    ["9", "ATV"],
    ["0", undefined],
    ["", undefined],
  ])("knows mode code %j as %s, as sent", async (code, mode) => {
    const { qsos } = await readLog(SOURCE.join("\n").replace("OZ1FDJ;1", `OZ1FDJ;${code}`));
    expect(qsos[0]?.fields.find((field) => field.name === "MODE")?.value).toBe(mode);
  });

  it("takes the years of the standard: it is of 1995", async () => {
    const { qsos } = await readLog(
      "[REG1TEST;1]\n[QSORecords;2]\n950304;1445;OZ9SIG;1\n890304;1445;OZ9SIG;1\n[END;]\n",
    );
    expect(qsos.map((qso) => qso.fields.find(({ name }) => name === "QSO_DATE")?.value)).toEqual([
      "19950304",
      "20890304",
    ]);
  });

  it("reports damaged records, and a count that differs", async () => {
    const text = SOURCE.slice(0, 20).join("\n").replace("240907;1405;", "2409;1405;");
    const log = await readLog(text);
    expect(log.qsos).toHaveLength(2);
    expect(log.problems).toEqual([
      {
        line: 19,
        kind: "line",
        message: 'not a valid QSO record: "2409;1405;DL1ABC;2;599;002;599;001;;JO31AA;500;;N;N;"',
      },
      {
        line: 20,
        kind: "end",
        message: "[QSORecords;4] announces 4 QSOs, the file has 2: it may be truncated",
      },
    ]);
  });
});

describe("writeLog of a log read from EDI", () => {
  it.each(["\n", "\r\n"])("keeps every byte: line end %j", async (end) => {
    expect(written(await source(end), "edi")).toBe(SOURCE.join(end));
  });

  it("is read as the same log again, also when it went through ADIF and JSON", async () => {
    const log = await source();
    for (const format of ["adi", "adx", "json"] as const) {
      const through = await readLog(writeLog(log, { format }));
      const again = await readLog(writeLog(through, { format: "edi" }));
      expect(again.problems).toEqual([]);
      // Fields of the header come first or last; each name occurs once.
      const named = (qso: Qso) => Object.fromEntries(pairs(qso) as [string, string][]);
      expect(again.qsos.map(named)).toEqual(log.qsos.map(named));
    }
  });

  it("counts again where QSOs are left out, and keeps the other lines", async () => {
    const log = await source();
    const lines = written({ ...log, qsos: log.qsos.slice(1) }, "edi").split("\r\n");
    expect(lines).toEqual(
      SOURCE.with(8, "CQSOs=1;1")
        .with(9, "CQSOP=500")
        .with(10, "CWWLs=1;500;1")
        .with(11, "CWWLB=500")
        .toSpliced(
          12,
          2,
          "CToSc=1000",
          "CODXC=DL1ABC;JO31AA;500",
          "CExcs=0;0;1",
          "CExcB=0",
          "CDXCs=1;0;1",
          "CDXCB=0",
        )
        .map((line) => line.replace("[QSORecords;4]", "[QSORecords;3]").replace("TACLog", "hamkit"))
        .filter((line) => line !== SOURCE[17]),
    );
  });
});

describe("writeLog in EDI", () => {
  it("writes every keyword in the order of the standard, and the records", () => {
    // JO31AA is 668.48 km away by the formula of pointsOf, calculated by hand.
    const far = {
      ...QSO,
      CALL: "DL1ABC",
      MODE: "FT8",
      GRIDSQUARE: "JO31AA",
      STX: "2",
      SRX: "1000",
      DXCC: "230",
    };
    const again = { ...QSO, STX: "3" };
    const lines = edi([QSO, far, again], { header: { PSect: "SINGLE" } });
    expect(lines.filter((line) => !line.endsWith("="))).toEqual([
      "[REG1TEST;1]",
      "TName=IARU-VHF",
      "TDate=20240907;20240907",
      "PCall=OZ9SIG",
      "PWWLo=JO55WW",
      "PSect=SINGLE",
      "PBand=144 MHz",
      "CQSOs=2;1",
      "CQSOP=713",
      "CWWLs=2;0;1",
      "CWWLB=0",
      "CExcs=0;0;1",
      "CExcB=0",
      "CDXCs=1;0;1",
      "CDXCB=0",
      "CToSc=713",
      "CODXC=DL1ABC;JO31AA;669",
      "[Remarks]",
      "[QSORecords;3]",
      "240907;1400;OZ1FDJ;1;59;001;59;006;;JO65FR;44;;N;;",
      "240907;1400;DL1ABC;0;59;002;59;1000;;JO31AA;669;;N;N;",
      "240907;1400;OZ1FDJ;1;59;003;59;006;;JO65FR;0;;;;D",
      "[END;hamkit]",
      "",
    ]);
    expect(lines.findIndex((line) => line.startsWith("CODXC="))).toBe(36);
  });

  it.each([
    // The example of EDR's rules: 43.17 km; a kilometer that has begun counts.
    ["JO55WW", "JO65FR", "44"],
    ["JO55WW", "JO55WW", "1"],
    ["JO55WW", "", "0"],
    ["JO55WW", "JO55W", "0"],
  ])("gives a QSO from %s to %j %s points", (own, other, points) => {
    expect(pointsOf(own, other)).toBe(points);
  });

  it("is read as what was written", async () => {
    const log = await readLog(edi([QSO]).join("\r\n"));
    expect(log.problems).toEqual([]);
    const { TIME_ON, STX, SRX, ...rest } = QSO;
    expect(Object.fromEntries(log.qsos.flatMap(pairs) as [string, string][])).toMatchObject({
      ...rest,
      TIME_ON: TIME_ON.slice(0, 4),
      STX: STX.padStart(3, "0"),
      SRX: SRX.padStart(3, "0"),
    });
  });

  it("has one band: of several the caller chooses", () => {
    const others = [QSO, { ...QSO, BAND: "70CM", CALL: "DL1ABC" }];
    expect(() => edi(others)).toThrow(
      "expected the same BAND in all QSOs, since a file in EDI has one, found 2m and 70CM",
    );
    const lines = edi(others, { band: "70cm" });
    expect(lines).toContain("PBand=432 MHz");
    expect(lines).toContain("[QSORecords;1]");
    expect(() => edi(others, { band: "20m" })).toThrow(ValueError);
    expect(() => edi([{ ...QSO, BAND: "20m" }])).toThrow(
      "expected QSOs on a band above 30 MHz for a file in EDI, found 20m",
    );
  });

  it.each([
    ["CALL", "the log, line 1: expected CALL for a record of EDI, found none"],
    ["QSO_DATE", "expected QSO_DATE of the QSO with OZ1FDJ for a record of EDI, found none"],
    ["TIME_ON", "expected TIME_ON of the QSO with OZ1FDJ"],
    [
      "STATION_CALLSIGN",
      "expected PCall for a file in EDI, found no STATION_CALLSIGN in any QSO, and no header PCall",
    ],
    ["MY_GRIDSQUARE", "expected PWWLo for a file in EDI"],
    ["BAND", "expected PBand for a file in EDI"],
  ])("names the missing %s", (name, message) => {
    const rest = Object.fromEntries(Object.entries(QSO).filter(([key]) => key !== name));
    expect(() => edi([rest])).toThrow(LogError);
    expect(() => edi([rest])).toThrow(message);
  });

  it("writes no value that would add a column or a line", () => {
    const lines = edi([{ ...QSO, CALL: "OZ1;FDJ", SRX_STRING: "a;b\nc", RST_SENT: "59\r\n[END;]" }]);
    expect(lines).toContain("240907;1400;OZ1FDJ;1;59 [END ];001;59;006;a b c;JO65FR;44;N;N;;");
    expect(() => edi([QSO], { header: { PSect: "x\n[END;]" } })).not.toThrow();
    expect(() => edi([QSO], { header: { "P Sect": "x" } })).toThrow(ValueError);
    expect(() => edi([QSO], { header: { PSect: "x\r" } })).toThrow(ValueError);
  });
});

// Fixed: REG1TEST is 7-bit ASCII, and what was written was UTF-8.
describe("EDI is written in 7 bits", () => {
  const isSevenBits = (bytes: Uint8Array) => bytes.every((byte) => byte < 0x80);
  const german = SOURCE.map((line) =>
    line.replace("PExch=", "PExch=Köln").replace("fun", "schön – für 73 €, Málaga, Łódź, Øre, 日本"),
  ).join("\r\n");
  const expected = SOURCE.map((line) =>
    line.replace("PExch=", "PExch=Koeln").replace("fun", "schoen - fuer 73 EUR, Malaga, Lodz, Ore, ??"),
  ).join("\r\n");

  it.each([
    ["UTF-8", Buffer.from(german)],
    ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${german}`)],
  ])("a log read from EDI in %s, whose lines are reported", async (_encoding, bytes) => {
    const log = await readLog(bytes);
    expect(log.problems).toEqual([]);
    const problems: LogProblem[] = [];
    const out = writeLog(log, { format: "edi", onProblem: (problem) => problems.push(problem) });
    expect(Buffer.from(out).toString("latin1")).toBe(expected);
    expect(problems.filter(({ message }) => message.includes("ö"))).toEqual([
      {
        line: 6,
        kind: "line",
        message: '"PExch=Köln" is written as "PExch=Koeln": EDI has no characters beyond ASCII',
      },
      { line: 16, kind: "line", message: expect.stringMatching(/^"schön .*" is written as "schoen /) },
    ]);
  });

  it("Latin-1 is read as Latin-1, and written in 7 bits", async () => {
    const log = await readLog(Buffer.from(german.replace("–", "-").replace(/ 73 .*/, ""), "latin1"));
    expect(log.header.text).toContain("PExch=Köln");
    expect(log.header.text).toContain("schön - für");
    const out = Buffer.from(writeLog(log, { format: "edi" }));
    expect(isSevenBits(out)).toBe(true);
    expect(out.toString()).toContain("schoen - fuer");
  });

  it("new headers and records, and lines of the caller", () => {
    const problems: LogProblem[] = [];
    const lines = edi([{ ...QSO, SRX_STRING: "Zürich", CONTEST_ID: "Été" }], {
      header: { PClub: "Funkfreunde Süd", RName: "Ærø \u{1F600}" },
      onProblem: (problem) => problems.push(problem),
    });
    const text = lines.join("\n");
    expect(isSevenBits(Buffer.from(text))).toBe(true);
    for (const part of ["Zuerich", "TName=Ete", "PClub=Funkfreunde Sued", "RName=AEro ?"])
      expect(text).toContain(part);
    expect(problems).toHaveLength(4);
    for (const { line, message } of problems) expect(message).toContain(JSON.stringify(lines[line - 1]));
  });

  it("letters whose marks are characters of their own", () => {
    const [, name] = edi([{ ...QSO, CONTEST_ID: "Ko\u0308ln" }]);
    expect(name).toBe("TName=Koeln");
  });

  it("of texts in ASCII nothing is reported", () => {
    const problems: LogProblem[] = [];
    edi([QSO], { onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([]);
  });
});
