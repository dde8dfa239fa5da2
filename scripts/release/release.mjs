/**
 * `npm run release -- VERSION`: makes a release of the checkout: versions, changelog, commit and tag, and in `release/VERSION` the
 * packages for npm, their lists of parts (CycloneDX) and checksums. It publishes nothing, and needs no network.
 *
 * All is done in a clone; the checkout gets the commits and the tag at the end, when everything has passed. `--dry-run` leaves that out,
 * `--no-packages` also build and packages. `--repository=URL` is written into the packages, by default the remote `origin` if that is an
 * https address. `--date=YYYY-MM-DD` is the release's day, by default today.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { root, run } from "../prepare.mjs";
import { packRelease } from "./pack.mjs";
import { planRelease, RELEASE_FILES } from "./plan.mjs";

try {
  await release();
} catch (error) {
  console.error(`No release: ${error.message}`);
  process.exitCode = 1;
}

async function release() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "dry-run": { type: "boolean", default: false },
      "no-packages": { type: "boolean", default: false },
      repository: { type: "string" },
      date: { type: "string", default: new Date().toISOString().slice(0, 10) },
    },
  });
  const [version] = positionals;
  if (positionals.length !== 1)
    throw new Error("expected one version, such as: npm run release -- 0.3.0 --dry-run");
  if (!/^\d{4}-\d{2}-\d{2}$/.test(values.date))
    throw new Error(`--date ${values.date} is invalid; expected a day such as 2026-12-01`);
  if (values["no-packages"] && !values["dry-run"]) throw new Error("--no-packages is for --dry-run only");
  const tag = `v${version}`;
  const repository = values.repository ?? originAddress();
  if (repository !== undefined && !/^https:\/\/[^\s@]+$/.test(repository))
    throw new Error(`--repository ${repository} is invalid; expected https://...`);
  requireReleasable(tag);

  const clone = mkdtempSync(join(tmpdir(), "hamkit-release-"));
  try {
    git(root, "clone", "--quiet", "--no-hardlinks", "--no-tags", ".", clone);
    const changed = planRelease({ version, date: values.date, repository, files: filesOf(clone) });
    for (const [path, text] of changed) writeFileSync(join(clone, path), text);
    requireConsistentLock(clone);
    commit(clone, `Release ${version}`);
    const commitId = git(clone, "rev-parse", "HEAD");
    git(clone, "tag", "--annotate", "--message", `Release ${version}`, tag);
    addToReleases(clone, version, commitId);
    console.log(git(clone, "show", "--stat", "--format=%h %s", "HEAD~1"));
    if (repository === undefined)
      console.log("The packages name no repository: --repository=URL writes it into them.");
    if (!values["no-packages"])
      await packRelease({ clone, version, commitId, out: `${root}release/${version}` });
    if (values["dry-run"]) {
      console.log(`Dry run of ${tag}: the checkout is unchanged.`);
      return;
    }
    git(root, "fetch", "--quiet", clone, "HEAD", `refs/tags/${tag}:refs/tags/${tag}`);
    git(root, "merge", "--quiet", "--ff-only", "FETCH_HEAD");
    console.log(
      `Released ${tag}. Push the branch and the tag, then publish: see "Cut a release" in CONTRIBUTING.md.`,
    );
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

/** The remote, if everyone can read its address: no user, no local path. */
function originAddress() {
  const { status, stdout } = run("git", ["remote", "get-url", "origin"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 && /^https:\/\/[^\s@]+$/.test(stdout.trim()) ? stdout.trim() : undefined;
}

function requireReleasable(tag) {
  const changes = git(root, "status", "--porcelain");
  if (changes !== "") throw new Error(`the checkout has uncommitted changes:\n${changes}`);
  if (git(root, "tag", "--list", tag) !== "") throw new Error(`the tag ${tag} exists already`);
}

/** What a release changes, by path. */
function filesOf(folder) {
  const manifests = readdirSync(join(folder, "packages")).map((name) => `packages/${name}/package.json`);
  const paths = [...RELEASE_FILES, ...manifests.toSorted()];
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** npm would change nothing in the lock file. */
function requireConsistentLock(clone) {
  const before = readFileSync(join(clone, "package-lock.json"), "utf8");
  const args = ["install", "--package-lock-only", "--ignore-scripts", "--offline", "--loglevel=error"];
  const { status, stderr } = run("npm", [...args, "--prefix", clone], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status !== 0) throw new Error(`npm rejects package-lock.json: ${stderr}`);
  if (readFileSync(join(clone, "package-lock.json"), "utf8") !== before)
    throw new Error("package-lock.json does not match the manifests: run `npm install`, and commit");
}

/** The commit of the release is known only now. */
function addToReleases(clone, version, commitId) {
  const path = join(clone, "releases.json");
  const releases = { ...JSON.parse(readFileSync(path, "utf8")), [version]: commitId };
  const lines = Object.entries(releases).map(([name, id]) => `"${name}": "${id}"`);
  writeFileSync(
    path,
    lines.length === 1 ? `{ ${lines[0]} }\n` : `{\n${lines.map((line) => `  ${line}`).join(",\n")}\n}\n`,
  );
  commit(clone, `Release ${version}: what upgrades are tested against`);
}

function commit(folder, message) {
  const who = (field, otherwise) => git(root, "config", "--default", otherwise, "--get", `user.${field}`);
  const identity = [
    "-c",
    `user.name=${who("name", "hamkit")}`,
    "-c",
    `user.email=${who("email", "hamkit@localhost")}`,
  ];
  git(folder, "add", "--all");
  git(folder, ...identity, "commit", "--quiet", "--message", message);
}

function git(folder, ...args) {
  const { status, stdout, stderr } = run("git", ["-C", folder, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr.trim()}`);
  return stdout.trim();
}
