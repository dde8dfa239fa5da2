/**
 * Ten million callsigns through `identifyMany`, in memory and through a Redis Cluster of three servers that the benchmark starts.
 *
 * Callsigns come from a generator in batches, as from a file, so that memory must not grow with their number. CLUSTER_CALLS is the
 * number for the cluster; a million when left out.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { copyIntoKvstore, createKvstore, identifyMany, loadEmbeddedCountryFile } from "hamkit/lookup";

const data = fileURLToPath(new URL("../../shared/hamkit/data/", import.meta.url));
const at = new Date("2024-01-01T00:00:00Z");
const CALLS = 10_000_000;
const CLUSTER_CALLS = Number(process.env.CLUSTER_CALLS ?? 1_000_000);
const BATCH = 10_000;

export async function bench({ row }) {
  const table = await loadEmbeddedCountryFile();
  const calls = knownCalls(table);
  const inMemory = await measured(CALLS, calls, async (batch) => identifyMany(batch, { table, at }));
  row({ work: "identifyMany, 10 M calls in batches", hamkit: inMemory.rate, limit: 1_000_000 });
  row({ work: "memory for them", hamkit: inMemory.mb, unit: "MB", limit: 150 });

  const cluster = await startCluster();
  if (cluster === undefined) {
    console.log("No redis-server: the figures of a cluster are left out.");
    return;
  }
  // Loaded here: its class that extends String makes V8 slower, in memory as well.
  const { Cluster } = await import("ioredis");
  const besideIt = await measured(CALLS / 10, calls, async (batch) => identifyMany(batch, { table, at }));
  row({ work: "identifyMany, 1 M calls, ioredis is loaded", hamkit: besideIt.rate, limit: 700_000 });
  const client = new Cluster(
    cluster.ports.map((port) => ({ host: "127.0.0.1", port })),
    { retryDelayOnClusterDown: 100 },
  );
  try {
    for (const kvPrefix of ["CF", "{cty}CF"]) {
      await copyIntoKvstore(table, { kvInstance: client, kvPrefix });
      const kvstore = createKvstore({ kvInstance: client, kvPrefix });
      const moment = at.getTime();
      const ask = (batch) => kvstore.identifyMany(batch.map((callsign) => ({ callsign, at: moment })));
      const figures = await measured(CLUSTER_CALLS, calls, ask);
      const work = `${CLUSTER_CALLS / 1e6} M, cluster of 3, ${kvPrefix === "CF" ? "all servers" : "hash tag"}`;
      row({ work, hamkit: figures.rate, limit: 10_000 });
      row({ work: "memory for them", hamkit: figures.mb, unit: "MB", limit: 150 });
    }
  } finally {
    client.disconnect();
    cluster.stop();
  }
}

/** Callsigns per second, and the growth of resident memory above the first tenth, when all is loaded and compiled. */
async function measured(count, calls, identifyAll) {
  const start = performance.now();
  let identified = 0;
  let before = 0;
  let highest = 0;
  for (let from = 0; from < count; from += BATCH) {
    const batch = [];
    for (let index = from; index < Math.min(from + BATCH, count); index++) batch.push(callAt(index, calls));
    for (const { kind } of await identifyAll(batch)) if (kind === "identified") identified++;
    const { rss } = process.memoryUsage();
    if (from < count / 10) before = Math.max(before, rss);
    else highest = Math.max(highest, rss);
  }
  if (identified < count * 0.9) throw new Error(`only ${identified} of ${count} calls are identified`);
  return { rate: (count / (performance.now() - start)) * 1000, mb: Math.max(0, highest - before) / 1e6 };
}

const SUFFIXES = ["", "/P", "/M", "/QRP"];

/** The calls again and again, each round with another suffix, so that no text is the same object as before. */
function callAt(index, calls) {
  const round = Math.floor(index / calls.length);
  const call = calls[index % calls.length];
  return call.includes("/") ? call : call + (SUFFIXES[round % 5] ?? `/${round % 10}`);
}

/** Calls of a real contest, or those that the country file lists. */
function knownCalls(table) {
  const list = `${data}MASTER.SCP`;
  if (!existsSync(list)) return Array.from(table.content().calls, ({ key }) => key);
  const lines = readFileSync(list, "latin1").split(/\r?\n/);
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** Three servers on free ports; `undefined` without a redis-server. */
async function startCluster() {
  if (spawnSync("redis-server", ["--version"]).status !== 0) return undefined;
  const servers = [];
  for (let node = 0; node < 3; node++) servers.push(await startServer());
  const stop = () => {
    for (const { child, folder } of servers) {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  };
  const ports = servers.map(({ port }) => port);
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  const { status } = await until(() =>
    spawnSync("redis-cli", ["--cluster", "create", ...addresses, "--cluster-yes"], { encoding: "utf8" }),
  );
  if (status === 0) return { ports, stop };
  stop();
  throw new Error("the cluster could not be made");
}

async function startServer() {
  const [port, bus] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), "hamkit-bench-"));
  const options = `--port ${port} --cluster-enabled yes --cluster-port ${bus} --appendonly no`.split(" ");
  const child = spawn("redis-server", [...options, "--save", "", "--dir", folder], { stdio: "ignore" });
  return { port, folder, child };
}

/** The result of a program once it succeeds, or after ten seconds. */
async function until(run) {
  for (let attempt = 0; ; attempt++) {
    const result = run();
    if (result.status === 0 || attempt === 20) return result;
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
