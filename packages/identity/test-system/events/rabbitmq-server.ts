/** RabbitMQ as Debian packages it, as a node of the test's own, which can be killed and started again. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { freePort } from "../free-port.js";

export interface RabbitServer {
  /** For user guest. */
  readonly url: string;
  readonly port: number;
  /** As a power cut does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Runs rabbitmqctl. */
  control(...command: string[]): Promise<void>;
  remove(): Promise<void>;
}

const PROGRAMS = "/usr/lib/rabbitmq/bin";
const LIBRARY = "/usr/lib/rabbitmq/lib";
const START_MS = 90_000;

export async function startRabbit(): Promise<RabbitServer> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-rabbitmq-"));
  const [port, distribution] = [await freePort(), await freePort()];
  const release = readdirSync(LIBRARY).find((name) => name.startsWith("rabbitmq_server-")) ?? "";
  const env = {
    PATH: process.env["PATH"],
    // Of the cookie.
    HOME: folder,
    RABBITMQ_NODENAME: `hamkit${port}@localhost`,
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: join(folder, "mnesia"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
    RABBITMQ_PLUGINS_DIR: join(LIBRARY, release, "plugins"),
    RABBITMQ_CONFIG_FILE: join(folder, "none"),
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
  };
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    server = spawn(join(PROGRAMS, "rabbitmq-server"), { env, stdio: "ignore", detached: true });
    const deadline = performance.now() + START_MS;
    while (!(await answers(port))) {
      if (performance.now() > deadline) throw new Error("RabbitMQ does not start");
      await delay(100);
    }
  }

  async function kill(): Promise<void> {
    const killed = server;
    if (killed?.pid === undefined || killed.exitCode !== null) return;
    const ended = once(killed, "exit");
    // With the processes of the shell that started it.
    process.kill(-killed.pid, "SIGKILL");
    await ended;
  }

  if (!existsSync(join(PROGRAMS, "rabbitmq-server"))) throw new Error("rabbitmq-server is not installed");
  await start();
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    port,
    kill,
    start,
    async control(...command) {
      const run = spawn(join(PROGRAMS, "rabbitmqctl"), command, { env, stdio: "ignore" });
      const [code] = (await once(run, "exit")) as [number];
      if (code !== 0) throw new Error(`rabbitmqctl ${command.join(" ")}: ${code}`);
    },
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether it speaks AMQP: it closes connections before it is ready. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.on("connect", () => socket.write("AMQP\0\0\x09\x01"));
    socket.on("data", () => end(true));
    socket.on("error", () => end(false));
    socket.on("close", () => end(false));
    socket.setTimeout(2000, () => end(false));
  });
}
