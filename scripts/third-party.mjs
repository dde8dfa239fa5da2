/** Collects the license texts of bundled packages. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const licenses = fileURLToPath(new URL("licenses/", import.meta.url));

/** The notice for an esbuild bundle. @param folder The folder that the paths in the metafile are relative to. */
export function thirdPartyNotice(metafile, folder) {
  const notices = foldersOfPackages(metafile).map((path) => {
    const facts = JSON.parse(readFileSync(`${folder}${path}package.json`, "utf8"));
    const { name, version, homepage } = facts;
    return `${name} ${version}${homepage === undefined ? "" : `, ${homepage}`}\n\n${licenseText(facts, `${folder}${path}`)}\n`;
  });
  return `The files of this folder contain parts of these packages:\n\n${notices.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** The folders of the packages that contribute to the bundle. */
function foldersOfPackages({ outputs }) {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = used.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path) ?? []);
  return [...new Set(folders)].sort();
}

/** The license file of a package; without one, the file in scripts/licenses, or else the fields of package.json. */
function licenseText({ name, license, author }, path) {
  const file = readdirSync(path).find((entry) => /^licen[cs]e(?:[.-]\w+)?$/i.test(entry));
  if (file !== undefined) return readFileSync(`${path}${file}`, "utf8").trim();
  const kept = `${licenses}${name.replace("/", "-")}.txt`;
  if (existsSync(kept)) return readFileSync(kept, "utf8").trim();
  return `${license}, by ${author?.name ?? author ?? "its authors"}`;
}
