import { describe, expect, it } from "vitest";

import { drawMap, type MapOptions } from "../../src/map.js";
import { readMapOptions } from "../../src/map/map-options.js";

describe("readMapOptions", () => {
  it("fills in what is left out", () => {
    expect(readMapOptions({})).toEqual({
      beam: undefined,
      moon: undefined,
      hasFineCoast: false,
      borders: false,
      names: [],
      from: undefined,
      to: undefined,
      caption: true,
      frame: undefined,
      longpath: false,
      date: undefined,
      twilight: "civil",
      squares: new Map(),
      entities: [],
      paths: [],
      zones: undefined,
      grid: false,
      width: 960,
      projection: "equirectangular",
      theme: "auto",
      title: undefined,
      desc: undefined,
      id: undefined,
    });
  });

  it("takes locators in any case, and positions with and without a label", () => {
    const center = { latitude: 48.520_833_333_333_336, longitude: 9.375 };
    const stationOf = (from: MapOptions["from"]) => readMapOptions({ from }).from;
    expect(stationOf("jn48qm")).toEqual({ position: center, label: "JN48QM", name: "JN48QM" });
    expect(stationOf({ locator: "jn48qm", label: " DH1TW\n" })).toMatchObject({
      label: "DH1TW",
      name: "DH1TW",
    });
    expect(stationOf({ locator: "JN48QM", label: "" })).toMatchObject({ label: "", name: "JN48QM" });
    expect(stationOf({ ...center, label: undefined })).toMatchObject({ label: "JN48QM" });
  });

  it("copies the date, so that changing it later changes nothing", () => {
    const date = new Date("2024-01-01T00:00Z");
    const request = readMapOptions({ date });
    date.setUTCFullYear(1900);
    expect(request.date?.getUTCFullYear()).toBe(2024);
  });

  it.each([
    ["a text that is no locator", { from: "JN48QZ" }, "locator/malformed", "from"],
    ["a locator in an object that is none", { to: { locator: "" } }, "locator/malformed", "to.locator"],
    ["a place out of range", { from: { latitude: 91, longitude: 0 } }, "position/out-of-range", "latitude"],
    [
      "a longitude that is not a number",
      { from: { latitude: 0, longitude: "0" } },
      "argument/wrong-type",
      "longitude",
    ],
    ["a number as a place", { from: 5 }, "argument/no-text", "from"],
    ["null as a place", { to: null }, "argument/no-text", "to"],
    ["an object without a place", { to: { label: "x" } }, "argument/no-text", "to"],
    ["a label that is no text", { from: { locator: "JN48", label: 5 } }, "argument/wrong-type", "from.label"],
    ["a text as a date", { date: "2024-01-01" }, "argument/invalid", "date"],
    ["an invalid date", { date: new Date(Number.NaN) }, "argument/invalid", "date"],
    ["a date beyond the theory", { date: new Date(Date.UTC(20_000, 0)) }, "argument/invalid", "date"],
    ["a width too small", { width: 239 }, "argument/invalid", "width"],
    ["a width too large", { width: 4001 }, "argument/invalid", "width"],
    ["a width that is not a number", { width: Number.NaN }, "argument/invalid", "width"],
    ["a width as text", { width: "500" }, "argument/wrong-type", "width"],
    ["an unknown projection", { projection: "mercator" }, "argument/invalid", "projection"],
    ["an unknown theme", { theme: "blue" }, "argument/invalid", "theme"],
    ["an unknown twilight", { twilight: "nautical" }, "argument/invalid", "twilight"],
    ["a word for yes", { longpath: "yes" }, "argument/wrong-type", "longpath"],
    ["a title that is no text", { title: 5 }, "argument/wrong-type", "title"],
    ["an id that would end the style sheet", { id: "a{}</style>" }, "argument/invalid", "id"],
    ["an id that starts with a digit", { id: "1" }, "argument/invalid", "id"],
    [
      "an azimuthal map without a center",
      { projection: "azimuthal", to: "JN48" },
      "argument/invalid",
      "from",
    ],
  ])("rejects %s", async (_, options, code, argument) => {
    await expect(drawMap(options as MapOptions)).rejects.toMatchObject({ code, argument });
  });

  it("rejects options that are not an object", async () => {
    await expect(drawMap("JN48QM" as MapOptions)).rejects.toMatchObject({ code: "argument/wrong-type" });
  });
});
