import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";

import { node, startClusterServer } from "../fixtures/cluster-server.js";

const source = fileURLToPath(new URL("../../src/", import.meta.url));
/** Inside the repository, where the package mqtt is found. */
const folder = fileURLToPath(new URL("../../../../node_modules/.cache/hamkit-feeds/", import.meta.url));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process ends by itself only if no socket, timer or request is left. */
const program = (port: number, ending: string): string => `
  import { activatorSource, clusterSource, eventStreamSource, lineSource, openFeed, pskReporterSource } from "./feeds.js";
  const controller = new AbortController();
  const feed = openFeed(
    [
      clusterSource({ host: "127.0.0.1", port: ${port}, call: "N0CALL" }),
      clusterSource({ host: "127.0.0.1", port: 1, call: "N0CALL" }),
      activatorSource("POTA", { url: "http://127.0.0.1:${port}/" }),
      activatorSource("SOTA", { url: "http://127.0.0.1:1/" }),
      eventStreamSource({ url: "http://127.0.0.1:${port}/" }),
      pskReporterSource({ filter: { band: "20m" }, url: "mqtt://127.0.0.1:${port}" }),
      pskReporterSource({ filter: { band: "20m" }, url: "mqtt://127.0.0.1:1" }),
      lineSource((async function* () { await new Promise(() => {}); })(), { name: "never" }),
    ],
    { signal: controller.signal },
  );
  for await (const { dx } of feed) {
    console.log(dx);
    setTimeout(() => ${ending}, 300);
  }
  console.log("ended");
`;

describe("a feed that is closed", () => {
  it.each(["controller.abort()", "feed.close()"])(
    "leaves nothing that keeps a process alive: %s",
    async (ending) => {
      const server = await startClusterServer(node("DX de DH1TW: 14025.0 W1AW cq 1201Z"));
      mkdirSync(folder, { recursive: true });
      const outfile = join(folder, "program.mjs");
      await build({
        stdin: { contents: program(server.port, ending), resolveDir: source, loader: "ts" },
        bundle: true,
        platform: "node",
        format: "esm",
        outfile,
        logLevel: "silent",
      });
      const child = spawn(process.execPath, [outfile], { stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      child.stdout.on("data", (bytes: Uint8Array) => (output += String(bytes)));
      child.stderr.on("data", (bytes: Uint8Array) => (output += String(bytes)));
      const timer = setTimeout(() => child.kill(), 20_000);
      const code = await new Promise((resolve) => {
        child.on("exit", resolve);
      });
      clearTimeout(timer);
      await server.close();
      expect({ code, output }).toEqual({ code: 0, output: "W1AW\nended\n" });
    },
  );
});
