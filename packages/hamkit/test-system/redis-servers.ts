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
    async stop() {
      const child = running;
      running = undefined;
      if (child !== undefined && child.exitCode === null) {
        const ended = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGKILL");
        await ended;
      }
      await rm(join(folder, "nodes.conf"), { force: true });
    },
  };
  await server.start();
  return server;
}

export interface RedisCluster {
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

/** A cluster of three servers. */
export async function startCluster(): Promise<RedisCluster> {
  const servers: RedisServer[] = [];
  for (let node = 0; node < 3; node++) {
    servers.push(await startRedis("--cluster-enabled", "yes", "--cluster-port", String(await freePort())));
  }
  const ports = servers.map(({ port }) => port);
  redisCli("--cluster", "create", ...ports.map((port) => `127.0.0.1:${port}`), "--cluster-yes");
  const client = connectCluster({ ports });
  await client.ping();
  client.disconnect();
  return {
    ports,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
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
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
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
