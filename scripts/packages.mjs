/** Checks packages as they would be published (imports, types, files), and the commands that `npm ci` links. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root, run } from "./prepare.mjs";

/** Examines the tarball of every package that can be published, and runs `npx COMMAND` in the repository. */
export function checkPackages() {
  const out = mkdtempSync(join(tmpdir(), "hamkit-pack-"));
  let passed = 0;
  let failed = 0;
  try {
    for (const { folder, name } of publicPackages(root)) {
      const { problems, checks } = examinePackage(join(root, folder), out);
      for (const problem of problems) console.error(`${name}: ${problem}`);
      failed += problems.length;
      passed += checks - problems.length;
    }
    for (const command of ["hamkit", "hamkit-identity"]) {
      if (problemOf("npx", ["--no-install", command, "--version"]) === undefined) passed++;
      else failed++;
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  return { passed, failed };
}

/** In the order of their names, in which none depends on a later one. */
export function publicPackages(checkout) {
  return readdirSync(join(checkout, "packages")).flatMap((name) => {
    const folder = join("packages", name);
    // Of a package of another branch only what was built may be left.
    if (!existsSync(join(checkout, folder, "package.json"))) return [];
    const manifest = JSON.parse(readFileSync(join(checkout, folder, "package.json"), "utf8"));
    return manifest.private ? [] : [{ folder, name: manifest.name }];
  });
}

/**
 * Packs a package and examines the tarball: its manifest (publint), its types (arethetypeswrong), its files, and that no file names a
 * folder of this machine.
 *
 * @param folder Of the package.
 * @param out Where the tarball is written.
 * @returns The tarball's name, the number of checks, and what failed.
 */
export function examinePackage(folder, out) {
  const args = ["pack", "--json", "--loglevel=error", `--pack-destination=${out}`, folder];
  const packed = run("npm", args, { stdio: ["ignore", "pipe", 2] });
  const [{ filename, files }] = JSON.parse(packed.stdout);
  const tarball = filename.replace(/^@/, "").replace("/", "-");
  const path = join(out, tarball);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  // node16: also from CommonJS (.cts), which programs of an older form load with `require`.
  const profile = existsSync(join(folder, "dist/index.cjs")) ? "node16" : "esm-only";
  const checks = [
    () => problemOf("npx", ["publint", "run", "--strict", path]),
    () => problemOf("npx", ["attw", path, "--profile", profile, "--format", "ascii"]),
    () => problemOfFiles(manifest, new Set(files.map((file) => file.path))),
    () => pathsOfMachine(path, join(folder, "../..")),
  ];
  return {
    tarball,
    checks: checks.length,
    problems: checks.map((check) => check()).filter((each) => each !== undefined),
  };
}

/** @returns What a command printed, if it failed. */
function problemOf(command, args) {
  const { status, stdout, stderr } = run(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  return status === 0 ? undefined : `${command} ${args.join(" ")}\n${stdout}${stderr}`;
}

/** Licence, readme and all files that the manifest names; no sources, tests or build leftovers, no declaration maps without sources. */
function problemOfFiles({ main, types, bin = {}, exports = {} }, paths) {
  const named = [main, types, ...Object.values(bin), ...targetsOf(exports)].filter(
    (path) => path !== undefined,
  );
  const wanted = ["README.md", "LICENSE", "package.json", ...named.map((path) => path.replace(/^\.\//, ""))];
  const missing = wanted.filter((path) => !paths.has(path));
  const stray = [...paths].filter((path) => /^(src|test|scripts)\/|tsbuildinfo|\.d\.ts\.map$/.test(path));
  if (missing.length + stray.length === 0) return undefined;
  return `missing ${missing.join() || "nothing"}; stray ${stray.join() || "nothing"}`;
}

function targetsOf(exports) {
  return Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [target] : targetsOf(target),
  );
}

/** Source maps and generated files could name the folder that they were built in. */
function pathsOfMachine(tarball, checkout) {
  const unpacked = mkdtempSync(join(tmpdir(), "hamkit-unpacked-"));
  try {
    run("tar", ["-xzf", tarball, "-C", unpacked]);
    const folders = [checkout, root].map((folder) => folder.replace(/\/$/, ""));
    const patterns = [...folders, "file:///", '"sources":\\["/'].flatMap((pattern) => ["-e", pattern]);
    const { stdout } = run("grep", ["-rlI", ...patterns, unpacked], { stdio: ["ignore", "pipe", 2] });
    return stdout === "" ? undefined : `paths of this machine in\n${stdout}`;
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}
