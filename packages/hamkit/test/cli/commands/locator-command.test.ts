import { describe, expect, it } from "vitest";

import { hamkit, hamkitJson } from "../run-cli.js";

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
    [["-90", "-180"], "AA00AA"],
  ])("takes %j for coordinates", async (words, locator) => {
    expect(await hamkit(["locator", ...words])).toEqual({ exitCode: 0, stdout: `${locator}\n`, stderr: "" });
  });

  it("shows center and corner of a locator", async () => {
    expect(await hamkit(["locator", "jn48qm"])).toEqual({
      exitCode: 0,
      stdout: [
        "JN48QM",
        "  Center                48.520833° N, 9.375000° E",
        "  South-western corner  48.500000° N, 9.333333° E",
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
