/** A service that is mounted while its database is still being migrated. */
import { setTimeout as delay } from "node:timers/promises";

import type { KyselyPlugin } from "kysely";
import { expect, it } from "vitest";

import { readConfig } from "../src/config.js";
import { mountApp } from "../src/mounted-app.js";
import { systemClock } from "../src/platform/clock.js";
import { openDatabase } from "../src/platform/database/open-database.js";
import { createMetrics } from "../src/platform/health/metrics.js";
import { newId, newRequestId } from "../src/platform/ids.js";
import { createLog } from "../src/platform/log.js";
import { holdPolicy } from "../src/policy/held-policy.js";
import { policyOf, readTexts, settingsOf } from "../src/policy/load-policy.js";
import { sqliteDatabases } from "./databases.js";
import { ADMIN_PASSWORD } from "./test-app.js";
import { PUBLIC_URL } from "./test-server.js";

it("asks its database nothing before it is started: its tables may still be created then", async () => {
  const place = await sqliteDatabases.create();
  const config = readConfig({
    IDENTITY_DATABASE_URL: place.url,
    IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    IDENTITY_ADMIN_PASSWORD: ADMIN_PASSWORD,
  });
  const queries: string[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      queries.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const database = openDatabase(place.url);
  const tables = <Tables>() => database.tables<Tables>().withPlugin(recorder);
  const recorded = { ...database, tables, forLists: { tables } };
  const settings = settingsOf(config);
  const texts = readTexts(settings);
  const log = createLog("silent", { write: () => {} });
  const app = await mountApp(
    {
      database: recorded,
      metrics: createMetrics({ ofProcess: false }),
      policyFiles: { settings, texts, policy: holdPolicy(policyOf(texts, settings)) },
    },
    config,
    { log, clock: systemClock, newId, newRequestId, publicUrl: PUBLIC_URL, isProcess: false },
  );
  await delay(50);
  expect(queries).toEqual([]);
  await expect(app.start()).rejects.toThrow("signing_key");
  expect(queries).toEqual(["SelectQueryNode"]);
  await database.close();
  await place.remove();
});
