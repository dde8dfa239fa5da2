/**
 * Bundles dist/*.js: one file per public module, and shared code in dist/chunks.
 *
 * Without bundling, importing hamkit/locator would take three times as long: Node spends half a millisecond per file. The
 * compiler writes the type declarations, one file per source.
 *
 * Packages that are not dependencies in package.json are bundled too, since a page without a bundler has no node_modules.
 * Their licenses, and those of the data, are collected in dist/THIRD-PARTY-LICENSES.txt.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { writeCommonJs } from "../../../scripts/commonjs.mjs";
import { thirdPartyNotice } from "../../../scripts/third-party.mjs";
import { divideRoot } from "./divide-root.mjs";

const folder = fileURLToPath(new URL("..", import.meta.url));
const { exports, dependencies } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));

const modules = Object.values(exports)
  .filter((target) => typeof target === "object")
  .map(({ default: path }) => path.replace("./dist/", "").replace(/\.js$/, ""));

// Files of an earlier build would be published too.
for (const path of filesOfDist()) {
  if (/\.js(?:\.map)?$|\.cjs$|\.d\.(?:cts|ts\.map)$/.test(path)) rmSync(`${folder}dist/${path}`);
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
dropBareImports();
divideRoot(`${folder}dist/`);
writeCommonJs(`${folder}dist/`, modules);
writeFileSync(
  `${folder}dist/THIRD-PARTY-LICENSES.txt`,
  [thirdPartyNotice(metafile, folder), ...dataNotices()].join(`\n${"-".repeat(80)}\n\n`),
);

/**
 * Empties the lines that import a chunk and no name of it. No module of the library has side effects, so they only cost
 * loading, and a warning in bundlers. Source maps stay valid: no line moves.
 */
function dropBareImports() {
  for (const path of filesOfDist()) {
    if (!path.endsWith(".js") || path === "cli/main.js") continue;
    const code = readFileSync(`${folder}dist/${path}`, "utf8");
    const without = code.replaceAll(/^import "\.[^"]*";$/gm, "");
    if (without !== code) writeFileSync(`${folder}dist/${path}`, without);
  }
}

/** The licenses of data that the files contain; each names what it is for. */
function dataNotices() {
  return readdirSync(`${folder}data`, { recursive: true, encoding: "utf8" })
    .filter((path) => /LICENSE[^/\\]*\.txt$/.test(path))
    .sort()
    .map((path) => readFileSync(`${folder}data/${path}`, "utf8"));
}

function filesOfDist() {
  return readdirSync(`${folder}dist`, { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );
}
