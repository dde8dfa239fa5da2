/** The files of a release: packages for npm, examined, the list of parts of each, the commands that publish them, and checksums. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { partsList } from "../packaging/sbom.mjs";
import { examinePackage, publicPackages } from "../packages.mjs";
import { root, run } from "../prepare.mjs";

/**
 * Builds a clone, and packs it.
 *
 * @param options.clone Its folder, with the commit of the release.
 * @param options.out The folder of the files, which is emptied.
 * @throws {Error} The build fails, or a package is not as it should be.
 */
export async function packRelease({ clone, version, commitId, out }) {
  copyInstalledPackages(clone);
  must(clone, "npm", "run", "--silent", "build");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const seconds = must(clone, "git", "show", "--no-patch", "--format=%ct", commitId).trim();
  const date = new Date(1000 * Number(seconds));
  const tarballs = [];
  for (const { folder, name } of publicPackages(clone)) {
    const { tarball, problems } = examinePackage(join(clone, folder), out);
    if (problems.length > 0) throw new Error(`${name}:\n${problems.join("\n")}`);
    tarballs.push(tarball);
    writeFileSync(
      join(out, tarball.replace(/\.tgz$/, ".cdx.json")),
      partsList([name], { folder: clone, date }),
    );
  }
  writeFileSync(join(out, "publish.sh"), publishScript(version, tarballs), { mode: 0o755 });
  writeFileSync(join(out, "SHA256SUMS"), checksums(out));
  for (const file of readdirSync(out)) console.log(join("release", version, file));
}

/** Links, where the clone is on the same disk. */
function copyInstalledPackages(clone) {
  const folders = ["", ...readdirSync(`${root}packages`).map((name) => `packages/${name}/`)];
  for (const folder of folders) {
    const source = `${root}${folder}node_modules`;
    if (!existsSync(source)) continue;
    const target = join(clone, folder, "node_modules");
    if (run("cp", ["--archive", "--link", source, target], { stdio: "ignore" }).status === 0) continue;
    rmSync(target, { recursive: true, force: true });
    cpSync(source, target, { recursive: true, verbatimSymlinks: true });
  }
}

/** In this order: a package after those that it depends on. */
function publishScript(version, tarballs) {
  const lines = tarballs.map((name) => `npm publish "./${name}" --provenance --access public`);
  return `#!/bin/sh
# Publishes release ${version}, from a job of the repository's hosting site that may ask for an identity token (GitHub Actions:
# permissions: id-token: write): npm signs with it where and from which commit the packages come.
set -eu
cd "$(dirname "$0")"
sha256sum --check --quiet SHA256SUMS
${lines.join("\n")}
`;
}

function checksums(out) {
  const files = readdirSync(out).filter((file) => /\.(?:tgz|json)$/.test(file));
  return files
    .map(
      (file) =>
        `${createHash("sha256")
          .update(readFileSync(join(out, file)))
          .digest("hex")}  ${file}\n`,
    )
    .join("");
}

function must(folder, command, ...args) {
  const { status, stdout, stderr } = run("env", ["--chdir", folder, command, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}${stdout}`);
  return stdout;
}
