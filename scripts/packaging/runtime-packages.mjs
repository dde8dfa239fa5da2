/** The packages that a workspace runs with, as a lock file of npm has them. */

/**
 * In the order of the places. Packages for development alone are left out.
 *
 * @param lock The content of package-lock.json.
 * @param workspace Such as `packages/identity`.
 * @param names Only what these packages need, which the workspace depends on, also as peers; by default all dependencies.
 * @returns Place (`node_modules/pg`), version and integrity of each.
 */
export function runtimePackages({ packages }, workspace, names) {
  const found = new Map();
  const follow = (from, wanted) => {
    const { dependencies, optionalDependencies } = packages[from] ?? {};
    for (const name of wanted ?? Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = resolve(packages, from, name);
      if (place === undefined || found.has(place)) continue;
      const { version = "", integrity = "" } = packages[place] ?? {};
      found.set(place, { place, version, integrity });
      follow(place);
    }
  };
  follow(workspace, names);
  return [...found.values()].toSorted((one, other) => (one.place < other.place ? -1 : 1));
}

/** As Node does: the nearest `node_modules` on the way up. `undefined` for an optional package that is not locked. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.replace(/\/?[^/]*$/, "")) {
    const place = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "") return undefined;
  }
}
