import { defineConfig } from "vitest/config";

/** What takes too long for each change: many failovers, restarts and races. `npm run rehearse`, by hand. */
export default defineConfig({
  test: {
    include: ["packages/*/test-rehearse/**/*.test.ts"],
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["scripts/vitest-setup.mjs"],
    globalSetup: ["packages/identity/test-system/own-postgres.ts"],
  },
});
