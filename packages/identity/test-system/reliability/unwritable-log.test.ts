import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { MAIN } from "../run-command.js";
import { freePort } from "../free-port.js";
import { ADMIN_PASSWORD } from "../service-process.js";
import { adminClient, type AdminClient } from "./admin-client.js";

const START_MS = 30_000;
/** More than the buffers of a pipe and of a socket hold. */
const REQUESTS = 800;

describe.each([1, 2])("the service whose log can't be written, with %i worker(s)", (workers) => {
  let folder: string;
  let url: string;
  let child: ChildProcess;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  });
  afterEach(async () => {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  /** @param through A shell command that runs the service as `"$@"`. */
  async function start(
    log: "pipe" | number,
    { env = {}, through }: { env?: Record<string, string>; through?: string } = {},
  ): Promise<AdminClient> {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const command = [process.execPath, MAIN, "serve"];
    const [program = "", ...args] =
      through === undefined ? command : ["/bin/sh", "-c", through, "sh", ...command];
    child = spawn(program, args, {
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        IDENTITY_DATABASE_URL: `sqlite:${join(folder, "identity.db")}`,
        IDENTITY_PORT: String(port),
        IDENTITY_ADMIN_PASSWORD: ADMIN_PASSWORD,
        IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
        IDENTITY_SHUTDOWN_DELAY: "0",
        IDENTITY_WORKERS: String(workers),
        ...env,
      },
      stdio: ["ignore", log, log],
    });
    const deadline = Date.now() + START_MS;
    while (
      !(await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error("the service did not start");
      await delay(50);
    }
    return adminClient(url);
  }

  const readiness = async () => (await fetch(`${url}/readyz`)).text();

  /** Requests of all kinds, as before: none is refused, and none waits. */
  async function expectService(client: AdminClient): Promise<void> {
    for (let at = 0; at < REQUESTS / 4; at++) {
      const answers = await Promise.all([
        client.ask("GET", "/v3/regions"),
        client.ask("GET", "/v3/regions/none"),
        client.ask("GET", "/v3/users"),
        at % 20 === 0 ? client.ask("POST", "/v3/regions", { region: {} }) : client.ask("GET", "/v3/roles"),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, at % 20 === 0 ? 201 : 200]);
    }
    await delay(1200);
  }

  async function expectStop(): Promise<void> {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  }

  it("serves all requests with a full disk from the start on", async () => {
    const full = openSync("/dev/full", "w");
    const client = await start(full);
    closeSync(full);
    await expectService(client);
    expect(await readiness()).toMatch(/^The log can't be written \(ENOSPC/);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^log_lines_dropped_total 0$/m);
    await expectStop();
  });

  it("serves all requests while no one reads the socket, and writes each line once someone does", async () => {
    const client = await start("pipe");
    const [stdout, stderr] = [child.stdout as Readable, child.stderr as Readable];
    stdout.pause();
    await expectService(client);
    expect(await readiness()).toMatch(/^The log can't be written \(no one reads it\)/);
    let text = "";
    stdout.on("data", (data: Buffer) => (text += data.toString())).resume();
    stderr.resume();
    await expect.poll(readiness).toBe("");
    await expectStop();
    const lines = text.trimEnd().split("\n");
    // Those of readiness, logins and audit in addition.
    expect(lines.length).toBeGreaterThan(REQUESTS);
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).not.toContain("error");
  });

  it("serves all requests while no one reads the pipe", async () => {
    // The shell ends as the service does.
    const client = await start("pipe", {
      through: `mkfifo "$HOME/log"; sleep 100 <"$HOME/log" & exec "$@" >"$HOME/log" 2>&1`,
    });
    await expectService(client);
    expect(await readiness()).toMatch(/^The log can't be written \(no one reads it\)/);
    await expectStop();
  });

  it("serves all requests after the reader was closed", async () => {
    const client = await start("pipe");
    child.stdout?.destroy();
    child.stderr?.destroy();
    await expectService(client);
    expect(await readiness()).toMatch(/^The log can't be written \(EPIPE/);
    await expectStop();
  });

  it("refuses changes with IDENTITY_AUDIT_REQUIRED, and serves logins and reads", async () => {
    const full = openSync("/dev/full", "w");
    const client = await start(full, { env: { IDENTITY_AUDIT_REQUIRED: "on" } });
    closeSync(full);
    expect((await client.ask("GET", "/v3/regions")).status).toBe(200);
    const password = { user: { password: "other", original_password: ADMIN_PASSWORD } };
    for (const [method, path, body] of [
      ["POST", "/v3/regions", { region: { id: "new" } }],
      ["PATCH", "/v3/regions/RegionOne", { region: { description: "new" } }],
      ["DELETE", "/v3/auth/tokens", undefined],
      ["POST", "/v3/users/none/password", password],
    ] as const) {
      const answer = await client.ask(method, path, body);
      expect(answer).toMatchObject({
        status: 503,
        body: { error: { message: expect.stringContaining("audit log") as unknown } },
      });
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    }
    expect((await client.ask("GET", "/v3/regions/new")).status).toBe(404);
    await adminClient(url);
  });
});
