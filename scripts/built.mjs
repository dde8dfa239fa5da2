/**
 * Whether the programs are built from the files as they are now: `npm start` builds nothing again when nothing has changed.
 *
 * A build leaves the paths, sizes and times of its sources in a file. Generated sources are not among them: a build writes these.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What is not a source: what a build writes, and tests. */
const SKIPPED = /^(?:node_modules|dist|generated|test|test-system|test-rehearse|\..*|.*\.tsbuildinfo)$/;
const GENERATED = /(?:country-data\/src\/embedded|hamkit\/src\/map\/land)\.ts$/;

/** A file of each program and page that a build makes. */
const OUTPUTS = [
  "country-data/dist/index.cjs",
  "hamkit/dist/cli/main.js",
  "hamkit/dist/index.cjs",
  "console/dist/index.html",
  "identity/dist/hamkit-identity.js",
  "radio-page/dist/index.html",
];

/** @param root The folder of the repository. */
export function buildStamp(root) {
  const file = join(root, ".tsbuild/built");
  const sources = fingerprint(root);
  return {
    isCurrent: () =>
      OUTPUTS.every((path) => existsSync(join(root, "packages", path))) && contentOf(file) === sources,
    /** Keeps the state of before the build: what was changed during it is built next time. */
    keep: () => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, sources);
    },
  };
}

function fingerprint(root) {
  const hash = createHash("sha256");
  for (const path of ["package-lock.json", "tsconfig.base.json", "packages", "scripts"])
    for (const line of stateOf(join(root, path))) hash.update(line);
  return hash.digest("hex");
}

function* stateOf(path) {
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined || GENERATED.test(path.replaceAll("\\", "/"))) return;
  if (state.isDirectory()) {
    for (const name of readdirSync(path).sort()) if (!SKIPPED.test(name)) yield* stateOf(join(path, name));
  } else {
    yield `${path} ${state.size} ${state.mtimeMs}\n`;
  }
}

function contentOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
