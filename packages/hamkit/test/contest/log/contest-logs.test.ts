import { describe, expect, it } from "vitest";

import {
  CONTEST_RULES,
  checkContestLog,
  contestColumns,
  createExchangeHistory,
  rateSheet,
  scoreContestLog,
  type ContestRule,
} from "../../../src/contest.js";
import { loadEmbeddedCountryFile } from "../../../src/lookup.js";
import { readLog, writeLog } from "../../../src/logs.js";

const table = await loadEmbeddedCountryFile();
const CQ_WW = CONTEST_RULES.find(({ id }) => id === "CQ-WW") as ContestRule;

const LOG = `START-OF-LOG: 3.0
CONTEST: CQ-WW-CW
CALLSIGN: DL1ABC
CATEGORY-POWER: QRP
CLAIMED-SCORE: 50
QSO: 14025 CW 2024-11-23 0001 DL1ABC 599 14 W1AW 599 05
QSO: 14026 CW 2024-11-23 0002 DL1ABC 599 14 F5ABC 599 14
QSO: 14026 CW 2024-11-23 0003 DL1ABC 599 14 W1AW 599 05
X-QSO: 14026 CW 2024-11-23 0004 DL1ABC 599 14 JA1ABC 599 25
QSO:  7026 CW 2024-11-23 0204 DL1ABC 599 14 JA1ABC 599 41
END-OF-LOG:
`;

describe("scoreContestLog", () => {
  it("scores a log in Cabrillo without dupes and X-QSO lines", async () => {
    const scored = scoreContestLog(await readLog(LOG), { table });
    expect(scored).toMatchObject({ call: "DL1ABC", claimed: 50, ignored: 1, total: 7 * 6 });
    expect(scored.score).toMatchObject({ qsos: 3, dupes: 1, points: 7 });
    expect(scored.contacts.map(({ line, points, isDupe }) => [line, points, isDupe])).toEqual([
      [6, 3, false],
      [7, 1, false],
      [8, 0, true],
      [10, 3, false],
    ]);
    expect(scored.contacts[3]?.faults).toEqual([{ word: 1, message: '"41" is not cq_zone' }]);
  });

  it("scores a log in ADIF from the fields of the exchange", async () => {
    const qso = (call: string, zone: string) =>
      `<STATION_CALLSIGN:6>DL1ABC<CALL:${call.length}>${call}<BAND:3>20m<MODE:2>CW<QSO_DATE:8>20241123<TIME_ON:4>0001${zone}<EOR>`;
    const text = [
      qso("W1AW", "<RST_RCVD:3>599<SRX_STRING:2>05"),
      qso("K6AA", "<SRX:1>3"),
      qso("JA1ABC", "<CQZ:2>25"),
    ];
    const { score, contacts } = scoreContestLog(await readLog(text.join("\n")), { rules: CQ_WW, table });
    expect(contacts.flatMap(({ faults }) => faults)).toEqual([]);
    expect(score.multipliers).toEqual({ cq_zone: 3, cq_country: 2 });
  });

  it("counts the contacts of one contest and year of a log in ADIF", async () => {
    const qso = (call: string, date: string, contest: string) =>
      `<STATION_CALLSIGN:6>DL1ABC<CALL:${call.length}>${call}<BAND:3>20m<MODE:2>CW<QSO_DATE:8>${date}<TIME_ON:4>0001<CQZ:1>5${contest}<EOR>`;
    const id = "<CONTEST_ID:8>CQ-WW-CW";
    const log = await readLog(
      [
        qso("W3AA", "20240713", ""),
        qso("W3AA", "20240713", "<CONTEST_ID:7>MY-TEST"),
        qso("W1AW", "20231125", id),
        qso("W1AW", "20241123", id),
        qso("W2AA", "20241124", id),
      ].join("\n"),
    );
    const scored = scoreContestLog(log, { table });
    expect(scored).toMatchObject({ others: 3, score: { qsos: 2, dupes: 0 } });
    expect(scored.contacts.map(({ call }) => call)).toEqual(["W1AW", "W2AA"]);
    expect(scoreContestLog(log, { table, day: "2023-11-25" })).toMatchObject({ others: 4, total: 3 * 2 });
    expect(() => scoreContestLog(log, { table, day: "2022-11-25" })).toThrow(
      'day: "2022-11-25" is not a day of the contest; the log has: 2023-11-25, 2024-11-23',
    );
    const two = await readLog(qso("W1AW", "20241123", id) + qso("W1AW", "20240713", "<CONTEST_ID:7>IARU-HF"));
    expect(() => scoreContestLog(two, { table })).toThrow(
      /"CQ-WW-CW, IARU-HF" is not one contest with rules/,
    );
  });

  it("tells voice from data by the mode of ADIF, not by its submode", async () => {
    const qso = (call: string, mode: string) =>
      `<STATION_CALLSIGN:6>DL1ABC<CALL:4>${call}<BAND:3>20m${mode}<QSO_DATE:8>20241123<TIME_ON:4>0001<CQZ:1>5<EOR>`;
    const voice = "<MODE:12>DIGITALVOICE<SUBMODE:4>C4FM";
    const log = await readLog(qso("W1AW", voice) + qso("W2AA", "<MODE:4>RTTY<SUBMODE:4>ASCI"));
    const { contacts } = scoreContestLog(log, { rules: CQ_WW, table });
    expect(contacts.map(({ excluded }) => excluded)).toEqual([undefined, "mode"]);
    const rtty = { ...CQ_WW, modes: ["RY"] as const };
    expect(scoreContestLog(log, { rules: rtty, table }).contacts.map(({ excluded }) => excluded)).toEqual([
      "mode",
      undefined,
    ]);
  });

  it("identifies calls on the day of the contest", async () => {
    const days: number[] = [];
    const asking = {
      ...table,
      exact: (call: string, moment: number) => (days.push(moment), table.exact(call, moment)),
    };
    scoreContestLog(await readLog(LOG), { table: asking });
    expect(new Set(days)).toEqual(new Set([Date.parse("2024-11-23T00:01Z")]));
  });

  it("counts QTCs in lines of their own, and factors of the header", async () => {
    const rule: ContestRule = {
      ...CQ_WW,
      qtcs: [{ direction: "received", points: 1 }],
      factors: [{ header: { "CATEGORY-POWER": ["QRP"] }, by: 2 }],
    };
    const qtc = "QTC: 7026 CW 2024-11-23 0205 DL1ABC 0001/10 JA1ABC 0001 W1AA 001\n";
    const { score, total } = scoreContestLog(await readLog(LOG.replace("END-", `${qtc}END-`)), {
      rules: rule,
      table,
    });
    expect(score).toMatchObject({ qtcs: 1, qtcPoints: 1, total: (7 + 1) * 6 });
    expect(total).toBe(96);
  });

  it("names the contests that have rules if the log's has none", async () => {
    const log = await readLog(LOG.replace("CQ-WW-CW", "MY-TEST"));
    expect(() => scoreContestLog(log, { table })).toThrow(
      /CONTEST: "MY-TEST" is not a contest with rules: ARRL-DX-CW, /,
    );
  });
});

describe("checkContestLog", () => {
  const check = (text: string) =>
    checkContestLog(text, { rule: CQ_WW, table }).map(({ line, rule, level }) => `${line} ${level} ${rule}`);

  it("finds nothing in a good log but a dupe and a wrong zone", () => {
    expect(check(LOG)).toEqual(["8 warning dupe", "10 error exchange-received"]);
  });

  it("names the line of what a robot would refuse", () => {
    const bad = (from: string, to: string) =>
      check(LOG.replace(from, to)).filter((each) => !/^8 w|^10 /.test(each));
    expect(bad("START-OF-LOG: 3.0\n", "")).toEqual([
      "1 error start-missing",
      "7 warning dupe",
      "9 error exchange-received",
    ]);
    expect(bad("QRP", "TINY")).toEqual(["4 error header-value"]);
    expect(bad("CATEGORY-POWER: QRP", "CATEGORY: SINGLE-OP")).toEqual(["4 error header-value"]);
    expect(bad("CATEGORY-POWER: QRP", "X-FOO: bar")).toEqual([]);
    expect(bad("CALLSIGN: DL1ABC\n", "\n")).toEqual(["0 error header-missing"]);
    expect(bad("END-OF-LOG:\n", "")).toEqual(["0 error end-missing"]);
    expect(bad("END-OF-LOG:\n", "END-OF-LOG:\nmore\n")).toEqual(["12 error after-end"]);
    expect(bad("14025 CW", "14025 XX")).toEqual(["6 error qso-mode"]);
    expect(bad("14025 CW", "14025 RY")).toEqual(["6 error contest-mode"]);
    expect(bad("14025 CW", "10125 CW")).toEqual(["6 error contest-band"]);
    expect(bad("14025 CW", "14999 CW")).toEqual(["6 error qso-frequency"]);
    expect(bad("2024-11-23 0001", "2024-13-23 0001")).toEqual(["6 error qso-date"]);
    expect(bad("2024-11-23 0001", "2024-11-23 2401")).toEqual(["6 error qso-time"]);
    expect(bad("0002 DL1ABC", "0002 DL1XYZ")).toEqual(["7 error qso-own-call"]);
    expect(bad("QSO: 14026 CW 2024-11-23 0002", "qso:\t14026 cw 2024-11-23 0002")).toEqual([
      "7 warning qso-tab",
      "7 warning qso-lower-case",
    ]);
    expect(bad("2024-11-23 0002", "2024-11-22 2359")).toEqual(["7 warning qso-order"]);
    expect(bad("2024-11-23 0204", "2024-11-25 0204")).toEqual([]);
    expect(check(LOG.replace("2024-11-23 0204", "2024-11-25 0204"))).toContain("10 error qso-duration");
    expect(bad("599 14 F5ABC", "599 77 F5ABC")).toEqual(["7 error exchange-sent"]);
    expect(bad("QSO: 14026 CW 2024-11-23 0002 DL1ABC 599 14 F5ABC 599 14", "QSO:")).toEqual([
      "7 error qso-line",
    ]);
  });
});

describe("rateSheet", () => {
  it("has hours by band, best rates and breaks", () => {
    const contact = (time: string, band = "20m") => ({ time: `20241123${time}`, band });
    const sheet = rateSheet([
      contact("1359"),
      contact("1400"),
      contact("1401", "40m"),
      contact("1430"),
      contact("1500"),
      { ...contact("1500"), isDupe: true },
      { ...contact("1500"), time: "" },
    ]);
    expect(sheet.hours).toEqual([
      { hour: "2024-11-23 13", qsos: 1, total: 1, byBand: { "20m": 1 } },
      { hour: "2024-11-23 14", qsos: 3, total: 4, byBand: { "20m": 2, "40m": 1 } },
      { hour: "2024-11-23 15", qsos: 1, total: 5, byBand: { "20m": 1 } },
    ]);
    expect(sheet.best[0]).toEqual({ minutes: 10, qsos: 3, perHour: 18, from: "2024-11-23 1359" });
    // 1430 is 29 minutes after 1401, and 1500 is 30 after 1430.
    expect(sheet.operatingMinutes).toBe(31);
    expect(sheet.breaks).toEqual([{ from: "2024-11-23 1430", to: "2024-11-23 1500", minutes: 30 }]);
    expect(rateSheet([])).toEqual({ hours: [], best: [], operatingMinutes: 0, breaks: [] });
  });
});

describe("contestColumns", () => {
  it("writes a log in ADIF in the layout of a contest", async () => {
    const adi =
      "<STATION_CALLSIGN:6>DL1ABC<CALL:4>W1AW<FREQ:6>14.025<MODE:2>CW<QSO_DATE:8>20241123<TIME_ON:4>0001<RST_SENT:3>599<RST_RCVD:3>599<MY_CQ_ZONE:2>14<CQZ:1>5<CONTEST_ID:8>CQ-WW-CW<EOR>";
    const written = writeLog(await readLog(adi), { format: "cabrillo", columns: contestColumns(CQ_WW) });
    const text = typeof written === "string" ? written : new TextDecoder().decode(written);
    expect(text.replaceAll(/ +/g, " ")).toContain("QSO: 14025 CW 2024-11-23 0001 DL1ABC 599 14 W1AW 599 5");
  });

  it("takes exchanges of several words whole", () => {
    const fields = [["rst"], ["serial"], ["name"]];
    expect(contestColumns({ ...CQ_WW, exchange: [{ fields }] })).toBe(
      "RST_SENT STX_STRING CALL RST_RCVD SRX_STRING",
    );
  });
});

describe("createExchangeHistory", () => {
  it("has the last exchange of a call, without the report", async () => {
    const history = createExchangeHistory();
    history.addLog(await readLog(LOG));
    history.addLog(await readLog("<CALL:5>F5ABC<BAND:3>20m<SRX_STRING:2>15<EOR>"));
    history.add("k1aa", ["5"]);
    expect(history.calls).toBe(4);
    expect(["W1AW", "f5abc", "K1AA", "G3XYZ"].map((call) => history.find(call))).toEqual([
      ["05"],
      ["15"],
      ["5"],
      undefined,
    ]);
  });
});
