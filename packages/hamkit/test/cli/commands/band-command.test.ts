import { describe, expect, it } from "vitest";

import { hamkit, hamkitJson } from "../run-cli.js";

describe("hamkit band", () => {
  it("shows one frequency as a card", async () => {
    expect(await hamkit(["band", "14074"])).toEqual({
      exitCode: 0,
      stdout: [
        "14074 kHz",
        "  Band       20m",
        "  Edges      14000 - 14350 kHz",
        "  ITU range  HF",
        "  Mode       DIGITAL",
        "",
        "Edges by ADIF, modes by all IARU regions",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("shows several frequencies as a table, with those outside the bands in their place", async () => {
    const { stdout, stderr, exitCode } = await hamkit(["band", "7150", "10GHz", "13500"]);
    expect(stdout).toBe(
      [
        "   Frequency  Band  Mode   ITU  Edges",
        "    7150 kHz  40m   LSB    HF   7000 - 7300 kHz",
        "10000000 kHz  3cm   other  SHF  10000000 - 10500000 kHz",
        "       13500  13500 kHz is outside the amateur bands; the nearest is 20m, 14000-14350 kHz",
        "",
        "Edges by ADIF, modes by all IARU regions",
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("error: no result for 1 of 3 frequencies\n");
    expect(exitCode).toBe(1);
  });

  it.each([
    [["14074"], 14074],
    [["14.074MHz"], 14074],
    [["14.074", "mhz"], 14074],
    [["14074000Hz"], 14074],
    [["7038.6kHz"], 7038.6],
    [[".4742MHz"], 474.2],
    [["10.368 GHz"], 10_368_000],
    [["0.3THz"], 300_000_000],
    [["14,074MHz"], 14074],
    [["14,074", "MHz"], 14074],
    [["7,1MHz"], 7100],
    [["14.074.000"], 14074],
    [["14.074.00"], 14074],
    [["14,074,000"], 14074],
    [["14.074.000Hz"], 14074],
    [["14.074.000MHz"], 14074],
    [["10.368.100.000"], 10_368_100],
    [["14,074.5"], 14074.5],
    [["14.074,5"], 14074.5],
    [["7038,6"], 7038.6],
  ])("understands %j as one frequency of %d kHz", async (words, khz) => {
    expect(await hamkitJson(["band", ...words])).toMatchObject({ frequencies: [{ khz }] });
  });

  it.each(["14,074", "20m", "MHz", "1e3", "0x10", "-5", "", "14.074MHzz", "1.2.3"])(
    "ends with 2 for %j, which is no frequency, and answers the rest",
    async (word) => {
      const { stdout, exitCode } = await hamkit(["band", word, "7150kHz", "--json"]);
      expect(exitCode).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({
        frequencies: [{ input: word, error: { code: "argument/invalid" } }, { adif: "40m" }],
      });
    },
  );

  it.each([
    ["14,074", "14.074 kHz with a decimal comma, 14074 kHz with a comma between thousands"],
    ["14,074kHz", "14.074 kHz with a decimal comma, 14074 kHz with a comma between thousands"],
    ["137,500Hz", "137.500 Hz with a decimal comma, 137500 Hz with a comma between thousands"],
  ])("names both readings of %s", async (word, readings) => {
    const { stderr, exitCode } = await hamkit(["band", word]);
    expect(stderr).toContain(`"${word}" is not one frequency: ${readings}`);
    expect(exitCode).toBe(2);
  });

  it.each(["14.074.00Hz", "14.074.000kHz", "14.074,000,5", "1,23,456", "14..074", "14.074.0"])(
    "refuses %s, whose separators fit no reading",
    async (word) => {
      expect((await hamkit(["band", word])).exitCode).toBe(2);
    },
  );

  it("reads frequencies from standard input", async () => {
    const stdin = ["# dial frequencies\n14.074 MHz\n\n7,074 MHz\n"];
    expect(await hamkitJson(["band", "-"], { stdin })).toMatchObject({
      frequencies: [{ khz: 14074 }, { khz: 7074 }],
    });
    expect((await hamkit(["band", "-"], { stdin })).stdout).toMatch(/^14074 kHz +20m +DIGITAL/m);
  });

  it("suggests a unit that seems to be missing", async () => {
    expect(await hamkit(["band", "14.1"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr:
        "error: 14.1 kHz is outside the amateur bands; the nearest is 2190m, 135.7-137.8 kHz (did you mean 14.1MHz?)\n",
    });
    expect((await hamkit(["band", "7150000"])).stderr).toContain("(did you mean 7150000Hz?)");
    expect((await hamkit(["band", "14.1kHz"])).stderr).not.toContain("did you mean");
  });

  it("uses the plan of --region", async () => {
    expect((await hamkit(["band", "7250", "--region", "2"])).stdout).toContain("\nBy IARU region 2\n");
    expect(await hamkitJson(["band", "7250", "--region", "2"])).toMatchObject({
      region: 2,
      frequencies: [{ adif: "40m", lower: 7000, upper: 7300 }],
    });
    expect(await hamkit(["band", "7250", "--region", "1"])).toMatchObject({ exitCode: 1 });
    expect(await hamkit(["band", "7250", "--region", "4"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "error: option '--region <number>' argument '4' is invalid. Allowed choices are 1, 2, 3.\n",
    });
  });

  it("outputs all results in one JSON document", async () => {
    expect(await hamkitJson(["band", "14074", "5"])).toEqual({
      region: null,
      frequencies: [
        {
          input: "14074",
          khz: 14074,
          band: 20,
          adif: "20m",
          itu: "HF",
          mode: "DIGITAL",
          lower: 14000,
          upper: 14350,
        },
        {
          input: "5",
          error: {
            code: "frequency/outside-bands",
            message: "5 kHz is outside the amateur bands; the nearest is 2190m, 135.7-137.8 kHz",
          },
        },
      ],
    });
  });
});
