/** Runs Vitest and counts passed and failed tests. */
import { readFileSync, rmSync } from "node:fs";

import { root, run } from "./prepare.mjs";

/**
 * Runs the tests of a configuration. A run without a passed test has failed.
 *
 * @param options.maySkip Whether tests may be skipped, for lack of a program or a recording. If not, a skipped test counts as failed.
 * @param options.files Parts of the paths of the files to run; all if empty.
 */
export function runTests({ config = "vitest.config.ts", maySkip = true, files = [] } = {}) {
  const report = `${root}node_modules/.vitest-report.json`;
  rmSync(report, { force: true });
  const { status } = run(
    "npx",
    [
      "vitest",
      "run",
      ...files,
      `--config=${config}`,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    { stdio: ["ignore", 1, 2] },
  );
  try {
    const counts = JSON.parse(readFileSync(report, "utf8"));
    const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, numTodoTests } = counts;
    const skipped = maySkip ? 0 : numPendingTests + numTodoTests;
    const broken = status === 0 ? 0 : numFailedTests || numFailedTestSuites || 1;
    return { passed: numPassedTests, failed: numPassedTests === 0 ? 1 : broken + skipped };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
