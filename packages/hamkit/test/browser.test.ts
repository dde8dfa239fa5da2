import { readFileSync } from "node:fs";
import { createContext, runInContext, type Context } from "node:vm";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const packageFile = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  exports: Record<string, string | { default: string }>;
};

const source = fileURLToPath(new URL("../src/", import.meta.url));

/** Every public module: all of them load in a browser. */
const MODULES = Object.values(packageFile.exports)
  .filter((target) => typeof target === "object")
  .map((target) => target.default.replace(/^\.\/dist\/|\.js$/g, ""));

/** A program for a browser in one file. Bundling fails where something imports a module of Node's. */
async function bundle(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: source, loader: "ts" },
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "program",
    write: false,
    minify: true,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** A global scope with nothing of Node's in it, but what browsers have too. */
function bareContext(): Context {
  return createContext({ TextDecoder, console });
}

describe("the public modules", () => {
  it("are known here", () => {
    expect(MODULES).toEqual(expect.arrayContaining(["index", "locator", "lookup", "lookuplib", "map"]));
  });

  it.each(MODULES)("bundle for a browser, where nothing can be imported: %s", async (name) => {
    const code = await bundle(`export * from "./${name}.js"`);
    expect(code.length).toBeGreaterThan(100);
    const exported: unknown = runInContext(`${code};program`, bareContext());
    expect(Object.keys(exported as object)).not.toEqual([]);
  });

  it("return the same results in a bare context", async () => {
    const code = await bundle(`
      import { calculateDistance, calculateSunriseSunset } from "./locator.js";
      import { freqToBand } from "./frequency.js";
      import { identify, loadEmbeddedCountryFile } from "./lookup.js";
      export const distance = calculateDistance("JN48QM", "FN31PR");
      export const sunrise = calculateSunriseSunset("JN48QM", new Date("2014-01-01T00:00:00Z")).sunrise.toISOString();
      export const band = freqToBand(14005.3).adif;
      export const country = loadEmbeddedCountryFile().then((table) => identify("DH1TW", { table }).record.country);
    `);
    const program = runInContext(`${code};program`, bareContext()) as Record<string, unknown>;
    expect(program).toMatchObject({ band: "20m" });
    expect(program["distance"]).toBeCloseTo(6168.617, 3); // the haversine formula by hand
    expect(program["sunrise"]).toMatch(/^2014-01-01T07:1\d/);
    expect(await program["country"]).toBe("Fed. Rep. of Germany");
  });

  it("use the embedded data without files, and throw an IOError for a file", async () => {
    const code = await bundle(`
      import { Callinfo } from "./callinfo.js";
      import { LookupLib } from "./lookuplib.js";
      const info = new Callinfo(new LookupLib({ offline: true }));
      export const zone = info.getCqz("W1AW/6");
      export const failure = new LookupLib({ filename: "cty.dat" }).ready().catch((error) => error);
    `);
    const program = runInContext(`${code};program`, bareContext()) as Record<string, unknown>;
    expect(await program["zone"]).toBe(3);
    expect(await program["failure"]).toMatchObject({ code: "io/failed", resource: "cty.dat" });
  });

  it("copy a country file into a Map, and look callsigns up there", async () => {
    const code = await bundle(`
      import { copyIntoKvstore, createKvstore, loadEmbeddedCountryFile } from "./lookup.js";
      const kvInstance = new Map();
      export const country = loadEmbeddedCountryFile()
        .then((table) => copyIntoKvstore(table, { kvInstance, kvPrefix: "CF" }))
        .then(() => createKvstore({ kvInstance, kvPrefix: "CF" }).identify("DH1TW", 0))
        .then((answer) => answer.record.country);
    `);
    const context = createContext({ TextDecoder, AbortController, setTimeout, clearTimeout });
    const program = runInContext(`${code};program`, context) as Record<string, unknown>;
    expect(await program["country"]).toBe("Fed. Rep. of Germany");
  });

  it("are shaken off where nothing of them is used", async () => {
    const one = await bundle(`export { latlongToLocator } from "./locator.js"`);
    const all = await bundle(`export * from "./locator.js"`);
    expect(one.length).toBeLessThan(all.length / 3);
    const band = await bundle(`export { freqToBand } from "./index.js"`);
    expect(band).not.toMatch(/["'`]node:|Fed\. Rep\. of Germany/);
    expect(await bundle(`import "./index.js"`)).not.toMatch(/function|class/);
  });

  it("stay apart: places without zones, counties without areas, references without either", async () => {
    const borders = /HB9HIL/;
    const areas = /Crimea/;
    const counties = /Autauga/;
    const zones = await bundle(`export { zonesAt } from "./index.js"`);
    expect([borders, areas, counties].map((data) => data.test(zones))).toEqual([true, false, false]);
    const entities = await bundle(`export { entitiesAt } from "./index.js"`);
    expect([borders, areas, counties].map((data) => data.test(entities))).toEqual([false, true, false]);
    const names = await bundle(`export { countiesOf } from "./index.js"`);
    expect([borders, areas, counties].map((data) => data.test(names))).toEqual([false, false, true]);
    const lists = await bundle(`export { openReferences } from "./index.js"`);
    expect([borders, areas, counties].map((data) => data.test(lists))).toEqual([false, false, false]);
    const kilobytes = [zones, entities, names, lists].map((code) => gzipSync(code).length / 1000);
    expect(kilobytes[0]).toBeLessThan(62);
    expect(kilobytes[1]).toBeLessThan(115);
    expect(kilobytes[2]).toBeLessThan(15);
    expect(kilobytes[3]).toBeLessThan(12);
  });
});
