/**
 * `npm test`: build, lint, format, import directions, names, unit tests, documentation examples, API reference, package checks.
 *
 * Each check counts as one test, the unit tests and examples by their number; the last line is the sum.
 * `npm test -- lint unit` runs only the named ones, `npm test -- all` also `node`, on later releases of Node, and those that need
 * PostgreSQL and other programs, which `npm test -- system` runs alone.
 */
import { checkExamples } from "./examples.mjs";
import { checkPackages } from "./packages.mjs";
import { checkNames } from "./names.mjs";
import { runtimeTests } from "./other-node.mjs";
import { command, runParts } from "./parts.mjs";
import { install } from "./prepare.mjs";
import { systemTests } from "./system-checks.mjs";
import { runTests } from "./vitest.mjs";

install();

const ORDINARY = {
  build: () => command("npm", ["run", "--silent", "build"]),
  lint: () => command("npm", ["run", "--silent", "lint"]),
  format: () => command("npm", ["run", "--silent", "format:check"]),
  imports: () => command("npm", ["run", "--silent", "lint:imports"]),
  names: () => checkNames(),
  unit: () => runTests(),
  examples: () => checkExamples(),
  docs: () => command("npm", ["run", "--silent", "docs"]),
  packages: () => checkPackages(),
};

/** Parts that need PostgreSQL and other programs; see vitest.system.config.ts. */
const SYSTEM = {
  postgres: () => systemTests("PostgreSQL"),
  programs: () => systemTests("programs"),
};

const parts = { ...ORDINARY, node: () => runtimeTests(), ...SYSTEM };
/** They run beside the other short parts: one of them leaves a processor idle. */
const ASIDE = ["examples", "docs", "packages"];

const options = process.argv.slice(2);
const words = options.filter((word) => !word.startsWith("--"));
const groups = { all: Object.keys(parts), system: Object.keys(SYSTEM) };
const wanted = words.length === 0 ? Object.keys(ORDINARY) : words.flatMap((word) => groups[word] ?? [word]);
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  const known = [...Object.keys(parts), ...Object.keys(groups)];
  console.error(`Unknown part ${unknown.join(", ")}; expected ${known.join(", ")}`);
  process.exit(2);
}

const aside = {
  names: ASIDE,
  until: "unit",
  argumentsFor: (report) => ["scripts/test.mjs", ...ASIDE, `--report=${report}`],
};

await runParts(Object.fromEntries(Object.entries(parts).filter(([name]) => wanted.includes(name))), {
  needed: "build",
  aside: ["build", ...ASIDE, "unit"].every((name) => wanted.includes(name)) ? aside : undefined,
  isRecorded: options.includes("--record"),
  report: options.find((word) => word.startsWith("--report="))?.slice("--report=".length),
});
