import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { faultsOf, startChromium } from "./chromium.js";
import { serveFiles, type StaticServer } from "./static-server.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The page that a guide's blocks of HTML make, one behind the other. */
function pageOf(guide: string): string {
  const text = readFileSync(`${root}docs/${guide}.md`, "utf8");
  const blocks = [...text.matchAll(/^```html\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  return `<!doctype html><title>${guide}</title><link rel="icon" href="data:,">${blocks.join("")}`;
}

/** A worker as the guide describes it. */
const WORKER = `
  import { createCountryFile, identify } from "/node_modules/hamkit/dist/lookup.js";
  const table = await createCountryFile(await (await fetch("/cty.csv")).text());
  postMessage(identify("9H1XYZ", { table }).record.country);
`;

let browser: Browser;
let server: StaticServer;
beforeAll(async () => {
  browser = await startChromium();
  server = await serveFiles(root, {
    "/guide-map": pageOf("guide-map"),
    "/guide-web-map": pageOf("guide-web-map"),
    "/worker.js": WORKER,
    "/cty.csv": "9H,Malta,257,EU,15,28,35.88,-14.42,-1.0,9H;\n",
  });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function withPage(path: string, check: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage();
  const faults = faultsOf(page);
  await page.goto(server.url + path);
  await check(page);
  await page.close();
  expect([...faults, ...server.missing]).toEqual([]);
}

describe("the guides", () => {
  it("draw a map as guide-map.md says", () =>
    withPage("/guide-map", async (page) => {
      const map = page.getByRole("img", { name: "Great circle from JN48QM to FN31PR" });
      await map.waitFor();
      expect(await map.locator(".label").allTextContents()).toEqual(["JN48QM", "FN31PR"]);
    }));

  it("look up a callsign as guide-web-map.md says", () =>
    withPage("/guide-web-map", async (page) => {
      await page.getByPlaceholder("W1AW").pressSequentially("zl1aa");
      await page.getByRole("img", { name: "Great circle from JN48QM to ZL1AA" }).waitFor();
      expect(await page.locator("#country").textContent()).toBe("New Zealand");
    }));

  it("identify a callsign in a worker as guide-web-map.md says", () =>
    withPage("/guide-map", async (page) => {
      const country = page.evaluate(
        () =>
          new Promise((resolve, reject) => {
            const worker = new Worker("/worker.js", { type: "module" });
            worker.addEventListener("message", ({ data }) => resolve(data));
            worker.addEventListener("error", ({ message }) => reject(new Error(message)));
          }),
      );
      expect(await country).toBe("Malta");
    }));
});
