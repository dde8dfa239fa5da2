import { describe, expect, it } from "vitest";

import { hamkit, hamkitJson } from "../../run-cli.js";

describe("hamkit zones", () => {
  it("shows the zones and the entity of a locator", async () => {
    expect(await hamkit(["zones", "JN48QM"])).toEqual({
      exitCode: 0,
      stdout: ["JN48QM", "  CQ zone   14", "  ITU zone  28", "  Entity    Germany (230)", ""].join("\n"),
      stderr: "",
    });
  });

  it.each([
    [["47", "-110"], "  ITU zone  6 or 7\n"],
    [["JN47"], "  CQ zone   14 or 15\n"],
    [["-33.9,", "18.4"], "  CQ zone   38\n"],
    [["-33.9,18.4"], "  ITU zone  57\n"],
    [["48°31'N 9°22'E"], "  CQ zone   14\n"],
    [["0", "0"], "  Entity    none, at sea\n"],
    [["90", "0"], "  CQ zone   none\n"],
    [["48.4", "-4.95"], "  Entity    France (227), off the coast\n"],
    [["45", "34.1"], "  Entity    European Russia (54) or Ukraine (288)\n  Disputed  Crimea: "],
  ])("of %j shows %j", async (words, line) => {
    const { stdout, exitCode } = await hamkit(["zones", ...words]);
    expect(stdout).toContain(line);
    expect(exitCode).toBe(0);
  });

  it("writes JSON", async () => {
    expect(await hamkitJson(["zones", "45.5", "-110.2"])).toEqual({
      input: "45.5 -110.2",
      cqz: [4],
      ituz: [6],
      dxcc: [291],
      basis: "land",
    });
  });

  it("reads places from standard input, one per line", async () => {
    const stdin = ["jn48qm\n# sea\n0 0\nJN4\n"];
    expect(await hamkit(["zones", "-"], { stdin })).toEqual({
      exitCode: 2,
      stdout: [
        "Place   CQ zone   ITU zone  Entity",
        "jn48qm  14        28        Germany (230)",
        "0 0     35 or 36  46 or 66  none, at sea",
        'JN4     place: "JN4" is not a locator of 4, 6, 8 or 10 characters',
        "",
      ].join("\n"),
      stderr: "error: no result for 1 of 3 places\n",
    });
    expect(await hamkitJson(["zones", "-"], { stdin: ["JN48QM\n"] })).toMatchObject({
      places: [{ input: "JN48QM", cqz: [14] }],
    });
  });

  it.each([
    [["91", "0"], 2, /latitude: 91/],
    [["JN4"], 2, /place: "JN4"/],
    [["1", "2", "3"], 2, /got 3 arguments/],
    [["-", "JN48"], 2, /no other argument/],
    [[], 2, /missing required argument/],
  ])("rejects %j", async (words, exitCode, message) => {
    const outcome = await hamkit(["zones", ...words]);
    expect(outcome).toMatchObject({ exitCode, stdout: "" });
    expect(outcome.stderr).toMatch(message);
  });
});
