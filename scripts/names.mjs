/**
 * Checks that a name means one thing: no two files of a package export the same name, or have the same file name, except `index.ts`; and
 * that each folder of sources has its place in the allowed imports, and its row in docs/architecture.md.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

import { root } from "./prepare.mjs";

const DECLARATION =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum) (?<name>\w+)/gm;

/** Public modules: they are named after what they offer, and `utils.ts` repeats names that moved. */
const PUBLIC = { hamkit: /^[\w-]+\.ts$/ };
const REPEATS_NAMES = "utils.ts";

/** @returns Counts of checks, one for each package. */
export function checkNames() {
  const results = [
    ...["hamkit", "identity", "identity-import", "console", "radio-page"].map((name) => checkPackage(name)),
    ...["hamkit", "identity", "identity-import", "console"].map((name) => checkFolders(name)),
  ];
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed };
}

function checkPackage(name) {
  const source = join(root, "packages", name, "src");
  const files = readdirSync(source, { recursive: true }).filter((path) => /\.tsx?$/.test(path));
  const exported = files.flatMap((path) =>
    path === REPEATS_NAMES
      ? []
      : [...new Set(declaredIn(readFileSync(join(source, path), "utf8")))].map((key) => ({ key, path })),
  );
  const named = files.flatMap((path) =>
    PUBLIC[name]?.test(path) || basename(path) === "index.ts"
      ? []
      : { key: basename(path).replace(/\.tsx?$/, ""), path },
  );
  const repeated = [...repeatedIn(exported), ...repeatedIn(named)];
  for (const [key, paths] of repeated)
    console.error(`packages/${name}/src: "${key}" stands in ${paths.join(", ")}`);
  return repeated.length === 0;
}

function checkFolders(name) {
  const source = `packages/${name}/src/`;
  const { forbidden } = createRequire(import.meta.url)(join(root, ".dependency-cruiser.cjs"));
  const ruled = forbidden
    .flatMap(({ from, to }) => [from.path, to.path])
    .filter((path) => typeof path === "string");
  const document = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const folders = readdirSync(join(root, source), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const faults = folders.flatMap(({ name: folder }) =>
    [
      ...(ruled.some((path) => new RegExp(path).test(`${source}${folder}/x/x.ts`) && !isGeneral(path))
        ? []
        : [`no place among the allowed imports (.dependency-cruiser.cjs)`]),
      ...(document.includes(`\`${folder}/`) ? [] : ["no row in docs/architecture.md"]),
    ].map((fault) => `${source}${folder}: ${fault}`),
  );
  for (const fault of faults) console.error(fault);
  return faults.length === 0;
}

/** Whether the rule is about whole packages. */
function isGeneral(path) {
  return ["hamkit", "identity", "identity-import", "console"].some((name) =>
    new RegExp(path).test(`packages/${name}/src/no-such-folder/x.ts`),
  );
}

function declaredIn(text) {
  return Array.from(text.matchAll(DECLARATION), ({ groups }) => groups.name);
}

function repeatedIn(entries) {
  const paths = new Map();
  for (const { key, path } of entries) paths.set(key, [...(paths.get(key) ?? []), path]);
  return [...paths].filter(([, list]) => list.length > 1);
}
