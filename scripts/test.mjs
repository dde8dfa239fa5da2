/**
 * `npm test`: build, lint, format, import directions, unit tests, documentation examples, package checks.
 *
 * Each check counts as one test, the unit tests and examples by their number; the last line is the sum.
 * `npm test -- lint unit` runs only the named ones.
 */
import { readFileSync, rmSync } from "node:fs";

import { checkExamples } from "./examples.mjs";
import { checkPackages } from "./packages.mjs";
import { install, root, run } from "./prepare.mjs";

install();

const STEPS = {
  build: () => command("npm", ["run", "--silent", "build"]),
  lint: () => command("npm", ["run", "--silent", "lint"]),
  format: () => command("npm", ["run", "--silent", "format:check"]),
  imports: () => command("npm", ["run", "--silent", "lint:imports"]),
  unit: unitTests,
  examples: () => checkExamples(),
  packages: () => checkPackages(),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(STEPS, name));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(", ")}; there are ${Object.keys(STEPS).join(", ")}`);
  process.exit(2);
}

let passed = 0;
let failed = 0;
for (const [name, step] of Object.entries(STEPS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const start = performance.now();
  const result = await step();
  passed += result.passed;
  failed += result.failed;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `${result.failed === 0 ? "ok" : "FAILED"}  ${name}: ${result.passed} passed, ${result.failed} failed, ${seconds} s`,
  );
  if (name === "build" && result.failed > 0) break;
}
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);

/** A command that counts as one test. */
function command(name, args) {
  const { status } = run(name, args, { stdio: ["ignore", 1, 2] });
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Vitest, whose own count is taken over. A run that counts nothing has failed. */
function unitTests() {
  const report = `${root}node_modules/.vitest-report.json`;
  rmSync(report, { force: true });
  const { status } = run(
    "npx",
    ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    {
      stdio: ["ignore", 1, 2],
    },
  );
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, "utf8"));
    const broken = status === 0 ? 0 : Math.max(1, numFailedTests, numFailedTestSuites);
    return { passed: numPassedTests, failed: numPassedTests === 0 ? 1 : broken };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
