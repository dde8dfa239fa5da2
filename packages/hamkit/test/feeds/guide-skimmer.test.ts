import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { node, startClusterServer, type ClusterServer } from "../fixtures/cluster-server.js";
import { sends, startFileServer, type FileServer } from "../fixtures/file-server.js";

const source = fileURLToPath(new URL("../../src/", import.meta.url));
const guide = readFileSync(new URL("../../../../docs/guide-skimmer.md", import.meta.url), "utf8");
const [, program = ""] = /^```ts no-run\n([^]*?)^```$/m.exec(guide) ?? [];

const LINES = [
  "DX de DH1TW:     14025.0  W1AW         CW tnx                         1201Z",
  "DX de DH1TW:     14025.0  DL1ABC       CW in Europe                   1201Z",
  "DX de W3LPL-#:   14026.0  JA1ABC         CW    20 dB  25 WPM  CQ      1201Z",
  "DX de DH1TW:      7025.0  ZL1AA        CW another band                1201Z",
  "DX de DH1TW:     14250.0  ZL1AA        SSB                            1201Z",
  "DX de DH1TW:     21030.5  ZL1AA        up 1                           1202Z",
];

let cluster: ClusterServer;
let pota: FileServer;
let folder: string;
beforeAll(async () => {
  cluster = await startClusterServer(node(...LINES));
  pota = await startFileServer();
  const spot = {
    spotId: 1,
    activator: "VE3ABC",
    frequency: "14062",
    mode: "CW",
    reference: "CA-0001",
    spotTime: "2026-08-15T16:04:15",
    spotter: "DH1TW",
  };
  pota.answers = [sends(JSON.stringify([spot]))];
  folder = mkdtempSync(join(tmpdir(), "hamkit-guide-"));
});
afterAll(async () => {
  await cluster.close();
  await pota.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The lines that the program writes, until it has written a number of them. */
async function runUntil(code: string, count: number): Promise<string[]> {
  const outfile = join(folder, "skimmer.mjs");
  await build({
    stdin: { contents: code, resolveDir: source, loader: "ts" },
    alias: { "hamkit/feeds": `${source}feeds.ts`, "hamkit/lookup": `${source}lookup.ts` },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "silent",
  });
  const child = spawn(process.execPath, [outfile], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  let errors = "";
  child.stderr.on("data", (bytes: Uint8Array) => (errors += String(bytes)));
  await new Promise<void>((resolve) => {
    child.on("exit", () => resolve());
    child.stdout.on("data", (bytes: Uint8Array) => {
      text += String(bytes);
      if (text.split("\n").length > count) child.kill();
    });
  });
  if (text.split("\n").length <= count) throw new Error(`${text}\n${errors}`);
  return text.split("\n").slice(0, count).sort();
}

describe("docs/guide-skimmer.md", () => {
  it("has a skimmer in 20 lines", async () => {
    expect(program.trim().split("\n").length).toBeLessThanOrEqual(20);
    const local = program
      .replace(`host: "cluster.example.net"`, `host: "127.0.0.1", port: ${cluster.port}`)
      .replace(`activatorSource("POTA")`, `activatorSource("POTA", { url: "${pota.url}" })`);
    expect(local).not.toBe(program);
    expect(await runUntil(local, 3)).toEqual([
      expect.stringMatching(/^12:01 14025 W1AW United States \d+ DH1TW CW tnx$/),
      expect.stringMatching(/^12:02 21030\.5 ZL1AA New Zealand 18\d\d\d DH1TW up 1$/),
      expect.stringMatching(/^16:04 14062 VE3ABC Canada \d+ DH1TW $/),
    ]);
  });
});
