/** Builds the page into `dist`, unless what it is made from is the same as the last time: that takes some seconds. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "vite";

const page = fileURLToPath(new URL("../", import.meta.url));
const stamp = `${page}dist/.built-from`;

/** The page's own files, and what is built before. */
const INPUTS = [
  "src",
  "public",
  "scripts",
  "index.html",
  "package.json",
  "vite.config.mjs",
  "../hamkit/dist",
  "../country-data/dist",
];

const hash = createHash("sha256");
for (const input of INPUTS) {
  const isFile = /\.[a-z]+$/.test(input);
  const names = isFile
    ? [""]
    : readdirSync(`${page}${input}`, { recursive: true, encoding: "utf8" }).toSorted();
  for (const name of names) {
    const path = `${page}${input}${isFile ? "" : `/${name}`}`;
    if (/\.(?:js|mjs|ts|tsx|css|html|json|svg|webmanifest)$/.test(path) && !path.endsWith(".d.ts"))
      hash.update(path.slice(page.length)).update(readFileSync(path));
  }
}
const inputs = hash.digest("hex");
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== inputs) {
  await build({ configFile: `${page}vite.config.mjs` });
  writeFileSync(stamp, inputs);
}
