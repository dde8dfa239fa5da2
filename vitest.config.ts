import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The files of a process share their modules instead of importing them again: a test restores what it changes.
    isolate: false,
    // All processors; Vitest's default leaves one idle.
    maxWorkers: "100%",
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["scripts/vitest-setup.mjs"],
  },
});
