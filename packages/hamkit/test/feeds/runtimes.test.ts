import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";

import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const source = fileURLToPath(new URL("../../src/", import.meta.url));

/** A program as one file for a browser. */
async function bundleForBrowser(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: source, loader: "ts" },
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "program",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

describe("hamkit/feeds in a browser", () => {
  it("parses and merges, and fails at once where it would need TCP", async () => {
    const code = await bundleForBrowser(
      `
      import { clusterSource, lineSource, openFeed } from "./feeds.js";
      async function collect(sources, onState) {
        const calls = [];
        for await (const { dx } of openFeed(sources, { onState })) calls.push(dx);
        return calls;
      }
      const line = "DX de DH1TW: 14025.0 W1AW cq 1201Z";
      export const merged = collect([lineSource([line], { name: "a" }), lineSource([line], { name: "b" })]);
      const states = [];
      const cluster = clusterSource({ host: "127.0.0.1", call: "N0CALL" });
      export const failure = collect([cluster], (state) => states.push(state.state)).catch((error) => [error.message, states]);
      `,
    );
    const context = createContext({ TextDecoder, AbortController, setTimeout, clearTimeout, console });
    const program = runInContext(`${code};program`, context) as Record<string, unknown>;
    expect(await program["merged"]).toEqual(["W1AW"]);
    expect(await program["failure"]).toEqual([
      "node:net: this module of Node is not available in a browser",
      ["connecting", "failed"],
    ]);
  });
});

describe("pskReporterSource without the package mqtt", () => {
  it("says what to install, and doesn't try again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hamkit-feeds-"));
    const outfile = join(folder, "program.mjs");
    await build({
      stdin: {
        contents: `
          import { openFeed, pskReporterSource } from "./feeds.js";
          for await (const _ of openFeed([pskReporterSource({ filter: { band: "20m" } })])) break;
        `,
        resolveDir: source,
        loader: "ts",
      },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile,
      logLevel: "silent",
    });
    const child = spawn(process.execPath, [outfile], { stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (bytes: Uint8Array) => (errors += String(bytes)));
    const code = await new Promise((resolve) => {
      child.on("exit", resolve);
    });
    rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(1);
    expect(errors).toContain("mqtt: the package is not installed: npm install mqtt@5");
  });
});
