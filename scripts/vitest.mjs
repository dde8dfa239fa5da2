/** Runs Vitest and counts passed and failed tests. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { root, run } from "./prepare.mjs";

/**
 * Runs the tests of a configuration. A run without a passed test has failed.
 *
 * @param options.maySkip Whether tests may be skipped, for lack of a program or a recording. If not, a skipped test counts as failed.
 * @param options.project The project of the configuration; all if left out.
 * @param options.files Parts of the paths of the files to run; all if empty.
 * @param options.node The program that runs them, and the programs that they start.
 * @returns Numbers of tests, and those of each file.
 */
export function runTests({
  config = "vitest.config.ts",
  maySkip = true,
  project,
  files = [],
  node = process.execPath,
} = {}) {
  const report = `${root}node_modules/.vitest-report.json`;
  rmSync(report, { force: true });
  const { status } = run(
    node,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      ...files,
      `--config=${config}`,
      ...(project === undefined ? [] : [`--project=${project}`]),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    {
      stdio: ["ignore", 1, 2],
      env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ""}` },
    },
  );
  try {
    const counts = JSON.parse(readFileSync(report, "utf8"));
    const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, numTodoTests } = counts;
    const skipped = maySkip ? 0 : numPendingTests + numTodoTests;
    const broken = status === 0 ? 0 : numFailedTests || numFailedTestSuites || 1;
    const byFile = counts.testResults.map((result) => fileResult(result));
    if (config === "vitest.config.ts" && files.length === 0) keepSeconds(byFile);
    return { passed: numPassedTests, failed: numPassedTests === 0 ? 1 : broken + skipped, byFile };
  } catch {
    return { passed: 0, failed: 1, byFile: [] };
  }
}

/** For `npm run check`, which runs as many as fit into its time. */
function keepSeconds(byFile) {
  const seconds = Object.fromEntries(byFile.map((file) => [file.name, file.seconds]));
  writeFileSync(`${root}node_modules/.test-seconds.json`, JSON.stringify(seconds));
}

function fileResult({ name, status, startTime, endTime, assertionResults }) {
  const passed = assertionResults.filter((each) => each.status === "passed").length;
  const others = assertionResults.length - passed;
  return {
    name: name.slice(root.length),
    passed,
    failed: status === "failed" ? Math.max(others, 1) : others,
    seconds: (endTime - startTime) / 1000,
  };
}
