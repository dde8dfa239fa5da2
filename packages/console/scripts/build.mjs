/**
 * Builds the console: types of the API, then dist/, with the licenses of what is bundled. Does nothing if no source is newer than
 * the last build; identity has to be compiled before.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "vite";

import { isOlder } from "../../../scripts/older.mjs";
import { thirdPartyNotice } from "../../../scripts/third-party.mjs";
import { isCompiled } from "../../identity/scripts/compiled.mjs";
import { writeApiTypes } from "./api-types.mjs";

const folder = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const stamp = join(folder, "dist/THIRD-PARTY-LICENSES.txt");
const types = join(folder, "src/api/generated/identity-api.ts");

/** Types depend on the service's schemas alone, which are in its compiled modules. */
if (isOlder(types, [join(folder, "../identity/dist")], isCompiled)) await writeApiTypes();
/** Types are not in what is built. */
const isBundled = (path) => !path.includes("/api/generated/");
if (
  isOlder(
    stamp,
    ["src", "public", "scripts", "index.html", "vite.config.ts", "svelte.config.js", "package.json"]
      .map((path) => join(folder, path))
      .concat(join(root, "package-lock.json")),
    isBundled,
  )
)
  await buildConsole();

async function buildConsole() {
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  const bundled = new Set();
  await build({ root: folder, logLevel: "warn", plugins: [collectModules(bundled)] });
  writeFileSync(stamp, thirdPartyNotice(metafileOf(bundled), root));
}

/** A plugin that notes the files whose code is in the bundle. */
function collectModules(bundled) {
  return {
    name: "bundled-modules",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle))
        for (const [id, { renderedLength }] of Object.entries(chunk.modules ?? {}))
          if (renderedLength > 0) bundled.add(id);
    },
  };
}

/** In the form of esbuild's metafile, which the notice is made from. */
function metafileOf(bundled) {
  const inputs = [...bundled]
    .filter((id) => id.startsWith(root) && id.includes("node_modules/"))
    .map((id) => [id.slice(root.length), { bytesInOutput: 1 }]);
  return { outputs: { console: { inputs: Object.fromEntries(inputs) } } };
}
