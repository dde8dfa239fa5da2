import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startPostgres, type PostgresServer } from "../postgres-server.js";
import { startService, type ServiceProcess } from "../service-process.js";
import { adminClient, type AdminClient } from "./admin-client.js";

const IS_READ_ONLY = "The database can't be changed: PostgreSQL's default_transaction_read_only is on.\n";
const IS_STANDBY = "The database can't be changed: PostgreSQL is a standby.\n";

describe("the service on a PostgreSQL that only reads", () => {
  let postgres: PostgresServer;
  let folder: string;
  let service: ServiceProcess;
  let client: AdminClient;
  beforeAll(async () => {
    postgres = await startPostgres();
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    service = await startService({ databaseUrl: postgres.url, folder });
    client = await adminClient(service.url);
  });
  afterAll(async () => {
    await service.stop();
    postgres.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function setReadOnly(value: "on" | "off"): Promise<void> {
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    await other.query(`alter system set default_transaction_read_only = ${value}`);
    await other.query("select pg_reload_conf()");
    await other.end();
  }

  async function readiness(url: string): Promise<string> {
    const answer = await fetch(`${url}/readyz`);
    return `${answer.status} ${await answer.text()}`;
  }

  const createRegion = () => client.ask("POST", "/v3/regions", { region: {} });

  it("reads, refuses changes with 503, names the reason in /readyz, and recovers without a restart", async () => {
    expect(await readiness(service.url)).toBe("200 ");
    await setReadOnly("on");
    try {
      await expect.poll(() => readiness(service.url)).toBe(`200 ${IS_READ_ONLY}`);
      expect((await createRegion()).status).toBe(503);
      expect((await client.ask("GET", "/v3/regions")).status).toBe(200);
    } finally {
      await setReadOnly("off");
    }
    await expect.poll(() => readiness(service.url)).toBe("200 ");
    expect((await createRegion()).status).toBe(201);
  });

  it("names a standby that its address allows", async () => {
    const standby = await postgres.startStandby();
    try {
      const databaseUrl = `${standby.url}?target_session_attrs=any`;
      const reader = await startService({ databaseUrl, folder });
      // A standby sends no notifications either.
      expect(await readiness(reader.url)).toMatch(/^200 Change notifications .*\n/);
      expect(await readiness(reader.url)).toContain(IS_STANDBY);
      await reader.stop();
    } finally {
      standby.remove();
    }
  });
});
