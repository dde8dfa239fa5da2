import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Modules are shared by the files of a process, which saves a third of the time: a test restores what it changes.
    isolate: false,
    // All processors; Vitest's default leaves one idle.
    maxWorkers: "100%",
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["scripts/vitest-setup.mjs"],
  },
});
