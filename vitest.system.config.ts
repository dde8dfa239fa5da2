import { readdirSync, readFileSync } from "node:fs";

import { defineConfig } from "vitest/config";

const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
  setupFiles: ["scripts/vitest-setup.mjs"],
};

/** Folders of the identity service whose tests measure no times and share no server: two of their files run at a time. */
const SIDE_BY_SIDE =
  "packages/identity/test-system/{clients,commands,consumers,credentials,export,federation,golden,import,mappings,oauth1}/**/*.test.ts";

/**
 * The tests of both databases on PostgreSQL, then tests that need other programs than Node: two at a time, or one after the other.
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
          name: "side by side",
          include: [SIDE_BY_SIDE],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: "system",
          include: ["packages/*/test-system/**/*.test.ts"],
          exclude: [SIDE_BY_SIDE],
          // One after the other: several tests measure times, or start and stop servers.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
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
