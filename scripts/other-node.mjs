/** The unit tests of both products on another release of Node, which npm installs as the package `node`. */
import { run } from "./prepare.mjs";
import { runTests } from "./vitest.mjs";

const ALL = ["packages/hamkit/test", "packages/identity/test"];
/** Those of what Node itself does differently from release to release: SQLite, memory, threads, HTTP, streams, cryptography. */
const OF_RUNTIME = [
  "packages/hamkit/test/io",
  "packages/hamkit/test/lookup/",
  "packages/identity/test/app.test.ts",
  "packages/identity/test/federation/saml/threads",
  "packages/identity/test/passwords/password-hash",
  "packages/identity/test/platform/database/sqlite",
  "packages/identity/test/platform/heap-growth",
  "packages/identity/test/platform/http",
  "packages/identity/test/platform/log-output",
  "packages/identity/test/platform/outgoing",
  "packages/identity/test/tokens",
];

/** The tests of what depends on the release of Node, on the later ones. */
export function runtimeTests() {
  const results = [24, 26].map((major) => unitTestsOn(major, OF_RUNTIME));
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  return { passed: sum("passed"), failed: sum("failed") };
}

/** @param major Such as 24. */
export function unitTestsOn(major, files = ALL) {
  const { stdout, status } = run(
    "npx",
    ["--yes", "--package", `node@${major}`, "--", "node", "-p", "process.execPath"],
    { stdio: ["ignore", "pipe", 2] },
  );
  if (status !== 0) return { passed: 0, failed: 1 };
  const node = stdout.trim();
  return runTests({ node, files });
}
