import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { startService } from "../service-process.js";
import { BY_CHANCE, LIST_LIMIT_RULES, RULES, TWO_LEVEL_RULES, type Rules } from "./golden-rules.js";
import {
  differencesIn,
  hasRecorder,
  listForms,
  record,
  SETTINGS,
  type Difference,
} from "./recorded-requests.js";

const documented = ["docs/differences.md", "docs/identity/differences.md"]
  .map((path) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8"))
  .join("\n");

// Every deviation is documented.
const allRules = [RULES, TWO_LEVEL_RULES, LIST_LIMIT_RULES].flatMap((files) => Object.values(files));
it.each([...new Set(allRules.flatMap((file) => Object.keys(file)))])(
  "the rule %s for recorded requests is documented",
  (rule) => {
    expect(documented).toContain(`\n### ${rule}\n`);
  },
);

// Without the recordings next to the checkout the tests are skipped. The order of the requests matters.
for (const databases of [sqliteDatabases, postgresDatabases])
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
      await record("all", { url: first.url, folder });
      await first.stop();
      const env = { ...SETTINGS, IDENTITY_LIST_LIMIT: "2" };
      const second = await startService({ databaseUrl: database.url, folder, env });
      await record("list limit", { url: second.url, folder });
      await second.stop();
      await database.remove();
      return folder;
    }

    async function recordTwoLevel(): Promise<string> {
      const [folder, database] = await Promise.all([newFolder(), databases.create()]);
      const env = { IDENTITY_ENFORCEMENT_MODEL: "strict_two_level" };
      const service = await startService({ databaseUrl: database.url, folder, env });
      await record("two levels", { url: service.url, folder });
      await service.stop();
      await database.remove();
      return folder;
    }

    it.each(Object.keys(RULES))("%s: differ only by the rules", async (file) => {
      const differences = await differencesIn(file, { recording: "head", folder: flat });
      expect(countsOf(differences, RULES, file)).toEqual(expectedCounts(RULES, file));
    });

    it.each(Object.keys(TWO_LEVEL_RULES))("%s: differ so under two levels", async (file) => {
      const differences = await differencesIn(file, { recording: "head-two-level", folder: twoLevel });
      expect(countsOf(differences, TWO_LEVEL_RULES, file)).toEqual(expectedCounts(TWO_LEVEL_RULES, file));
    });

    it.each(Object.keys(LIST_LIMIT_RULES))("%s: differ so in the form of lists", async (file) => {
      const wanted = await listForms(file, { recording: "head" });
      const found = await listForms(file, { folder: flat });
      expect(found).toHaveLength(wanted.length);
      const differences = found
        .filter((form, index) => !isDeepStrictEqual(form, wanted[index]))
        .map((form) => ({ request: form.request, details: JSON.stringify(form) }));
      expect(countsOf(differences, LIST_LIMIT_RULES, file)).toEqual(expectedCounts(LIST_LIMIT_RULES, file));
    });
  });

/** How many requests differ by each rule; one that differs by none, or by more than one, stands for itself. */
function countsOf(differences: readonly Difference[], files: Rules, file: string): Record<string, number> {
  const rules = Object.entries(files[file] ?? {});
  const counts: Record<string, number> = {};
  // One answer may differ in its headers and in its body.
  const requests = new Map(differences.map(({ request, details }) => [request, details]));
  for (const [request, details] of requests) {
    if (BY_CHANCE.test(request)) continue;
    const names = rules.filter(([, [, pattern]]) => pattern.test(request)).map(([rule]) => rule);
    const name = names.length === 1 ? (names[0] ?? "") : `${names.join(", ")}: ${details}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function expectedCounts(files: Rules, file: string): Record<string, number> {
  return Object.fromEntries(Object.entries(files[file] ?? {}).map(([rule, [count]]) => [rule, count]));
}
