/** The parts of a run: each prints its counts and its time, and a line if it took much longer than expected. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
 * @param options.aside Parts that a process of its own runs after the needed one, beside those up to the part `until`: names, and the
 *   arguments with which Node runs them and writes their results to a file.
 * @param options.isRecorded Whether the times are the expected ones from now on.
 * @param options.report The file that the results are written to, instead of a sum.
 */
export async function runParts(parts, { needed, aside, isRecorded = false, report } = {}) {
  const start = performance.now();
  const results = {};
  let asideResults;
  for (const [name, part] of Object.entries(parts)) {
    if (aside?.names.includes(name)) continue;
    if (name === aside?.until) Object.assign(results, await asideResults);
    results[name] = await runPart(name, part);
    if (name !== needed) continue;
    if (results[name].failed > 0) break;
    if (aside !== undefined) asideResults = runAside(aside);
  }
  if (report === undefined) printSum(results, { isRecorded, seconds: (performance.now() - start) / 1000 });
  else writeFileSync(report, JSON.stringify(results));
}

async function runPart(name, part) {
  const start = performance.now();
  const result = await part();
  const seconds = (performance.now() - start) / 1000;
  const state = result.failed === 0 ? "ok" : "FAILED";
  console.log(`${state}  ${name}: ${result.passed} passed, ${result.failed} failed, ${seconds.toFixed(1)} s`);
  const slow = slowFilesOf(result);
  if (slow.length > 0) console.log(`slowest files of ${name}: ${slow.join(", ")}`);
  const expected = expectedSeconds()[name];
  if (seconds / expected > LONG)
    console.log(`${name} took ${(seconds / expected).toFixed(1)} of its expected time, ${expected} s`);
  return { ...result, seconds };
}

/** What it prints is shown when it has ended: the parts beside it print, too. */
async function runAside({ names, argumentsFor }) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-parts-"));
  const printed = join(folder, "printed");
  const report = join(folder, "results.json");
  const output = openSync(printed, "w");
  try {
    const child = spawn(process.execPath, argumentsFor(report), {
      cwd: root,
      stdio: ["ignore", output, output],
    });
    await once(child, "exit");
    process.stdout.write(readFileSync(printed, "utf8"));
    return JSON.parse(readFileSync(report, "utf8"));
  } catch (error) {
    console.error(error);
    return Object.fromEntries(names.map((name) => [name, { passed: 0, failed: 1, seconds: 0 }]));
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true, force: true });
  }
}

function printSum(results, { isRecorded, seconds }) {
  const sum = (of) => Object.values(results).reduce((total, result) => total + result[of], 0);
  const [passed, failed] = [sum("passed"), sum("failed")];
  if (isRecorded && failed === 0) record(results);
  for (const [name, { unsteady = [], failures = [] }] of Object.entries(results)) {
    for (const file of unsteady)
      console.log(`unsteady: ${name}: ${file} failed beside others, and passed alone`);
    for (const failure of failures) console.log(`failed: ${name}: ${failure}`);
  }
  console.log(`${Object.keys(results).length} parts, ${Math.ceil(seconds)} s`);
  process.exitCode = failed === 0 ? 0 : 1;
  console.log(`${passed} passed, ${failed} failed`);
}

const expectedSeconds = () => JSON.parse(readFileSync(FILE, "utf8"));

function record(results) {
  const times = Object.entries(results).map(([name, { seconds }]) => [name, Math.ceil(seconds)]);
  const all = { ...expectedSeconds(), ...Object.fromEntries(times) };
  writeFileSync(FILE, `${JSON.stringify(all, undefined, 2)}\n`);
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
