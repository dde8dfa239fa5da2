/** What the licenses of packages ask to be said, of which parts are in our files. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const licenses = fileURLToPath(new URL("licenses/", import.meta.url));

/** The notice for a bundle that esbuild has made. @param folder What the paths in its report start from. */
export function thirdPartyNotice(metafile, folder) {
  const notices = foldersOfPackages(metafile).map((path) => {
    const { name, version, homepage } = JSON.parse(readFileSync(`${folder}${path}package.json`, "utf8"));
    return `${name} ${version}${homepage === undefined ? "" : `, ${homepage}`}\n\n${licenseText(name, `${folder}${path}`)}\n`;
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

/** The text in the package, or the one in scripts/licenses where its authors forgot to pack it. */
function licenseText(name, path) {
  const file = readdirSync(path).find((entry) => /^licen[cs]e(?:[.-]\w+)?$/i.test(entry));
  return readFileSync(
    file === undefined ? `${licenses}${name.replace("/", "-")}.txt` : `${path}${file}`,
    "utf8",
  ).trim();
}
