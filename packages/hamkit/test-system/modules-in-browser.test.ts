import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { faultsOf, startChromium } from "./chromium.js";
import { serveFiles, type StaticServer } from "./static-server.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Every public module by the name that programs import it by, and where it is. */
const MODULES = Object.entries(
  (JSON.parse(readFileSync(`${root}packages/hamkit/package.json`, "utf8")) as PackageFile).exports,
).flatMap(([path, target]) =>
  typeof target === "string" ? [] : [[`hamkit${path.slice(1)}`, target.default.slice(1)] as const],
);

interface PackageFile {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

/** A page with nothing but an import map: one line for each module, and one for the data. */
const PAGE = `<!doctype html><title>modules</title><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify(
  {
    imports: {
      ...Object.fromEntries(MODULES.map(([name, path]) => [name, `/node_modules/hamkit${path}`])),
      "@hamkit/country-data": "/node_modules/@hamkit/country-data/dist/index.js",
    },
  },
)}</script>`;

/** A country file with so many entities that it is taken for a whole one. */
const COUNTRY_FILE = Array.from(
  { length: 300 },
  (_, index) => `Z${index},Country ${index},${index + 1},EU,15,28,35.88,-14.42,-1.0,Z${index};\n`,
).join("");

let browser: Browser;
let server: StaticServer;
let page: Page;
let faults: readonly string[];
beforeAll(async () => {
  browser = await startChromium();
  server = await serveFiles(root, { "/modules.html": PAGE, "/cty.csv": COUNTRY_FILE });
  page = await browser.newPage();
  faults = faultsOf(page);
  await page.goto(`${server.url}/modules.html`);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** What a program makes in the page, which can import every public module. */
function inPage(program: string): Promise<unknown> {
  return page.evaluate(`(async () => {${program}})()`);
}

describe("in a page without a bundler", () => {
  it.each(MODULES)("%s loads", async (name) => {
    expect(await inPage(`return Object.keys(await import("${name}"));`)).not.toEqual([]);
  });

  it("hamkit/locator calculates distances and sun times", async () => {
    const answer = await inPage(`
      const { calculateDistance, calculateSunriseSunset } = await import("hamkit/locator");
      const { sunrise } = calculateSunriseSunset("JN48QM", new Date("2014-01-01T00:00:00Z"));
      return [calculateDistance("JN48QM", "FN31PR"), sunrise.toISOString()];
    `);
    // the haversine formula by hand
    expect(answer).toEqual([expect.closeTo(6168.617, 3), expect.stringMatching(/^2014-01-01T07:1\d/)]);
  });

  it("hamkit/frequency tells the band", async () => {
    const answer = await inPage(`
      const { freqToBand } = await import("hamkit/frequency");
      return freqToBand(14005.3);
    `);
    expect(answer).toEqual({ band: 20, adif: "20m", itu: "HF", mode: "CW" });
  });

  it("hamkit/lookup identifies callsigns by the embedded data", async () => {
    const answer = await inPage(`
      const { identify, loadEmbeddedCountryFile } = await import("hamkit/lookup");
      const table = await loadEmbeddedCountryFile();
      return ["DH1TW", "W1AW/6", "3D2/R/DL1ABC", "NOCALL"].map((call) => {
        const { record, kind } = identify(call, { table });
        return record ? [record.country, record.cqz] : kind;
      });
    `);
    expect(answer).toEqual([
      ["Fed. Rep. of Germany", 14],
      ["United States", 3],
      ["Rotuma Island", 32],
      "unknown",
    ]);
  });

  it("LookupLib and Callinfo answer, and a file is an error of its own", async () => {
    const answer = await inPage(`
      const { Callinfo, isHamkitError, LookupLib } = await import("hamkit");
      const info = new Callinfo(new LookupLib({ offline: true }));
      const failure = await new LookupLib({ filename: "cty.dat" }).ready().catch((error) => error);
      return [await info.getCountryName("HC2/DH1TW"), isHamkitError(failure), failure.code];
    `);
    expect(answer).toEqual(["Ecuador", true, "io/failed"]);
  });

  it("LookupLib copies its data into a Map, and answers from there", async () => {
    const answer = await inPage(`
      const { Callinfo, LookupLib } = await import("hamkit");
      const store = new Map();
      await new LookupLib({ offline: true }).copyDataInKvstore("CF", store);
      const lookup = new LookupLib({ lookuptype: "kvstore", kvInstance: store, kvPrefix: "CF" });
      return [await new Callinfo(lookup).getCountryName("HC2/DH1TW"), (await lookup.lookupEntity(230)).prefix];
    `);
    expect(answer).toEqual(["Ecuador", "DL"]);
  });

  it("LookupLib downloads a country file from a server that lets it", async () => {
    const answer = await inPage(`
      const { LookupLib } = await import("hamkit/lookuplib");
      const warnings = [];
      const lookup = new LookupLib({ url: "/cty.csv", logger: { warn: (message) => warnings.push(message) } });
      return [(await lookup.lookupPrefix("Z7")).country, warnings];
    `);
    expect(answer).toEqual(["Country 7", []]);
  });

  it("hamkit/map draws the path", async () => {
    const paths = await inPage(`
      const { drawMap } = await import("hamkit/map");
      const date = new Date("2024-10-21T20:00Z");
      document.body.innerHTML = await drawMap({ from: "JN48QM", to: "FN31PR", date });
      return [...document.querySelectorAll("svg > path")].map((path) => [
        path.className.baseVal,
        path.getBBox().width > 100,
      ]);
    `);
    expect(paths).toEqual(
      expect.arrayContaining([
        ["land", true],
        ["night dark", true],
        ["route short", true],
      ]),
    );
  });

  it("hamkit/spots decodes and annotates a line of a cluster", async () => {
    const answer = await inPage(`
      const { annotateSpot, decodeSpot } = await import("hamkit/spots");
      const { loadEmbeddedCountryFile } = await import("hamkit/lookup");
      const spot = decodeSpot("DX de DH1TW:     14025.0  JA1ABC       cq          1200Z");
      const { dxStation } = annotateSpot(spot, { table: await loadEmbeddedCountryFile() });
      return [spot.spotter, spot.frequency, dxStation.record.country];
    `);
    expect(answer).toEqual(["DH1TW", 14_025, "Japan"]);
  });

  it("hamkit/scp finds calls by part and by similarity", async () => {
    const answer = await inPage(`
      const { createScpList, findByPart, findSimilar } = await import("hamkit/scp");
      const list = createScpList("DL1ABC\\nDL1ACB\\nK1AB");
      return [findByPart(list, "k1"), findSimilar(list, "DL1ABC").map(({ call }) => call)];
    `);
    expect(answer).toEqual([["K1AB"], ["DL1ABC", "DL1ACB"]]);
  });

  it("nothing is asked for that is not there, and nothing complains", () => {
    expect(server.missing).toEqual([]);
    expect(faults).toEqual([]);
  });
});
