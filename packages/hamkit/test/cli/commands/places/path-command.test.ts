import { describe, expect, it } from "vitest";

import { DATA, hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

describe("hamkit path", () => {
  it("shows both ways between two locators", async () => {
    expect(await hamkit(["path", "jn48qm", "EM10"])).toEqual({
      exitCode: 0,
      stdout: [
        "From  jn48qm, center at 48.5208° N, 9.3750° E",
        "To    EM10, center at 30.5000° N, 97.0000° W",
        "",
        "Path          Distance              Heading",
        "Short path   8598.6 km   5342.9 mi   302.1°  WNW",
        "Long path   31431.6 km  19530.7 mi   122.1°  ESE",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("adds the ellipsoid on request, to the meter", async () => {
    const { stdout } = await hamkit(["path", "JN48QM", "EM10", "--wgs84"]);
    expect(stdout).toMatch(/\nWGS84 ellipsoid +8617\.434 km +5354\.625 mi +302\.1° +WNW\n$/);
  });

  it("accepts coordinates, also of the south behind --", async () => {
    const { stdout } = await hamkit(["path", "--", "-33.8,151.25", "48.5, 9.3"]);
    expect(stdout).toContain("From  33.8000° S, 151.2500° E\nTo    48.5000° N, 9.3000° E\n");
    const document = await hamkitJson(["path", "48.5,9.3", "FN31PR"]);
    expect(document).toMatchObject({
      from: { input: "48.5,9.3", kind: "coordinates", country: null, latitude: 48.5, longitude: 9.3 },
    });
    expect((await hamkit(["path", "91,9", "FN31PR"])).exitCode).toBe(2);
  });

  it("accepts callsigns, and names the source of their positions", async () => {
    const { stdout } = await hamkit(["path", "JN48QM", "hc2/dh1tw", ...IN_FILE]);
    expect(stdout).toContain("\nTo    hc2/dh1tw, Ecuador at 1.40° S, 78.40° W\n");
    expect(stdout).toContain(`\n${DATA}; a callsign's position may be the middle of its country\n`);
  });

  it("gives programs full numbers", async () => {
    const document = await hamkitJson(["path", "JN48QM", "W1AW", "--wgs84", ...IN_FILE]);
    expect(document).toMatchObject({
      from: { input: "JN48QM", kind: "locator", country: null, longitude: 9.375 },
      to: { input: "W1AW", kind: "callsign", country: "United States", latitude: 37.6, longitude: -91.87 },
      shortPath: { compassPoint: "NW" },
      longPath: { compassPoint: "SE" },
    });
    const { shortPath, longPath, wgs84 } = document as Record<string, Record<string, number>>;
    expect((shortPath?.["distanceKm"] ?? 0) + (longPath?.["distanceKm"] ?? 0)).toBeCloseTo(
      2 * Math.PI * 6371,
      6,
    );
    expect((shortPath?.["distanceKm"] ?? 0) / (shortPath?.["distanceMiles"] ?? 1)).toBeCloseTo(1.609344, 9);
    expect((longPath?.["heading"] ?? 0) - (shortPath?.["heading"] ?? 0)).toBeCloseTo(-180, 9);
    expect(Math.abs((wgs84?.["distanceKm"] ?? 0) / (shortPath?.["distanceKm"] ?? 1) - 1)).toBeLessThan(
      0.0056,
    );
  });

  it("takes a text that is both for a locator, and for a callsign behind call:", async () => {
    const document = await hamkitJson(["path", "HG73DX", "call:HG73DX", ...IN_FILE]);
    expect(document).toMatchObject({
      from: { kind: "locator" },
      to: { kind: "callsign", country: "Hungary" },
    });
  });

  it("warns where a callsign looks like a mistyped locator", async () => {
    const { stdout, stderr, exitCode } = await hamkit(["path", "JN48ZZ", "JN48QM", ...IN_FILE]);
    expect(stderr).toBe('warning: from: "JN48ZZ" is not a locator; used as a callsign: Japan\n');
    expect(stdout).toContain("From  JN48ZZ, Japan at");
    expect(exitCode).toBe(0);
  });

  it("ends with 1 for a callsign that is not known or may be anywhere", async () => {
    expect(await hamkit(["path", "JN48", "QQ0QQ", ...IN_FILE])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: 'error: callsign "QQ0QQ" is not known\n',
    });
    expect(await hamkit(["path", "DH1TW/MM", "JN48", ...IN_FILE])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: 'error: from: callsign "DH1TW/MM" has no position (MARITIME MOBILE)\n',
    });
  });

  it("ends with 2 for a text that is neither locator nor callsign", async () => {
    const message =
      'to: "ZZ99" is not a locator of 4, 6, 8 or 10 characters, nor coordinates as 48.5,9.3, nor a callsign';
    expect(await hamkit(["path", "JN48", "ZZ99", ...IN_FILE])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `error: ${message}\n`,
    });
    expect(await hamkitJson(["path", "JN48", "ZZ99", ...IN_FILE])).toEqual({
      error: { code: "locator/malformed", message },
    });
  });

  it("needs no callsign data for locators", async () => {
    expect(await hamkit(["path", "JN48", "JO60", "--file", "no-such-file.dat"])).toMatchObject({
      exitCode: 0,
    });
  });
});
