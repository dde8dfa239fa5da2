/**
 * Divides the root module into one file per chunk, which index.js re-exports with `export *`.
 *
 * esbuild, when it splits code, has a page load the chunks of every import of each module on the way to a name that the page
 * imports, if a module that is loaded on demand uses them. `export *` is not on that way; a module that imports the names of several
 * chunks is.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";

const IMPORT = /^import \{([^}]*)\} from "\.\/chunks\/([^"]+)";$/gm;
const EXPORT = /^export \{([^}]*)\};$/m;

/** @param dist The folder with index.js as esbuild writes it: imports of names, and one export of them. */
export function divideRoot(dist) {
  const code = readFileSync(`${dist}index.js`, "utf8");
  const rest = code
    .replaceAll(IMPORT, "")
    .replace(EXPORT, "")
    .replaceAll(/^\/\/.*$/gm, "");
  if (rest.trim() !== "") throw new Error(`dist/index.js has code of its own: ${rest.trim().slice(0, 200)}`);
  const publicNames = new Map(namePairs(EXPORT.exec(code)?.[1] ?? ""));
  const parts = Array.from(code.matchAll(IMPORT), ([, names, chunk], index) => {
    const exported = namePairs(names).map(([name, local]) => `${name} as ${publicNames.get(local)}`);
    const part = `chunks/root-${index + 1}.js`;
    writeFileSync(`${dist}${part}`, `export { ${exported.join(", ")} } from "./${chunk}";\n`);
    return part;
  });
  writeFileSync(`${dist}index.js`, parts.map((part) => `export * from "./${part}";\n`).join(""));
  rmSync(`${dist}index.js.map`);
}

/** `a, b as c` as pairs of a name and what it becomes. */
function namePairs(list) {
  return list
    .split(",")
    .filter((item) => item.trim() !== "")
    .map((item) => {
      const [name, as = name] = item.trim().split(" as ");
      return [name, as];
    });
}
