/** The service, killed while clients write, has all that it acknowledged, and nothing half. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { TestDatabase, TestDatabases } from "../../test/databases.js";
import { startService, type ServiceOptions, type ServiceProcess } from "../service-process.js";
import { adminClient, logIn, type AdminClient } from "./admin-client.js";
import { halfWritten } from "./half-written.js";
import { emptyLedger, lostIn, startWriters, USER_PASSWORD } from "./writers.js";

const WRITERS = 4;

/** @param crashes Kills at arbitrary moments. */
export function crashesContract(databases: TestDatabases, crashes: number): void {
  describe(`the service on ${databases.name}, killed ${crashes} times while ${WRITERS} clients write`, () => {
    const ledger = emptyLedger();
    let database: TestDatabase;
    let folder: string;
    let service: ServiceProcess;
    let client: AdminClient;
    beforeAll(async () => {
      database = await databases.create();
      folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
      const options = { databaseUrl: database.url, folder };
      service = await startService(options);
      client = await adminClient(service.url);
      for (let crash = 0; crash < crashes; crash++) service = await crashOnce({ ...options, crash });
    }, 180_000);
    afterAll(async () => {
      await service.stop();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    });

    /** @returns The service that has been started again, at the same address. */
    async function crashOnce({ crash, ...options }: ServiceOptions & { crash: number }) {
      const { body } = await client.ask("GET", "/v3/roles?name=member");
      const roleId = String(body.roles[0].id);
      // From the first request, whatever the machine's speed, to the middle of many.
      const acknowledged = ledger.present.size;
      const writers = startWriters({ client, ledger, prefix: `w${crash}`, roleId, writers: WRITERS });
      if (crash % 2 === 1)
        await vi.waitUntil(() => ledger.present.size > acknowledged, { interval: 5, timeout: 10_000 });
      await delay(40 + crash * 10);
      await service.kill();
      await writers.stop();
      return startService({ ...options, port: service.port });
    }

    it("answers nothing but success until it ends", () => {
      expect(ledger.unexpected).toEqual([]);
      expect([...ledger.counts.keys()].filter((status) => status >= 300)).toEqual([]);
      expect(ledger.counts.get(201)).toBeGreaterThanOrEqual(crashes / 2);
    });

    it("has all that it acknowledged, and the token from before is still good", async () => {
      expect(await lostIn(client, ledger)).toEqual([]);
      expect((await adminClient(service.url)).token).not.toBe(client.token);
    });

    it("has each user whole or not at all", async () => {
      const { body } = await client.ask("GET", "/v3/users?name__startswith=w");
      const names = body.users.map(({ name }: { name: string }) => name) as string[];
      expect(names.filter((name) => !ledger.usersBegun.has(name))).toEqual([]);
      const logins = names.slice(-20).map((name) => logIn(service.url, { name, password: USER_PASSWORD }));
      const statuses = (await Promise.all(logins)).map(({ status }) => status);
      expect(statuses).toEqual(statuses.map(() => 201));
    });

    it("has left nothing half-written", async () => {
      expect(await halfWritten(database.url)).toEqual([]);
    });
  });
}
