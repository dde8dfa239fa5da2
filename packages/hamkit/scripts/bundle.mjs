/**
 * Makes dist/*.js: each public module in one file, and what several share in dist/chunks.
 *
 * A module of its own for each source file would make importing hamkit/locator three times as slow: Node spends half a
 * millisecond on every file. Types come from the compiler, a file for each source.
 *
 * Packages that package.json does not name as dependencies are bundled too, so that a browser needs no bundler: a page
 * has no node_modules. What their licenses ask to be said goes along, in dist/THIRD-PARTY-LICENSES.txt.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { thirdPartyNotice } from "../../../scripts/third-party.mjs";

const folder = fileURLToPath(new URL("..", import.meta.url));
const { exports, dependencies } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));

const modules = Object.values(exports)
  .filter((target) => typeof target === "object")
  .map(({ default: path }) => path.replace("./dist/", "").replace(/\.js$/, ""));

// What an earlier build left would be published too.
for (const path of readdirSync(`${folder}dist`, { recursive: true, encoding: "utf8" })) {
  if (/\.js(?:\.map)?$/.test(path)) rmSync(`${folder}dist/${path}`);
}
const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: [...modules, "cli/main"].map((name) => ({ in: `src/${name}.ts`, out: name })),
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  external: Object.keys(dependencies),
  sourcemap: true,
  metafile: true,
  logLevel: "warning",
});
writeFileSync(`${folder}dist/THIRD-PARTY-LICENSES.txt`, thirdPartyNotice(metafile, folder));
