/** Installs packages and builds, so that one command is enough on a fresh clone. Plain Node, no packages. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { buildStamp } from "./built.mjs";
import { missingPackage } from "./installed.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the repository root. The caller checks the status. */
export function run(command, args, { stdio = "inherit", env = process.env } = {}) {
  const shell = process.platform === "win32";
  return spawnSync(command, args, { cwd: root, stdio, env, shell, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Installs the packages of the lock file, unless they are installed: `npm ci` deletes all of them first. */
export function install() {
  requireNode();
  const missing = missingPackage(root);
  if (missing === undefined) return;
  console.error(`Installing packages (${missing} is not as in package-lock.json) ...`);
  const { status } = run("npm", ["ci", ...WHOLE, "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Building needs them, also where npm leaves them out by default (NODE_ENV=production). */
const WHOLE = ["--include=dev", "--include=optional"];

/** Builds, unless nothing has changed since the last build. The first build takes a minute. */
export function build() {
  const stamp = buildStamp(root);
  if (stamp.isCurrent()) return;
  if (!existsSync(`${root}packages/hamkit/dist/cli/main.js`)) console.error("Building, once ...");
  const { status } = run("npm", ["run", "--silent", "build"], { stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  stamp.keep();
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Node ${process.versions.node} is not supported; expected 20.19 or later`);
  process.exit(1);
}
