/** Redis servers of a test's own, single and as a cluster. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Cluster } from "ioredis";

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  /** Kills it; what it has written stays, for the next start. */
  kill(): Promise<void>;
  /** Kills it and forgets its place in a cluster. */
  stop(): Promise<void>;
}

/** A running server on a free port, with nothing in it. */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-redis-"));
  const port = await freePort();
  let running: ChildProcess | undefined;
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const given = ["--port", String(port), "--dir", folder, "--save", "", "--appendonly", "no", ...options];
      running = spawn("redis-server", given, { stdio: "ignore" });
      await answering(port);
    },
    async kill() {
      const child = running;
      running = undefined;
      if (child !== undefined && child.exitCode === null) {
        const ended = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGKILL");
        await ended;
      }
    },
    async stop() {
      await server.kill();
      await rm(join(folder, "nodes.conf"), { force: true });
    },
  };
  await server.start();
  return server;
}

export interface RedisCluster {
  /** Of all servers, the first three of which are masters. */
  readonly ports: readonly number[];
  readonly servers: readonly RedisServer[];
  /** Waits until the replicas have all that their masters have: replication is asynchronous, and a promoted one goes by what it has. */
  untilReplicated(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** Replicas of each of the three masters; none when left out. */
  readonly replicas?: number;
  /** Options of each server. */
  readonly options?: readonly string[];
}

/** A cluster of three masters. */
export async function startCluster({
  replicas = 0,
  options = [],
}: ClusterOptions = {}): Promise<RedisCluster> {
  const servers: RedisServer[] = [];
  for (let node = 0; node < 3 * (replicas + 1); node++) {
    const port = String(await freePort());
    const always = ["--cluster-enabled", "yes", "--cluster-port", port, "--repl-diskless-sync-delay", "0"];
    servers.push(await startRedis(...always, ...options));
  }
  const ports = servers.map(({ port }) => port);
  redisCli(
    "--cluster",
    "create",
    ...ports.map((port) => `127.0.0.1:${port}`),
    "--cluster-replicas",
    String(replicas),
    "--cluster-yes",
  );
  // Until then, a client that asks a late server for the slots drops its connections to the others.
  for (const port of ports) await knowsAll(port, ports.length);
  const client = connectCluster({ ports });
  await client.ping();
  client.disconnect();
  // A replica without the data of its master is not promoted.
  for (const port of ports.slice(3)) await inSync(port);
  return {
    ports,
    servers,
    async untilReplicated() {
      for (const port of ports.slice(0, 3)) await replicated(port);
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** Waits until a server takes requests, and names all servers of the cluster, replicas as such, to clients. */
async function knowsAll(port: number, count: number): Promise<void> {
  const ask = (what: string) => redisCli("-p", String(port), "CLUSTER", what);
  const namedIn = (slots: string) => slots.match(/\b[0-9a-f]{40}\b/g)?.length;
  while (!ask("INFO").includes("cluster_state:ok") || namedIn(ask("SLOTS")) !== count) await pause();
}

async function inSync(port: number): Promise<void> {
  while (!redisCli("-p", String(port), "INFO", "replication").includes("master_link_status:up"))
    await pause();
}

async function replicated(port: number): Promise<void> {
  const info = () => redisCli("-p", String(port), "INFO", "replication");
  const written = Number(/master_repl_offset:(\d+)/.exec(info())?.[1]);
  const isBehind = () =>
    Array.from(info().matchAll(/^slave\d+:.*offset=(\d+)/gm), ([, offset]) => Number(offset)).some(
      (offset) => offset < written,
    );
  while (isBehind()) await pause();
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
}

/** A client for the test's own purposes. */
export function connectCluster({ ports }: { readonly ports: readonly number[] }): Cluster {
  return new Cluster(
    ports.map((port) => ({ host: "127.0.0.1", port })),
    // Right after its making a cluster says for a moment that it is down.
    { retryDelayOnClusterDown: 100 },
  );
}

export function redisCli(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("redis-cli", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`redis-cli ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** Waits until a server answers, if only that one has to log in. */
async function answering(port: number): Promise<void> {
  for (;;) {
    const hasAnswered = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
      socket.once("error", () => resolve(false));
      socket.once("data", (data) => {
        socket.destroy();
        resolve(!data.toString().startsWith("-LOADING"));
      });
    });
    if (hasAnswered) return;
    await pause();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
