/** A whole dry run of a release, in a clone of what is committed: build, packages, lists of parts, checksums. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const REPOSITORY = "https://git.example.org/radio/hamkit";

const folder = mkdtempSync(join(tmpdir(), "a release "));
const clone = join(folder, "repository");
const out = join(clone, "release/0.3.0");

beforeAll(() => {
  must("git", "clone", "--quiet", "--no-tags", ROOT, clone);
  for (const name of ["", ...readdirSync(join(ROOT, "packages")).map((each) => join("packages", each))])
    spawnSync("cp", ["--archive", "--link", join(ROOT, name, "node_modules"), join(clone, name)]);
  const script = join(clone, "scripts/release/release.mjs");
  must(process.execPath, script, "0.3.0", "--dry-run", `--repository=${REPOSITORY}`, "--date=2026-12-01");
}, 1_200_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As from a shell: without the settings of npm that runs this test, such as this repository's engine-strict. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

function must(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    cwd: folder,
    env,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

const NAMES = ["hamkit", "hamkit-country-data", "hamkit-identity", "hamkit-identity-import"];

it("makes packages, a list of parts of each, checksums, and the commands that publish them", () => {
  const files = NAMES.flatMap((name) => [`${name}-0.3.0.tgz`, `${name}-0.3.0.cdx.json`]);
  expect(readdirSync(out).toSorted()).toEqual([...files, "SHA256SUMS", "publish.sh"].toSorted());
  expect(must("sh", "-c", 'cd "$0" && sha256sum --check SHA256SUMS', out).match(/: OK$/gm)).toHaveLength(
    files.length,
  );
  expect(readFileSync(join(out, "publish.sh"), "utf8").match(/^npm publish .* --provenance/gm)).toHaveLength(
    NAMES.length,
  );
});

it("leaves the checkout as it is", () => {
  expect(must("git", "-C", clone, "status", "--porcelain")).toBe("");
  expect(must("git", "-C", clone, "tag")).toBe("");
});

it.each(NAMES)("packs %s with its version, address, license and readme", (name) => {
  const tarball = join(out, `${name}-0.3.0.tgz`);
  const manifest = JSON.parse(must("tar", "-xzOf", tarball, "package/package.json")) as Record<
    string,
    unknown
  >;
  expect(manifest).toMatchObject({ version: "0.3.0", bugs: `${REPOSITORY}/issues`, license: "MIT" });
  const listed = must("tar", "-tzf", tarball).split("\n");
  expect(listed).toEqual(expect.arrayContaining(["package/LICENSE", "package/README.md"]));
});

it("lists the parts of identity with their versions and licenses", () => {
  const text = readFileSync(join(out, "hamkit-identity-0.3.0.cdx.json"), "utf8");
  const document = JSON.parse(text) as {
    readonly bomFormat: string;
    readonly metadata: { readonly component: { readonly purl: string } };
    readonly components: readonly { readonly purl: string; readonly licenses: unknown }[];
  };
  expect([document.bomFormat, document.metadata.component.purl]).toEqual([
    "CycloneDX",
    "pkg:npm/%40hamkit/identity@0.3.0",
  ]);
  const fastify = document.components.filter(({ purl }) => purl.startsWith("pkg:npm/fastify@"));
  expect(fastify).toMatchObject([{ licenses: [{ license: { id: "MIT" } }] }]);
  expect(text).not.toContain(folder);
});

it("makes packages that work where they are installed", () => {
  const place = join(folder, "installed");
  const tarballs = NAMES.map((name) => join(out, `${name}-0.3.0.tgz`));
  must(
    "npm",
    "install",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--prefix",
    place,
    ...tarballs,
  );
  const bin = join(place, "node_modules/.bin");
  expect(must(join(bin, "hamkit-identity"), "--version")).toBe("0.3.0\n");
  expect(must(join(bin, "hamkit-identity"), "import", "--help")).toContain("--keystone-conf");
  expect(must(join(bin, "hamkit"), "call", "--offline", "DH1TW")).toContain("Germany");
});
