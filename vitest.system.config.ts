import { defineConfig } from "vitest/config";

/** Tests that need programs beside Node: see scripts/system-checks.mjs. */
export default defineConfig({
  test: {
    include: ["packages/*/test-system/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // While one waits for its programs to start or to answer, another goes on. Each has servers, ports and folders of its own.
    maxWorkers: 2,
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["scripts/vitest-setup.mjs"],
    globalSetup: ["packages/identity/test-system/own-postgres.ts"],
  },
});
