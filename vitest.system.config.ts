import { readdirSync, readFileSync } from "node:fs";

import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { alias, WORKERS } from "./scripts/vitest-shared.mjs";

const shared = {
  alias,
  // As in vitest.config.ts.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
  setupFiles: ["scripts/vitest-setup.mjs"],
};

/** Short files that take long: one that is begun last would run alone. */
const LONG =
  /\/(?:tempest|token-races|workload-bound|replaced-master-key|crashes|locked-file|rest-requests|keystone-peers|unwritable-log)\.test\.ts$/;

const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // By size.
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** The tests of both databases on PostgreSQL, then tests that need other programs than Node. See scripts/system-checks.mjs. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    globalSetup: ["packages/identity/test-system/own-postgres.ts"],
    projects: [
      {
        test: {
          ...shared,
          name: "PostgreSQL",
          include: ["identity", "identity-import"].flatMap((name) =>
            testsOfBothDatabases(`packages/${name}/test`),
          ),
          env: { TEST_DATABASE: "PostgreSQL" },
          // A process also empties its schemas instead of creating new ones.
          maxWorkers: WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "programs",
          include: ["packages/*/test-system/**/*.test.ts"],
          // A test that measures a time does so against another of the same moment, or leaves room for others beside it.
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

/** The test files that import `databases` of test/databases.ts. */
function testsOfBothDatabases(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => /^import \{[^}]*\bdatabases\b[^}]*\} from "/m.test(readFileSync(file, "utf8")));
}
