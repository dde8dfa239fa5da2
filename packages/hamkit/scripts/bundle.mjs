/**
 * Makes dist/*.js: each public module in one file, and what several share in dist/chunks.
 *
 * A module of its own for each source file would make importing hamkit/locator three times as slow: Node spends half a
 * millisecond on every file. Types come from the compiler, a file for each source.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const folder = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));

const modules = Object.values(exports)
  .filter((target) => typeof target === "object")
  .map(({ default: path }) => path.replace("./dist/", "").replace(/\.js$/, ""));

// What an earlier build left would be published too.
for (const path of readdirSync(`${folder}dist`, { recursive: true, encoding: "utf8" })) {
  if (/\.js(?:\.map)?$/.test(path)) rmSync(`${folder}dist/${path}`);
}
await build({
  absWorkingDir: folder,
  entryPoints: [...modules, "cli/main"].map((name) => ({ in: `src/${name}.ts`, out: name })),
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
});
