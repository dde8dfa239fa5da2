import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { LogError, ValueError } from "../../../src/errors.js";
import type { LogField, LogProblem } from "../../../src/logs/log.js";
import { readLog } from "../../../src/logs/read-log.js";
import { writeLog, type WriteLogOptions } from "../../../src/logs/write-log.js";
import { adi, logOf, pairs, written } from "../log-text.js";

/** With a line between QSOs, odd blanks, a QSO that does not count, a damaged line, and text after the end. */
const SOURCE = [
  "START-OF-LOG: 3.0",
  "CONTEST: CQ-WW-CW",
  "CALLSIGN: HC8N",
  "",
  "QSO:  3799 CW 1999-03-06 0711 HC8N          599 700    W1AW          599 05     0",
  "SOAPBOX: fun",
  "  QSO: 14042 cw 2024-11-23 0002 hc8n 599 10 dl1abc/p  599 14  ",
  "X-QSO: 14042 CW 2024-11-23 0003 HC8N 599 10 DL1ABD 599 14",
  "QSO: 14042 CW 2024-11-23",
  "END-OF-LOG:",
  "",
];

function fields(values: Readonly<Record<string, string>>): LogField[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

const QSO = {
  STATION_CALLSIGN: "DH1TW",
  CALL: "W1AW",
  QSO_DATE: "20241123",
  TIME_ON: "000259",
  FREQ: "14.0421",
  MODE: "CW",
  RST_SENT: "599",
  RST_RCVD: "579",
  CONTEST_ID: "CQ-WW-CW",
  STX: "14",
  SRX: "5",
};

function cabrillo(
  qsos: readonly Readonly<Record<string, string>>[],
  options: WriteLogOptions = {},
): string[] {
  const log = logOf(...qsos.map(fields));
  return Buffer.from(writeLog(log, { format: "cabrillo", ...options }))
    .toString()
    .split("\r\n");
}

function qsoLine(values: Readonly<Record<string, string>>, options?: WriteLogOptions): string | undefined {
  return cabrillo([values], options).find((line) => line.startsWith("QSO:"));
}

describe("writeLog of a log read from Cabrillo", () => {
  it.each(["\n", "\r\n", "\r"])("keeps every byte: line end %j", async (end) => {
    const text = SOURCE.join(end);
    const log = await readLog(text);
    expect(log.qsos).toHaveLength(3);
    expect(written(log, "cabrillo")).toBe(text);
  });

  it("is read as the same log again, also when it went through ADIF and JSON", async () => {
    const log = await readLog(SOURCE.join("\r\n"));
    for (const format of ["adi", "json"] as const) {
      const through = await readLog(writeLog(log, { format }));
      const again = await readLog(writeLog(through, { format: "cabrillo" }));
      expect(again.qsos.map(pairs)).toEqual(log.qsos.map(pairs));
      expect(again.header.text.split("\n").sort()).toEqual(log.header.text.split("\n").sort());
    }
  });

  it("writes changed QSOs anew, and leaves the others alone", async () => {
    const log = await readLog(SOURCE.join("\n"));
    const [first, ...rest] = log.qsos;
    const edited = first?.fields.map((field) =>
      field.name === "SRX_STRING" ? { name: field.name, value: "04" } : field,
    );
    const text = written(
      { ...log, qsos: [{ line: 5, fields: edited ?? [], cabrillo: first?.cabrillo }, ...rest] },
      "cabrillo",
    );
    const lines = SOURCE.with(4, "QSO:  3799 CW 1999-03-06 0711 HC8N          599 700 W1AW          599 04");
    expect(text).toBe(lines.join("\n"));
  });

  it("keeps lines where fields were added that Cabrillo does not have", async () => {
    const log = await readLog(SOURCE.join("\n"));
    const qsos = log.qsos.map((qso) => ({ ...qso, fields: [...qso.fields, { name: "DXCC", value: "1" }] }));
    expect(written({ ...log, qsos }, "cabrillo")).toBe(SOURCE.join("\n"));
  });

  it("replaces lines of the header", async () => {
    const log = await readLog(SOURCE.join("\n"));
    const text = Buffer.from(
      writeLog(log, { format: "cabrillo", header: { callsign: "HD8N", NAME: "Ann\nBob" } }),
    ).toString();
    expect(text).toContain("CONTEST: CQ-WW-CW\r\ncallsign: HD8N\r\n");
    expect(text).toContain("NAME: Ann\r\nNAME: Bob\r\n");
    expect(text).not.toContain("CALLSIGN: HC8N");
    expect(text.endsWith("END-OF-LOG:\r\n")).toBe(true);
  });

  it("keeps text before START-OF-LOG, and leaves it out of a new header", async () => {
    const mail = `From: ann@example.org\n\nMy log:\nSTART-OF-LOG: 3.0\nCONTEST: CQ-WW-CW\nCALLSIGN: HC8N\nQSO: 14042 CW 2024-11-23 0003 HC8N 599 10 DL1ABD 599 14\nEND-OF-LOG:\n`;
    const log = await readLog(mail);
    expect(log.qsos).toHaveLength(1);
    expect(log.problems).toEqual([{ line: 4, kind: "line", message: "text before START-OF-LOG" }]);
    expect(Buffer.from(writeLog(log, { format: "cabrillo" })).toString()).toBe(mail);
    const changed = Buffer.from(writeLog(log, { format: "cabrillo", header: { NAME: "Ann" } })).toString();
    expect(changed).toMatch(
      /^START-OF-LOG: 3\.0\r\nCONTEST: CQ-WW-CW\r\nCALLSIGN: HC8N\r\nNAME: Ann\r\nQSO: /,
    );
  });

  it("writes no line that a value smuggles in", async () => {
    const log = await readLog(
      adi("APP_HAMKIT_CABRILLO", "QSO: 14042 CW 2024-11-23 0003 HC8N 599 10 DL1ABD 599 14\nSOAPBOX: x") +
        "<EOR>",
    );
    expect(() => writeLog(log, { format: "cabrillo", columns: "CALL" })).toThrow(LogError);
    const lines = cabrillo([{ ...QSO, CALL: "W1AW\nEND-OF-LOG:" }]);
    expect(lines.filter((line) => line.startsWith("END-OF-LOG:"))).toHaveLength(1);
    expect(() => cabrillo([QSO], { header: { NAME: "x\rEND-OF-LOG:" } })).toThrow(ValueError);
    expect(() => cabrillo([QSO], { header: { QSO: "x" } })).toThrow("header tag of Cabrillo");
  });
});

describe("writeLog in Cabrillo", () => {
  it("writes header and aligned columns from the fields", () => {
    const other = { ...QSO, CALL: "DL1ABC/P", FREQ: "7.01", SRX: "14", OPERATOR: "DH1TW" };
    expect(cabrillo([QSO, other])).toEqual([
      "START-OF-LOG: 3.0",
      "CONTEST: CQ-WW-CW",
      "CALLSIGN: DH1TW",
      "OPERATORS: DH1TW",
      "CREATED-BY: hamkit",
      "QSO: 14042 CW 2024-11-23 0002 DH1TW         599 14 W1AW          579 5",
      "QSO:  7010 CW 2024-11-23 0002 DH1TW         599 14 DL1ABC/P      579 14",
      "END-OF-LOG:",
      "",
    ]);
  });

  // Lines that sponsors publish as examples, apart from their blanks.
  it.each([
    ["CQ-WW-RTTY", { MY_CQ_ZONE: "13", CQZ: "3", STATE: "NV", STX: "", SRX: "" }, "599 13 DX W1AW 579 3 NV"],
    ["CQ-WPX-CW", { STX: "001", SRX: "053" }, "599 001 W1AW 579 053"],
    ["IARU-HF", { STX: "", MY_ITU_ZONE: "28", SRX: "", SRX_STRING: "arrl" }, "599 28 W1AW 579 arrl"],
    ["ARRL-VHF-JUN", { MY_GRIDSQUARE: "JN48QM", GRIDSQUARE: "FN31pr" }, "JN48 W1AW FN31"],
    [
      "ARRL-SS-CW",
      { STX: "3", STX_STRING: "B 74 STX", SRX: "2", SRX_STRING: "A 69 IL" },
      "3 B 74 STX W1AW 2 A 69 IL",
    ],
    ["NAQP-CW", { STX_STRING: "TREE OR", NAME: "LARRY", STATE: "CA" }, "TREE OR W1AW LARRY CA"],
    ["CWOPS-CWT", { STX: "", STX_STRING: "TOM 1234", SRX: "", SRX_STRING: "BOB CA" }, "TOM 1234 W1AW BOB CA"],
    [
      "CWOPS-CWT",
      { MY_NAME: "TOM", STX: "1234", NAME: "BOB", SRX: "", SRX_STRING: "BOB CA" },
      "TOM 1234 W1AW BOB CA",
    ],
    ["CWOPS-CW-OPEN", { STX: "3", MY_NAME: "TOM", SRX: "15", NAME: "BOB" }, "3 TOM W1AW 15 BOB"],
    ["WFD", { STX: "", STX_STRING: "1H CT", SRX: "", SRX_STRING: "2O NV" }, "1H CT W1AW 2O NV"],
    ["K1USN-SST", { MY_NAME: "TOM", MY_STATE: "CT", NAME: "BOB", STATE: "CA" }, "TOM CT W1AW BOB CA"],
    ["JIDX-CW", { STX: "14", SRX: "", SRX_STRING: "12" }, "599 14 W1AW 579 12"],
    ["ALL-ASIAN-DX-CW", { STX: "45", SRX: "50" }, "599 45 W1AW 579 50"],
    ["SPDXCONTEST", { STX: "001", SRX: "", SRX_STRING: "W" }, "599 001 W1AW 579 W"],
    ["CA-QSO-PARTY", { STX: "7", STX_STRING: "TX", SRX: "12", SRX_STRING: "SCLA" }, "7 TX W1AW 12 SCLA"],
    ["FL-QSO-PARTY", { STX: "", MY_STATE: "TX", SRX: "", SRX_STRING: "DAD" }, "599 TX W1AW 579 DAD"],
  ])("knows the columns of %s", (contest, values, expected) => {
    const line = qsoLine({ ...QSO, CONTEST_ID: contest, ...values }) ?? "";
    expect(line.split(/\s+/).slice(6).join(" ")).toBe(expected);
  });

  it.each([
    ["1.8405", "160m", "1841"],
    ["29.9999", "10m", "30000"],
    ["50.125", "6m", "50"],
    ["144.3", undefined, "144"],
    ["1296.2", undefined, "1.2G"],
    [undefined, "20M", "14000"],
    [undefined, "3cm", "10G"],
  ])("writes %s MHz, %s, as %s", (FREQ, BAND, expected) => {
    const values = { ...QSO, FREQ: FREQ ?? "", BAND: BAND ?? "" };
    expect(qsoLine(values)?.split(/\s+/)[1]).toBe(expected);
  });

  it.each([
    ["SSB", "PH"],
    ["usb", "PH"],
    ["AM", "PH"],
    ["FM", "FM"],
    ["RTTY", "RY"],
    ["FT8", "DG"],
    ["MFSK", "DG"],
  ])("writes mode %s as %s", (MODE, expected) => {
    expect(qsoLine({ ...QSO, MODE })?.split(/\s+/)[2]).toBe(expected);
  });

  it("keeps DG, which is no mode of ADIF, when another value changes", async () => {
    const log = await readLog(
      "START-OF-LOG: 3.0\nQSO: 14074 DG 2024-01-01 0000 DH1TW -03 JN48 DL1ABC +01 JO31\nEND-OF-LOG:\n",
    );
    const qsos = log.qsos.map((qso) => ({
      ...qso,
      fields: qso.fields.map((field) => (field.name === "CALL" ? { name: "CALL", value: "DL1ABD" } : field)),
    }));
    const options = { format: "cabrillo", columns: "RST_SENT STX_STRING CALL RST_RCVD SRX_STRING" } as const;
    expect(Buffer.from(writeLog({ ...log, qsos }, options)).toString()).toContain(
      "QSO: 14074 DG 2024-01-01 0000 DH1TW         -03 JN48 DL1ABD        +01 JO31\n",
    );
  });

  it("lengthens no other line for a hostile value", () => {
    const long = { ...QSO, STX: "x".repeat(100_000) };
    const lines = cabrillo([long, ...Array.from({ length: 1000 }, () => QSO)]);
    expect(lines.join("").length).toBeLessThan(400_000);
    expect(lines.find((line) => line.includes("x".repeat(100_000)))).toBeDefined();
  });

  it("takes the columns from the caller, with alternatives, lengths and literal words", () => {
    const columns = "STX MY_GRIDSQUARE:4|'-' CALL SRX GRIDSQUARE:4|'-'";
    expect(qsoLine({ ...QSO, CONTEST_ID: "MY-OWN", GRIDSQUARE: "FN31PR" }, { columns })).toBe(
      "QSO: 14042 CW 2024-11-23 0002 DH1TW         14 - W1AW          5 FN31",
    );
  });

  it.each(["RST_SENT", "", "CALL CALL", "call", "STX; CALL SRX", "GRIDSQUARE:0 CALL"])(
    "rejects the columns %j",
    (columns) => {
      expect(() => cabrillo([QSO], { columns })).toThrow(ValueError);
    },
  );

  it.each([
    [{ STX: "14", SRX: "5" }, "RST_SENT STX CALL RST_RCVD SRX"],
    [{ STX_STRING: "14", SRX: "5", SRX_STRING: "05" }, "RST_SENT STX_STRING CALL RST_RCVD SRX_STRING"],
    [
      { STX: "14", STX_STRING: "AB", SRX: "5", SRX_STRING: "XY" },
      "RST_SENT STX STX_STRING CALL RST_RCVD SRX SRX_STRING",
    ],
    [{ RST_SENT: "", STX: "", STX_STRING: "TOM", SRX: "", SRX_STRING: "BOB" }, "STX_STRING CALL SRX_STRING"],
    [
      { STX: "", SRX: "", MY_GRIDSQUARE: "JN48QM", GRIDSQUARE: "FN31" },
      "RST_SENT MY_GRIDSQUARE:4 CALL RST_RCVD GRIDSQUARE:4",
    ],
  ])("guesses the columns of another contest by the fields, and says so: %j", (values, columns) => {
    const problems: LogProblem[] = [];
    const onProblem = (problem: LogProblem) => problems.push(problem);
    const lines = cabrillo([{ ...QSO, CONTEST_ID: "MY-OWN", ...values }], { onProblem });
    const line = lines.indexOf(`X-GUESSED-COLUMNS: ${columns}`);
    expect(lines[line + 1]).toMatch(/^QSO: /);
    expect(problems).toEqual([
      {
        line: line + 1,
        kind: "line",
        message: `the columns of this contest are not known, and guessed by the fields: ${columns}`,
      },
    ]);
  });

  it("guesses nothing that not all contacts fit", () => {
    const other = { ...QSO, CONTEST_ID: "MY-OWN", SRX: "", SRX_STRING: "BOB" };
    expect(() => cabrillo([{ ...QSO, CONTEST_ID: "MY-OWN" }, other])).toThrow("columns are known");
  });

  it("names the contest whose columns it does not know, and the option", () => {
    expect(() => cabrillo([{ ...QSO, CONTEST_ID: "MY-OWN", RST_RCVD: "", SRX: "" }])).toThrow(
      'the log, line 1: expected a contest whose columns are known, or the option columns, found "MY-OWN"',
    );
    expect(() => cabrillo([{ ...QSO, CONTEST_ID: "" }])).toThrow(
      "no CONTEST_ID and no CONTEST in the header",
    );
    expect(qsoLine({ ...QSO, CONTEST_ID: "" }, { header: { CONTEST: "CQ-WW-CW" } })).toContain(
      " 599 14 W1AW",
    );
  });

  it.each([
    ["CALL", "CALL for a line of Cabrillo"],
    ["MODE", "MODE of the QSO with W1AW for a line of Cabrillo"],
    ["FREQ", "FREQ or BAND of the QSO with W1AW"],
    ["QSO_DATE", "QSO_DATE of the QSO with W1AW"],
    ["TIME_ON", "TIME_ON of the QSO with W1AW"],
    ["RST_RCVD", "RST_RCVD of the QSO with W1AW"],
    ["SRX", "SRX_STRING or SRX or CQZ of the QSO with W1AW"],
  ])("names the line and the missing %s", (name, message) => {
    const rest = Object.fromEntries(Object.entries(QSO).filter(([key]) => key !== name));
    expect(() => cabrillo([QSO, rest])).toThrow(`the log, line 2: expected ${message}`);
  });

  it("takes the own call from the header where a QSO lacks it, and names it where that does too", () => {
    const { STATION_CALLSIGN, ...rest } = QSO;
    expect(qsoLine(rest, { header: { CALLSIGN: STATION_CALLSIGN } })).toContain(" 0002 DH1TW ");
    expect(() => cabrillo([rest])).toThrow("the log, line 1: expected STATION_CALLSIGN of the QSO with W1AW");
  });

  it("rejects a log of two stations, unless the caller names one", () => {
    const others = [QSO, { ...QSO, STATION_CALLSIGN: "DL1ABC" }];
    expect(() => cabrillo(others)).toThrow(
      "the log, line 2: expected the same STATION_CALLSIGN in all QSOs, since a file in Cabrillo has one, found DH1TW and DL1ABC",
    );
    expect(cabrillo(others, { header: { CALLSIGN: "DH1TW" } })).toContain("CALLSIGN: DH1TW");
  });

  it("writes what it reads, whatever the exchange", async () => {
    const word = fc.stringMatching(/^[A-Z0-9]{1,6}$/);
    const call = fc.constantFrom("W1AW", "DL1ABC/P", "9A1A", "VP2V/AA7V");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ call, sent: word, received: word }), { minLength: 1 }),
        async (rows) => {
          const qsos = rows.map(({ call: CALL, sent, received }) => ({
            ...QSO,
            CALL,
            FREQ: "14.042",
            STX: "",
            SRX: "",
            STX_STRING: sent,
            SRX_STRING: received,
          }));
          const text = cabrillo(qsos, { columns: "RST_SENT STX_STRING CALL RST_RCVD SRX_STRING" }).join(
            "\r\n",
          );
          const log = await readLog(text);
          expect(log.problems).toEqual([]);
          const kept = new Set(["CALL", "FREQ", "MODE", "QSO_DATE", "RST_SENT", "STX_STRING", "SRX_STRING"]);
          const selected = (entries: string[][]) =>
            Object.fromEntries(
              entries.filter(([name = "", value]) => kept.has(name) && value !== "") as [string, string][],
            );
          expect(log.qsos.map((qso) => selected(pairs(qso)))).toEqual(
            qsos.map((qso) => selected(Object.entries(qso))),
          );
          expect(written(log, "cabrillo")).toBe(text);
        },
      ),
      { numRuns: 50 },
    );
  });
});
