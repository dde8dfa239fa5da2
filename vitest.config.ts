import { defineConfig } from "vitest/config";

import { alias, WORKERS } from "./scripts/vitest-shared.mjs";

export default defineConfig({
  test: {
    alias,
    include: ["packages/*/test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The files of a process share their modules instead of importing them again: a test restores what it changes.
    isolate: false,
    maxWorkers: WORKERS,
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["scripts/vitest-setup.mjs"],
  },
});
