/**
 * `npm run rehearse`: tests that take too long for each change, and one table of what passed. `npm run rehearse -- NAME` runs the files
 * whose path contains NAME.
 */
import { unitTestsOn } from "./other-node.mjs";
import { build, install } from "./prepare.mjs";
import { installPackages, REHEARSAL_PACKAGES } from "./system-checks.mjs";
import { runTests } from "./vitest.mjs";

install();
build();
const files = process.argv.slice(2);
const failure = { passed: 0, failed: 1, byFile: [] };
const tests = installPackages(REHEARSAL_PACKAGES)
  ? runTests({ config: "vitest.rehearse.config.ts", maySkip: false, files })
  : failure;
const rows = tests.byFile.toSorted((one, other) => one.name.localeCompare(other.name));
const others = files.length === 0 ? [24, 26] : [];
for (const version of others)
  rows.push({ name: `unit tests on Node ${version}`, ...timed(() => unitTestsOn(version)) });

const width = Math.max(...rows.map(({ name }) => name.length), 0);
for (const { name, passed, failed, seconds } of rows)
  console.log(
    `${name.padEnd(width)}  ${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed ${seconds.toFixed(0).padStart(6)} s`,
  );
const unit = rows.slice(rows.length - others.length);
const sum = (counts) => counts.reduce((total, each) => total + each, 0);
const failed = tests.failed + sum(unit.map((row) => row.failed));
const passed = tests.passed + sum(unit.map((row) => row.passed));
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);

function timed(work) {
  const start = performance.now();
  const result = work();
  return { ...result, seconds: (performance.now() - start) / 1000 };
}
