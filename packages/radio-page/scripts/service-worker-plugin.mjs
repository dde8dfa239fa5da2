/** Writes the service worker of the built page: src/service-worker.js with the list of all files and a version of their contents. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

import { transformSync } from "esbuild";

const source = new URL("../src/service-worker.js", import.meta.url);

/** The client of a service that needs a network is not kept either. */
const NOT_KEPT = /^(?:service-worker\.js|licenses\.txt|\.built-from|assets\/mqtt\.esm-.*)$/;

/** Layers that are large, and that not everyone needs: kept when they are first loaded. */
const LATER = /^assets\/(?:zone-layer|area-layers)-/;

export function writeServiceWorker() {
  let folder;
  return {
    name: "write-service-worker",
    apply: "build",
    enforce: "post",
    configResolved: ({ build, root }) => void (folder = `${root}/${build.outDir}`),
    closeBundle: () => writeFileSync(`${folder}/service-worker.js`, serviceWorkerOf(folder)),
  };
}

/** The service worker of the page that is in a folder. */
export function serviceWorkerOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1))
    .filter((name) => !NOT_KEPT.test(name))
    .sort();
  const { code } = transformSync(readFileSync(source, "utf8"), { minifyWhitespace: true });
  const hash = createHash("sha256").update(code);
  for (const name of files) hash.update(name).update(readFileSync(`${folder}/${name}`));
  const [later, first] = [true, false].map((isLater) => files.filter((name) => LATER.test(name) === isLater));
  return code
    .replace('["FILES"]', JSON.stringify(first.map((name) => (name === "index.html" ? "./" : name))))
    .replace('["LATER"]', JSON.stringify(later))
    .replace('"VERSION"', JSON.stringify(hash.digest("hex").slice(0, 16)));
}
