import { describe, expect, it } from "vitest";

import type { ReadLogOptions } from "../../../src/logs/read-log.js";
import { HEAD, readFleLog, recordsOf, valuesOf } from "./fle-log.js";

// Expected values: the documentation of DF3CB's program, version 3.0, and where named that of Wavelog.

describe("exchanges of a contest in FLE", () => {
  const exchanges = async (lines: readonly string[], options?: ReadLogOptions) =>
    recordsOf(await readFleLog([...HEAD, ...lines], options)).map(({ STX, STX_STRING, SRX, SRX_STRING }) =>
      [STX, STX_STRING, SRX, SRX_STRING].map((value) => value ?? "-").join(" "),
    );

  it("are behind a comma if sent, and a dot if received", async () => {
    const lines = ["1856 w1aw ,337 .781", "w1ab 579 ,338 589 .782", "w1ac 7 ,339 8 .wv"];
    expect(await exchanges(lines)).toEqual(["337 - 781 -", "338 - 782 -", "339 - - WV"]);
    expect(await valuesOf("RST_RCVD", lines)).toEqual(["599", "589", "589"]);
  });

  it("repeat what was sent, such as the own locator", async () => {
    expect(await exchanges(["1924 w1aw ,jn58 .jn69", "26 w1ab .jn84", "w1ac"])).toEqual([
      "- JN58 - JN69",
      "- JN58 - JN84",
      "- - - -",
    ]);
  });

  it("repeat a number too, which is reported once, or count on as an option", async () => {
    const lines = ["1856 w1aw ,33 .wv", "w1ab .va", "w1ac .tn"];
    expect(await exchanges(lines)).toEqual(["33 - - WV", "33 - - VA", "33 - - TN"]);
    const { problems } = await readFleLog([...HEAD, ...lines]);
    expect(problems).toEqual([
      {
        line: 5,
        kind: "line",
        message: "the number 33 is sent again: consecutive numbers are an option, or ,++ in the log",
      },
    ]);
    expect(await exchanges(lines, { consecutiveNumbers: true })).toEqual([
      "33 - - WV",
      "34 - - VA",
      "35 - - TN",
    ]);
    expect(await exchanges(["1200 w1aw", "w1ab ,9", "w1ac"], { consecutiveNumbers: true })).toEqual([
      "1 - - -",
      "9 - - -",
      "10 - - -",
    ]);
  });

  it("count on between ,++ and ,+0, and end with ,- as Wavelog documents it", async () => {
    const lines = [
      "80m ,++",
      "2110 w1aw .73 ,1,EU",
      "2112 w1ab .72",
      "2116 w1ac ,",
      "2117 w1ad ,-,8",
      "2118 w1ae ,+0 .5",
    ];
    expect(await exchanges(lines)).toEqual(["1 EU 73 -", "2 EU 72 -", "3 EU - -", "8 - - -", "8 - 5 -"]);
    expect(await exchanges(["2112 w1aw ,1.12", "2114 w1ab ,2,EU.NM", "2116 w1ac ,3.123.AS"])).toEqual([
      "1 - 12 -",
      "2 EU - NM",
      "3 EU 123 AS",
    ]);
  });
});

describe("interpolated times of FLE", () => {
  const times = async (lines: readonly string[]) => valuesOf("TIME_ON", lines, { interpolateTimes: true });

  it("lie evenly between those that are written", async () => {
    const lines = ["0014 w1aa", "w1ab", "w1ac", "w1ad", "w1ae", "w1af", "38 w1ag", "w1ah"];
    expect(await times(lines)).toEqual(["0014", "0018", "0022", "0026", "0030", "0034", "0038", "0038"]);
    expect(await valuesOf("TIME_ON", lines)).toEqual([
      "0014",
      "0014",
      "0014",
      "0014",
      "0014",
      "0014",
      "0038",
      "0038",
    ]);
  });

  it("have whole minutes", async () => {
    // As the .adi file of DF3CB's program has it between 2335 and 2340.
    expect(await times(["2335 w1aa", "w1ab", "40 w1ac"])).toEqual(["2335", "2337", "2340"]);
  });

  it("stay on their date over midnight", async () => {
    const lines = ["2350 w1aa", "w1ab", "day +", "w1ac", "0010 w1ad"];
    expect(await times(lines)).toEqual(["2350", "2356", "0003", "0010"]);
    expect(await valuesOf("QSO_DATE", lines, { interpolateTimes: true })).toEqual([
      "20161030",
      "20161030",
      "20161031",
      "20161031",
    ]);
  });

  it("count a time on a line of its own", async () => {
    expect(await times(["1150", "w1aa", "w1ab", "52 w1ac"])).toEqual(["1150", "1151", "1152"]);
  });
});
