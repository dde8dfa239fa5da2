import { createContext, runInContext, type Context } from "node:vm";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const source = fileURLToPath(new URL("../src/", import.meta.url));

/** The modules that run in a browser as they are. */
const PURE = ["locator", "frequency", "lookup", "errors", "map", "scp", "spots", "utils"] as const;

/** A program in one file; for a browser, bundling fails where something needs Node. */
async function bundle(program: string, platform: "browser" | "node" = "browser"): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: source, loader: "ts" },
    bundle: true,
    platform,
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

describe("the pure modules", () => {
  it.each(PURE)("bundle for a browser without any module of Node's: %s", async (name) => {
    const code = await bundle(`export * from "./${name}.js"`);
    expect(code.length).toBeGreaterThan(100);
    expect(code).not.toMatch(/["'`]node:/);
  });

  it("give the same answers in a bare context as here", async () => {
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

  it("are shaken off where nothing of them is used", async () => {
    const one = await bundle(`export { latlongToLocator } from "./locator.js"`);
    const all = await bundle(`export * from "./locator.js"`);
    expect(one.length).toBeLessThan(all.length / 3);
    const band = await bundle(`export { freqToBand } from "./index.js"`, "node");
    expect(band).not.toMatch(/["'`]node:|Fed\. Rep\. of Germany/);
    expect(await bundle(`import "./index.js"`, "node")).not.toMatch(/function|class/);
  });
});
