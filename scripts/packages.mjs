/** Checks packages as they would be published (imports, types, files), and the commands that `npm ci` links. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root, run } from "./prepare.mjs";

/** publint and arethetypeswrong over the tarball of every package that can be published, and `npx COMMAND` in the repository. */
export function checkPackages() {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-pack-"));
  let passed = 0;
  let failed = 0;
  try {
    for (const name of readdirSync(`${root}packages`)) {
      // Of a package of another branch only what was built may be left.
      if (!existsSync(`${root}packages/${name}/package.json`)) continue;
      const { private: isPrivate } = JSON.parse(readFileSync(`${root}packages/${name}/package.json`, "utf8"));
      if (isPrivate) continue;
      for (const check of checksOf(name, folder)) {
        if (check()) passed++;
        else failed++;
      }
    }
    for (const command of ["hamkit", "hamkit-identity"]) {
      if (succeeds("npx", ["--no-install", command, "--version"])) passed++;
      else failed++;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { passed, failed };
}

function checksOf(name, folder) {
  const packed = run(
    "npm",
    ["pack", "--json", "--loglevel=error", `--pack-destination=${folder}`, `./packages/${name}`],
    {
      stdio: ["ignore", "pipe", 2],
    },
  );
  const [{ filename, files }] = JSON.parse(packed.stdout);
  const tarball = join(folder, filename.replace(/^@/, "").replace("/", "-"));
  return [
    () => succeeds("npx", ["publint", "run", "--strict", tarball]),
    // node16: also from CommonJS (.cts), which programs of an older form load with `require`.
    () => succeeds("npx", ["attw", tarball, "--profile", "node16", "--format", "ascii"]),
    () =>
      holdsWhatItShould(
        name,
        files.map(({ path }) => path),
      ),
  ];
}

function succeeds(command, args) {
  const { status, stdout, stderr } = run(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  if (status !== 0) console.error(stdout, stderr);
  return status === 0;
}

/** Licence, readme and code; no sources, tests or build leftovers, no declaration maps without their sources. */
function holdsWhatItShould(name, paths) {
  const missing = ["README.md", "LICENSE", "package.json", "dist/index.js", "dist/index.d.ts"].filter(
    (path) => !paths.includes(path),
  );
  const stray = paths.filter((path) => /^(src|test|scripts)\/|tsbuildinfo|\.d\.ts\.map$/.test(path));
  if (missing.length + stray.length > 0)
    console.error(`${name}: missing ${missing.join()}; stray ${stray.join()}`);
  return missing.length + stray.length === 0;
}
