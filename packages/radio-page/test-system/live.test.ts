/** The live page in Chromium, with a real server and doubles of the feeds over TCP, HTTP and UDP. */
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { startChromium } from "../../hamkit/test-system/chromium.js";
import { findings } from "./axe-findings.js";
import {
  dxLine,
  freeUdpPort,
  parkSpot,
  sendDecodes,
  serve,
  startCluster,
  startParks,
  type Cluster,
  type Parks,
  type Served,
} from "./live-doubles.js";
import { adif, fact, openMore } from "./radio-page.js";

const WORKED = {
  CALL: "W1AW",
  QSO_DATE: "20240601",
  TIME_ON: "1200",
  BAND: "20m",
  MODE: "CW",
  DXCC: "291",
  STATE: "CT",
  LOTW_QSL_RCVD: "Y",
};

let browser: Browser;
let folder: string;
let context: BrowserContext | undefined;
/** One for all tests, in their order: a server takes a second to start. */
let scene: Scene;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "radio-live-"));
  [browser, scene] = await Promise.all([startChromium(), startScene()]);
});
afterAll(async () => {
  await Promise.all([browser.close(), scene.served.stop(), scene.cluster.close(), scene.parks.close()]);
  await rm(folder, { recursive: true });
});
afterEach(() => context?.close());

interface Scene {
  readonly cluster: Cluster;
  readonly parks: Parks;
  readonly udpPort: number;
  readonly log: string;
  served: Served;
  readonly words: readonly string[];
}

async function startScene(): Promise<Scene> {
  const cluster = await startCluster();
  const parks = await startParks([parkSpot("K1PRK", "US-6653")]);
  const udpPort = await freeUdpPort();
  const log = join(folder, `mylog-${udpPort}.adi`);
  await writeFile(log, adif(WORKED));
  const words = ["--connect", `${cluster.address},pota=${parks.url}`, "--login", "N0CALL"];
  words.push("--from", "JN48QM", "--wsjtx", String(udpPort), "--log", log);
  const served = await serve("--port", "0", ...words);
  await vi.waitFor(() => expect(cluster.clients).toBe(1));
  return { cluster, parks, udpPort, log, words, served };
}

async function openPage(options: BrowserContextOptions = {}, faults: string[] = []): Promise<Page> {
  context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    ...options,
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(scene.served.url);
  return page;
}

async function openLive(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Live" }).click();
}

const table = (page: Page) => page.getByRole("region", { name: "Spots", exact: true });
const row = (page: Page, call: string) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.getByRole("button", { name: call, exact: true }) });

describe("the page of a server", () => {
  it("has the own locator of the server, and spots on the map, where a click looks them up", async () => {
    const page = await openPage();
    await page.getByRole("button", { name: "From JN48QM" }).waitFor(); // not asked for: the server knows it
    await openLive(page);
    await row(page, "K1PRK").waitFor();
    // The only spot with a place of its own: its pixels are the only ones.
    const point = await page.waitForFunction(() => {
      const canvas = document.querySelector<HTMLCanvasElement>("canvas.spot-layer");
      const pixels = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height);
      const first = pixels?.data.findIndex((value, index) => index % 4 === 3 && value > 250) ?? -1;
      if (canvas === null || pixels === undefined || first < 0) return undefined;
      const { left, top } = canvas.getBoundingClientRect();
      const pixel = (first - 3) / 4;
      return { x: left + (pixel % canvas.width), y: top + Math.floor(pixel / canvas.width) + 3 };
    });
    const { x = 0, y = 0 } = (await point.jsonValue()) ?? {};
    await page.mouse.click(x, y);
    await page.getByRole("heading", { name: "K1PRK" }).waitFor();
    expect(await fact(page, "Place")).toMatch(/^EN72/);
  });

  it.each([
    ["light", { width: 1440, height: 900 }],
    ["dark", { width: 390, height: 844 }],
  ] as const)(
    "can be used by everyone, and fits: axe-core finds nothing, %s, %o",
    async (colorScheme, viewport) => {
      const page = await openPage({ viewport, colorScheme });
      await openMore(page);
      await page.getByLabel("Colors").selectOption(colorScheme === "light" ? "Light" : "Dark");
      await page.keyboard.press("Escape");
      await openLive(page);
      await row(page, "K1PRK").waitFor();
      await page.getByText("Alerts", { exact: true }).click();
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    },
  );

  it("shows spots of all sources with what they would be, filters them, looks them up, and survives a restart", async () => {
    const faults: string[] = [];
    const page = await openPage({}, faults);
    await openLive(page);
    scene.cluster.send(
      dxLine("DL1ABC", 14_025, "JA1ABC", "CW"),
      dxLine("W3LPL", 7_025, "W2XYZ", "CW"),
      dxLine("W3LPL", 14_030, "W4DUP", "CW"),
    );
    await sendDecodes(scene.udpPort, "CQ PY2AAA GG66");
    for (const call of ["JA1ABC", "W2XYZ", "W4DUP", "K1PRK", "PY2AAA"]) await row(page, call).waitFor();
    for (const source of [scene.cluster.address, "POTA", "WSJT-X"])
      await page.getByRole("list", { name: "Sources" }).getByText(source).waitFor();
    expect(await page.getByText("connected, last spot").count()).toBe(3);

    // The log has one contact with the United States, on 20m in CW.
    expect(await row(page, "JA1ABC").textContent()).toMatch(/New entity.*New zone 25/);
    expect(await row(page, "W2XYZ").textContent()).toMatch(/New entity on 40m/);
    expect(await row(page, "W4DUP").textContent()).not.toMatch(/New|not confirmed/);
    expect(await row(page, "K1PRK").textContent()).toContain("New park US-6653");

    await page.getByRole("button", { name: /^40m/ }).click();
    await expect.poll(() => table(page).getByRole("button").allTextContents()).toEqual(["W2XYZ"]);
    await page.getByRole("button", { name: "Show all spots" }).click();
    await page.getByRole("group", { name: "Heard in" }).getByRole("button", { name: /^EU/ }).click();
    await expect
      .poll(async () => (await table(page).getByRole("button").allTextContents()).sort())
      .toEqual(["JA1ABC", "PY2AAA"]);
    await page.getByRole("button", { name: "Show all spots" }).click();
    await page.getByLabel("Needed only").check();
    await expect.poll(() => row(page, "W4DUP").count()).toBe(0);
    expect(await row(page, "JA1ABC").count()).toBe(1);
    await page.getByLabel("Needed only").uncheck();

    // By the keyboard.
    await row(page, "JA1ABC").getByRole("button").press("Enter");
    await page.getByRole("heading", { name: "JA1ABC" }).waitFor();
    await expect.poll(() => fact(page, "For the log")).toContain("New entity");
    expect(await fact(page, "Frequency")).toBe("14.025 MHz, 20m, CW");

    // A program logs it.
    await appendFile(
      scene.log,
      adif({ ...WORKED, CALL: "JA1ABC", DXCC: "339", STATE: "" }).replace("Test <EOH>\n", ""),
    );
    await expect.poll(() => row(page, "JA1ABC").textContent(), { timeout: 5000 }).not.toContain("New entity");

    const { port } = scene.served;
    await scene.served.stop();
    await page.getByText(/^Reconnecting to the server/).waitFor();
    expect(await row(page, "JA1ABC").count()).toBe(1);
    scene.served = await serve("--port", String(port), ...scene.words);
    await page
      .getByText(/^Reconnecting to the server/)
      .waitFor({ state: "detached", timeout: 10_000 })
      .catch(() => {});
    await expect.poll(() => scene.cluster.clients).toBe(1);
    scene.cluster.send(dxLine("DL1ABC", 14_040, "ZS1NEW", "CW"));
    // A call in the table has the focus: it stands still until the user wants to see more.
    await page.getByRole("button", { name: /new spots?$/ }).click();
    await row(page, "ZS1NEW").waitFor({ timeout: 10_000 });
    expect(faults).toEqual([]);
  });

  it("announces what is needed, once the user asks for it, and remembers that", async () => {
    const page = await openPage({ permissions: ["notifications"] });
    await page.addInitScript(() => {
      const shown: string[] = [];
      class Recorded extends EventTarget {
        static permission = "granted";
        static requestPermission = async () => "granted";
        constructor(title: string, { body }: { body: string }) {
          super();
          shown.push(`${title}: ${body}`);
        }
      }
      Object.assign(globalThis, { Notification: Recorded, shown });
    });
    await page.reload();
    await openLive(page);
    const shown = () => page.evaluate("globalThis.shown") as Promise<string[]>;
    scene.cluster.send(dxLine("DL1ABC", 14_025, "JA1ABC", "CW"));
    await row(page, "JA1ABC").waitFor();
    expect(await shown()).toEqual([]);
    await page.getByText("Alerts", { exact: true }).click();
    await page.getByLabel("Desktop notification").check();
    scene.cluster.send(dxLine("DL1ABC", 14_035, "VK2ABC", "CW"), dxLine("DL1ABC", 14_036, "W4DUP", "CW"));
    await expect.poll(shown).toEqual(["VK2ABC on 14035.0 kHz, CW: Australia, New entity, New zone 30"]);
    await page.reload();
    await page.getByText("Alerts on", { exact: true }).waitFor();
  });
});
