import { describe, expect, it } from "vitest";

import { validateRecord } from "../../../src/adif.js";
import { readLog } from "../../../src/logs/read-log.js";
import { HEAD, readFleLog, recordsOf, valuesOf, type Fields } from "./fle-log.js";

// Expected values: the documentation of DF3CB's program, version 3.0, and where named other documents.

/** The fields of the last line, which is a QSO. */
async function lastQso(...lines: string[]): Promise<Fields> {
  const log = await readFleLog([...HEAD, "2335 w1aw", ...lines]);
  expect(log.problems).toEqual([]);
  return recordsOf(log).at(-1) ?? {};
}

describe("readLog of FLE", () => {
  it("reads a log with all that a QSO can have", async () => {
    const log = await readFleLog([
      "{ An activation }",
      "# Header",
      "MyCall dl0xyz/p",
      "operator dl1abc",
      "qslmsg Please QSL via bureau",
      "mywwff dlff-0014",
      "mysota dm/bw-001",
      "mygrid jn48qm",
      "nickname Home QTH",
      "",
      "date 2024-06-01 40m ssb",
      "1205 dh1tw/p 57 44 7.095 < strong signal > @Tobias #jo62 [Tnx for S2S] dm/he-002 {no copy at first}",
    ]);
    expect(log.problems).toEqual([]);
    expect(log.qsos.map(({ line }) => line)).toEqual([12]);
    expect(recordsOf(log)).toEqual([
      {
        CALL: "DH1TW/P",
        QSO_DATE: "20240601",
        TIME_ON: "1205",
        BAND: "40m",
        FREQ: "7.095",
        MODE: "SSB",
        RST_SENT: "57",
        RST_RCVD: "44",
        NAME: "Tobias",
        GRIDSQUARE: "JO62",
        COMMENT: "strong signal",
        QSLMSG: "Tnx for S2S",
        SOTA_REF: "DM/HE-002",
        STATION_CALLSIGN: "DL0XYZ/P",
        OPERATOR: "DL1ABC",
        MY_SIG: "WWFF",
        MY_SIG_INFO: "DLFF-0014",
        MY_WWFF_REF: "DLFF-0014",
        MY_SOTA_REF: "DM/BW-001",
        MY_GRIDSQUARE: "JN48QM",
        APP_EQSL_QTH_NICKNAME: "Home QTH",
      },
    ]);
  });

  it("repeats what a line leaves out, and completes times", async () => {
    const log = await readFleLog([
      ...HEAD,
      "2335 ra3ab",
      "dj2ab",
      "40 dk4ab",
      "2 oh7ab 449 559",
      "50 k1ab 15m jt65 -17 -12",
      "dj3ab",
    ]);
    const names = ["CALL", "TIME_ON", "BAND", "MODE", "RST_SENT", "RST_RCVD"];
    expect(recordsOf(log).map((record) => names.map((name) => record[name]).join(" "))).toEqual([
      "RA3AB 2335 80m CW 599 599",
      "DJ2AB 2335 80m CW 599 599",
      "DK4AB 2340 80m CW 599 599",
      "OH7AB 2342 80m CW 449 559",
      "K1AB 2350 15m JT65 -17 -12",
      "DJ3AB 2350 15m JT65 -10 -10",
    ]);
  });

  it.each([
    ["date 2016-10-30", "20161030"],
    ["2016-10-30", "20161030"],
    ["DATE 16/2/1", "20160201"],
    ["date 2016.2.1", "20160201"],
    ["date 2016 2 1", "20160201"],
    ["date 49-5-1", "20490501"],
    ["date 85-5-1", "19850501"],
    ["day +", "20161031"],
    ["day ++", "20161101"],
    ["day+", "20161031"],
    ["day ++ 40m ssb", "20161101"],
    ["ssb 40m day ++", "20161101"],
  ])("%j is the date %s of the QSOs after it", async (line, date) => {
    expect(await valuesOf("QSO_DATE", [line, "0014 g3ab"])).toEqual([date]);
  });

  it("counts days over the end of a year", async () => {
    const log = await readFleLog(["mycall dl0xyz", "2023-12-31 20m cw 2359 w1aw", "day + 0001 w1ab"]);
    expect(recordsOf(log).map(({ QSO_DATE }) => QSO_DATE)).toEqual(["20231231", "20240101"]);
  });

  it.each([
    // sent, received: the first is the one sent
    ["cw", "449 559", "449", "559"],
    ["cw", "44 5", "449", "559"],
    ["cw", "9 5", "599", "559"],
    ["cw", "5", "559", "599"],
    ["cw", "", "599", "599"],
    ["rtty", "7", "579", "599"],
    ["psk", "47 3", "479", "539"],
    ["psk31", "5", "559", "599"],
    ["ssb", "44 5", "44", "55"],
    ["usb", "7", "57", "59"],
    ["am", "", "59", "59"],
    ["fm", "5 57", "55", "57"],
    ["ft8", "", "-10", "-10"],
    ["wspr", "-17 +03", "-17", "+03"],
    ["ft4", "", undefined, undefined],
    ["olivia", "55", "55", undefined],
  ])("%s %j: %s was sent, and %s received", async (mode, reports, sent, received) => {
    expect(await lastQso(mode, `dh1tw ${reports}`)).toMatchObject({
      ...(sent !== undefined && { RST_SENT: sent }),
      ...(received !== undefined && { RST_RCVD: received }),
    });
    const qso = await lastQso(mode, `dh1tw ${reports}`);
    expect([qso["RST_SENT"], qso["RST_RCVD"]]).toEqual([sent, received]);
  });

  it("completes a report by the mode behind it", async () => {
    expect(await lastQso("dh1tw 5 7 15m ssb")).toMatchObject({
      BAND: "15m",
      MODE: "SSB",
      RST_SENT: "55",
      RST_RCVD: "57",
    });
  });

  it.each([
    ["FT4", "MFSK", "FT4"], // the documentation: exported as mode MFSK and submode FT4
    ["js8", "MFSK", "JS8"],
    ["psk31", "PSK", "PSK31"], // ADIF's submodes, as Wavelog takes them
    ["lsb", "SSB", "LSB"],
    ["dstar", "DIGITALVOICE", "DSTAR"],
    ["T10", "T10", undefined],
  ])("%s is the mode %s", async (word, mode, submode) => {
    const { MODE, SUBMODE } = await lastQso(`2340 dh1tw ${word}`);
    expect([MODE, SUBMODE]).toEqual([mode, submode]);
  });

  it("has values that ADIF allows, for each mode and band of the documentation", async () => {
    const modes =
      "CW SSB AM FM RTTY FT8 PSK JT65 JT9 FT4 JS8 ARDOP ATV C4FM CHIP CLO CONTESTI DIGITALVOICE DOMINO DSTAR FAX FSK441 HELL ISCAT " +
      "JT4 JT6M JT44 MFSK MSK144 MT63 OLIVIA OPERA PAC PAX PKT PSK2K Q15 QRA64 ROS RTTYM SSTV T10 THOR THRB TOR V4 VOI WINMOR WSPR";
    const bands =
      "2190m 630m 560m 160m 80m 60m 40m 30m 20m 17m 15m 12m 10m 6m 4m 2m 1.25m 70cm 33cm 23cm 13cm 9cm 6cm 3cm 1.25cm 6mm 4mm 2.5mm " +
      "2mm 1mm";
    const lines = [...modes.split(" "), ...bands.split(" ")].map(
      (word) => `${word} w1aw @Ann #jo50 dl/al-093 gff-0002`,
    );
    const log = await readFleLog([...HEAD, "1200", ...lines]);
    expect(log.problems).toEqual([]);
    for (const record of recordsOf(log))
      expect(validateRecord(record as Record<string, string>).map(({ message }) => message)).toEqual([]);
  });

  it.each([
    ["3.525 dh1tw", "80m", "3.525"],
    ["80m 3.525 dh1tw", "80m", "3.525"],
    ["3.525 80m dh1tw", "80m", "3.525"],
    ["dh1tw 40m", "40m", undefined],
    ["14.0448 dh1tw", "20m", "14.0448"], // to the digits written, which DF3CB's program rounds to kHz
    ["1.25m dh1tw", "1.25m", undefined],
    ["2.5MM dh1tw", "2.5mm", undefined],
  ])("%j is on %s, %s MHz", async (line, band, frequency) => {
    const { BAND, FREQ } = await lastQso(line);
    expect([BAND, FREQ]).toEqual([band, frequency]);
  });

  it("keeps a frequency until the band is stated, and takes the band of a frequency", async () => {
    // The first as the .adi files of DF3CB's program have it; the second as Wavelog documents it.
    const log = await readFleLog([
      ...HEAD,
      "3.525",
      "2335 w1aw",
      "w1ab",
      "80m",
      "w1ac",
      "7.012 w1ad",
      "w1ae",
    ]);
    expect(recordsOf(log).map(({ BAND, FREQ }) => `${BAND} ${FREQ}`)).toEqual([
      "80m 3.525",
      "80m 3.525",
      "80m undefined",
      "40m 7.012",
      "40m 7.012",
    ]);
    expect(log.problems).toEqual([]);
  });

  it.each([
    ["gff-0002", { SIG: "WWFF", SIG_INFO: "GFF-0002", WWFF_REF: "GFF-0002" }],
    ["wwff gff-0002", { SIG: "WWFF", SIG_INFO: "GFF-0002", WWFF_REF: "GFF-0002" }],
    ["dl/al-093", { SOTA_REF: "DL/AL-093" }],
    ["SOTA w7a/ap-001", { SOTA_REF: "W7A/AP-001" }],
    ["pota k-0003", { SIG: "POTA", SIG_INFO: "K-0003", POTA_REF: "K-0003" }],
    ["us-10003@us-ny", { SIG: "POTA", SIG_INFO: "US-10003@US-NY", POTA_REF: "US-10003@US-NY" }],
    ["ch-0067,ch-0068", { SIG: "POTA", SIG_INFO: "CH-0067,CH-0068", POTA_REF: "CH-0067,CH-0068" }], // Wavelog
    ["k-5678 k-7890", { POTA_REF: "K-5678,K-7890" }],
    ["eu-005", { IOTA: "EU-005" }],
    // One pair SIG and SIG_INFO: that of WWFF; the fields of ADIF have both.
    ["k-0003 kff-0003", { SIG: "WWFF", SIG_INFO: "KFF-0003", WWFF_REF: "KFF-0003", POTA_REF: "K-0003" }],
  ])("%s is a reference of the other station", async (words, fields) => {
    expect(await lastQso(`dh1tw ${words}`)).toMatchObject(fields);
  });

  it("reads locators with a # or behind the call, up to ten characters", async () => {
    expect(await lastQso("dh1tw #jo50")).toMatchObject({ GRIDSQUARE: "JO50" });
    expect(await lastQso("dh1tw jo61dh 5")).toMatchObject({
      CALL: "DH1TW",
      GRIDSQUARE: "JO61DH",
      RST_SENT: "559",
    });
    expect(await lastQso("dh1tw #jn48qm66xx")).toMatchObject({
      GRIDSQUARE: "JN48QM66",
      GRIDSQUARE_EXT: "XX",
    });
  });

  it("has the text of brackets as it is, comments joined", async () => {
    expect(await lastQso("dh1tw <QRP, 5 W> 5 <tx_pwr:50>")).toMatchObject({
      COMMENT: "QRP, 5 W tx_pwr:50",
      RST_SENT: "559",
    });
  });

  it("has the message of a QSO before that of the log; [] is none", async () => {
    const log = await readFleLog(["qslmsg Tnx all", ...HEAD, "2335 w1aw", "w1ab [Tnx Ann]", "w1ac []"]);
    expect(recordsOf(log).map(({ QSLMSG }) => QSLMSG)).toEqual(["Tnx all", "Tnx Ann", undefined]);
  });

  it("leaves out remarks, which may span lines, and lines that begin with #", async () => {
    const log = await readFleLog([
      ...HEAD,
      "{ no",
      "2330 w1xx",
      "yet } 2335 w1aw { by ear }",
      "  # 2336 w1xy",
      "w1ab",
    ]);
    expect(recordsOf(log).map(({ CALL }) => CALL)).toEqual(["W1AW", "W1AB"]);
    expect(log.problems).toEqual([]);
    expect(log.header.text).toBe(HEAD.join("\n"));
  });

  it("reads tabs, any case, Windows-1252 and the byte order mark", async () => {
    const text = "MYCALL\tDL0XYZ\r\nDATE 2016-10-30\r\n20M\tSSB\r\n1200\tDH1TW\t@J\u00FCrgen\r\n";
    for (const data of [Buffer.from(text, "latin1"), Buffer.from(text), `\uFEFF${text}`]) {
      const [qso] = recordsOf(await readLog(data));
      expect(qso).toMatchObject({
        CALL: "DH1TW",
        BAND: "20m",
        NAME: "J\u00FCrgen",
        STATION_CALLSIGN: "DL0XYZ",
      });
    }
  });
});

describe("the own station of a log in FLE", () => {
  const own = async (...lines: string[]) => {
    const log = await readFleLog([...lines, "2335 w1aw"]);
    expect(log.problems).toEqual([]);
    return recordsOf(log)[0];
  };

  it("has parks and summits in the fields of ADIF, and in MY_SIG", async () => {
    expect(await own(...HEAD, "mypota k-0001 k-0002")).toMatchObject({
      MY_SIG: "POTA",
      MY_SIG_INFO: "K-0001,K-0002",
      MY_POTA_REF: "K-0001,K-0002",
    });
    expect(await own(...HEAD, "mypota k-0001", "mywwff kff-0001")).toMatchObject({
      MY_SIG: "WWFF",
      MY_SIG_INFO: "KFF-0001",
      MY_WWFF_REF: "KFF-0001",
      MY_POTA_REF: "K-0001",
    });
  });

  it("has coordinates in the form of ADIF", async () => {
    expect(
      await own(...HEAD, "mylat 48.5208", "mylon -9.375", "mycounty MA,Franklin", "mygrid #jn48"),
    ).toMatchObject({
      MY_LAT: "N048 31.248",
      MY_LON: "W009 22.500",
      MY_CNTY: "MA,Franklin",
      MY_GRIDSQUARE: "JN48",
    });
  });

  it("ignores keywords without a value, as the program inserts them", async () => {
    expect(await own(...HEAD, "operator", "mysota ", "nickname")).not.toHaveProperty("OPERATOR");
  });

  it("is that of the whole log, wherever its keyword is first", async () => {
    const log = await readFleLog([
      ...HEAD.slice(1),
      "2335 w1aw",
      "mysota dm/bw-001",
      "mycall dl0xyz",
      "w1ab",
    ]);
    expect(log.problems).toEqual([]);
    for (const record of recordsOf(log))
      expect(record).toMatchObject({ STATION_CALLSIGN: "DL0XYZ", MY_SOTA_REF: "DM/BW-001" });
  });

  it("changes from the line of a later keyword on, the operator from the first", async () => {
    const log = await readFleLog([
      ...HEAD,
      "mysota dm/bw-001",
      "2335 w1aw",
      "operator dl1abc",
      "mysota dm/bw-002",
      "w1ab",
      "mysota",
      "w1ac",
    ]);
    expect(recordsOf(log).map(({ OPERATOR, MY_SOTA_REF }) => `${OPERATOR} ${MY_SOTA_REF}`)).toEqual([
      "undefined DM/BW-001",
      "DL1ABC DM/BW-002",
      "DL1ABC undefined",
    ]);
  });

  it("is missed where the log has none", async () => {
    const log = await readFleLog(["2016-10-30 20m cw", "1200 w1aw"]);
    expect(log.problems).toEqual([
      { line: 2, kind: "line", message: "expected mycall with the own callsign" },
    ]);
  });
});
