import { defineConfig } from "vitest/config";

/** Tests that need programs beside Node: see scripts/system-checks.mjs. */
export default defineConfig({
  test: {
    include: ["packages/*/test-system/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ["scripts/vitest-setup.mjs"],
    fileParallelism: false,
    globalSetup: ["packages/identity/test-system/own-postgres.ts"],
  },
});
