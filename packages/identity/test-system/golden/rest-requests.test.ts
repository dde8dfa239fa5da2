import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases, type TestDatabases } from "../../test/databases.js";
import { startService } from "../service-process.js";
import type { Deviation, RestPart } from "./golden-rules.js";
import { countRequests, differencesIn, hasRecorder, record, sentAt, SETTINGS } from "./recorded-requests.js";
import { REST_PARTS } from "./rest-parts.js";
import { countsOf, DOCUMENTED_RULES, expectedCounts, rulesIn } from "./rule-counts.js";

const RECORDING = "golden-rest/head";

it.each(rulesIn(...REST_PARTS.map(({ rules }) => rules)))("the rule %s is documented", (rule) => {
  expect(DOCUMENTED_RULES).toContain(rule);
});

// Without the recordings next to the checkout the tests are skipped.
it.runIf(hasRecorder)("rules name at most 6 % of the requests, and of the others 93 % have the same body", async () => {
  const files = REST_PARTS.flatMap(({ rules }) => Object.keys(rules));
  const requests = await countRequests(files, RECORDING);
  const named = sumOf(REST_PARTS.flatMap(({ rules }) => Object.values(rules).flatMap(Object.values<Deviation>)));
  const others = sumOf(REST_PARTS.flatMap(({ consequences = {} }) => Object.values(consequences)));
  expect(named / requests).toBeLessThanOrEqual(0.06);
  // All of them have the same status.
  expect(1 - others / (requests - named)).toBeGreaterThanOrEqual(0.93);
});

for (const databases of [sqliteDatabases, postgresDatabases])
  describe.runIf(hasRecorder).each(REST_PARTS)(
    `part $part of the recorded requests on ${databases.name}`,
    ({ byChance, consequences = {}, ...part }) => {
      let folder: string;
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), "hamkit-recording-"));
        await recordPart(part, { databases, folder });
      }, 600_000);
      afterAll(() => rm(folder, { recursive: true, force: true }));

      it.each(Object.entries(part.rules))("%s: differ only by the rules", async (file, rules) => {
        const differences = await differencesIn(file, { recording: RECORDING, folder });
        const consequence = consequences[file];
        const all = consequence === undefined ? rules : { ...rules, consequences: consequence };
        expect(countsOf(differences, all, byChance)).toEqual(expectedCounts(all));
        const following = differences.filter(({ request }) => consequence?.[1].test(request));
        expect(following.filter((difference) => difference.part === "status")).toEqual([]);
      });
    },
  );

function sumOf(deviations: readonly Deviation[]): number {
  return deviations.reduce((sum, [count]) => sum + count, 0);
}

/** As often as it takes to have the files with one-time codes within one step: it fails once in five. */
const MAX_ATTEMPTS = 6;
const STEP_SECONDS = 30;

/** Records a part of the requests on a service of its own. */
async function recordPart(
  { part, env, filesOfOneStep = [] }: RestPart,
  { databases, folder }: { readonly databases: TestDatabases; readonly folder: string },
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const database = await databases.create();
    const service = await startService({ databaseUrl: database.url, folder, env: { ...SETTINGS, ...env } });
    await record(["record_rest.py", part], { url: service.url, folder });
    await service.stop();
    await database.remove();
    const steps = await Promise.all(filesOfOneStep.map((file) => stepsOf(file, folder)));
    if (steps.every((counts) => counts === 1)) return;
  }
  throw new Error(`one-time codes of two steps in ${filesOfOneStep.join(", ")}, ${MAX_ATTEMPTS} times`);
}

/** The number of steps of one-time codes in which the requests of a file were sent. */
async function stepsOf(file: string, folder: string): Promise<number> {
  return new Set((await sentAt(file, folder)).map((seconds) => Math.floor(seconds / STEP_SECONDS))).size;
}
