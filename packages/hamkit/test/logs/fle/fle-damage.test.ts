import { describe, expect, it } from "vitest";

import { HEAD, readFleLog, recordsOf } from "./fle-log.js";

/** `line: message` of each problem below the head and a first QSO. */
async function problemsOf(...lines: string[]): Promise<string[]> {
  const { problems, problemCount } = await readFleLog([...HEAD, "2335 w1aw", ...lines]);
  expect(problemCount).toBe(problems.length);
  return problems.map(({ line, message }) => `${line}: ${message}`);
}

describe("damage in a log in FLE", () => {
  it.each([
    [
      "1860 w1ab",
      ['5: "1860" is not a time HHMM', "5: no QSO with W1AB: expected a time HHMM before the call"],
    ],
    ["+9", ['5: "+9": expected a call before a report']],
    ["date 2016-13-05", ['5: "2016-13-05" is not a date YYYY-MM-DD']],
    ["date 2016-1", ['5: "date 2016-1": expected a date YYYY-MM-DD']],
    ["2016-02-30", ['5: "2016-02-30" is not a date YYYY-MM-DD']],
    ["day", ['5: "day": expected day and a + for each day']],
    ["4.10 w1ab", ["5: 4.10: expected a frequency in MHz in an amateur band"]],
    ["80m 4.10 w1ab", ["5: 4.10: expected a frequency in MHz on 80m"]],
    [
      "w1ab onff-3",
      [
        '5: "onff-3": expected a report, reference, band, mode, frequency in MHz, @name, #locator, <comment> or [message]',
      ],
    ],
    ["w1ab wwff onff-3", ['5: "WWFF ONFF-3": expected a reference such as DLFF-0001']],
    ["w1ab #jo5", ['5: "#jo5" is not a locator such as #JO50']],
    ["w1ab 599 599 599", ['5: "599": expected a report, of which a QSO has two']],
    ["w1ab 699", ["5: 699: expected a report of CW, such as 599"]],
    ["w1ab <strong", ['5: "<strong" has no >, and ends with its line']],
    ["w1a?", ['5: "w1a?": expected a date, time, band, mode, frequency in MHz or callsign']],
    [
      "w1ab w1ac",
      [
        '5: "w1ac": expected a report, reference, band, mode, frequency in MHz, @name, #locator, <comment> or [message]',
      ],
    ],
    ["@Ann <a fine signal>", ["5: no QSO: expected a callsign"]],
    ["mygrid jo5", ['5: mygrid: expected a locator such as JO50, found "jo5"']],
    ["operator Ann", ['5: operator: expected the callsign of the operator, found "Ann"']],
    ["mylat 91", ['5: mylat: expected degrees from -90 to 90, north positive, found "91"']],
    ["{ w1ab", ["5: a remark has no }, and ends with its line"]],
    ["30 w1ab", ["5: 2330 is before 2335 of the QSO above: expected a later time, or day +"]],
    ["0001 w1ab", ["5: 0001 is before 2335 of the QSO above: expected a later time, or day +"]],
  ])("%j is reported", async (line, messages) => {
    expect(await problemsOf(line)).toEqual(messages);
  });

  it("reports a remark that may lack its end, since it hides QSOs", async () => {
    expect(await problemsOf("{ next day", "0001 w1ab", "{ 40m }", "0002 w1ac")).toEqual([
      "5: the remark ends in line 7, behind another {: a } may be missing",
      "8: 0002 is before 2335 of the QSO above: expected a later time, or day +",
    ]);
  });

  it("keeps a QSO with what is understood, and the other words in a field", async () => {
    const log = await readFleLog([...HEAD, "2335 w1aw 579 foo 699 #jo5"]);
    expect(recordsOf(log)).toEqual([
      expect.objectContaining({
        CALL: "W1AW",
        TIME_ON: "2335",
        RST_SENT: "579",
        APP_HAMKIT_FLE: "foo #jo5 699",
      }),
    ]);
    expect(recordsOf(log)[0]).not.toHaveProperty("RST_RCVD");
  });

  it("has no time for the QSOs behind a wrong one, rather than an older one", async () => {
    const log = await readFleLog([...HEAD, "2335 w1aw", "1860 w1ab", "w1ac", "2 w1ad", "2350 w1ae"]);
    expect(recordsOf(log).map(({ CALL }) => CALL)).toEqual(["W1AW", "W1AE"]);
    expect(log.header.text).toBe([...HEAD, "1860 w1ab", "w1ac", "2 w1ad"].join("\n"));
    expect(log.problems.map(({ line }) => line)).toEqual([5, 5, 6, 7, 7]);
  });

  it.each(["date 2016-10-32", "2016-10-32", "date"])(
    "has no date for the QSOs behind %j, rather than an older one",
    async (date) => {
      const log = await readFleLog([...HEAD, "2335 w1aw", date, "0001 w1ab", "day +", "w1ac"]);
      expect(recordsOf(log).map(({ QSO_DATE }) => QSO_DATE)).toEqual(["20161030", undefined, undefined]);
      expect(log.problems.map(({ line }) => line)).toEqual([5, 6, 7]);
    },
  );

  it("has no time for the QSOs behind a line with a wrong one", async () => {
    const log = await readFleLog([...HEAD, "2335 w1aw", "1860", "w1ab", "2 w1ac"]);
    expect(recordsOf(log).map(({ CALL }) => CALL)).toEqual(["W1AW"]);
  });

  it("sets nothing by a note most of whose words are not understood", async () => {
    const log = await readFleLog([
      ...HEAD,
      "2335 w1aw",
      "moved to 40m because am was noisy",
      "back from lunch at 2359",
      "w1ab",
      "40m cww",
      "w1ac",
    ]);
    expect(recordsOf(log).map(({ BAND, MODE, TIME_ON }) => `${BAND} ${MODE} ${TIME_ON}`)).toEqual([
      "80m CW 2335",
      "80m CW 2335",
      "40m CW 2335",
    ]);
    expect(new Set(log.problems.map(({ line }) => line))).toEqual(new Set([5, 6, 8]));
  });

  it("takes a call behind other words for that of a QSO only with a time", async () => {
    const log = await readFleLog([...HEAD, "2335 w1aw", "tnx to dl1ab for the spot", "xx 2340 dl1ac"]);
    expect(recordsOf(log).map(({ CALL }) => CALL)).toEqual(["W1AW", "DL1AC"]);
  });

  it("reports once where the date, band or mode begins to be missing", async () => {
    const log = await readFleLog(["mycall dl0xyz", "1200 w1aw", "w1ab", "2016-10-30 20m", "w1ac", "cw w1ad"]);
    expect(log.problems.map(({ line, kind, message }) => `${line} ${kind} ${message}`)).toEqual([
      "2 date the QSO has no date, as those after it until one is stated",
      "2 line the QSO has no band, as those after it until one is stated",
      "2 line the QSO has no mode, as those after it until one is stated",
    ]);
    expect(recordsOf(log)[0]).toEqual({ CALL: "W1AW", TIME_ON: "1200", STATION_CALLSIGN: "DL0XYZ" });
  });
});
