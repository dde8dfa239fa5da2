import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build as buildWithEsbuild } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { build as buildWithVite, createLogger } from "vite";

import { faultsOf, startChromium } from "./chromium.js";
import { serveFiles } from "./static-server.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A program that has installed hamkit: it imports the root module and two others. */
const PROGRAM = `
  import { Callinfo, calculateDistance, isHamkitError, LookupLib } from "hamkit";
  import { identify, loadEmbeddedCountryFile } from "hamkit/lookup";
  import { drawMap } from "hamkit/map";

  const info = new Callinfo(new LookupLib({ offline: true }));
  const failure = await new LookupLib({ filename: "cty.dat" }).ready().catch((error) => error);
  const svg = await drawMap({ from: "JN48QM", to: "FN31PR" });
  const answer = identify("DH1TW", { table: await loadEmbeddedCountryFile() });
  globalThis.answer = {
    country: await info.getCountryName("W1AW/6"),
    zone: answer.record.cqz,
    distance: Math.round(calculateDistance("JN48QM", "FN31PR")),
    map: svg.startsWith("<svg "),
    error: isHamkitError(failure),
  };
  document.title = "done";
`;
const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-bundle-"));
  await install("hamkit", "packages/hamkit");
  await install("@hamkit/country-data", "packages/country-data");
  await install("satellite.js", "node_modules/satellite.js");
  await writeFile(join(folder, "package.json"), `{ "type": "module" }`);
  // esbuild would read one of the folders above.
  await writeFile(join(folder, "tsconfig.json"), "{}");
  await writeFile(join(folder, "main.js"), PROGRAM);
  await writeFile(join(folder, "index.html"), PAGE);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Puts a package where npm would, alone: there is nothing else to be found. */
async function install(name: string, path: string): Promise<void> {
  for (const part of ["package.json", "dist"])
    await cp(join(root, path, part), join(folder, "node_modules", name, part), { recursive: true });
}

/** What the program finds out in a page that is served from a folder. */
async function run(served: string): Promise<unknown> {
  const server = await serveFiles(served);
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    const faults = faultsOf(page);
    await page.goto(`${server.url}/index.html`);
    await page.waitForFunction(() => document.title === "done");
    expect([...faults, ...server.missing]).toEqual([]);
    return await page.evaluate(() => (globalThis as { answer?: unknown }).answer);
  } finally {
    await browser.close();
    await server.close();
  }
}

const EXPECTED = { country: "United States", zone: 14, distance: 6169, map: true, error: true };

describe("a program for the browser", () => {
  it("is bundled by esbuild without any setting, and runs", async () => {
    const output = join(folder, "dist");
    await mkdir(output);
    const { warnings } = await buildWithEsbuild({
      entryPoints: [join(folder, "main.js")],
      outdir: output,
      bundle: true,
      splitting: true,
      format: "esm",
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    await writeFile(join(output, "index.html"), PAGE);
    expect(await run(output)).toEqual(EXPECTED);
  });

  it("is bundled by Vite without any setting, and runs", async () => {
    const complaints: string[] = [];
    const warn = (message: string): void => void complaints.push(message);
    const customLogger = { ...createLogger("silent"), warn, warnOnce: warn, error: warn };
    await buildWithVite({ root: folder, configFile: false, customLogger });
    expect(complaints).toEqual([]);
    expect(await readdir(join(folder, "dist"))).toContain("index.html");
    expect(await run(join(folder, "dist"))).toEqual(EXPECTED);
  });
});
