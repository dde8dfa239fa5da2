import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { startService } from "../service-process.js";
import { differencesIn, hasRecorder, record, SETTINGS } from "./recorded-requests.js";
import { REST_PARTS } from "./rest-parts.js";
import { countsOf, DOCUMENTED_RULES, expectedCounts, rulesIn } from "./rule-counts.js";

it.each(rulesIn(...REST_PARTS.map(({ rules }) => rules)))("the rule %s is documented", (rule) => {
  expect(DOCUMENTED_RULES).toContain(rule);
});

// Without the recordings next to the checkout the tests are skipped.
for (const databases of [sqliteDatabases, postgresDatabases])
  describe.runIf(hasRecorder).each(REST_PARTS)(
    `part $part of the recorded requests on ${databases.name}`,
    ({ part, rules, byChance, env }) => {
      let folder: string;
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), "hamkit-recording-"));
        const database = await databases.create();
        const service = await startService({
          databaseUrl: database.url,
          folder,
          env: { ...SETTINGS, ...env },
        });
        await record(["record_rest.py", part], { url: service.url, folder });
        await service.stop();
        await database.remove();
      }, 300_000);
      afterAll(() => rm(folder, { recursive: true, force: true }));

      it.each(Object.entries(rules))("%s: differ only by the rules", async (file, fileRules) => {
        const differences = await differencesIn(file, { recording: "golden-rest/head", folder });
        expect(countsOf(differences, fileRules, byChance)).toEqual(expectedCounts(fileRules));
      });
    },
  );
