/** What a login of a workload that is known writes: nothing, and once a day that it took place. SQLite counts the commits. */
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { workloadServer, type WorkloadServer } from "./workload-server.js";

const DAY_MS = 86_400_000;
/** Logins are at one replica, and the other one counts its commits. */
const [OBSERVER, BUSY] = [0, 1];

let server: WorkloadServer;
beforeAll(async () => {
  server = await workloadServer(sqliteDatabases, { replicas: 2, env: { IDENTITY_RATE_LIMIT: "on" } });
  await server.bear(await server.token(), OBSERVER);
});
afterAll(() => server.close());

/** Changes with each commit of another connection. */
async function commits(): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(server.database.tables());
  return rows[0]?.data_version ?? NaN;
}

async function logIn(jobs: number): Promise<void> {
  for (let job = 0; job < jobs; job += 1)
    expect((await server.bear(await server.token({ jti: `job ${job}` }), BUSY)).status).toBe(201);
}

/** Whether one of five series of logins sees no commit: replicas write by themselves too, now and then. */
async function writesNothing(): Promise<boolean> {
  for (let series = 0; series < 5; series += 1) {
    const before = await commits();
    await logIn(20);
    if ((await commits()) === before) return true;
  }
  return false;
}

it("writes nothing at a replica that has not seen the workload before, nor at its later logins", async () => {
  const before = await commits();
  await logIn(1);
  expect(await commits()).toBe(before);
  expect(await writesNothing()).toBe(true);
});

it("writes once on the next day", async () => {
  server.time.now += DAY_MS;
  const before = await commits();
  await logIn(1);
  expect(await commits()).not.toBe(before);
  expect(await writesNothing()).toBe(true);
});
