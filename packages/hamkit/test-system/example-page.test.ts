import { fileURLToPath } from "node:url";

import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { faultsOf, startChromium } from "./chromium.js";
import { serveFiles, type StaticServer } from "./static-server.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const PHONE = { width: 360, height: 740 };

let browser: Browser;
let server: StaticServer;
beforeAll(async () => {
  browser = await startChromium();
  server = await serveFiles(root);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

let page: Page;
let faults: readonly string[];
beforeEach(() => openPage());
afterEach(async () => {
  await page.context().close();
  const complaints = [...faults, ...server.missing];
  if (complaints.length > 0) throw new Error(`The page complains: ${complaints.join("; ")}`);
});

async function openPage(options: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext(options);
  page = await context.newPage();
  faults = faultsOf(page);
  await page.goto(`${server.url}/packages/hamkit/examples/web-map/index.html`);
}

async function reopenPage(options: BrowserContextOptions): Promise<void> {
  await page.context().close();
  await openPage(options);
}

async function ask(call: string, locator?: string): Promise<void> {
  await page.getByLabel("Callsign").fill(call);
  if (locator !== undefined) await page.getByLabel("Your locator").fill(locator);
  await page.getByRole("button", { name: "Show" }).click();
}

/** The value beside a term. */
async function fact(name: string): Promise<string | null> {
  const group = page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });
  return group.locator("dd").textContent();
}

describe("the example page", () => {
  it("tells where a callsign is, and how far and in which direction", async () => {
    await ask("hc2/dh1tw");
    await page.getByText("HC2/DH1TW is in Ecuador").waitFor();
    expect(await page.getByRole("status").textContent()).toBe("HC2/DH1TW is in Ecuador");
    expect(await fact("CQ zone")).toBe("10");
    expect(await fact("Continent")).toBe("SA");
    expect(await fact("Matched by")).toBe("prefix HC");
    // By the haversine formula from the middle of JN48QM to that of FI08TO: 9958.2 km, 267.4°
    expect(await fact("Distance")).toBe("9,958 km");
    expect(await fact("Heading")).toBe("267°");
  });

  it("draws the path, day and night, with a name and a description for people who can't see it", async () => {
    await ask("W1AW");
    const map = page.getByRole("img", { name: "Great circle from JN48QM to W1AW" });
    await map.waitFor();
    expect(await map.locator(".route.short").count()).toBe(1 + 1); // on the map, and as a sample in the caption
    expect(await map.locator(".route.long").count()).toBe(0);
    expect(await map.locator("path.night").count()).toBe(2);
    const route = await map.locator("path.route.short").first().boundingBox();
    const whole = await map.boundingBox();
    // From 9° E to 92° W: 101 of 360 degrees; a sphere is 936 of 960 pixels wide
    expect((route?.width ?? 0) / (whole?.width ?? 1)).toBeCloseTo((101 / 360) * (936 / 960), 1);
  });

  it("draws the long path too, and another one from elsewhere", async () => {
    await page.getByLabel("Long path").check();
    await ask("ZL1AA", "fn31pr");
    await page.getByRole("img", { name: "Great circle from FN31PR to ZL1AA" }).waitFor();
    expect(await page.locator("figure .route.long").count()).toBe(2);
  });

  it("says what it can't know", async () => {
    await ask("NOCALL");
    await page.getByText("Unknown callsign NOCALL").waitFor();
    await ask("DH1TW/MM");
    await page.getByText("DH1TW/MM has no position: MARITIME MOBILE").waitFor();
    await ask("W1AW", "ZZ99");
    await page.getByText('"ZZ99" is not a locator').waitFor();
    expect(await page.locator("figure svg").count()).toBe(0);
  });

  it("takes markup for text", async () => {
    await page.getByLabel("Callsign").fill("<img src=x onerror=alert(1)>");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("Unknown callsign <IMG SRC=X").waitFor();
    expect(await page.locator("img").count()).toBe(0);
  });

  it("changes its colors with the system, the map's too", async () => {
    const colors: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await reopenPage({ colorScheme });
      await ask("W1AW");
      await page.locator("figure svg").waitFor();
      for (const part of [
        page.locator("html"),
        page.locator("figure .paper"),
        page.locator("figure path.land"),
      ]) {
        colors.push(
          await part.evaluate((element) => {
            const { backgroundColor, fill } = getComputedStyle(element);
            return element.localName === "html" ? backgroundColor : fill;
          }),
        );
      }
    }
    expect(colors.slice(1, 3)).toEqual(["rgb(255, 255, 255)", "rgb(251, 249, 243)"]);
    expect(colors.slice(4, 6)).toEqual(["rgb(14, 20, 27)", "rgb(67, 87, 107)"]);
  });

  it("fits a phone, and can be read on it", async () => {
    await reopenPage({ viewport: PHONE });
    await ask("W1AW");
    const map = await page.locator("figure svg").boundingBox();
    expect((map?.x ?? 0) + (map?.width ?? 0)).toBeLessThanOrEqual(PHONE.width);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    const label = await page.locator("figure .label").first().boundingBox();
    expect(label?.height).toBeGreaterThan(10);
  });
});
