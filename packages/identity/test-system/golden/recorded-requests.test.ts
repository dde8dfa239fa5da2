import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases, servedDatabases } from "../../test/databases.js";
import { startService } from "../service-process.js";
import { BY_CHANCE, LIST_LIMIT_RULES, RULES, TWO_LEVEL_RULES } from "./golden-rules.js";
import { countsOf, DOCUMENTED_RULES, expectedCounts, rulesIn } from "./rule-counts.js";
import { differencesIn, hasRecorder, listForms, record, RECORDERS, SETTINGS } from "./recorded-requests.js";

// Every deviation is documented.
it.each(rulesIn(RULES, TWO_LEVEL_RULES, LIST_LIMIT_RULES))(
  "the rule %s for recorded requests is documented",
  (rule) => {
    expect(DOCUMENTED_RULES).toContain(rule);
  },
);

// Without the recordings next to the checkout the tests are skipped. The order of the requests matters.
for (const databases of servedDatabases(sqliteDatabases))
  describe.runIf(hasRecorder)(`the recorded requests, and the service on ${databases.name}`, () => {
    const folders: string[] = [];
    let flat: string;
    let twoLevel: string;
    beforeAll(async () => {
      [flat, twoLevel] = await Promise.all([recordFlat(), recordTwoLevel()]);
    }, 300_000);
    afterAll(async () => {
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    });

    async function newFolder(): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), "hamkit-recording-"));
      folders.push(folder);
      return folder;
    }

    /** The second part asks a service that has been started again with a limit for lists. */
    async function recordFlat(): Promise<string> {
      const [folder, database] = await Promise.all([newFolder(), databases.create()]);
      const first = await startService({ databaseUrl: database.url, folder, env: SETTINGS });
      await record(RECORDERS.all, { url: first.url, folder });
      await first.stop();
      const env = { ...SETTINGS, IDENTITY_LIST_LIMIT: "2" };
      const second = await startService({ databaseUrl: database.url, folder, env });
      await record(RECORDERS.defaultPageSize, { url: second.url, folder });
      await second.stop();
      await database.remove();
      return folder;
    }

    async function recordTwoLevel(): Promise<string> {
      const [folder, database] = await Promise.all([newFolder(), databases.create()]);
      const env = { IDENTITY_ENFORCEMENT_MODEL: "strict_two_level" };
      const service = await startService({ databaseUrl: database.url, folder, env });
      await record(RECORDERS.twoLevels, { url: service.url, folder });
      await service.stop();
      await database.remove();
      return folder;
    }

    it.each(Object.keys(RULES))("%s: differ only by the rules", async (file) => {
      const differences = await differencesIn(file, { recording: "golden/head", folder: flat });
      expect(countsOf(differences, RULES[file], BY_CHANCE)).toEqual(expectedCounts(RULES[file]));
    });

    it.each(Object.keys(TWO_LEVEL_RULES))("%s: differ so under two levels", async (file) => {
      const differences = await differencesIn(file, { recording: "golden/head-two-level", folder: twoLevel });
      expect(countsOf(differences, TWO_LEVEL_RULES[file], BY_CHANCE)).toEqual(
        expectedCounts(TWO_LEVEL_RULES[file]),
      );
    });

    it.each(Object.keys(LIST_LIMIT_RULES))("%s: differ so in the form of lists", async (file) => {
      const wanted = await listForms(file, { recording: "golden/head" });
      const found = await listForms(file, { folder: flat });
      expect(found).toHaveLength(wanted.length);
      const differences = found
        .filter((form, index) => !isDeepStrictEqual(form, wanted[index]))
        .map((form) => ({ request: form.request, details: JSON.stringify(form) }));
      expect(countsOf(differences, LIST_LIMIT_RULES[file], BY_CHANCE)).toEqual(
        expectedCounts(LIST_LIMIT_RULES[file]),
      );
    });
  });
