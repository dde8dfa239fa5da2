/** Runs Vitest and counts passed and failed tests. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { root, run } from "./prepare.mjs";

/** Of a run with more failed files than this, none is run again. */
const FEW = 10;

/**
 * Runs the tests of a configuration. A run without a passed test has failed.
 *
 * A few files that failed beside others run once more, alone. Those that pass then count as passed, and are named as `unsteady`:
 * their tests depend on what runs beside them, which has to be mended.
 *
 * @param options.maySkip Whether tests may be skipped, for lack of a program or a recording. If not, a skipped test counts as failed.
 * @param options.project The project of the configuration; all if left out.
 * @param options.files Parts of the paths of the files to run; all if empty.
 * @param options.node The program that runs them, and the programs that they start.
 * @returns Numbers of tests, those of each file, names of unsteady files, and failed tests with the first line of their error.
 */
export function runTests(options = {}) {
  const whole = runOnce(options);
  const broken = whole.byFile.filter(({ isBroken }) => isBroken);
  if (broken.length === 0 || broken.length > FEW || broken.length === whole.byFile.length)
    return { ...whole, failures: failuresOf(whole.byFile) };
  const again = runOnce({ ...options, files: broken.map(({ name }) => name), isAlone: true });
  const steady = whole.byFile.filter(({ isBroken }) => !isBroken);
  const passedBefore = broken.reduce((total, { passed }) => total + passed, 0);
  return {
    passed: whole.passed - passedBefore + again.passed,
    failed: again.failed + (options.maySkip === false ? skippedOf(steady) : 0),
    byFile: [...steady, ...again.byFile],
    unsteady: again.byFile.filter(({ isBroken }) => !isBroken).map(({ name }) => name),
    failures: failuresOf(again.byFile),
  };
}

const failuresOf = (files) => files.flatMap(({ failures }) => failures);

const skippedOf = (files) => files.reduce((total, { skipped }) => total + skipped, 0);

function runOnce({
  config = "vitest.config.ts",
  maySkip = true,
  project,
  files = [],
  node = process.execPath,
  isAlone = false,
}) {
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
      ...(isAlone ? ["--no-file-parallelism"] : []),
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

function fileResult({ name, status, startTime, endTime, message, assertionResults }) {
  const passed = assertionResults.filter((each) => each.status === "passed").length;
  const others = assertionResults.length - passed;
  return {
    name: name.slice(root.length),
    passed,
    failed: status === "failed" ? Math.max(others, 1) : others,
    skipped: assertionResults.filter((each) => each.status !== "passed" && each.status !== "failed").length,
    isBroken: status === "failed",
    seconds: (endTime - startTime) / 1000,
    failures: status === "failed" ? failuresIn(name.slice(root.length), message, assertionResults) : [],
  };
}

/** A line for each failed test, or one of the file that did not come to its tests. */
function failuresIn(file, message, results) {
  const failed = results.filter((each) => each.status === "failed");
  if (failed.length === 0) return [`${file}: ${firstLine(message)}`];
  return failed.map((each) => `${file}: ${each.fullName}: ${firstLine(each.failureMessages[0])}`);
}

const firstLine = (text) => stripVTControlCharacters((text ?? "").split("\n", 1)[0]).slice(0, 300);
