import { describe, expect, it } from "vitest";

import { DATA, hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

describe("hamkit sun", () => {
  it("lists the next events in the order of time", async () => {
    expect(await hamkit(["sun", "JN48QM", "--at", "2024-02-01T12:00"])).toEqual({
      exitCode: 0,
      stdout: [
        "Place  JN48QM, center at 48.5208° N, 9.3750° E",
        "From   2024-02-01 12:00:00 UTC",
        "Sun    24.1° above the horizon, azimuth 186.3° S",
        "",
        "Sunset        2024-02-01 16:20:05 UTC  in 4 h 20 min",
        "Evening dawn  2024-02-01 16:53:49 UTC  in 4 h 54 min",
        "Morning dawn  2024-02-02 06:17:30 UTC  in 18 h 17 min",
        "Sunrise       2024-02-02 06:51:06 UTC  in 18 h 51 min",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("begins now without --at", async () => {
    const { stdout } = await hamkit(["sun", "JN48QM"], { now: "2024-02-01T16:19:00Z" });
    expect(stdout).toContain("\nFrom   2024-02-01 16:19:00 UTC\n");
    expect(stdout).toContain("\nSunset        2024-02-01 16:20:05 UTC  in 1 min\n");
  });

  it("understands a zone in --at", async () => {
    const utc = await hamkitJson(["sun", "JN48QM", "--at", "2024-02-01T12:00"]);
    expect(await hamkitJson(["sun", "JN48QM", "--at", "2024-02-01T17:30+05:30"])).toEqual(utc);
  });

  it("names the polar night", async () => {
    const words = ["sun", "JW1XX", "--at", "2024-12-21", ...IN_FILE];
    const { stdout, exitCode } = await hamkit(words);
    expect(stdout.split("\n").slice(4)).toEqual([
      "Morning dawn  none: it stays darker than twilight",
      "Sunrise       none: the sun does not rise (polar night)",
      "Sunset        none: the sun does not rise (polar night)",
      "Evening dawn  none: it stays darker than twilight",
      "",
      `${DATA}; a callsign's position may be the middle of its country`,
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(await hamkitJson(words)).toMatchObject({
      place: { country: "Svalbard" },
      morning_dawn: null,
      sunrise: null,
      sunset: null,
      evening_dawn: null,
      polar: "night",
    });
  });

  it("names the polar day", async () => {
    const words = ["sun", "JQ78", "--at", "2024-06-21"];
    const { stdout } = await hamkit(words);
    expect(stdout).toContain("Morning dawn  none: it does not get darker than twilight\n");
    expect(stdout).toContain("Sunrise       none: the sun does not set (polar day)\n");
    expect(await hamkitJson(words)).toMatchObject({ sunrise: null, polar: "day" });
  });

  it("shows a white night, in which the sun sets and dawn never ends, from the polar day", async () => {
    const words = ["sun", "KP25", "--at", "2024-06-15"]; // 65.5° north
    const { stdout } = await hamkit(words);
    expect(stdout).toMatch(/\nSunset {8}2024-06-15 21:\d\d:\d\d UTC /);
    expect(stdout).toContain("\nEvening dawn  none: it does not get darker than twilight\n");
    expect(await hamkitJson(words)).toMatchObject({ evening_dawn: null, polar: null });
  });

  it("gives programs times, elevation and azimuth", async () => {
    const document = await hamkitJson(["sun", "JN48QM", "--at", "2024-02-01T12:00"]);
    expect(document).toMatchObject({
      place: { input: "JN48QM", kind: "locator" },
      at: "2024-02-01T12:00:00.000Z",
      sunset: expect.stringMatching(/^2024-02-01T16:20:0[45]\.\d{3}Z$/),
      polar: null,
    });
    const { elevation, azimuth } = document as Record<string, number>;
    expect(elevation).toBeCloseTo(24.09, 2);
    expect(azimuth).toBeCloseTo(186.3, 1);
  });

  it("ends with 2 for what is no place", async () => {
    expect(await hamkit(["sun", "nowhere", ...IN_FILE])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
