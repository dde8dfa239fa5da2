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

it("writes nothing at a replica that has not seen the workload before, nor at its later logins", async () => {
  const before = await commits();
  await logIn(20);
  expect(await commits()).toBe(before);
});

it("writes once on the next day", async () => {
  server.time.now += DAY_MS;
  const before = await commits();
  await logIn(1);
  const once = await commits();
  expect(once).not.toBe(before);
  await logIn(20);
  expect(await commits()).toBe(once);
});
