import { defineConfig } from "vitest/config";

import { alias } from "./scripts/vitest-shared.mjs";

/**
 * Tests that take too long for each change: many failovers, restarts and races, the upgrade from the last release; all logins with
 * counterparts, also the quick ones; real clients and recorded requests on both databases. Run by `npm run rehearse`.
 */
export default defineConfig({
  test: {
    alias,
    include: [
      "packages/*/test-rehearse/**/*.test.ts",
      "site/test-rehearse/*.test.mjs",
      "packages/identity/test-system/{clients,federation,golden}/**/*.test.ts",
    ],
    env: { TEST_DATABASE: "both" },
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["scripts/vitest-setup.mjs"],
    globalSetup: ["packages/identity/test-system/own-postgres.ts"],
  },
});
