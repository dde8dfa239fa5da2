/** The last release, built from its commit, to run next to the build under test. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { runtimePackages, type LockFile } from "../../../test/runtime-packages.js";

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
const IDENTITY = "packages/identity";
/** What a build of the service needs. `npm ci` wants the manifests of all workspaces. */
const PATHS = [
  "package.json",
  "package-lock.json",
  ".npmrc",
  ":(glob)packages/*/package.json",
  `${IDENTITY}/src`,
  "deploy",
];

export interface Release {
  /** Such as `0.2.0`, or what runs in its place. */
  readonly name: string;
  /** Its folder, as that of the repository. */
  readonly folder: string;
  /** The program that an operator starts. */
  readonly main: string;
  remove(): void;
}

/** Builds the release of the highest version in `releases.json`; `HEAD` where its commit is not in the clone. */
export async function buildLastRelease(): Promise<Release> {
  const { name, commit } = lastRelease();
  const folder = mkdtempSync(join(tmpdir(), "hamkit-release-"));
  chmodSync(folder, 0o755);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    checkOut(commit, folder);
    addPackages(folder);
    const main = await bundle(join(folder, IDENTITY));
    return { name, folder, main, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function lastRelease(): { readonly name: string; readonly commit: string } {
  const releases = JSON.parse(readFileSync(join(ROOT, "releases.json"), "utf8")) as Record<string, string>;
  const name = Object.keys(releases).toSorted(byVersion).at(-1) ?? "";
  const commit = releases[name] ?? "";
  const found = spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT });
  if (found.status === 0) return { name, commit };
  process.stdout.write(
    `The commit ${commit} of release ${name} is not in this clone (a shallow one?): HEAD runs in its place.\n`,
  );
  return { name: `HEAD instead of ${name}`, commit: "HEAD" };
}

/** Versions of three numbers, in ascending order. */
export function byVersion(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

function checkOut(commit: string, folder: string): void {
  const archive = join(folder, "release.tar");
  run(ROOT, "git", "archive", "--format=tar", `--output=${archive}`, commit, "--", ...PATHS);
  run(folder, "tar", "-xf", archive);
  rmSync(archive);
}

/** Copies today's packages if the release has the same ones; otherwise installs its own. */
function addPackages(folder: string): void {
  const [wanted, present] = [folder, ROOT].map((place) => {
    const lock = JSON.parse(readFileSync(join(place, "package-lock.json"), "utf8")) as LockFile;
    return runtimePackages(lock, IDENTITY);
  });
  if (JSON.stringify(wanted) !== JSON.stringify(present)) {
    const workspace = `--workspace=${IDENTITY}`;
    run(folder, "npm", "ci", "--omit=dev", workspace, "--no-audit", "--no-fund", "--loglevel=error");
    return;
  }
  for (const { place } of wanted ?? [])
    // Those for other systems are not installed.
    if (existsSync(join(ROOT, place))) cpSync(join(ROOT, place), join(folder, place), { recursive: true });
}

/**
 * The quickest build that runs as the released one does: packages stay packages, and types are not checked.
 *
 * @returns The program.
 */
async function bundle(folder: string): Promise<string> {
  const threads = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith("-thread.ts"),
  );
  await build({
    absWorkingDir: folder,
    entryPoints: [
      { in: "src/main.ts", out: "hamkit-identity" },
      // The program looks for them next to itself.
      ...threads.map((file) => ({ in: join("src", file), out: file.replace(/^.*\/|\.ts$/g, "") })),
    ],
    outdir: "dist",
    bundle: true,
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "error",
  });
  return join(folder, "dist", "hamkit-identity.js");
}

function run(cwd: string, program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}
