/** Three replicas on one PostgreSQL behind HAProxy with keep-alive clients, restarted one after the other. */
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import { freePort } from "../free-port.js";
import { postgresDatabases } from "../../test/databases.js";
import { ADMIN_PASSWORD, startService, type ServiceProcess } from "../service-process.js";
import { HAPROXY_RISE_MS, startHaproxy } from "./haproxy.js";

const CLIENTS = 8;

/** @param restarts Of one replica each. @param minRequests What clients send in that time at least. */
export function rollingRestartsContract(restarts: number, minRequests: number): void {
  describe("three replicas behind HAProxy", () => {
    it(`are restarted ${restarts} times without a failed request of ${minRequests}`, async () => {
      const database = await postgresDatabases.create();
      const folder = await mkdtemp(join(tmpdir(), "hamkit-rolling-"));
      const env = { IDENTITY_SHUTDOWN_DELAY: "5" };
      const start = (port: number) => startService({ databaseUrl: database.url, folder, port, env });
      const replicas: ServiceProcess[] = [];
      onTestFinished(async () => {
        await Promise.all(replicas.map((replica) => replica.kill()));
        await database.remove();
        await rm(folder, { recursive: true, force: true });
      });
      // The first one makes the database and the master key.
      for (let index = 0; index < 3; index++) replicas.push(await start(await freePort()));
      const url = await startHaproxy(
        folder,
        replicas.map(({ port }) => port),
      );
      const clients = await startClients(url);
      try {
        for (let index = 0; index < restarts; index++) {
          const replica = replicas[index % 3] as ServiceProcess;
          // Ends with exit code 0, or this throws.
          await replica.stop();
          replicas[index % 3] = await start(replica.port);
          await delay(HAPROXY_RISE_MS);
        }
        while (clients.answered() < minRequests && clients.failures().length === 0) await delay(100);
      } finally {
        await clients.stop();
      }
      expect(clients.failures().slice(0, 5)).toEqual([]);
      expect(clients.answered()).toBeGreaterThanOrEqual(minRequests);
    }, 1_500_000);
  });
}

/** Clients that keep their connections, send nothing twice, and log in as well as read. */
async function startClients(url: string) {
  const failures: unknown[] = [];
  let answered = 0;
  const phase = { isRunning: true };
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const body = JSON.stringify({
    auth: { identity: { methods: ["password"], password: { user } }, scope: { system: { all: true } } },
  });
  const send = (agent: Agent, method: string, path: string, token?: string) =>
    new Promise<{ status: number | undefined; token: string }>((resolve, reject) => {
      const headers = token === undefined ? {} : { "x-auth-token": token, "x-subject-token": token };
      const asked = request(url + path, { agent, method, headers }, (response) => {
        response.resume();
        response.once("error", reject);
        response.once("end", () =>
          resolve({ status: response.statusCode, token: String(response.headers["x-subject-token"]) }),
        );
      });
      asked.once("error", reject);
      asked.end(method === "POST" ? body : undefined);
    });

  const { token } = await send(new Agent(), "POST", "/v3/auth/tokens");
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = client; phase.isRunning; count++) {
      const [method, path, expected] =
        count % 20 === 0
          ? (["POST", "/v3/auth/tokens", 201] as const)
          : count % 2 === 0
            ? (["GET", "/v3/auth/tokens", 200] as const)
            : (["GET", "/v3/users", 200] as const);
      try {
        const { status } = await send(agent, method, path, method === "POST" ? undefined : token);
        if (status === expected) answered++;
        else failures.push([method, path, status]);
      } catch (error) {
        failures.push([method, path, String(error)]);
      }
      // A machine that does nothing else but this would not get to restart anything.
      await delay(10);
    }
    agent.destroy();
  });
  return {
    answered: () => answered,
    failures: () => failures,
    async stop() {
      phase.isRunning = false;
      await Promise.all(clients);
    },
  };
}
