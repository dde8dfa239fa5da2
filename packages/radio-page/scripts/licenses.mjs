/** Writes the licenses of what the built page contains: packages, hamkit with its data, the country file. */
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

import { thirdPartyNotice } from "../../../scripts/third-party.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Modules of the page and of its worker, which are built apart. */
const modules = new Set();

export function collectLicenses() {
  return {
    name: "collect-licenses",
    generateBundle(_options, bundle) {
      for (const { moduleIds = [] } of Object.values(bundle))
        for (const id of moduleIds) if (!id.startsWith("\0")) modules.add(relative(root, id));
    },
  };
}

export function writeLicenses() {
  let folder;
  return {
    name: "write-licenses",
    apply: "build",
    configResolved: ({ build, root: page }) => void (folder = `${page}/${build.outDir}`),
    closeBundle() {
      const inputs = Object.fromEntries([...modules].map((id) => [id, { bytesInOutput: 1 }]));
      const parts = [
        thirdPartyNotice({ outputs: { page: { inputs } } }, root),
        `hamkit\n\n${readFileSync(`${root}LICENSE`, "utf8")}`,
        `@hamkit/country-data\n\n${readFileSync(`${root}packages/country-data/LICENSE`, "utf8")}`,
        readFileSync(`${root}packages/hamkit/dist/THIRD-PARTY-LICENSES.txt`, "utf8"),
      ];
      writeFileSync(`${folder}/licenses.txt`, parts.join(`\n${"=".repeat(80)}\n\n`));
    },
  };
}
