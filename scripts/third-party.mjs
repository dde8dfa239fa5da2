/** What the licenses of packages ask to be said, of which parts are in our files. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const licenses = fileURLToPath(new URL("licenses/", import.meta.url));

/** The notice for a bundle that esbuild has made. @param folder What the paths in its report start from. */
export function thirdPartyNotice(metafile, folder) {
  const notices = foldersOfPackages(metafile).map((path) => {
    const facts = JSON.parse(readFileSync(`${folder}${path}package.json`, "utf8"));
    const { name, version, homepage } = facts;
    return `${name} ${version}${homepage === undefined ? "" : `, ${homepage}`}\n\n${licenseText(facts, `${folder}${path}`)}\n`;
  });
  return `The files of this folder contain parts of these packages:\n\n${notices.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** The folders of the packages of which something is in the bundle. */
function foldersOfPackages({ outputs }) {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = used.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path) ?? []);
  return [...new Set(folders)].sort();
}

/** The text in the package; where its authors forgot to pack it, the one in scripts/licenses, or what they say it is. */
function licenseText({ name, license, author }, path) {
  const file = readdirSync(path).find((entry) => /^licen[cs]e(?:[.-]\w+)?$/i.test(entry));
  if (file !== undefined) return readFileSync(`${path}${file}`, "utf8").trim();
  const kept = `${licenses}${name.replace("/", "-")}.txt`;
  if (existsSync(kept)) return readFileSync(kept, "utf8").trim();
  return `${license}, by ${author?.name ?? author ?? "its authors"}`;
}
