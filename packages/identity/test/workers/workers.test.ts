/** A supervisor and its worker processes, as built, on one database. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { commandLine, freePort, type Run } from "../command-line.js";
import { sqliteDatabases, type TestDatabase } from "../databases.js";

const { start, finish } = commandLine();
let place: TestDatabase;
let env: Record<string, string>;
let url: string;
beforeEach(async () => {
  place = await sqliteDatabases.create();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  env = {
    IDENTITY_DATABASE_URL: place.url,
    IDENTITY_PORT: String(port),
    IDENTITY_WORKERS: "2",
    IDENTITY_ADMIN_PASSWORD: "correct horse",
  };
});
afterEach(() => place.remove());

/** The pids of those that serve, by their numbers. */
const serving = (run: Run) =>
  run.lines().flatMap(({ msg, worker, pid }) => (msg === "serving" ? [[worker, pid] as const] : []));

async function startBoth(): Promise<Run> {
  const run = start(["serve"], env);
  await expect.poll(() => serving(run).length, { timeout: 20_000 }).toBe(2);
  return run;
}

describe(`IDENTITY_WORKERS`, () => {
  it("serves on one port by several processes, and measures each", async () => {
    const run = await startBoth();
    expect(serving(run).map(([worker]) => worker)).toEqual([1, 2]);
    for (let request = 0; request < 20; request++)
      expect((await fetch(`${url}/v3`, { headers: { connection: "close" } })).status).toBe(200);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    // Request counts are summed over all workers; process metrics have a label per worker.
    expect(metrics).toContain('http_requests_total{method="GET",route="/v3",status="200"} 20\n');
    expect(metrics).toContain('http_request_duration_seconds_count{method="GET",route="/v3"} 20\n');
    expect(metrics).toMatch(/process_resident_memory_bytes\{worker="1"\} \d/);
    expect(metrics).toMatch(/process_resident_memory_bytes\{worker="2"\} \d/);
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(0);
    expect(run.errors()).toBe("");
    await expect(fetch(`${url}/v3`)).rejects.toThrow("fetch failed");
  });

  it("leaves no client waiting whose connection was passed to a worker that was killed", async () => {
    const run = await startBoth();
    const [, pid] = serving(run)[1] ?? [];
    // It accepts none of the connections that it gets.
    process.kill(Number(pid), "SIGSTOP");
    const outcome = async () =>
      fetch(`${url}/v3`, { headers: { connection: "close" }, signal: AbortSignal.timeout(10_000) }).then(
        ({ status }) => status,
        (error: Error) => (error.name === "TimeoutError" ? "waited" : "closed"),
      );
    const outcomes = Array.from({ length: 8 }, outcome);
    await Promise.race(outcomes);
    process.kill(Number(pid), "SIGKILL");
    const ends = await Promise.all(outcomes);
    expect(ends.toSorted((one, other) => String(one).localeCompare(String(other)))).toEqual([
      ...Array.from({ length: 7 }, () => 200),
      "closed",
    ]);
  });

  it("replaces a worker that dies, and answers requests during this time", async () => {
    const run = await startBoth();
    const [, pid] = serving(run)[1] ?? [];
    process.kill(Number(pid), "SIGKILL");
    await expect.poll(() => serving(run).length, { timeout: 20_000 }).toBe(3);
    expect(run.lines()).toContainEqual(
      expect.objectContaining({ level: "error", msg: "worker died", worker: 2, signal: "SIGKILL" }),
    );
    expect(serving(run)[2]?.[0]).toBe(2);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    run.child.kill("SIGINT");
    expect(await run.ended).toBe(0);
  });

  it("ends at once where none can serve, saying why once", async () => {
    const run = await startBoth();
    const other = await finish(["serve"], env);
    expect(other.exit).toBe(1);
    expect(other.errors).toMatch(/^hamkit-identity: .*EADDRINUSE.*\n$/);
    run.child.kill("SIGTERM");
    await run.ended;
  });

  it("leaves no process behind when the one that looks after them is killed", async () => {
    const run = await startBoth();
    run.child.kill("SIGKILL");
    for (const [, pid] of serving(run))
      await expect.poll(() => isAlive(Number(pid)), { timeout: 10_000 }).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
