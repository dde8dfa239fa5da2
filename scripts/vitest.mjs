/** Vitest, with its own count of what passed and failed. */
import { readFileSync, rmSync } from "node:fs";

import { root, run } from "./prepare.mjs";

/**
 * Runs the tests of a configuration. A run that counts nothing has failed.
 *
 * @param options.maySkip Whether a test may leave itself out, where what it needs is not there.
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
