/**
 * `npm run check`: types, lint, format and tests of what has changed since the last commit; it aims at a minute. `npm run check -- FILE`
 * takes these files as changed.
 *
 * Of the tests that import a changed file, directly or through others, those come first that are nearest to it, and as many as fit
 * into the time; how many were left out is printed. Tests that read the sources of a package as text, or pages that are made of them, run
 * with each change of it. `npm test` runs all.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

import { testsNear } from "./importers.mjs";
import { checkNames } from "./names.mjs";
import { command, runParts } from "./parts.mjs";
import { install, root, run } from "./prepare.mjs";
import { runTests } from "./vitest.mjs";

/** Of tests, by their own clocks and on all processors. */
const BUDGET_SECONDS = 12 * availableParallelism();
/** Of a test file whose time is not known. */
const USUAL_SECONDS = 2;

/** By package: tests that import nothing of a change, and yet are about it. Seconds each. */
const OF_ALL_SOURCES = {
  hamkit: ["cli/command-pages", "sources"],
  identity: [
    "standby-lists",
    "table-owners",
    "error-codes-page",
    "configuration-page",
    "policy/policy-rules-page",
    "federation/protocols/protocol-names",
  ],
  console: ["routes"],
};

install();
const changed = process.argv.length > 2 ? process.argv.slice(2) : changedFiles();
if (changed.length === 0) {
  console.log("Nothing has changed since the last commit.");
  console.log("0 passed, 0 failed");
  process.exit(0);
}
const sources = changed.filter((file) => /\.(?:[cm]?[jt]s|tsx)$/.test(file));

await runParts({
  types: () => command("npm", ["run", "--silent", "types"]),
  ...(sources.length > 0 && {
    lint: () => command("npx", ["oxlint", "--type-aware", "--max-warnings", "0", ...sources]),
  }),
  ...(changed.some((file) => file.startsWith("packages/console/src/")) && {
    svelte: () => command("npm", ["run", "--silent", "check", "-w", "@hamkit/console"]),
  }),
  ...(sources.some((file) => file.includes("/src/")) && {
    imports: () => command("npm", ["run", "--silent", "lint:imports"]),
    names: () => checkNames(),
  }),
  format: () => command("npx", ["oxfmt", "--check", "--no-error-on-unmatched-pattern", ...changed]),
  tests: () => runNearTests(),
});

function runNearTests() {
  const near = testsNear(changed);
  const seconds = knownSeconds();
  const files = [];
  let sum = 0;
  for (const file of near) {
    sum += seconds[file] ?? USUAL_SECONDS;
    if (sum > BUDGET_SECONDS && files.length > 0) break;
    files.push(file);
  }
  if (files.length < near.length)
    console.log(
      `${near.length - files.length} of ${near.length} test files are left out: \`npm test -- unit\` runs them`,
    );
  files.push(...testsOfSources().filter((file) => !files.includes(file)));
  return files.length === 0 ? { passed: 0, failed: 0 } : runTests({ files });
}

function testsOfSources() {
  return Object.entries(OF_ALL_SOURCES).flatMap(([name, tests]) =>
    changed.some((file) => file.startsWith(`packages/${name}/src/`))
      ? tests.map((test) => `packages/${name}/test/${test}.test.ts`)
      : [],
  );
}

/** Of each test file in the last run of all. */
function knownSeconds() {
  try {
    return JSON.parse(readFileSync(`${root}node_modules/.test-seconds.json`, "utf8"));
  } catch {
    return {};
  }
}

/** The lines that it prints. */
function git(...args) {
  return run("git", args, { stdio: ["ignore", "pipe", 2] }).stdout.split("\n");
}

function changedFiles() {
  return [
    ...git("diff", "--name-only", "--diff-filter=d", "HEAD"),
    ...git("ls-files", "--others", "--exclude-standard"),
  ].filter((file) => file !== "");
}
