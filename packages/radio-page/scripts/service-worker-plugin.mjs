/** Writes the service worker of the built page: src/service-worker.js with the list of all files and a version of their contents. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const source = new URL("../src/service-worker.js", import.meta.url);

export function writeServiceWorker() {
  let folder;
  return {
    name: "write-service-worker",
    apply: "build",
    enforce: "post",
    configResolved: ({ build, root }) => void (folder = `${root}/${build.outDir}`),
    closeBundle() {
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1))
        .filter((name) => !["service-worker.js", "licenses.txt", ".built-from"].includes(name))
        .sort();
      const hash = createHash("sha256");
      for (const name of files) hash.update(name).update(readFileSync(`${folder}/${name}`));
      const text = readFileSync(source, "utf8")
        .replace('["FILES"]', JSON.stringify(files.map((name) => (name === "index.html" ? "./" : name))))
        .replace('"VERSION"', JSON.stringify(hash.digest("hex").slice(0, 16)));
      writeFileSync(`${folder}/service-worker.js`, text);
    },
  };
}
