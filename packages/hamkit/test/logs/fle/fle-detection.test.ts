import { describe, expect, it } from "vitest";

import { LogError, ValueError } from "../../../src/errors.js";
import { readLog } from "../../../src/logs/read-log.js";
import { writeLog } from "../../../src/logs/write-log.js";
import { pairs, written } from "../log-text.js";

const LOG = "mycall dl0xyz\ndate 2024-06-01\n20m cw\n1200 dh1tw 5 7 <tnx>\n2 w1aw gff-0002\n";

describe("the format of a log", () => {
  it.each([
    ["a header and a QSO", "mycall dl0xyz\n1200 dh1tw"],
    ["a remark first", `{ a "log": 5 }\n${LOG}`],
    ["no header, as OK2CQR's and Wavelog's pages", "80m cw\n1212 dh1tw dlff-1234\n3 w1aw\n"],
    ["a date alone", "2024-06-01\n1200 dh1tw"],
    ["frequencies alone", "10.112 cw\n1200 dh1tw\n7.145\n13 w1aw"],
    ["comments that look like fields of ADIF", `${LOG}5 dl1abc <call:5> <tx_pwr:50>\n`],
    [
      "words that are not understood in each QSO",
      "mycall dl0xyz\n20m cw\n1200 w1aw Ann\n2 w1ab Bob\n4 w1ac Cyd\n",
    ],
    ["words that are not understood in half of its lines", `${LOG}3 w1aw foo\n4 w1ab foo\n5 w1ac foo\n`],
    ["a line of 100 kB", `${LOG}${"w1aw ".repeat(20_000)}`],
  ])("is FLE with %s", async (_, text) => {
    expect((await readLog(text)).format).toBe("fle");
  });

  it.each([
    ["prose", "On 20m I worked W1AW at 1200.\nIt was fun, and 40m was even better.\n"],
    [
      "prose with a line of FLE",
      "My log:\n\n20m cw\n1200 w1aw\n\nThat was it.\nWe had fun there.\nSee you next year!\n",
    ],
    ["QSOs with other words, and no own call", "20m cw\n1200 w1aw Ann\n2 w1ab Bob\n4 w1ac Cyd\n"],
    ["CSV", "date,time,call,band,mode\n2024-06-01,1200,W1AW,20m,CW\n2024-06-01,1201,W1AB,20m,CW\n"],
    ["CSV with blanks", "2024-06-01, 1200, W1AW, 20m, CW\n2024-06-01, 1201, W1AB, 20m, CW\n"],
    ["HTML", "<html>\n<pre>\n20m cw\n1200 w1aw\n</pre>\n</html>"],
    ["a cty.dat", "Germany:  14:  28:  EU:   51.00:   -10.00:    -1.0:  DL:\n    DA,DB,DC,DD,DL;\n"],
    ["spots", "DX de DH1TW:     14025.0  W1AW         CW                             1200Z\n"],
    ["a list of calls", "W1AW\nDH1TW\nDL1ABC\n"],
    ["bands and modes", "20m cw\n40m ssb\n80m\n"],
    ["a header without QSOs", "mycall dl0xyz\ndate 2024-06-01\n20m cw\n"],
    ["QSOs that are in a remark", "{\nmycall dl0xyz\n20m cw\n1200 w1aw\n}\n"],
    ["a table of WSJT-X", "231130_000015    14.074 Rx FT8     -7  0.1 1234 CQ W1AW FN31\n"],
    ["times and words", "1200 lunch\n1300 meeting\n20m walk\n"],
    ["digits", "1".repeat(100_000)],
    ["one long line", "20m cw 1200 w1aw ".repeat(10_000)],
  ])("is none for %s", async (_, text) => {
    await expect(readLog(text)).rejects.toBeInstanceOf(LogError);
  });

  it("is ADIF where its header has lines of FLE", async () => {
    const log = await readLog(LOG);
    const again = await readLog(written(log, "adi"));
    expect(again.format).toBe("adi");
    expect(again.qsos.map(pairs)).toEqual(log.qsos.map(pairs));
    expect(again.header.text.trim()).toBe("mycall dl0xyz\ndate 2024-06-01\n20m cw");
  });

  it("stays that of Cabrillo, JSON and ADX", async () => {
    const log = await readLog(LOG);
    for (const format of ["json", "adx"] as const) {
      const again = await readLog(written(log, format));
      expect({ format: again.format, qsos: again.qsos.map(pairs) }).toEqual({
        format,
        qsos: log.qsos.map(pairs),
      });
    }
    const header = { CONTEST: "TEST", CALLSIGN: "DL0XYZ" };
    const cabrillo = writeLog(log, { format: "cabrillo", header, columns: "RST_SENT CALL RST_RCVD" });
    const again = await readLog(cabrillo);
    expect(again.format).toBe("cabrillo");
    expect(new TextDecoder().decode(cabrillo)).toContain(
      "QSO: 14000 CW 2024-06-01 1200 DL0XYZ        559 DH1TW         579\r\n",
    );
  });

  it("is written as ADI unless another one is named; FLE is not written", async () => {
    const log = await readLog(LOG);
    expect(written(log)).toBe(written(log, "adi"));
    const write = () => writeLog(log, { format: "fle" as never });
    expect(write).toThrow(ValueError);
    expect(write).toThrow('"fle"');
    expect(write).toThrow("adi, adx, json, csv, cabrillo, edi; FLE is only read");
  });

  it("is FLE of 16 MB at most", async () => {
    await expect(readLog(LOG + "\n".repeat(16 * 1024 * 1024), { name: "my.txt" })).rejects.toThrow(
      "my.txt: expected a log of 16 MB or less, found one of 16 MB",
    );
  });
});
