import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startService, type ServiceProcess } from "../service-process.js";
import { adminClient, type AdminClient } from "./admin-client.js";
import { openSqliteFile } from "../../src/platform/database/sqlite/sqlite-library.js";

/** Longer than the service waits for it. */
const LOCK_MS = 12_000;

describe.each([1, 2])("a SQLite file that another process locks for long, with %i worker(s)", (workers) => {
  let folder: string;
  let path: string;
  let service: ServiceProcess;
  let client: AdminClient;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    path = join(folder, "identity.db");
    const env = { IDENTITY_WORKERS: String(workers), IDENTITY_RATE_LIMIT: "on" };
    service = await startService({ databaseUrl: `sqlite:${path}`, folder, env });
    client = await adminClient(service.url);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const createRegion = () => client.ask("POST", "/v3/regions", { region: {} });
  const readiness = async () => {
    const answer = await fetch(`${service.url}/readyz`);
    return `${answer.status} ${await answer.text()}`;
  };

  async function whileLocked(mode: "immediate" | "exclusive", use: () => Promise<void>): Promise<void> {
    const other = openSqliteFile(path);
    other.exec(`begin ${mode}`);
    try {
      await use();
    } finally {
      other.exec("rollback");
      other.close();
    }
  }

  /** Changes, revocations and failed logins at once, until the lock ends: each of them writes in its own way. */
  async function writeFor(ms: number): Promise<number[]> {
    const statuses: number[] = [];
    const end = performance.now() + ms;
    const writer = async (write: () => Promise<{ readonly status: number }>) => {
      while (performance.now() < end) statuses.push((await write()).status);
    };
    const login = () =>
      client.ask("POST", "/v3/auth/tokens", {
        auth: {
          identity: {
            methods: ["password"],
            password: { user: { name: "admin", domain: { id: "default" }, password: "wrong" } },
          },
        },
      });
    const changePassword = () => client.ask("PATCH", "/v3/users/none", { user: { name: "none" } });
    await Promise.all([createRegion, createRegion, createRegion, login, changePassword].map(writer));
    return statuses;
  }

  it.each(["immediate", "exclusive"] as const)(
    "is written again within a second of the lock's release: begin %s",
    async (mode) => {
      await whileLocked(mode, async () => {
        const writing = writeFor(LOCK_MS);
        await delay(LOCK_MS - 2000);
        expect(await readiness()).toMatch(/^200 Another process has had the database's write lock for \d+ s/);
        expect(await writing).toContain(503);
        expect((await client.ask("GET", "/v3/regions")).status).toBe(200);
      });
      const since = performance.now();
      // Each connection reaches a worker in turn.
      const statuses = await Promise.all(Array.from({ length: 8 }, createRegion));
      expect(statuses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
      expect(performance.now() - since).toBeLessThan(1500);
      expect(await readiness()).toBe("200 ");
      await service.stop();
    },
  );

  it("does not keep a stop from ending with code 0", async () => {
    await whileLocked("immediate", async () => {
      const writing = writeFor(6000);
      await delay(1000);
      await expect(service.stop()).resolves.toBeUndefined();
      await writing;
    });
  });
});

describe("a SQLite file that another process locks", () => {
  it("does not keep a process from starting, which has nothing to migrate", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    const path = join(folder, "identity.db");
    const options = { databaseUrl: `sqlite:${path}`, folder };
    await (await startService(options)).stop();
    const other = openSqliteFile(path);
    other.exec("begin immediate");
    const service = await startService(options);
    expect((await fetch(`${service.url}/v3`)).status).toBe(200);
    other.exec("rollback");
    other.close();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });
});
