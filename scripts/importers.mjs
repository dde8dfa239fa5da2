/** Which test files import a file, directly or through others. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

import { root } from "./prepare.mjs";

const IMPORT = /(?:from|import)\s*\(?\s*"(?<path>\.{1,2}\/[^"]+)"/g;
const FOLDERS = ["src", "test"];

/** @returns The paths of unit tests, the nearest first: a changed test itself, then tests that import the file, and so on. */
export function testsNear(changed) {
  const importers = importersOf();
  const found = new Set(changed.filter((file) => /\.tsx?$/.test(file)));
  // A set is walked in the order in which it grows, so that near files come before far ones.
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return [...found].filter((file) => /\/test\/.*\.test\.ts$/.test(file));
}

function importersOf() {
  const importers = new Map();
  for (const file of sourceFiles())
    for (const { groups } of readFileSync(join(root, file), "utf8").matchAll(IMPORT)) {
      const imported = resolved(join(dirname(file), groups.path));
      if (!importers.has(imported)) importers.set(imported, []);
      importers.get(imported).push(file);
    }
  return importers;
}

/** The source of a module, which imports name by its compiled file. */
function resolved(path) {
  const source = path.replace(/\.js$/, ".ts");
  return existsSync(join(root, source)) ? source : `${source}x`;
}

function sourceFiles() {
  return readdirSync(join(root, "packages")).flatMap((name) =>
    FOLDERS.map((folder) => join(root, "packages", name, folder))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true })
          .filter((file) => /\.tsx?$/.test(file))
          .map((file) => relative(root, join(folder, file)).split(sep).join("/")),
      ),
  );
}
