/**
 * Entries for CommonJS programs (.cts, or "type": "commonjs"). Node 20.19 and later load ES modules with `require`, but TypeScript
 * with `module: node16` rejects a `require` of declarations that are marked as an ES module.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { posix } from "node:path";

const SPECIFIER = /(\bfrom "|\bimport\(")(\.[^"]*)\.js"/g;

/** Writes a `.cjs` for each module, which is the same module, and a `.d.cts` for each `.d.ts` that the modules need. */
export function writeCommonJs(dist, modules) {
  for (const name of modules)
    writeFileSync(`${dist}${name}.cjs`, `module.exports = require("./${posix.basename(name)}.js");\n`);
  const pending = [...modules];
  const done = new Set();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (done.has(name)) continue;
    done.add(name);
    const types = readFileSync(`${dist}${name}.d.ts`, "utf8");
    for (const [, , path] of types.matchAll(SPECIFIER)) pending.push(posix.join(posix.dirname(name), path));
    writeFileSync(`${dist}${name}.d.cts`, types.replaceAll(SPECIFIER, '$1$2.cjs"'));
  }
}
