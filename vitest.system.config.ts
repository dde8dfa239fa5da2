import { defineConfig } from "vitest/config";

/** Tests that need programs beside Node: see scripts/system-checks.mjs. */
export default defineConfig({
  test: {
    include: ["packages/*/test-system/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One after the other: several of them measure times, or start and end servers.
    fileParallelism: false,
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["scripts/vitest-setup.mjs"],
    globalSetup: ["packages/identity/test-system/own-postgres.ts"],
  },
});
