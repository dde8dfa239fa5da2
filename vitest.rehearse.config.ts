import { defineConfig } from "vitest/config";

/**
 * Tests that take too long for each change: many failovers, restarts and races; and all logins with counterparts, also the quick ones.
 * Run by `npm run rehearse`.
 */
export default defineConfig({
  test: {
    include: [
      "packages/*/test-rehearse/**/*.test.ts",
      "packages/identity/test-system/federation/**/*.test.ts",
    ],
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["scripts/vitest-setup.mjs"],
    globalSetup: ["packages/identity/test-system/own-postgres.ts"],
  },
});
