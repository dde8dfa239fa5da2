import { describe, expect, it } from "vitest";

import { hamkit, hamkitJson } from "../../run-cli.js";
import { cpuMs } from "../../../fixtures/cpu-time.js";

describe("hamkit locator", () => {
  it("writes the locator of a place alone on its line, so that scripts can take it", async () => {
    expect(await hamkit(["locator", "48.52", "9.375"])).toEqual({
      exitCode: 0,
      stdout: "JN48QM\n",
      stderr: "",
    });
  });

  it.each([
    [["-33.9", "18.4"], "JF96EC"],
    [["33.9S", "18.4E"], "JF96EC"],
    [["33.9s", "18.4°e"], "JF96EC"],
    [["-33.9,", "18.4"], "JF96EC"],
    [["-33.9,18.4"], "JF96EC"],
    [["--", "-33.9", "18.4"], "JF96EC"],
    [["-.5", "-.5"], "II99SM"],
    [["-33.9", "18.4", "--precision", "4"], "JF96"],
    [["--precision", "10", "48.52", "9.375"], "JN48QM54AT"],
    [["90", "180"], "AR09AX"],
    [["48°31'N", "9°22'E"], "JN48QM"],
    [["48°31'N 9°22'E"], "JN48QM"],
    [["48°31'N,", "9°22'E"], "JN48QM"],
    [["48°31'N,9°22'E"], "JN48QM"],
    [["48°31'N9°22'E"], "JN48QM"],
    [["48°", "31'", "N", "9°", "22'", "E"], "JN48QM"],
    [["48° 31′ 12″ N", "9° 22.5′ E"], "JN48QM"],
    [["N48°31.2'", "E9°22.5'"], "JN48QM"],
    [["33°54'S", "18°24'E"], "JF96EC"],
    [["48.52 9.375"], "JN48QM"],
    [["-90", "-180"], "AA00AA"],
  ])("takes %j for coordinates", async (words, locator) => {
    expect(await hamkit(["locator", ...words])).toEqual({ exitCode: 0, stdout: `${locator}\n`, stderr: "" });
  });

  it("reads places from standard input, one per line", async () => {
    const stdin = ["jn48qm\n# home\n48°31'N 9°22'E\n-33.9, 18.4\nJN4\n91 0\n"];
    const { places } = (await hamkitJson(["locator", "-"], { stdin })) as { places: object[] };
    expect(places).toMatchObject([
      { input: "jn48qm", locator: "JN48QM", corner: { latitude: 48.5 } },
      { input: "48°31'N 9°22'E", locator: "JN48QM" },
      { input: "-33.9, 18.4", locator: "JF96EC" },
      { input: "JN4", error: { code: "locator/malformed" } },
      { input: "91 0", error: { code: "position/out-of-range" } },
    ]);
    const { stdout, stderr, exitCode } = await hamkit(["locator", "-", "--precision", "4"], { stdin });
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "Place           Locator  Center                      South-western corner",
      "jn48qm          JN48QM   48.520833° N, 9.375000° E   48.500000° N, 9.333333° E",
      "48°31'N 9°22'E  JN48     48.500000° N, 9.000000° E   48.000000° N, 8.000000° E",
      "-33.9, 18.4     JF96     33.500000° S, 19.000000° E  34.000000° S, 18.000000° E",
    ]);
    expect(stderr).toBe("error: no result for 2 of 5 places\n");
    expect(exitCode).toBe(2);
    expect(await hamkit(["locator", "-"])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  it("needs no more than a moment for long lines", async () => {
    const stdin = [`${"9".repeat(100_000)}'\n${" ".repeat(100_000)}9\n${"1.".repeat(50_000)}\n`];
    const start = cpuMs();
    expect((await hamkit(["locator", "-"], { stdin })).exitCode).toBe(2);
    expect(cpuMs() - start).toBeLessThan(1000);
  });

  it("shows center, corner and zones of a locator", async () => {
    expect(await hamkit(["locator", "jn48qm"])).toEqual({
      exitCode: 0,
      stdout: [
        "JN48QM",
        "  Center                48.520833° N, 9.375000° E",
        "  South-western corner  48.500000° N, 9.333333° E",
        "  CQ zone               14",
        "  ITU zone              28",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("gives programs the same document for both ways", async () => {
    const document = {
      locator: "JF96",
      center: { latitude: -33.5, longitude: 19 },
      corner: { latitude: -34, longitude: 18 },
      cqz: [38],
      ituz: [57],
    };
    expect(await hamkitJson(["locator", "jf96"])).toEqual(document);
    expect(await hamkitJson(["locator", "-33.9", "18.4", "--precision", "4"])).toEqual(document);
  });

  it.each([
    [["JN4"], 'locator: "JN4" is not a locator of 4, 6, 8 or 10 characters'],
    [["JN48ZZ"], 'locator: "JN48ZZ" is not a locator: character 5 must be a letter from A to X'],
    [["91", "0"], "latitude: 91 is not a number of degrees from -90 to 90"],
    [["0", "-180.1"], "longitude: -180.1 is not a number of degrees from -180 to 180"],
    [["18.4E", "33.9S"], 'latitude: "18.4E" is not degrees such as -33.9, 33.9S or 33.9N'],
    [["0", "-18.4W"], "unknown option '-18.4W'"],
    [["0", "+18.4W"], 'longitude: "+18.4W" is not degrees such as -33.9, 33.9W or 33.9E'],
    [["NaN", "0"], 'latitude: "NaN" is not degrees such as -33.9, 33.9S or 33.9N'],
    [["48°60'N", "9°E"], 'latitude: "48°60\'N" is not degrees such as -33.9, 33.9S or 33.9N'],
    [["48.5°31'N", "9°E"], 'latitude: "48.5°31\'N" is not degrees such as -33.9, 33.9S or 33.9N'],
    [["N48°N", "9°E"], 'latitude: "N48°N" is not degrees such as -33.9, 33.9S or 33.9N'],
    [["-", "JN48"], "- reads all places from standard input: no other argument is allowed"],
    [["1", "2", "3"], "expected a locator, or a latitude and a longitude; got 3 arguments"],
    [["JN48", "--precision", "6"], '--precision: expected a latitude and a longitude, got "JN48"'],
    [
      ["1", "2", "--precision", "5"],
      "option '--precision <characters>' argument '5' is invalid. Allowed choices are 4, 6, 8, 10.",
    ],
    [[], "missing required argument 'locator or coordinates'"],
  ])("ends with 2 for %j", async (words, message) => {
    expect(await hamkit(["locator", ...words])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `error: ${message}\n`,
    });
  });
});
