/** `npm run rehearse`: tests that take too long for each change. `npm run rehearse -- NAME` runs the files whose path contains NAME. */
import { build, install } from "./prepare.mjs";
import { installPackages } from "./system-checks.mjs";
import { runTests } from "./vitest.mjs";

install();
build();
const { passed, failed } = installPackages()
  ? runTests({ config: "vitest.rehearse.config.ts", maySkip: false, files: process.argv.slice(2) })
  : { passed: 0, failed: 1 };
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);
