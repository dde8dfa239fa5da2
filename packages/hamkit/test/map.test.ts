import { createContext, runInContext } from "node:vm";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { describe, expect, it } from "vitest";

import { loadEmbeddedCountryFile } from "../src/lookup.js";
import { drawMap, placeLog, type MapOptions } from "../src/map.js";
import { sampleLog } from "./map/sample-log.js";
import {
  all,
  distanceToLines,
  draw,
  linesOf,
  ofClass,
  parseSvg,
  type Place,
  type SvgElement,
} from "./map/svg.js";

const PROJECTIONS = ["equirectangular", "natural-earth", "azimuthal"] as const;
const date = new Date("2024-10-21T20:00Z");

/** Everything at once. */
const FULL: MapOptions = { from: "JN48QM", to: "FN31PR", longpath: true, date, grid: true };

/** The middle of a mark, or of letters of size 10. */
function middleOf({ attributes }: SvgElement): Place {
  const at = (name: string) => Number(attributes[name] ?? attributes[`c${name}`]);
  return { x: at("x"), y: attributes["y"] === undefined ? at("y") : at("y") - 3.5 };
}

function isWithin({ x, y }: Place, width: number, height: number) {
  return (other: Place) => Math.abs(other.x - x) < width && Math.abs(other.y - y) < height;
}

describe("drawMap", () => {
  it("draws a map without any options", async () => {
    const root = await draw({});
    expect(root.name).toBe("svg");
    expect(ofClass(root, "land")).toHaveLength(1);
    expect(all(root).filter(({ name }) => name === "text")).toEqual([]);
  });

  it.each(PROJECTIONS)("is well-formed, below 120 kB, and the same each time: %s", async (projection) => {
    for (const width of [240, 960, 4000]) {
      const text = await drawMap({ ...FULL, projection, width });
      expect(() => parseSvg(text)).not.toThrow();
      expect(Buffer.byteLength(text)).toBeLessThan(120_000);
      expect(await drawMap({ ...FULL, projection, width })).toBe(text);
    }
  });

  it("writes coordinates with one decimal place at the most, and no other number with more than two", async () => {
    const text = await drawMap({ ...FULL, projection: "azimuthal" });
    expect(text).not.toMatch(/NaN|Infinity|undefined|\de-\d/);
    expect(text.replace(/<style>.*<\/style>/, "")).not.toMatch(/\.\d\d/);
    expect(text).not.toMatch(/\d\.\d{3}/);
  });

  it("has the size that was asked for", async () => {
    const { attributes } = await draw({ width: 500 });
    expect(attributes["width"]).toBe("500");
    expect(attributes["viewBox"]).toBe(`0 0 500 ${attributes["height"]}`);
  });

  it("marks both stations with their labels, and shows length and heading below", async () => {
    const root = await draw({ from: { locator: "jn48qm", label: "DH1TW" }, to: "fn31pr" });
    expect(ofClass(root, "label").map(({ text }) => text)).toEqual(["DH1TW", "FN31PR"]);
    expect(ofClass(root, "mark")).toHaveLength(2);
    // the haversine formula by hand: 6168.617 km; 295.8° (Aviation Formulary, "Course between points")
    expect(ofClass(root, "caption").map(({ text }) => text)).toEqual(["DH1TW → FN31PR6,169 km · 296°"]);
  });

  it("accepts positions, and calls them by their locators", async () => {
    const root = await draw({
      from: { latitude: 48.52, longitude: 9.375 },
      to: { latitude: 0, longitude: 0 },
    });
    expect(ofClass(root, "label").map(({ text }) => text)).toEqual(["JN48QM", "JJ00AA"]);
  });

  it("leaves a station with an empty label without, and names it by its locator in the caption", async () => {
    const root = await draw({ from: { locator: "JN48QM", label: "" }, to: "FN31PR" });
    expect(ofClass(root, "label").map(({ text }) => text)).toEqual(["FN31PR"]);
    expect(ofClass(root, "names")[0]?.text).toBe("JN48QM → FN31PR");
  });

  it("marks one station alone, without path or caption", async () => {
    const root = await draw({ to: "FN31PR" });
    expect(ofClass(root, "mark")).toHaveLength(1);
    expect(ofClass(root, "route")).toEqual([]);
    expect(ofClass(root, "caption")).toEqual([]);
  });

  it("draws the long path only where it is asked for, in a style of its own", async () => {
    expect(ofClass(await draw({ ...FULL, longpath: false }), "long")).toEqual([]);
    const text = await drawMap(FULL);
    const [onMap, sample] = ofClass(parseSvg(text), "long");
    expect(onMap?.attributes["d"]?.length).toBeGreaterThan(200);
    expect(sample).toBeDefined();
    expect(text).toMatch(/ \.long\{stroke-dasharray:/);
    expect(ofClass(parseSvg(text), "caption")[0]?.text).toContain("Long path33,862 km · 116°");
  });

  it("draws no long path from a place to itself", async () => {
    const root = await draw({ from: "JN48QM", to: "JN48QM", longpath: true });
    expect(ofClass(root, "long")).toEqual([]);
    expect(ofClass(root, "caption")[0]?.text).toBe("JN48QM → JN48QM0 km");
    expect(ofClass(root, "label")).toHaveLength(1);
  });

  it("gives no heading to the antipode, where every direction is right", async () => {
    const to = { latitude: -90, longitude: 0 };
    const root = await draw({ from: { latitude: 90, longitude: 0 }, to, longpath: true });
    expect(ofClass(root, "caption")[0]?.text).not.toContain("°");
    expect(ofClass(root, "caption")[0]?.text).toContain("20,015 km");
  });

  it("shows night only where there is a date, and twilight unless it is not wanted", async () => {
    expect(ofClass(await draw({ ...FULL, date: undefined }), "night")).toEqual([]);
    const areas = (root: SvgElement) => ofClass(root, "night").filter(({ name }) => name === "path");
    expect(areas(await draw({ date }))).toHaveLength(2);
    expect(areas(await draw({ date, twilight: "none" }))).toHaveLength(1);
    expect(ofClass(await draw({ date }), "moment")[0]?.text).toBe("2024-10-21 20:00 UTC");
  });

  it("draws 18 by 18 fields, and letters in those that nothing else covers", async () => {
    const letters = ofClass(await draw({ grid: true }), "field").flatMap(({ children }) => children);
    expect(new Set(letters.map(({ text }) => text)).size).toBe(324);
    const jn = letters.find(({ text }) => text === "JN");
    // JN is from 0° to 20° E and from 40° to 50° N; its center on a map with margins of 12
    expect(Number(jn?.attributes["x"])).toBeCloseTo(12 + (190 / 360) * 936, 0);
    expect(Number(jn?.attributes["y"])).toBeCloseTo(12 + (45 / 180) * 468 + 3.5, 0);
    expect(ofClass(await draw({}), "grid")).toEqual([]);
  });

  it.each(PROJECTIONS)("keeps letters off the path, the stations and each other: %s", async (projection) => {
    for (const width of [480, 960, 1600]) {
      const root = await draw({ ...FULL, projection, width });
      const unit = Math.sqrt(Math.max(width, 614) / 960);
      const letters = ofClass(root, "field").flatMap(({ children }) => children.map(middleOf));
      expect(letters.length).toBeGreaterThan(100);
      for (const [index, letter] of letters.entries()) {
        const others = letters.slice(0, index);
        // two bold letters of size 10 are 14 wide and 7 high
        expect(others.filter(isWithin(letter, 15.9 * unit, 9.9 * unit))).toEqual([]);
        expect(
          ofClass(root, "mark")
            .map(middleOf)
            .filter(isWithin(letter, 12 * unit, 9 * unit)),
        ).toEqual([]);
        expect(distanceToLines(letter, linesOf(root, "route", "short"))).toBeGreaterThan(4 * unit);
      }
    }
  });

  it("moves letters that a station would cover within their field", async () => {
    const letters = ofClass(await draw({ grid: true, from: "JN55" }), "field").flatMap(
      ({ children }) => children,
    );
    const jn = letters.find(({ text }) => text === "JN");
    // JN is from 0° to 20° E, on a map that is 936 wide
    expect(Number(jn?.attributes["x"])).toBeCloseTo(12 + (184 / 360) * 936, 0);
  });

  // Fixed: labels lay across short paths on wide maps, since paths were known by points of 2° only.
  it.each([
    [4000, 4.45, -104.03, 0.09, -97.62],
    [4000, -52.66, -94, -56.1, -88.43],
    [4000, 62.18, -136.28, 58.74, -142.95],
    [4000, -11.82, -126.15, -16.32, -119.81],
    [4000, 61.54, 19.37, 66.04, 26.03],
    [4000, 41.81, -92.38, 37.32, -99.68],
    [2000, 64.82, 57.98, 59.83, 64.23],
    [960, 48.5, 9.4, 49.5, 7],
    [480, 48.5, 9.4, 51.5, 7],
  ])(
    "keeps labels off a short path: %d pixels wide, from %d %d",
    async (width, latitude, longitude, la, lo) => {
      const from = { latitude, longitude, label: "DH1TW" };
      const root = await draw({ from, to: { latitude: la, longitude: lo, label: "DL1ABC" }, width });
      const unit = Math.sqrt(Math.max(width, 614) / 960);
      const lines = linesOf(root, "route", "short");
      const covered = ofClass(root, "label").filter(({ attributes, text }) => {
        // letters of size 13 are 9.5 high, and at least 8 wide
        const y = Number(attributes["y"]) - 4.7 * unit;
        const length = 8 * text.length * unit;
        const share = { start: 0.5, middle: 0, end: -0.5 }[attributes["text-anchor"] ?? "start"] ?? 0;
        const middle = Number(attributes["x"]) + share * length;
        const points = Array.from({ length: 41 }, (_, i) => ({ x: middle + (i / 40 - 0.5) * length, y }));
        return points.some((point) => distanceToLines(point, lines) < 4.7 * unit);
      });
      expect(covered).toEqual([]);
    },
  );

  it("draws no letters on a map too small for them", async () => {
    const root = await draw({ grid: true, width: 240 });
    expect(ofClass(root, "grid")).toHaveLength(1);
    expect(ofClass(root, "field")[0]?.children).toEqual([]);
  });

  it("is what the documentation shows", async () => {
    const options = { from: "JN48QM", to: "FN31PR", date: new Date("2024-10-21T20:00Z") };
    await expect(await drawMap(options)).toMatchFileSnapshot("../../../docs/images/path.svg");
    await expect(await drawMap({ zones: "cq", width: 800 })).toMatchFileSnapshot(
      "../../../docs/images/zones.svg",
    );
  });

  it("is what the documentation shows of a log", async () => {
    const placed = await placeLog(await sampleLog(), {
      table: await loadEmbeddedCountryFile(),
      locator: "JN48QM",
    });
    const { squares, entities, paths } = placed;
    const from = { locator: "JN48QM", label: "DH1TW" };
    const maps = { log: { from, squares, entities, width: 800 }, paths: { from, paths, width: 800 } };
    await expect(await drawMap(maps.log)).toMatchFileSnapshot("../../../docs/images/log.svg");
    await expect(await drawMap(maps.paths)).toMatchFileSnapshot("../../../docs/images/paths.svg");
  });
});

describe("for people who can't see it, a map", () => {
  it("is a picture with a name and a description of what is drawn", async () => {
    const root = await draw(FULL);
    const { id = "", role } = root.attributes;
    expect(role).toBe("img");
    expect(root.attributes["aria-labelledby"]).toBe(`${id}-title ${id}-desc`);
    const [title, desc] = root.children;
    expect(title).toMatchObject({
      attributes: { id: `${id}-title` },
      text: "Great circle from JN48QM to FN31PR",
    });
    expect(desc?.attributes["id"]).toBe(`${id}-desc`);
    expect(desc?.text).toBe(
      "Equirectangular world map. Short path: 6,169 km, heading 296°. Long path: 33,862 km, heading 116°. " +
        "Day and night at 2024-10-21 20:00 UTC. Locator fields.",
    );
  });

  it("takes a name and a description from the caller", async () => {
    const root = await draw({ title: "Our path", desc: "By night" });
    expect(root.children.slice(0, 2).map(({ text }) => text)).toEqual(["Our path", "By night"]);
  });
});

describe("two maps on a page", () => {
  const idsOf = async (options: MapOptions) =>
    all(await draw(options)).flatMap(({ attributes: { id } }) => (id === undefined ? [] : [id]));

  it("have no id in common, unless they are equal", async () => {
    const variants: MapOptions[] = [
      {},
      FULL,
      { ...FULL, theme: "dark" },
      { ...FULL, title: "x" },
      { ...FULL, desc: "x" },
      { ...FULL, width: 400 },
      { ...FULL, grid: false },
    ];
    const ids = (await Promise.all(variants.map(idsOf))).flat();
    expect(ids.length).toBe(3 * variants.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("take their ids from the caller", async () => {
    expect(await idsOf({ id: "west" })).toEqual(["west", "west-title", "west-desc"]);
  });

  it("have style sheets that reach nothing outside of them", async () => {
    const root = await draw({ id: "west" });
    const [sheet = ""] = all(root).flatMap(({ name, text }) => (name === "style" ? [text] : []));
    const rules = sheet.replace(/@media\([a-z-]+:dark\)\{(.*)\}$/, "$1");
    const selectors = rules
      .split("}")
      .flatMap((rule) => (rule === "" ? [] : (rule.split("{")[0] ?? "").split(",")));
    expect(selectors.length).toBeGreaterThan(50);
    for (const selector of selectors) expect(selector).toMatch(/^#west( \.[a-z]+)*$/);
    expect(sheet).not.toMatch(/url\(|@import|expression/);
  });

  it("have rules for every class that is used", async () => {
    const root = await draw({ ...FULL, projection: "azimuthal" });
    const [sheet = ""] = all(root).flatMap(({ name, text }) => (name === "style" ? [text] : []));
    const classes = new Set(all(root).flatMap(({ attributes }) => attributes["class"]?.split(" ") ?? []));
    const unstyled = [...classes].filter((name) => !new RegExp(`\\.${name}[ ,{]`).test(sheet));
    expect(unstyled).toEqual(["short", "mark"]); // there to tell what is what
  });
});

describe("hamkit/map", () => {
  const source = fileURLToPath(new URL("../src/", import.meta.url));
  const program = { contents: `export * from "./map.js"`, resolveDir: source, loader: "ts" } as const;

  it("loads projections and coasts only when a map is drawn", async () => {
    const { metafile } = await build({
      stdin: program,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      outdir: "out",
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    const entry = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === "<stdin>");
    const loaded = [
      entry,
      ...(entry?.imports ?? []).map(({ kind, path }) =>
        kind === "import-statement" ? metafile.outputs[path] : undefined,
      ),
    ];
    const inputs = loaded.flatMap((output) => Object.keys(output?.inputs ?? {}));
    expect(inputs.some((path) => path.endsWith("map/map-options.ts"))).toBe(true);
    expect(inputs.filter((path) => /d3|land|render/.test(path))).toEqual([]);
    expect(
      Object.values(metafile.outputs).some(({ inputs: sources }) =>
        Object.keys(sources).some((path) => path.endsWith("map/land.ts")),
      ),
    ).toBe(true);
  });

  it("draws the same map in a place that has nothing but JavaScript", async () => {
    const { outputFiles } = await build({
      stdin: program,
      bundle: true,
      format: "iife",
      globalName: "program",
      platform: "browser",
      write: false,
      logLevel: "silent",
    });
    const code = outputFiles[0]?.text ?? "";
    expect(code).not.toMatch(/\bnode:|\brequire\(/);
    const bare = runInContext(
      `${code};program.drawMap({ from: "JN48QM", to: "FN31PR", longpath: true, date: new Date("2024-10-21T20:00Z"), grid: true })`,
      createContext({}),
    ) as Promise<string>;
    expect(await bare).toBe(await drawMap(FULL));
  });
});
