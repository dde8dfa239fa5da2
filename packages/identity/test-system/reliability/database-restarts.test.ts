import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startPostgres, type PostgresServer } from "../postgres-server.js";
import { startService, type ServiceProcess } from "../service-process.js";
import { adminClient, logIn, type AdminClient } from "./admin-client.js";
import { halfWritten } from "./half-written.js";
import { emptyLedger, lostIn, startWriters } from "./writers.js";

describe("the service, whose PostgreSQL ends and comes back while clients write", () => {
  let postgres: PostgresServer;
  let folder: string;
  let service: ServiceProcess;
  let client: AdminClient;
  let roleId: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    service = await startService({ databaseUrl: postgres.url, folder });
    client = await adminClient(service.url);
    roleId = String((await client.ask("GET", "/v3/roles?name=member")).body.roles[0].id);
  });
  afterAll(async () => {
    await service.stop();
    postgres.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(["fast", "immediate"] as const)(
    "sends Retry-After, recovers by itself, and loses nothing (%s stop)",
    async (mode) => {
      const ledger = emptyLedger();
      const writers = startWriters({ client, ledger, prefix: `w${mode}`, roleId, writers: 4 });
      await delay(500);
      postgres.stop(mode);
      await delay(500);
      const away = await Promise.all([
        client.ask("GET", "/readyz"),
        client.ask("POST", "/v3/regions", { region: {} }),
        logIn(service.url, { name: `w${mode}-0-0`, password: "x" }),
      ]);
      postgres.start();
      await expect
        .poll(async () => (await client.ask("GET", "/readyz")).status, { timeout: 10_000 })
        .toBe(200);
      const doneBefore = ledger.counts.get(201) ?? 0;
      await expect.poll(() => ledger.counts.get(201), { timeout: 10_000 }).toBeGreaterThan(doneBefore + 20);
      await writers.stop();

      expect(away.map(({ status }) => status)).toEqual([503, 503, 503]);
      for (const { headers } of away.slice(1)) expect(headers.get("retry-after")).toMatch(/^\d+$/);
      expect(ledger.unexpected).toEqual([]);
      expect([...ledger.counts.keys()].filter((status) => status === 0)).toEqual([]);
      expect(await lostIn(client, ledger)).toEqual([]);
      expect(await halfWritten(postgres.url)).toEqual([]);
    },
  );

  it("was one process all the time, and does not name the database in responses", () => {
    expect(service.output()).toContain("request failed");
    expect(service.output()).not.toContain("UNCAUGHT");
  });
});
