/** `npm run release` in clones of this repository, without packages; a rehearsal has them. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const REPOSITORY = "https://git.example.org/radio/hamkit";

const folder = mkdtempSync(join(tmpdir(), "a clone "));
const clone = join(folder, "repository");
let start = "";

beforeAll(() => {
  run("git", "clone", "--quiet", "--no-tags", ROOT, clone);
  // Also what is not committed yet.
  for (const name of [
    "docs",
    "scripts",
    "package.json",
    "package-lock.json",
    "CHANGELOG.md",
    "releases.json",
    "deploy",
  ])
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  for (const name of ["console", "country-data", "hamkit", "identity", "identity-import", "radio-page"])
    cpSync(join(ROOT, "packages", name, "package.json"), join(clone, "packages", name, "package.json"));
  inClone("config", "user.name", "Ada");
  inClone("config", "user.email", "ada@example.org");
  inClone("add", "--all");
  inClone("commit", "--quiet", "--allow-empty", "--message", "Today");
  start = inClone("rev-parse", "HEAD");
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  inClone("reset", "--quiet", "--hard", start);
  inClone("clean", "--quiet", "-fd");
});

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

function inClone(...args: string[]): string {
  return run("git", "-C", clone, ...args);
}

function release(...args: string[]) {
  const script = join(clone, "scripts/release/release.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const dryRun = (version: string) =>
  release(version, "--dry-run", "--no-packages", `--repository=${REPOSITORY}`);

function textOf(path: string): string {
  return readFileSync(join(clone, path), "utf8");
}

it("plans 0.3.0, and leaves the checkout as it is", () => {
  const { status, stdout, stderr } = dryRun("0.3.0");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const name of [
    "CHANGELOG.md",
    "package-lock.json",
    "packages/hamkit/package.json",
    "packages/console/package.json",
  ])
    expect(stdout).toContain(name);
  expect(stdout).toContain("Dry run of v0.3.0");
  expect(inClone("status", "--porcelain")).toBe("");
  expect(inClone("tag", "--list", "v*")).toBe("");
  expect(inClone("rev-parse", "HEAD")).toBe(start);
});

it("has pages that say how to install it, and what it brings", async () => {
  const { PAGES, planPages } = (await import(join(clone, "scripts/release/pages.mjs"))) as {
    PAGES: readonly string[];
    planPages: (input: object) => ReadonlyMap<string, string>;
  };
  const files = new Map(PAGES.map((path) => [path, textOf(path)]));
  const pages = planPages({ version: "0.3.0", files });
  const readme = pages.get("packages/hamkit/README.md") ?? "";
  expect(readme).toContain("```sh\nnpm install hamkit\n```");
  expect(readme).not.toContain("Until the first release");
  expect(pages.get("docs/releases/0.3.0.md")).toMatch(
    /^# 0\.3\.0\n\nWhat users notice between 0\.2\.0 and 0\.3\.0\./,
  );
  expect(pages.get("docs/releases/next.md")).toContain("[0.3.0](0.3.0.md)");
  expect(pages.get("docs/README.md")).toContain("releases/0.3.0.md#upgrading-from-020");
  const rows = (pages.get("docs/releases/README.md") ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| ["));
  expect(rows.map((row) => row.split("|")[1]?.trim())).toEqual([
    "[next](next.md)",
    "[0.3.0](0.3.0.md)",
    "[0.2.0](0.2.0.md)",
  ]);
  expect(new Set(rows.map(({ length }) => length)).size).toBe(1);
  // The next one finds the same places.
  const after = new Map([...files, ...pages]);
  expect(planPages({ version: "0.4.0", files: after }).get("docs/releases/0.4.0.md")).toMatch(/^# 0\.4\.0\n/);
});

it("refuses a checkout with changes", () => {
  writeFileSync(join(clone, "new.txt"), "");
  expect(dryRun("0.3.0")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("uncommitted changes:\n?? new.txt") as string,
  });
});

it("refuses a tag that exists", () => {
  inClone("tag", "v0.3.0");
  expect(dryRun("0.3.0")).toMatchObject({ status: 1, stderr: "No release: the tag v0.3.0 exists already\n" });
  inClone("tag", "--delete", "v0.3.0");
});

it("refuses a changelog without entries", () => {
  const changelog = textOf("CHANGELOG.md");
  const emptied = changelog.replace(/\n## Unreleased\n[^]*?\n(?=## \d)/, "\n## Unreleased\n\n### Added\n\n");
  writeFileSync(join(clone, "CHANGELOG.md"), emptied);
  inClone("commit", "--quiet", "--all", "--message", "Nothing new");
  expect(dryRun("0.3.0")).toMatchObject({
    status: 1,
    stderr: 'No release: CHANGELOG.md has no entries below "## Unreleased"\n',
  });
});

it("refuses a lock file that the manifests don't match", () => {
  const path = "packages/hamkit/package.json";
  writeFileSync(join(clone, path), textOf(path).replace('"commander": "', '"commander": ">='));
  inClone("commit", "--quiet", "--all", "--message", "Another range");
  expect(dryRun("0.3.0").stderr).toMatch(/package-lock\.json/);
});

it.each([
  [["0.3"], 'version "0.3" is invalid; expected three numbers such as 0.3.0'],
  [["0.1.9"], "version 0.1.9 is not above the last release"],
  [["0.2.0"], "releases.json has 0.2.0 already"],
  [[], "expected one version, such as"],
  [["0.3.0", "--repository=/srv/hamkit"], "--repository /srv/hamkit is invalid; expected https://..."],
  [["0.3.0", "--date=tomorrow"], "--date tomorrow is invalid; expected a day such as 2026-12-01"],
])("refuses %j", (args, message) => {
  const { status, stderr } = release("--dry-run", "--no-packages", ...args);
  expect(status).toBe(1);
  expect(stderr).toContain(message);
});

it("commits versions, changelog, addresses and images, then names the commit in releases.json", () => {
  const plan = `import { planRelease, RELEASE_FILES } from ${JSON.stringify(join(clone, "scripts/release/plan.mjs"))};
    import { readFileSync, readdirSync } from "node:fs";
    const manifests = readdirSync("packages").map((name) => "packages/" + name + "/package.json");
    const paths = [...RELEASE_FILES, ...manifests];
    const files = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
    const changed = planRelease({ version: "0.3.0", date: "2026-12-01", repository: "${REPOSITORY}.git", files });
    console.log(JSON.stringify(Object.fromEntries(changed)));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", plan], {
    cwd: clone,
    encoding: "utf8",
  });
  const changed = JSON.parse(stdout) as Readonly<Record<string, string>>;
  const manifest = (name: string) =>
    JSON.parse(changed[`packages/${name}/package.json`] ?? "") as Record<string, unknown>;
  expect(manifest("hamkit")).toMatchObject({
    version: "0.3.0",
    homepage: `${REPOSITORY}#readme`,
    bugs: `${REPOSITORY}/issues`,
    repository: { type: "git", url: `git+${REPOSITORY}.git`, directory: "packages/hamkit" },
    dependencies: { "@hamkit/country-data": "0.3.0", commander: "14.0.3" },
  });
  expect(manifest("identity-import")).toMatchObject({ peerDependencies: { "@hamkit/identity": "0.3.0" } });
  expect(manifest("radio-page")).toMatchObject({
    version: "0.3.0",
    private: true,
    dependencies: { hamkit: "0.3.0" },
  });
  const lock = JSON.parse(changed["package-lock.json"] ?? "") as { packages: Record<string, unknown> };
  expect(lock.packages["packages/hamkit"]).toMatchObject({
    version: "0.3.0",
    dependencies: { "@hamkit/country-data": "0.3.0" },
  });
  expect(changed["CHANGELOG.md"]).toContain("\n## Unreleased\n\n## 0.3.0 - 2026-12-01\n\n### Added\n");
  expect(changed["deploy/kubernetes/overlays/production/kustomization.yaml"]).toContain("newTag: 0.3.0\n");
  expect(existsSync(join(clone, "release"))).toBe(false);
});
