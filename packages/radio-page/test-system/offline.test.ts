import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { startChromium } from "../../hamkit/test-system/chromium.js";
import { adif, lookUpText, openLogText, switchLayer } from "./radio-page.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const { serviceWorkerOf } = (await import(
  new URL("../scripts/service-worker-plugin.mjs", import.meta.url).href
)) as { serviceWorkerOf: (folder: string) => string };

const LOG = adif({ CALL: "W1AW", QSO_DATE: "20240601", TIME_ON: "1200", BAND: "20m", MODE: "CW" });

let browser: Browser;
let folder: string;
let context: BrowserContext;
let page: Page;
/** Uncaught errors. */
let faults: string[];
const servers: RunningServer[] = [];

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());
afterEach(async () => {
  await context.close();
  for (const server of servers.splice(0)) await server.stop();
  await rm(folder, { recursive: true });
  if (faults.length > 0) throw new Error(`The page complains: ${faults.join("; ")}`);
});

interface RunningServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The server of `npm start -- radio`. */
async function startUserServer(): Promise<RunningServer> {
  const server: ChildProcess = spawn(
    process.execPath,
    [`${root}packages/hamkit/dist/cli/main.js`, "serve", "--port", "0"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  if (server.stdout === null) throw new Error("no output");
  for await (const line of createInterface(server.stdout)) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url === undefined) continue;
    const stop = async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill();
      await once(server, "exit");
    };
    return { url, stop };
  }
  throw new Error("The server ended");
}

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  file: { path: string; content: Buffer },
) => void;

/** Another server, with the page in a folder of it. */
async function startServer(answer: Answer): Promise<RunningServer> {
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname.replace(/^\/page\/(.*?)$/, (_, name: string) => name || "index.html");
    readFile(join(folder, path)).then(
      (content) => answer(request, response, { path, content }),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/page/`, stop };
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
};

function headersOf(path: string): Record<string, string> {
  return { "content-type": TYPES[path.split(".").at(-1) ?? ""] ?? "text/plain" };
}

const plainly: Answer = (_, response, { path, content }) =>
  void response.writeHead(200, headersOf(path)).end(content);

async function open(start: () => Promise<RunningServer>, fragment = "#from=JN48QM"): Promise<RunningServer> {
  folder = await mkdtemp(join(tmpdir(), "radio-page-"));
  await cp(`${root}packages/radio-page/dist`, folder, { recursive: true });
  const server = await start();
  servers.push(server);
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  faults = [];
  context.on("weberror", (error) => faults.push(String(error.error())));
  page = await openTab(server.url + fragment);
  return server;
}

async function openTab(address: string): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(address);
  await tab.getByRole("img").waitFor();
  await tab.evaluate("navigator.serviceWorker.ready");
  await expect.poll(() => tab.evaluate("navigator.serviceWorker.controller?.state")).toBe("activated");
  return tab;
}

async function isWhole(tab: Page): Promise<boolean> {
  await lookUpText(tab, "JA1ABC");
  await tab.getByText("Short path", { exact: true }).waitFor();
  await tab.getByRole("img", { name: "JA1ABC" }).waitFor();
  await openLogText(tab, "mine.adi", LOG);
  await tab.getByRole("table").getByRole("button", { name: "W1AW" }).waitFor();
  return true;
}

describe("offline", () => {
  it("the page of npm start -- radio works when its server has ended: reloaded, by a link, with a query", async () => {
    const server = await open(startUserServer);
    await server.stop();
    await page.reload();
    expect(await isWhole(page)).toBe(true);
    const link = await openTab(`${server.url}#call=W1AW,FN31PR&from=JN48QM&time=2014-01-01T12:00Z`);
    await link.getByText("6,169 km, 296°").waitFor();
    const query = await openTab(`${server.url}?from=a-newsletter#from=JN48QM`);
    expect(await isWhole(query)).toBe(true);
    const named = await openTab(`${server.url}index.html#from=JN48QM`);
    expect(await isWhole(named)).toBe(true);
  });

  it("the page of npm start -- radio works at once after the first visit, without a reload", async () => {
    const server = await open(startUserServer);
    await server.stop();
    expect(await isWhole(page)).toBe(true);
  });

  it("the page of npm start -- radio works while the network is off", async () => {
    await open(startUserServer);
    await context.setOffline(true);
    await page.reload();
    expect(await isWhole(page)).toBe(true);
  });

  it.each<[string, Answer]>([
    ["without any header", plainly],
    [
      "with Vary: *",
      (_, response, { path, content }) =>
        void response.writeHead(200, { ...headersOf(path), vary: "*" }).end(content),
    ],
    [
      "with Vary on everything that a browser sends",
      (_, response, { path, content }) => {
        const vary = "Origin, Accept, Accept-Encoding, Cookie, Sec-Fetch-Mode, Sec-Fetch-Dest, Referer";
        response
          .writeHead(200, { ...headersOf(path), vary, "set-cookie": `n=${Math.random()}` })
          .end(content);
      },
    ],
    [
      "with compressed files that are kept for a year",
      (_, response, { path, content }) =>
        void response
          .writeHead(200, {
            ...headersOf(path),
            "content-encoding": "gzip",
            "cache-control": "max-age=31536000, immutable",
          })
          .end(gzipSync(content)),
    ],
    [
      "that redirects the folder to index.html",
      (request, response, file) => {
        if (request.url?.split("?")[0]?.endsWith("/"))
          response.writeHead(302, { location: "index.html" }).end();
        else plainly(request, response, file);
      },
    ],
  ])("the page of a server %s works when it has ended", async (_, answer) => {
    const server = await open(() => startServer(answer));
    await server.stop();
    await page.reload();
    expect(await isWhole(page)).toBe(true);
  });

  it("a layer is there if it was used before, and else the map without it", async () => {
    const server = await open(startUserServer);
    await switchLayer(page, "Borders");
    await page.locator(".picture .frontier").waitFor({ state: "attached" });
    await expect
      .poll(async () => (await keptFiles()).flat().some((url) => url.includes("/area-layers-")))
      .toBe(true);
    expect((await keptFiles()).flat().some((url) => url.includes("/zone-layer-"))).toBe(false);
    await server.stop();
    await page.reload();
    await page.locator(".picture .frontier").waitFor({ state: "attached" });
    await switchLayer(page, "CQ zones");
    await page.getByText("Some layers could not be loaded").waitFor();
    await page.locator(".picture .land").waitFor({ state: "attached" });
  });

  it("the kept page is shown while a proxy answers that the server is absent, or nothing answers", async () => {
    let isHung = false;
    let isDown = false;
    await open(() =>
      startServer((request, response, file) => {
        if (isHung) return;
        if (isDown) response.writeHead(502).end("Bad gateway");
        else plainly(request, response, file);
      }),
    );
    isDown = true;
    await page.reload();
    expect(await isWhole(page)).toBe(true);
    isHung = true;
    await page.reload();
    expect(await isWhole(page)).toBe(true);
  });
});

/** Makes the page one of another build: each program has another name, and so has the page. */
async function update(): Promise<string[]> {
  const programs = (await readdir(join(folder, "assets"))).filter((name) => name.endsWith(".js"));
  const renamed = (name: string) => name.replace(/\.js$/, "2.js");
  for (const name of programs)
    await rename(join(folder, "assets", name), join(folder, "assets", renamed(name)));
  for (const name of ["index.html", ...programs.map((program) => `assets/${renamed(program)}`)]) {
    let text = await readFile(join(folder, name), "utf8");
    for (const program of programs) text = text.replaceAll(program, renamed(program));
    await writeFile(join(folder, name), text.replace("<title>hamkit radio", "<title>hamkit radio 2"));
  }
  await writeFile(join(folder, "service-worker.js"), serviceWorkerOf(folder));
  return programs;
}

async function keptFiles(): Promise<string[][]> {
  return await page.evaluate(async () => {
    const caches = await globalThis.caches.keys();
    const files = caches.map(async (name) =>
      (await (await globalThis.caches.open(name)).keys()).map(({ url }) => url),
    );
    return await Promise.all(files);
  });
}

/** The new version is there, and waits. */
async function isInstalled(): Promise<void> {
  await expect
    .poll(() => page.evaluate("navigator.serviceWorker.ready.then(({ waiting }) => waiting?.state)"))
    .toBe("installed");
}

describe("an update of the page", () => {
  it("keeps the layers that were used", async () => {
    await open(() => startServer(plainly));
    await switchLayer(page, "Borders");
    await expect
      .poll(async () => (await keptFiles()).flat().some((url) => url.includes("/area-layers-")))
      .toBe(true);
    await update();
    await page.reload();
    await page.getByRole("img").waitFor();
    await expect
      .poll(async () => (await keptFiles()).flat().some((url) => /\/area-layers-.*2\.js$/.test(url)))
      .toBe(true);
  });

  it("replaces everything that was kept, and works offline", async () => {
    const server = await open(() => startServer(plainly));
    const [before = []] = await keptFiles();
    const old = await update();
    await page.reload();
    await page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.update())");
    await expect.poll(async () => (await keptFiles()).length, { timeout: 20_000 }).toBe(1);
    await expect.poll(async () => (await keptFiles())[0]?.some((url) => url.endsWith("2.js"))).toBe(true);
    const [after = []] = await keptFiles();
    expect(after).toHaveLength(before.length);
    expect(after.filter((url) => old.some((name) => url.endsWith(`/${name}`)))).toEqual([]);
    await server.stop();
    await page.reload();
    expect(await page.title()).toBe("hamkit radio 2");
    expect(await isWhole(page)).toBe(true);
  });

  it("leaves a page of the old version whole while that is open, and then replaces it", async () => {
    const server = await open(() => startServer(plainly));
    const old = page;
    await update();
    page = await openTab(`${server.url}#from=JN48QM`);
    await page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.update())");
    await isInstalled();
    expect(await isWhole(old)).toBe(true); // which loads its parts only now
    await old.close();
    await page.close();
    page = await openTab(`${server.url}#from=JN48QM`);
    await expect.poll(async () => (await keptFiles()).length).toBe(1);
    await server.stop();
    await page.reload();
    expect(await page.title()).toBe("hamkit radio 2");
    expect(await isWhole(page)).toBe(true);
  });

  it("is shown offline, whole, while a page of the old version is open", async () => {
    const server = await open(() => startServer(plainly));
    const old = page;
    await update();
    page = await openTab(`${server.url}#from=JN48QM`);
    await page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.update())");
    await isInstalled();
    await server.stop();
    expect(await isWhole(old)).toBe(true);
    await page.reload();
    expect(await page.title()).toBe("hamkit radio 2");
    expect(await isWhole(page)).toBe(true);
  });
});
