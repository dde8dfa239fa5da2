import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { drawMap } from "../../../../src/map.js";
import { ofClass, parseSvg } from "../../../map/svg.js";
import { DATA, hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-map-"));
  path = join(folder, "map.svg");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function mapOf(...words: string[]) {
  const { stdout, stderr, exitCode } = await hamkit(["map", ...words, ...IN_FILE]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return parseSvg(stdout);
}

describe("hamkit map", () => {
  it("writes the map that drawMap makes to standard output", async () => {
    const { stdout } = await hamkit(["map", "jn48qm", "EM10"]);
    const from = { latitude: 48 + 25 / 48, longitude: 9.375, label: "JN48QM" };
    const to = { latitude: 30.5, longitude: -97, label: "EM10" };
    expect(stdout).toBe(`${await drawMap({ from, to })}\n`);
  });

  it("labels callsigns as they were asked for", async () => {
    const root = await mapOf("call:hg73dx", "hc2/dh1tw");
    expect(ofClass(root, "label").map(({ text }) => text)).toEqual(["HG73DX", "HC2/DH1TW"]);
  });

  it("draws what the options name, and nothing else", async () => {
    const plain = await mapOf("JN48", "FN31");
    for (const name of ["long", "night", "grid"]) expect(ofClass(plain, name)).toEqual([]);
    const full = await mapOf("JN48", "FN31", "--long-path", "--night", "--grid", "--width", "500");
    for (const name of ["long", "night", "grid"]) expect(ofClass(full, name)).not.toEqual([]);
    expect(full.attributes["width"]).toBe("500");
    expect(ofClass(await mapOf("JN48", "--projection", "azimuthal"), "rose")).toHaveLength(1);
    expect(ofClass(await mapOf(), "land")).toHaveLength(1);
    expect((await mapOf("--theme", "dark")).text).not.toContain("prefers-color-scheme");
  });

  it("shows the night of --at, or with --night that of now", async () => {
    const moment = async (...words: string[]) => ofClass(await mapOf(...words), "moment")[0]?.text;
    expect(await moment("--at", "2024-10-21T22:00+02:00")).toBe("2024-10-21 20:00 UTC");
    expect(await moment("--night")).toBe("2024-06-30 12:00 UTC");
    expect(await moment("--night", "--at", "2014")).toBe("2014-01-01 00:00 UTC");
    expect(await moment()).toBeUndefined();
  });

  it("writes a file, and names the source of a callsign's position", async () => {
    expect(await hamkit(["map", "JN48QM", "W1AW", "-o", path, ...IN_FILE])).toEqual({
      exitCode: 0,
      stdout: `Map: ${path}\n\n${DATA}; a callsign's position may be the middle of its country\n`,
      stderr: "",
    });
    expect(ofClass(parseSvg(await readFile(path, "utf8")), "label")).toHaveLength(2);
  });

  it("replaces a file only with --force", async () => {
    await writeFile(path, "precious");
    expect(await hamkit(["map", "-o", path])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `error: ${JSON.stringify(path)} already exists; --force replaces it\n`,
    });
    expect(await readFile(path, "utf8")).toBe("precious");
    expect(await hamkit(["map", "-o", path, "--force"])).toMatchObject({ exitCode: 0 });
    expect(await readFile(path, "utf8")).toMatch(/^<svg /);
  });

  it("ends with 3 where the file can't be written", async () => {
    const { exitCode, stderr } = await hamkit(["map", "-o", join(folder, "none", "map.svg")]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain("the file can't be written: ENOENT");
  });

  it("spares a terminal the text of a picture, unless that is wanted", async () => {
    expect(await hamkit(["map"], { isTerminal: true })).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining("name a file with -o map.svg") as string,
    });
    const { stdout } = await hamkit(["map", "-o", "-"], { isTerminal: true });
    expect(stdout).toMatch(/^<svg /);
  });

  it.each([
    [["--width", "10"], "width: 10 is not a number of pixels from 240 to 4000"],
    [
      ["--width", "wide"],
      "option '--width <pixels>' argument 'wide' is invalid. Expected a number of pixels.",
    ],
    [
      ["--projection", "azimuthal"],
      "--projection azimuthal: expected a place as the center: hamkit map <place> --projection azimuthal",
    ],
    [["--projection", "mercator"], /Allowed choices are equirectangular, natural-earth, azimuthal\./],
    [
      ["ZZ99"],
      'from: "ZZ99" is not a locator of 4, 6, 8 or 10 characters, nor coordinates as 48.5,9.3, nor a callsign',
    ],
  ])("ends with 2 for %j", async (words, message) => {
    const { exitCode, stderr, stdout } = await hamkit(["map", ...words]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });
});

describe("hamkit map --log", () => {
  const qsos = [
    "<CALL:4>W1AW<GRIDSQUARE:6>FN31PR<QSL_RCVD:1>Y<EOR>",
    "<CALL:6>DL1ABC<GRIDSQUARE:4>JO31<QSO_DATE:8>20240601<EOR>",
    "<CALL:6>EA8ABC<EOR>", // not in the small country file
  ];
  let log: string;
  beforeEach(async () => {
    log = join(folder, "my.adi");
    await writeFile(log, qsos.join("\n"));
  });

  it("colors entities and squares, or draws what --layers names", async () => {
    const root = await mapOf("JN48QM", "--log", log);
    expect(ofClass(root, "square").map(({ attributes }) => attributes["class"])).toContain(
      "square confirmed",
    );
    expect(ofClass(root, "area").length).toBeGreaterThan(1);
    expect(ofClass(root, "ray")).toEqual([]);
    const paths = await mapOf("JN48QM", "--log", log, "--layers", "paths, squares", "--zones", "itu");
    expect(ofClass(paths, "area")).toEqual([]);
    expect(ofClass(paths, "ends")[0]?.attributes["d"]?.match(/M/g)).toHaveLength(2);
    expect(ofClass(paths, "border")).not.toEqual([]);
  });

  it("writes PNG and GeoJSON by the name of the file, and counts what is on the map", async () => {
    const png = join(folder, "log.PNG");
    const { stdout, stderr, exitCode } = await hamkit([
      "map",
      "--log",
      log,
      "-o",
      png,
      "--width",
      "240",
      ...IN_FILE,
    ]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toBe(`Map: ${png}\n2 entities, 2 squares\n`);
    expect((await readFile(png)).subarray(1, 4).toString()).toBe("PNG");

    const geojson = join(folder, "log.geojson");
    await hamkit(["map", "JN48QM", "--log", log, "--layers", "squares", "-o", geojson, ...IN_FILE]);
    const { type, features } = JSON.parse(await readFile(geojson, "utf8")) as {
      type: string;
      features: { properties: { kind: string } }[];
    };
    expect(type).toBe("FeatureCollection");
    expect(features.map(({ properties }) => properties.kind)).toEqual(["square", "square", "station"]);
  });

  it.each([
    [["--layers", "paths"], 2, "--layers: expected a log as well"],
    [["--log", "none.adi"], 3, "none.adi"],
    [["--log", "LOG", "--layers", "stars"], 2, "Expected one or more of squares, entities, paths."],
    [["--zones", "waz"], 2, "Allowed choices are cq, itu."],
    [["-o", "x.bmp"], 2, '--output: expected a name that ends in .svg, .png, .geojson or .json, got "x.bmp"'],
    [["-o", "x.jpg"], 2, "expected a name that ends in .svg"],
    [["-o", "map"], 2, "expected a name that ends in .svg"],
    [["-o", "map.svg.gz"], 2, "expected a name that ends in .svg"],
    [["-o", "maps.png/"], 3, "the file can't be written"],
    [["-o", "no-folder/map.SVG"], 3, "no-folder/map.SVG: the file can't be written"],
  ])("ends with an error for %j", async (words, code, message) => {
    const { exitCode, stderr, stdout } = await hamkit([
      "map",
      ...words.map((word) => (word === "LOG" ? log : word)),
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toContain(message);
  });
});

describe("hamkit path --map", () => {
  it("outputs the paths as without it, and draws both with day and night and the grid", async () => {
    const { stdout, exitCode } = await hamkit(["path", "JN48QM", "EM10", "--map", path]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("\nShort path   8598.6 km ");
    expect(stdout).toMatch(/\n\nMap: .*map\.svg\n$/);
    const root = parseSvg(await readFile(path, "utf8"));
    expect(ofClass(root, "label").map(({ text }) => text)).toEqual(["JN48QM", "EM10"]);
    expect(ofClass(root, "moment")[0]?.text).toBe("2024-06-30 12:00 UTC");
    for (const name of ["short", "long", "night", "grid"]) expect(ofClass(root, name)).not.toEqual([]);
  });

  it.each(["path.bmp", "path.png", "path", "-"])("is SVG, and refuses %s", async (name) => {
    expect(await hamkit(["path", "JN48QM", "EM10", "--map", name])).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: `error: --map: expected a name that ends in .svg, got "${name}"\n`,
    });
  });

  it("names the file to programs", async () => {
    expect(await hamkitJson(["path", "JN48QM", "EM10", "--map", path])).toMatchObject({ map: path });
    expect(await hamkitJson(["path", "JN48QM", "EM10"])).not.toHaveProperty("map");
  });

  it("replaces a file only with --force", async () => {
    await writeFile(path, "precious");
    expect(await hamkit(["path", "JN48QM", "EM10", "--map", path])).toMatchObject({
      exitCode: 2,
      stdout: "",
    });
    expect(await readFile(path, "utf8")).toBe("precious");
    expect(await hamkit(["path", "JN48QM", "EM10", "--map", path, "--force"])).toMatchObject({ exitCode: 0 });
    expect(await readdir(folder)).toEqual(["map.svg"]);
  });
});
