/** `npm run site`: builds the website into site/dist, with the references of both products, and checks every link in it. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "vitepress";

import { apiDocument } from "../packages/identity/scripts/api-document.mjs";
import { build as buildPrograms, install, run } from "../scripts/prepare.mjs";
import { deadLinks } from "./dead-links.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const dist = `${folder}dist/`;

install();
buildPrograms();
rmSync(dist, { recursive: true, force: true });
mkdirSync(`${folder}generated`, { recursive: true });
writeFileSync(`${folder}generated/openapi.json`, JSON.stringify(await apiDocument()));
await build(folder).catch((error) => {
  console.error(error.message, error.id ?? "", error.loc ?? "", error.frame ?? "");
  process.exit(1);
});
cpSync(`${folder}generated/openapi.json`, `${dist}openapi.json`);
const { status } = run("npm", ["run", "--silent", "docs", "--", "--out", `${dist}api`], {
  stdio: ["ignore", 2, 2],
  env: { SITE_BASE: "/", ...process.env },
});
if (status !== 0) process.exit(status ?? 1);
const { pages, dead } = deadLinks(dist);
for (const { page, link } of dead) console.error(`Dead link in ${page}: ${link}`);
if (dead.length > 0) process.exit(1);
console.log(`${pages} pages in site/dist`);
