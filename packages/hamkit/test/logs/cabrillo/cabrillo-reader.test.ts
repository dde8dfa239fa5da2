import { describe, expect, it } from "vitest";

import { fieldValue } from "../../../src/logs/log.js";
import { readLog } from "../../../src/logs/read-log.js";
import { pairs, written } from "../log-text.js";

/** The fields of each QSO but for its own line, which all have. */
async function qsosOf(...lines: string[]): Promise<Record<string, string>[]> {
  const { qsos } = await readLog(["START-OF-LOG: 3.0", ...lines, "END-OF-LOG:"].join("\r\n"));
  return qsos.map((qso) => {
    const { APP_HAMKIT_CABRILLO, ...fields } = Object.fromEntries(pairs(qso)) as Record<string, string>;
    expect(lines).toContain(APP_HAMKIT_CABRILLO);
    return fields;
  });
}

describe("readLog of Cabrillo", () => {
  it("reads reports, exchanges, and the transmitter at the end of the line", async () => {
    expect(
      await qsosOf(
        "CONTEST: CQ-WW-CW",
        "GRID-LOCATOR: JN48QM",
        "OPERATORS: DH1TW @DL0XYZ",
        "QSO:  3799 PH 1999-03-06 0711 HC8N          59 700    W1AW          59 CT     0",
        "QSO: 14042 CW 2024-11-23 0002 HC8N          599 10    DL1ABC/P      599 14    1",
      ),
    ).toEqual([
      {
        STATION_CALLSIGN: "HC8N",
        CALL: "W1AW",
        QSO_DATE: "19990306",
        TIME_ON: "0711",
        BAND: "80m",
        FREQ: "3.799",
        MODE: "SSB",
        RST_SENT: "59",
        RST_RCVD: "59",
        STX_STRING: "700",
        SRX_STRING: "CT",
        CONTEST_ID: "CQ-WW-CW",
        MY_GRIDSQUARE: "JN48QM",
        OPERATOR: "DH1TW",
      },
      expect.objectContaining({
        CALL: "DL1ABC/P",
        FREQ: "14.042",
        MODE: "CW",
        RST_RCVD: "599",
        SRX_STRING: "14",
      }),
    ]);
  });

  it("finds the other call in the middle, however many words an exchange has", async () => {
    // The lines of ARRL's Sweepstakes, of a VHF contest, and of a contest with names.
    const [sweepstakes, vhf, names] = await qsosOf(
      "QSO: 21042 CW 1997-11-01 2102 N5KO       3 B 74 STX     K9ZO      2 A 69 IL",
      "QSO:   144 PH 2024-06-08 1800 W1XX FN41 K1TO EL87",
      "QSO: 14085 RY 2010-07-18 1801 N6TR TREE OR K7RAT LARRY CA",
    );
    expect(sweepstakes).toMatchObject({ CALL: "K9ZO", STX_STRING: "3 B 74 STX", SRX_STRING: "2 A 69 IL" });
    expect(sweepstakes).not.toHaveProperty("RST_SENT");
    expect(vhf).toMatchObject({ CALL: "K1TO", BAND: "2m", SRX_STRING: "EL87" });
    expect(vhf).not.toHaveProperty("FREQ");
    expect(names).toMatchObject({
      CALL: "K7RAT",
      MODE: "RTTY",
      STX_STRING: "TREE OR",
      SRX_STRING: "LARRY CA",
    });
  });

  it("has the reports of all other lines where one is damaged, and names it", async () => {
    const lines = Array.from(
      { length: 5 },
      (_, index) => `QSO: 14025 CW 2024-11-23 000${index} DH1TW 599 14 W${index}AW 599 05`,
    );
    const text = ["START-OF-LOG: 3.0", ...lines, "END-OF-LOG:"]
      .join("\r\n")
      .replace("W2AW 599 05", "W2AW 5x9 05");
    const { qsos, problems } = await readLog(text);
    const received = qsos.map((qso) => [fieldValue(qso, "RST_RCVD"), fieldValue(qso, "SRX_STRING")]);
    const whole = ["599", "05"];
    expect(received).toEqual([whole, whole, [undefined, "5x9 05"], whole, whole]);
    expect(problems).toMatchObject([
      { line: 4, message: expect.stringContaining("signal reports") as string },
    ]);
  });

  it("takes no serial number for a report", async () => {
    const [first] = await qsosOf(
      "QSO: 14042 CW 2024-01-01 0000 DH1TW 59 A DL1ABC 58 B",
      "QSO: 14042 CW 2024-01-01 0000 DH1TW 60 A DL1ABD 57 B",
    );
    expect(first).toMatchObject({ STX_STRING: "59 A", SRX_STRING: "58 B" });
  });

  it("finds the call where an exchange is a word short", async () => {
    expect(await qsosOf("QSO: 7012 CW 2024-01-01 0000 DH1TW 599 DL1ABC 599 14 EU")).toMatchObject([
      { CALL: "DL1ABC" },
    ]);
  });

  it.each([
    ["10G", "3cm"],
    ["1.2G", "23cm"],
    ["222", "1.25m"],
    ["50", "6m"],
    ["50125", "6m"],
    ["LIGHT", undefined],
    ["13500", undefined],
  ])("knows %s as the band %s", async (frequency, band) => {
    const [qso] = await qsosOf(`QSO: ${frequency} CW 2024-01-01 0000 DH1TW 599 1 DL1ABC 599 2`);
    expect(qso?.["BAND"]).toBe(band);
  });

  it("has no mode for DG, which may be any digital one", async () => {
    const [qso] = await qsosOf("QSO: 14074 DG 2024-01-01 0000 DH1TW -03 JN48 DL1ABC +01 JO31");
    expect(qso).not.toHaveProperty("MODE");
    expect(qso).toMatchObject({ RST_SENT: "-03", RST_RCVD: "+01", SRX_STRING: "JO31" });
  });

  it("reads QSOs that don't count for the contest, and reports invalid lines", async () => {
    const log = await readLog(
      "START-OF-LOG: 3.0\nCALLSIGN: DH1TW\nX-QSO: 14042 CW 2024-01-01 0000 DH1TW 599 1 DL1ABC 599 2\nQSO: 14042 CW 2024-01-01\nSOAPBOX: fun\n",
    );
    expect(log.qsos.map(({ line }) => line)).toEqual([3]);
    expect(log.header.text).toBe(
      "START-OF-LOG: 3.0\nCALLSIGN: DH1TW\nQSO: 14042 CW 2024-01-01\nSOAPBOX: fun",
    );
    expect(log.problems).toEqual([
      { line: 4, kind: "line", message: 'not a valid QSO line: "QSO: 14042 CW 2024-01-01"' },
      { line: 5, kind: "end", message: "END-OF-LOG is missing: the file may be truncated" },
    ]);
  });

  it("becomes .adi with the lines of its header as text", async () => {
    const log = await readLog(
      "START-OF-LOG: 3.0\nSOAPBOX: 5 < 6\nQSO: 14042 CW 2024-01-01 0000 DH1TW 599 1 DL1ABC 599 2\nEND-OF-LOG:\n",
    );
    expect(written(log)).toBe(
      "START-OF-LOG: 3.0\nSOAPBOX: 5 ( 6\nEND-OF-LOG:\n<ADIF_VER:5>3.1.7\n<PROGRAMID:6>hamkit\n<EOH>\n" +
        "<STATION_CALLSIGN:5>DH1TW <CALL:6>DL1ABC <QSO_DATE:8>20240101 <TIME_ON:4>0000 <BAND:3>20m <FREQ:6>14.042 " +
        "<MODE:2>CW <RST_SENT:3>599 <RST_RCVD:3>599 <STX_STRING:1>1 <SRX_STRING:1>2 " +
        "<APP_HAMKIT_CABRILLO:54:S>QSO: 14042 CW 2024-01-01 0000 DH1TW 599 1 DL1ABC 599 2 <EOR>\n",
    );
  });

  // Fixed: the .adi file that a Cabrillo file became was read as Cabrillo without QSOs.
  it("is not mistaken for the .adi file whose header has its lines", async () => {
    const line = "QSO: 14042 CW 2024-01-01 0000 DH1TW 599 1 DL1ABC 599 2";
    const log = await readLog(`START-OF-LOG: 3.0\n${line}\nEND-OF-LOG:\n`);
    const again = await readLog(written(log, "adi"));
    expect(again.format).toBe("adi");
    expect(again.qsos.map(pairs)).toEqual(log.qsos.map(pairs));
  });
});
