/** The parts of a run: each prints its counts and its time, and a line if it took much longer than expected. */
import { readFileSync, writeFileSync } from "node:fs";

import { root, run } from "./prepare.mjs";

/** Expected seconds of each part with two cores. `npm test -- all --record` writes those of its run. */
const FILE = `${root}scripts/expected-times.json`;
/** A file that takes less is not named; nor are more files than this. */
const SLOW_SECONDS = 10;
const MAX_SLOW = 30;
/** Of the expected time, from which on a part is reported. */
const LONG = 1.25;

/**
 * Runs parts one after the other, until one fails that the others need, and prints the sum as the last line.
 *
 * @param parts By name: a function that returns the numbers of passed and failed tests.
 * @param options.needed The part that the others need.
 * @param options.isRecorded Whether the times are the expected ones from now on.
 */
export async function runParts(parts, { needed, isRecorded = false } = {}) {
  const expected = JSON.parse(readFileSync(FILE, "utf8"));
  const times = {};
  let passed = 0;
  let failed = 0;
  const unsteady = [];
  const failures = [];
  for (const [name, part] of Object.entries(parts)) {
    const start = performance.now();
    const result = await part();
    passed += result.passed;
    failed += result.failed;
    const seconds = (performance.now() - start) / 1000;
    times[name] = Math.ceil(seconds);
    const state = result.failed === 0 ? "ok" : "FAILED";
    console.log(
      `${state}  ${name}: ${result.passed} passed, ${result.failed} failed, ${seconds.toFixed(1)} s`,
    );
    for (const file of result.unsteady ?? []) unsteady.push(`${name}: ${file}`);
    for (const failure of result.failures ?? []) failures.push(`${name}: ${failure}`);
    const slow = slowFilesOf(result);
    if (slow.length > 0) console.log(`slowest files of ${name}: ${slow.join(", ")}`);
    const share = seconds / expected[name];
    if (share > LONG)
      console.log(`${name} took ${share.toFixed(1)} of its expected time, ${expected[name]} s`);
    if (name === needed && result.failed > 0) break;
  }
  if (isRecorded && failed === 0)
    writeFileSync(FILE, `${JSON.stringify({ ...expected, ...times }, undefined, 2)}\n`);
  for (const file of unsteady) console.log(`unsteady: ${file} failed beside others, and passed alone`);
  for (const failure of failures) console.log(`failed: ${failure}`);
  const sum = Object.values(times).reduce((total, seconds) => total + seconds, 0);
  console.log(`${Object.keys(times).length} parts, ${sum} s`);
  process.exitCode = failed === 0 ? 0 : 1;
  console.log(`${passed} passed, ${failed} failed`);
}

/** Those that take longest, with their seconds beside others: where to look when a part has to be faster. */
function slowFilesOf({ byFile = [] }) {
  const slow = byFile.filter(({ seconds }) => seconds >= SLOW_SECONDS);
  slow.sort((one, other) => other.seconds - one.seconds);
  return slow
    .slice(0, MAX_SLOW)
    .map(({ name, seconds }) => `${name.replace("packages/", "")} ${Math.round(seconds)} s`);
}

/** A command that counts as one test. */
export function command(name, args) {
  const { status } = run(name, args, { stdio: ["ignore", 1, 2] });
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}
