/** What a release changes in the repository, as texts of files: nothing is written here. */
import { PAGES, planPages } from "./pages.mjs";

/** Versions of releases: three numbers, such as 0.3.0. */
const VERSION = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/;

const IMAGE_FILES = ["small", "production"].map(
  (overlay) => `deploy/kubernetes/overlays/${overlay}/kustomization.yaml`,
);

/** Files that a release changes, in addition to manifests. */
export const RELEASE_FILES = ["CHANGELOG.md", "releases.json", "package-lock.json", ...IMAGE_FILES, ...PAGES];

/**
 * Plans a release.
 *
 * @param input.version Such as `0.3.0`.
 * @param input.date Its day, such as `2026-12-01`.
 * @param input.repository The address of the repository, `https://...`; `undefined` leaves out the fields that name it.
 * @param input.files The texts of {@link RELEASE_FILES} and `packages/*\/package.json` by path.
 * @returns The changed texts by path.
 * @throws {Error} The version is invalid or not above the last one, or the changelog has no entries.
 */
export function planRelease({ version, date, repository, files }) {
  requireLaterVersion(version, files);
  const changed = planPages({ version, files });
  changed.set("CHANGELOG.md", cutChangelog(files.get("CHANGELOG.md"), { version, date }));
  const manifests = [...files.keys()].filter((path) => path.endsWith("/package.json"));
  const names = new Set(manifests.map((path) => JSON.parse(files.get(path)).name));
  for (const path of manifests) {
    const manifest = withVersion(JSON.parse(files.get(path)), { version, names });
    const described = repository === undefined ? manifest : withRepository(manifest, { repository, path });
    changed.set(path, jsonText(described));
  }
  const lock = JSON.parse(files.get("package-lock.json"));
  for (const path of manifests) {
    const place = path.replace("/package.json", "");
    lock.packages[place] = withVersion(lock.packages[place], { version, names });
  }
  changed.set("package-lock.json", jsonText(lock));
  for (const path of IMAGE_FILES)
    changed.set(path, files.get(path).replace(/^(\s*newTag: ).*$/m, `$1${version}`));
  return changed;
}

function requireLaterVersion(version, files) {
  if (!VERSION.test(version))
    throw new Error(`version ${JSON.stringify(version)} is invalid; expected three numbers such as 0.3.0`);
  const known = Object.keys(JSON.parse(files.get("releases.json")));
  if (known.includes(version)) throw new Error(`releases.json has ${version} already`);
  const last = known.toSorted(byVersion).at(-1);
  if (last !== undefined && byVersion(version, last) <= 0)
    throw new Error(`version ${version} is not above the last release, ${last}`);
}

function byVersion(one, other) {
  return one.localeCompare(other, "en", { numeric: true });
}

/** The entries of a version: what is below its title. */
export function changelogSection(changelog, title) {
  const start = changelog.indexOf(`\n## ${title}`);
  if (start === -1) throw new Error(`CHANGELOG.md has no section "## ${title}"`);
  const body = changelog.slice(changelog.indexOf("\n", start + 1));
  const end = body.indexOf("\n## ");
  return (end === -1 ? body : body.slice(0, end)).trim();
}

function cutChangelog(changelog, { version, date }) {
  const entries = changelogSection(changelog, "Unreleased");
  if (!/^- \S/m.test(entries)) throw new Error('CHANGELOG.md has no entries below "## Unreleased"');
  return changelog.replace("\n## Unreleased\n", `\n## Unreleased\n\n## ${version} - ${date}\n`);
}

/** The version of a package, and of those of its dependencies that are packages of ours. */
function withVersion(manifest, { version, names }) {
  const fields = ["dependencies", "devDependencies", "peerDependencies"].flatMap((field) => {
    if (manifest[field] === undefined) return [];
    const entries = Object.entries(manifest[field]).map(([name, range]) => [
      name,
      names.has(name) ? version : range,
    ]);
    return [[field, Object.fromEntries(entries)]];
  });
  return { ...manifest, version, ...Object.fromEntries(fields) };
}

/** npm's provenance compares `repository` with the place where a package was built. */
function withRepository(manifest, { repository, path }) {
  const { name, version, description, private: isPrivate, keywords, license, ...others } = manifest;
  // Placeholders until the first release.
  const { homepage: _homepage, bugs: _bugs, repository: _repository, ...rest } = others;
  const url = repository.replace(/(?:\.git)?\/?$/, "");
  return {
    name,
    version,
    ...(isPrivate === undefined ? {} : { private: isPrivate }),
    description,
    ...(keywords === undefined ? {} : { keywords }),
    homepage: `${url}#readme`,
    bugs: `${url}/issues`,
    license,
    ...rest,
    repository: { type: "git", url: `git+${url}.git`, directory: path.replace("/package.json", "") },
  };
}

function jsonText(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
