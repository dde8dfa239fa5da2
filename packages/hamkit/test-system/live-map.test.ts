import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hamkit } from "../test/cli/run-cli.js";
import { node, startClusterServer, type ClusterServer } from "../test/fixtures/cluster-server.js";
import { faultsOf, startChromium } from "./chromium.js";
import { serveFiles, type StaticServer } from "./static-server.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const guide = readFileSync(`${root}docs/guide-skimmer.md`, "utf8");

const spotLine = (dx: string): string =>
  `DX de DH1TW:     14025.0  ${dx.padEnd(12)} cq                             1201Z`;

/** Whether the command serves events already: a browser reports a refused connection as a fault of the page. */
async function isServing(port: number): Promise<boolean> {
  const controller = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/`, { signal: controller.signal }).catch(
    () => undefined,
  );
  controller.abort();
  return response?.ok === true;
}

let browser: Browser;
let cluster: ClusterServer;
let server: StaticServer;
let run: Promise<unknown>;
let isOpen = true;
beforeAll(async () => {
  browser = await startChromium();
  cluster = await startClusterServer(node(spotLine("W1AW")));
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const words = [
    "spots",
    "--connect",
    `127.0.0.1:${cluster.port}`,
    "--login",
    "N0CALL",
    "--sse",
    String(port),
  ];
  run = hamkit([...words, "--offline"], {
    io: { stdout: { write: () => true, ready: async () => isOpen, isTerminal: false, columns: undefined } },
  });
  while (!(await isServing(port))) await new Promise((resolve) => setTimeout(resolve, 50));
  const [, block = ""] = /^```html\n([^]*?)^```$/m.exec(guide) ?? [];
  const page = block.replace("http://127.0.0.1:7373/", `http://127.0.0.1:${port}/`);
  server = await serveFiles(root, {
    "/live-map": `<!doctype html><title>map</title><link rel="icon" href="data:,">${page}`,
  });
});
afterAll(async () => {
  isOpen = false;
  for (const socket of cluster.sockets) socket.write(`${spotLine("LA1AA")}\r\n`);
  await run;
  await browser.close();
  await server.close();
  await cluster.close();
});

describe("the live map of guide-skimmer.md", () => {
  it("draws the paths to all stations that are heard, and lists them", async () => {
    const page = await browser.newPage();
    const faults = faultsOf(page);
    await page.goto(`${server.url}/live-map`);
    await page.getByRole("img", { name: "Great circle from JN48QM to W1AW" }).waitFor();
    for (const socket of cluster.sockets) socket.write(`${spotLine("ZL1AA")}\r\n`);
    const map = page.getByRole("img", { name: "Great circle from JN48QM to ZL1AA" });
    await map.waitFor();
    // A dot at the end of each path
    expect((await map.locator("path.ends").getAttribute("d"))?.match(/M/g)).toHaveLength(2);
    expect(await page.getByRole("listitem").allTextContents()).toEqual([
      "ZL1AA 14025 CW New Zealand",
      "W1AW 14025 CW United States",
    ]);
    await page.close();
    expect([...faults, ...server.missing]).toEqual([]);
  });
});
