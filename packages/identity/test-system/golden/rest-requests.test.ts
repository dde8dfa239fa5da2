import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabases, servedDatabases } from "../../test/databases.js";
import { startService } from "../service-process.js";
import type { Deviation, FileRules, RestPart } from "./golden-rules.js";
import { countRequests, differencesIn, hasRecorder, record, sentAt, SETTINGS } from "./recorded-requests.js";
import { REST_PARTS } from "./rest-parts.js";
import { countsOf, DOCUMENTED_RULES, expectedCounts, GENERAL_RULES, rulesIn } from "./rule-counts.js";

const RECORDING = "golden-rest/head";

it.each(rulesIn(...REST_PARTS.map(({ rules }) => rules)))("the rule %s is documented", (rule) => {
  expect(DOCUMENTED_RULES).toContain(rule);
});

// Without the recordings next to the checkout the tests are skipped.
it.runIf(hasRecorder)("few requests are named by rules, and most others have the same response", async () => {
  const rules = REST_PARTS.flatMap((part) => Object.entries(part.rules));
  const requests = await countRequests(
    rules.map(([file]) => file),
    RECORDING,
  );
  const deviations = rules.flatMap(([, fileRules]) => Object.entries(fileRules));
  const [general, named] = partition(deviations, ([rule]) => GENERAL_RULES.has(rule));
  const namedCount = sumOf(named.map(([, deviation]) => deviation));
  const consequences = REST_PARTS.flatMap((part) => Object.values(part.consequences ?? {}));
  const statuses =
    sumOf(general.map(([, deviation]) => deviation)) +
    sumOf(consequences.flatMap((each) => (each.statuses === undefined ? [] : [each.statuses])));
  const bodies =
    statuses + sumOf(consequences.flatMap((each) => (each.bodies === undefined ? [] : [each.bodies])));
  const generalCount = sumOf(general.map(([, deviation]) => deviation));
  const share = (count: number, of = requests) => `${((100 * count) / of).toFixed(2)} %`;
  const others = requests - namedCount;
  process.stdout.write(
    `${requests} recorded requests: ${share(namedCount)} named by rules, ${share(namedCount + generalCount)} with general rules; of the others ${share(others - statuses, others)} have the same status, ${share(others - bodies, others)} the same body\n`,
  );
  // General rules too, which name no single requests.
  expect((namedCount + generalCount) / requests).toBeLessThanOrEqual(0.06);
  expect(1 - statuses / others).toBeGreaterThanOrEqual(0.97);
  expect(1 - bodies / others).toBeGreaterThanOrEqual(0.93);
});

for (const databases of servedDatabases(sqliteDatabases))
  describe.runIf(hasRecorder).each(REST_PARTS)(
    `part $part of the recorded requests on ${databases.name}`,
    ({ byChance, consequences = {}, headers = {}, ...part }) => {
      let folder: string;
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), "hamkit-recording-"));
        await recordPart(part, { databases, folder });
      }, 600_000);
      afterAll(() => rm(folder, { recursive: true, force: true }));

      it.each(Object.entries(part.rules))("%s: differ only by the rules", async (file, rules) => {
        const differences = await differencesIn(file, { recording: RECORDING, folder });
        // The last difference of a request counts: that of its body, if its headers differ too.
        const byRequest = new Map(differences.map((difference) => [difference.request, difference]));
        const [inHeaders, others] = partition(
          [...byRequest.values()],
          ({ part: each }) => each === "headers",
        );
        const expected: FileRules = { ...rules, ...consequences[file] };
        expect(countsOf(others, expected, byChance)).toEqual(expectedCounts(expected));
        const headerRules: FileRules = headers[file] === undefined ? {} : { headers: headers[file] };
        expect(countsOf(inHeaders, headerRules, byChance)).toEqual(expectedCounts(headerRules));
        const inStatus = others.filter(({ part: each }) => each === "status").map(({ request }) => request);
        expect(inStatus.filter((request) => consequences[file]?.bodies?.[1].test(request))).toEqual([]);
      });
    },
  );

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

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
