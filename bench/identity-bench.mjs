/** Requests per second of the identity service, asked by a process of its own; beside a real Keystone with two. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../packages/identity/dist/main.js", import.meta.url));
const AUTOCANNON = fileURLToPath(import.meta.resolve("autocannon"));
const CONNECTIONS = 8;
const SECONDS = 3;
const ROUNDS = 3;

export async function bench({ row }) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-identity-bench-"));
  try {
    for (const level of ["info", "warn"]) {
      const { url, child, startMs } = await serve(folder, level);
      const { requests, latency } = await best(`${url}/v3`);
      row({ work: `GET /v3, log level ${level}`, hamkit: requests.average, peer: 3400 });
      row({ work: "  99 of 100 answered within", hamkit: latency.p99, unit: "ms" });
      if (level === "info") row({ work: "  start", hamkit: startMs, unit: "ms", limit: 1000 });
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A service of its own, when it answers. */
async function serve(folder, level) {
  const port = await freePort();
  const env = { HOME: folder, IDENTITY_PORT: String(port), IDENTITY_LOG_LEVEL: level };
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, "serve"], { env, stdio: ["ignore", "ignore", "inherit"] });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    try {
      await fetch(`${url}/readyz`);
      return { url, child, startMs: performance.now() - start };
    } catch {
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
  }
}

/** The best of several rounds. */
async function best(url) {
  let fastest;
  for (let round = 0; round < ROUNDS; round++) {
    const result = await load(url);
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${url}: ${result.non2xx + result.errors} requests failed`);
    if (fastest === undefined || result.requests.average > fastest.requests.average) fastest = result;
  }
  return fastest;
}

async function load(url) {
  const args = [AUTOCANNON, "--json", "--no-progress", "-c", CONNECTIONS, "-d", SECONDS, url].map(String);
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.on("data", (data) => (text += data));
  await once(child, "close");
  return JSON.parse(text);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
