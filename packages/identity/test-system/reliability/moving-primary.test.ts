/** Failover of a service between two PostgreSQL servers. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { startPostgres, type PostgresServer } from "../postgres-server.js";
import { ADMIN_PASSWORD, startService, type ServiceProcess } from "../service-process.js";
import { adminClient, logIn } from "./admin-client.js";

const PASSWORD = "never-in-a-log";

let primary: PostgresServer;
let standby: PostgresServer;
let folder: string;
let service: ServiceProcess;
beforeAll(async () => {
  primary = await startPostgres();
  standby = await primary.startStandby();
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(",");
  // The servers ask for no password; one in the address must not show up anywhere all the same.
  const databaseUrl = `postgres://postgres:${PASSWORD}@${hosts}/postgres?target_session_attrs=read-write`;
  service = await startService({ databaseUrl, folder });
});
afterAll(async () => {
  await service.stop();
  standby.remove();
  primary.remove();
  await rm(folder, { recursive: true, force: true });
});

it("answers again within seconds, without a restart, and without the address in responses", async () => {
  const client = await adminClient(service.url);
  const validate = () => client.ask("GET", "/v3/auth/tokens").then(({ status }) => status);
  expect((await client.ask("POST", "/v3/regions", { region: { id: "before" } })).status).toBe(201);
  primary.stop("immediate");
  const away = await Promise.all([
    client.ask("POST", "/v3/regions", { region: {} }),
    client.ask("GET", "/v3/regions"),
  ]);
  expect(away.map(({ status }) => status)).toEqual([503, 503]);
  standby.promote();
  const promoted = performance.now();
  await expect
    .poll(async () => (await client.ask("POST", "/v3/regions", { region: {} })).status, { timeout: 15_000 })
    .toBe(201);
  expect(performance.now() - promoted).toBeLessThan(8000);
  const { body } = await client.ask("GET", "/v3/regions/before");
  expect(body).toMatchObject({ region: { id: "before" } });
  expect((await logIn(service.url, { name: "admin", password: ADMIN_PASSWORD })).status).toBe(201);
  expect(await validate()).not.toBe(503);
  await expect.poll(async () => (await client.ask("GET", "/readyz")).status).toBe(200);
  await expect.poll(() => service.output()).toMatch(/no host is read-write: .*ECONNREFUSED/);
  expect(service.output()).not.toContain(PASSWORD);
});
