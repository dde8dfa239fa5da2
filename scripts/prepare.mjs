/** Installs and builds what is missing, so that one command is enough on a fresh clone. Plain Node, no packages. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const stamp = `${root}node_modules/.installed-from`;

/** Runs a command in the repository; ends the process with its code where it fails, unless that is the caller's to do. */
export function run(command, args, { stdio = "inherit", env = process.env } = {}) {
  const shell = process.platform === "win32";
  return spawnSync(command, args, { cwd: root, stdio, env, shell, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Installs the packages of the lock file, where that has not been done. */
export function install() {
  requireNode();
  const wanted = createHash("sha256")
    .update(readFileSync(`${root}package-lock.json`))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.error("Installing packages ...");
  const { status } = run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, wanted);
}

/** Compiles what has changed. */
export function build() {
  const { status } = run("npm", ["run", "--silent", "build"], { stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`hamkit needs Node 20.19 or later; this is ${process.versions.node}`);
  process.exit(1);
}
