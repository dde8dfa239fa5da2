import { readdirSync, readFileSync } from "node:fs";

import { defineConfig } from "vitest/config";

const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
  setupFiles: ["scripts/vitest-setup.mjs"],
};

/**
 * Two projects: the tests of both databases on PostgreSQL, and tests that need other programs than Node.
 * See scripts/system-checks.mjs.
 */
export default defineConfig({
  test: {
    globalSetup: ["packages/identity/test-system/own-postgres.ts"],
    projects: [
      {
        test: {
          ...shared,
          name: "PostgreSQL",
          include: testsOfBothDatabases("packages/identity/test"),
          env: { TEST_DATABASE: "PostgreSQL" },
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "system",
          include: ["packages/*/test-system/**/*.test.ts"],
          // One after the other: several tests measure times, or start and stop servers.
          fileParallelism: false,
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
