/** keystonemiddleware, and tokens that expire while services work for a user: a service's token vouches for them (`allow_expired`). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { IN_THE_PAST, startService, type ServiceProcess } from "../service-process.js";
import { outcomesOf } from "./outcomes.js";

const OUTCOMES = {
  "a token": true,
  "an expired token": 401,
  "an expired token with a service's": true,
  "an expired token with a service's that expired too": 401,
  "an expired token with a user's": 401,
  "a revoked token that expired, with a service's": 401,
};

for (const databases of [sqliteDatabases, postgresDatabases])
  describe(`keystonemiddleware, expired tokens, and the service on ${databases.name}`, () => {
    let database: TestDatabase;
    let folder: string;
    const running: ServiceProcess[] = [];
    let outcomes: Readonly<Record<string, unknown>>;
    beforeAll(async () => {
      database = await databases.create();
      folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
      for (const env of [{}, IN_THE_PAST])
        running.push(await startService({ databaseUrl: database.url, folder, env }));
      const [present, past] = running.map(({ url }) => url);
      outcomes = await outcomesOf("expired-tokens.py", present ?? "", { past_url: past });
    });
    afterAll(async () => {
      for (const service of running) await service.stop();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    });

    it.each(Object.entries(OUTCOMES))("%s: %j", (check, outcome) => {
      expect(outcomes[check]).toEqual(outcome);
    });
  });
