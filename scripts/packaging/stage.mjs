/**
 * The files of the two programs that are installed, in folders as npm makes them: what was built, and the packages that it loads at run
 * time. Most packages are part of the bundles; those with native code or files of their own are not.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { root } from "../prepare.mjs";
import { runtimePackages } from "./runtime-packages.mjs";

/** By program: its workspaces, which of their files are installed, and which packages they load. */
const PROGRAMS = {
  "hamkit-identity": [
    {
      folder: "packages/identity",
      files: /^(?:package\.json|dist\/(?:hamkit-identity[^/]*|[a-z]+-thread)\.js|dist\/console\/page\/.+)$/,
      packages: ["libsql", "@node-rs/argon2", "@node-rs/bcrypt", "piscina"],
      notices: ["dist/THIRD-PARTY-LICENSES.txt", "dist/console/page/THIRD-PARTY-LICENSES.txt"],
    },
    { folder: "packages/identity-import", files: /^(?:package\.json|dist\/.+\.js)$/ },
  ],
  hamkit: [
    {
      folder: "packages/hamkit",
      files: /^(?:package\.json|dist\/.+\.js)$/,
      // The last three are optional for npm: PSK Reporter, maps as PNG, and the system's keyring.
      packages: ["commander", "satellite.js", "mqtt", "@resvg/resvg-js", "@napi-rs/keyring"],
      notices: ["dist/THIRD-PARTY-LICENSES.txt"],
    },
    // For `hamkit serve`.
    {
      folder: "packages/radio-page",
      files: /^(?:package\.json|dist\/[^.].*(?<!\.map))$/,
      packages: [],
      notices: ["dist/licenses.txt"],
    },
    { folder: "packages/country-data", files: /^(?:package\.json|dist\/.+\.js)$/, packages: [] },
  ],
};

/** Of a package: what is not needed at run time. The texts of licenses are collected elsewhere. */
const UNNEEDED =
  /\.(?:map|md|markdown|ts|mts|cts|yml)$|^(?:\.|licen[cs]e|copying|notice|(?:tests?|test-jest|benchmarks?|docs|examples?|scripts|src|types)\/|build\/bin\/)/i;

/** The licenses of what a package's native code is built from. */
export const PARTS_LICENSES = "LICENSE.third-party.md";

/**
 * Copies a program into `target/node_modules`. Modes don't depend on those of the sources, which a umask may have narrowed.
 *
 * @param name `hamkit` or `hamkit-identity`.
 * @returns Name, version, license and folder of each package that is copied, or contained in what was built.
 */
export function stage(name, target) {
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8"));
  const used = new Map();
  for (const { folder, files, packages, notices = [] } of PROGRAMS[name]) {
    const own = join(target, "node_modules", manifestOf(folder).name);
    copy(join(root, folder), own, (path) => files.test(path));
    for (const { place } of runtimePackages(lock, folder, packages)) {
      if (lock.packages[place].link || !isForThisMachine(place)) continue;
      const inner = place.startsWith(`${folder}/`)
        ? join(own, place.slice(folder.length))
        : join(target, place);
      copy(join(root, place), inner, isNeeded(place));
      used.set(place, used.get(place) ?? factsOf(place));
    }
    for (const place of notices.flatMap((file) => placesIn(join(root, folder, file), folder)))
      used.set(place, used.get(place) ?? factsOf(place));
  }
  return [...used.values()].toSorted((one, other) => (one.folder < other.folder ? -1 : 1));
}

/** `src` is needed where it has the package's code. */
function isNeeded(place) {
  const { main = "index.js" } = manifestOf(place);
  const isSource = /^(?:\.\/)?src\//.test(main);
  return (path) =>
    path === PARTS_LICENSES ||
    (isSource && path.startsWith("src/") && path.endsWith("js")) ||
    !UNNEEDED.test(path);
}

/** npm may also install packages for another C library than Debian's. */
function isForThisMachine(place) {
  return existsSync(join(root, place)) && !place.endsWith("-musl");
}

/** The packages that a notice of third parties names, each by its first line: name, version, home page. */
function placesIn(file, folder) {
  const names = readFileSync(file, "utf8").matchAll(
    /(?:^|-{80}\n\n|packages:\n\n)(@?[\w./-]+) \d\S*(?:,.*)?\n\n/g,
  );
  return Array.from(names, ([, name]) =>
    [`${folder}/node_modules/${name}`, `node_modules/${name}`].find((place) => existsSync(join(root, place))),
  ).filter((place) => place !== undefined);
}

function factsOf(place) {
  const { name, version, license, homepage, author } = manifestOf(place);
  return {
    name,
    version,
    license: typeof license === "string" ? license : license?.type,
    homepage,
    author,
    folder: place,
  };
}

function manifestOf(place) {
  return JSON.parse(readFileSync(join(root, place, "package.json"), "utf8"));
}

function copy(from, to, isWanted) {
  const entries = readdirSync(from, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name).slice(from.length + 1);
    if (path.startsWith("node_modules/") || !isWanted(path)) continue;
    installFile(join(from, path), join(to, path));
  }
}

/** Copies a file with its folders, as `install` does. */
export function installFile(from, to, mode = 0o644) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
}
