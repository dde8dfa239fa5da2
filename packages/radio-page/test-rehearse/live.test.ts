/** Thousands of spots, and a day of them in a minute, on a machine that does nothing else. */
import { readFile } from "node:fs/promises";
import { loadavg } from "node:os";

import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { startChromium } from "../../hamkit/test-system/chromium.js";
import {
  dxLine,
  freeUdpPort,
  sendDecodes,
  serve,
  startCluster,
  type Cluster,
  type Served,
} from "../test-system/live-doubles.js";
import { stationOf, DECODES, decodesOf, PERIODS } from "./wsjtx-decodes.js";

let browser: Browser;
const cleanups: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const PREFIXES = [
  "W1",
  "K6",
  "DL5",
  "JA3",
  "VK2",
  "ZL4",
  "PY2",
  "ZS6",
  "UA9",
  "G4",
  "F5",
  "EA7",
  "I2",
  "VE3",
  "LU7",
];
const BANDS = [1_825, 3_525, 7_025, 10_110, 14_025, 18_075, 21_025, 24_895, 28_025];
const SPOTTERS = ["DL1ABC", "W3LPL", "JA1XYZ", "VK4AAA", "PY1BBB", "ZS1CCC"];

/** A spot of a station that no spot was of before, for some thousands. */
function line(index: number): string {
  const prefix = PREFIXES[index % PREFIXES.length] ?? "";
  const letters = Array.from({ length: 3 }, (_, place) =>
    String.fromCharCode(65 + (Math.floor(index / PREFIXES.length / 26 ** place) % 26)),
  );
  const kHz = (BANDS[index % BANDS.length] ?? 0) + (index % 23);
  return dxLine(SPOTTERS[index % SPOTTERS.length] ?? "", kHz, prefix + letters.join(""), "CW 12 dB");
}

interface Scene {
  readonly cluster: Cluster;
  readonly served: Served;
  readonly page: Page;
}

async function open(): Promise<Scene> {
  const cluster = await startCluster();
  cleanups.push(() => cluster.close());
  const { served, page } = await openPage("--connect", cluster.address, "--login", "N0CALL");
  await expect.poll(() => cluster.clients).toBe(1);
  return { cluster, served, page };
}

/** @param sources Of the spots, as options of `hamkit serve`. */
async function openPage(...sources: readonly string[]): Promise<Pick<Scene, "served" | "page">> {
  const served = await serve("--port", "0", ...sources);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  cleanups.push(
    () => served.stop(),
    () => context.close(),
  );
  const page = await context.newPage();
  await page.goto(`${served.url}#from=JN48QM`);
  await page.getByRole("button", { name: "Live" }).click();
  await page.getByText("connected, no spots yet").waitFor();
  return { served, page };
}

const pause = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The longest tasks of the page's main thread, in milliseconds of the processor: what else runs on the machine does not count. */
async function longestTasks(page: Page, act: () => Promise<void>): Promise<number[]> {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await act();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const names = trace.traceEvents.filter(({ name }) => name === "thread_name");
  const pages = new Set(names.filter(({ args }) => args.name === "CrRendererMain").map(threadOf));
  return trace.traceEvents
    .filter((event) => event.ph === "X" && event.name.endsWith("RunTask") && pages.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1000)
    .toSorted((one, other) => other - one);
}

/** Milliseconds of the clock from frame to frame, which also what else runs on the machine makes longer. */
async function framesOf(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(globalThis, { frames });
    let last = performance.now();
    const next = (now: number) => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await act();
  const frames = (await page.evaluate("globalThis.frames")) as number[];
  return frames.toSorted((one, other) => one - other);
}

it("moves and filters 5,000 spots, while more arrive, with no task over 50 ms", async () => {
  const { cluster, page } = await open();
  let sent = 0;
  const send = (count: number) => cluster.send(...Array.from({ length: count }, () => line(sent++)));
  for (let round = 0; round < 26; round++) {
    send(200);
    await pause(50);
  }
  const total = page.getByRole("status").filter({ hasText: /spots$/ });
  await expect.poll(() => total.textContent(), { timeout: 30_000 }).toBe("5,000 spots");

  const { x = 0, y = 0 } = (await page.getByRole("application").boundingBox()) ?? {};
  const spots = page.getByRole("region", { name: "Spots", exact: true });
  const timer = setInterval(() => send(4), 100);
  const act = async () => {
    await page.mouse.move(x + 900, y + 200);
    await page.mouse.down();
    for (let step = 0; step < 60; step++) await page.mouse.move(x + 900 - 5 * step, y + 200 + step);
    await page.mouse.up();
    for (let step = 1; step <= 30; step++) {
      await spots.evaluate((element, top) => element.scrollTo(0, top), step * 2500);
      await pause(50);
    }
    await page.getByRole("button", { name: /^20m/ }).click();
    await pause(500);
    await page.getByRole("button", { name: "Show all spots" }).click();
    await pause(3000);
  };
  const tasks = await longestTasks(page, act);
  const frames = await framesOf(page, act);
  clearInterval(timer);
  const share = (part: number) => Math.round(frames[Math.floor(part * (frames.length - 1))] ?? 0);
  process.stdout.write(
    `the longest tasks: ${tasks.slice(0, 5).map(Math.round).join(", ")} ms of the processor; ${frames.length} frames by the clock: ` +
      `median ${share(0.5)}, 99 % ${share(0.99)}, longest ${share(1)} ms, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  expect(tasks.length).toBeGreaterThan(100);
  expect(tasks[0]).toBeLessThanOrEqual(50);
});

async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0;
}

/** Of the server, in bytes (Linux). */
async function residentBytes({ process: { pid } }: Served): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** What the Reverse Beacon Network has on a quiet day. */
const SPOTS_OF_A_DAY = 120_000;

it("needs no more memory after the spots of a day", async () => {
  const { cluster, served, page } = await open();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const last = page.getByRole("region", { name: "Spots", exact: true }).getByRole("button").first();
  const heaps: number[] = [];
  for (let sent = 500; sent <= SPOTS_OF_A_DAY; sent += 500) {
    cluster.send(...Array.from({ length: 500 }, (_, index) => line(sent - 500 + index)));
    await pause(200);
    if (sent % 20_000 !== 0) continue;
    const call = line(sent - 1)
      .slice(27, 40)
      .trim();
    await expect.poll(() => last.textContent(), { timeout: 60_000 }).toBe(call);
    heaps.push(await heapOf(session));
  }
  process.stdout.write(`heap of the page: ${heaps.map((bytes) => (bytes / 1e6).toFixed(1)).join(", ")} MB\n`);
  expect(Math.max(...heaps)).toBeLessThan(60e6);
  expect(await residentBytes(served)).toBeLessThan(300e6);
  // From the second on, all 5,000 places are taken.
  expect(heaps.at(-1)).toBeLessThan(1.3 * (heaps[1] ?? 0));
}, 300_000);

/** Between two periods, instead of 15 s: 360 times as fast as on the air. */
const PERIOD_MS = 40;

it("shows an hour of WSJT-X on a busy band with no task over 50 ms, and needs no more memory at its end", async () => {
  const udpPort = await freeUdpPort();
  const { page } = await openPage("--wsjtx", String(udpPort));
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const last = page.getByRole("region", { name: "Spots", exact: true }).getByRole("button").first();
  const heaps: number[] = [];
  let longest = 0;
  for (let quarter = 0; quarter < 4; quarter++) {
    const end = ((quarter + 1) * PERIODS) / 4;
    const tasks = await longestTasks(page, async () => {
      for (let period = end - PERIODS / 4; period < end; period++) {
        await sendDecodes(udpPort, ...decodesOf(period));
        await pause(PERIOD_MS);
      }
      await expect.poll(() => last.textContent(), { timeout: 30_000 }).toBe(stationOf(end * DECODES - 1));
    });
    longest = Math.max(longest, tasks[0] ?? Infinity);
    heaps.push(await heapOf(session));
  }
  const megabytes = heaps.map((bytes) => (bytes / 1e6).toFixed(1)).join(", ");
  process.stdout.write(
    `${PERIODS * DECODES} decodes; the longest task: ${Math.round(longest)} ms of the processor; heap of the page: ${megabytes} MB\n`,
  );
  expect(longest).toBeLessThanOrEqual(50);
  // After 36 minutes, all 5,000 places are taken.
  expect(heaps[3]).toBeLessThan(1.1 * (heaps[2] ?? 0));
}, 120_000);
