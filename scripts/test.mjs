/**
 * `npm test`: build, lint, format, import directions, names, unit tests, documentation examples, API reference, package checks.
 *
 * Each check counts as one test, the unit tests and examples by their number; the last line is the sum.
 * `npm test -- lint unit` runs only the named ones, `npm test -- all` also those that need PostgreSQL and other programs.
 */
import { checkExamples } from "./examples.mjs";
import { checkPackages } from "./packages.mjs";
import { checkNames } from "./names.mjs";
import { install, run } from "./prepare.mjs";
import { systemChecks } from "./system-checks.mjs";
import { runTests } from "./vitest.mjs";

install();

const STEPS = {
  build: () => command("npm", ["run", "--silent", "build"]),
  lint: () => command("npm", ["run", "--silent", "lint"]),
  format: () => command("npm", ["run", "--silent", "format:check"]),
  imports: () => command("npm", ["run", "--silent", "lint:imports"]),
  names: () => checkNames(),
  unit: () => runTests(),
  examples: () => checkExamples(),
  docs: () => command("npm", ["run", "--silent", "docs"]),
  packages: () => checkPackages(),
  system: () => systemChecks(),
};

const words = process.argv.slice(2);
const ordinary = Object.keys(STEPS).filter((name) => name !== "system");
const wanted = words.length === 0 ? ordinary : words.includes("all") ? Object.keys(STEPS) : words;
const unknown = wanted.filter((name) => !Object.hasOwn(STEPS, name));
if (unknown.length > 0) {
  console.error(`Unknown step ${unknown.join(", ")}; expected ${Object.keys(STEPS).join(", ")} or all`);
  process.exit(2);
}

let passed = 0;
let failed = 0;
for (const [name, step] of Object.entries(STEPS)) {
  if (!wanted.includes(name)) continue;
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
