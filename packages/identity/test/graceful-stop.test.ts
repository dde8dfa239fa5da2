/** Graceful stop of a real process that has clients. */
import { Agent, request } from "node:http";
import { connect } from "node:net";

import { describe, expect, it } from "vitest";

import { commandLine, freePort, type Run } from "./command-line.js";

const { start } = commandLine();

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

/** A request that is never sent a second time. */
function ask(url: string, agent: Agent, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const body = method === "POST" ? JSON.stringify({ auth: { identity: { methods: [] } } }) : "";
    const sent = request(url, { agent, method, headers: { "content-length": body.length } }, (response) => {
      response.resume();
      response.once("end", () =>
        resolve({ status: response.statusCode, connection: response.headers.connection }),
      );
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

const keepAlive = () => new Agent({ keepAlive: true, maxSockets: 1 });
const once = () => new Agent({ keepAlive: false });

async function serve(env: Record<string, string>): Promise<{ readonly run: Run; readonly url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const run = start(["serve"], { IDENTITY_PORT: String(port), ...env });
  const workers = Number(env["IDENTITY_WORKERS"] ?? 1);
  const serving = () => run.lines().filter(({ msg }) => msg === "serving").length;
  await expect.poll(serving, { timeout: 30_000 }).toBe(workers);
  return { run, url };
}

const isStopping = (run: Run) => run.lines().some(({ msg }) => msg === "stopping");

describe("a service that receives SIGTERM", () => {
  it.each(["1", "2"])(
    "is not ready, goes on listening, ends connections with their next response, and exits with 0: %s processes",
    async (workers) => {
      const { run, url } = await serve({ IDENTITY_WORKERS: workers, IDENTITY_SHUTDOWN_DELAY: "3" });
      const idle = keepAlive();
      expect(await ask(`${url}/v3`, idle)).toMatchObject({ status: 200, connection: "keep-alive" });

      // Clients that send one request after the other, as long as they are let.
      const phase = { isListening: true };
      let answered = 0;
      const failures: unknown[] = [];
      const clients = Array.from({ length: 8 }, async (_, client) => {
        const agent = keepAlive();
        while (phase.isListening) {
          try {
            const { status } = await ask(`${url}/v3/auth/tokens`, agent, client % 2 === 0 ? "POST" : "GET");
            expect(status).toBe(401);
            answered++;
          } catch (error) {
            if (phase.isListening) failures.push(error);
          }
        }
      });
      run.child.kill("SIGTERM");
      await expect.poll(() => isStopping(run), { timeout: 10_000 }).toBe(true);
      const toldAt = performance.now();
      expect(await ask(`${url}/readyz`, once())).toMatchObject({ status: 503 });
      expect(await ask(`${url}/v3`, idle)).toEqual({ status: 200, connection: "close" });
      expect(await ask(`${url}/v3`, keepAlive())).toEqual({ status: 200, connection: "close" });
      const before = answered;
      await expect.poll(() => answered).toBeGreaterThan(before + 20);
      expect(performance.now() - toldAt).toBeLessThan(2900);
      phase.isListening = false;
      await Promise.all(clients);
      expect(failures).toEqual([]);
      expect(await run.ended).toBe(0);
      expect(run.errors()).toBe("");
    },
  );

  it("exits with 0 beside connections that never sent a request, and closes idle ones at the end", async () => {
    const { run, url } = await serve({ IDENTITY_SHUTDOWN_DELAY: "1" });
    const port = Number(new URL(url).port);
    const silent = connect(port, "127.0.0.1");
    const half = connect(port, "127.0.0.1");
    half.write("GET /v3 HTTP/1.1\r\nhost: x\r\n");
    for (const socket of [silent, half]) socket.on("error", () => {});
    await ask(`${url}/v3`, keepAlive());
    const begun = performance.now();
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(0);
    expect(performance.now() - begun).toBeGreaterThan(900);
    expect(performance.now() - begun).toBeLessThan(8000);
  });

  it("ends at once at a second signal", async () => {
    const { run } = await serve({ IDENTITY_SHUTDOWN_DELAY: "60" });
    run.child.kill("SIGTERM");
    await expect.poll(() => isStopping(run), { timeout: 10_000 }).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 400));
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(1);
  });

  it("doesn't wait for load balancers where it is interrupted at a terminal", async () => {
    const { run } = await serve({ IDENTITY_SHUTDOWN_DELAY: "60", IDENTITY_WORKERS: "2" });
    run.child.kill("SIGINT");
    expect(await run.ended).toBe(0);
  });
});
