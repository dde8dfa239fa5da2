/** The packages that a workspace runs with, as a lock file of npm has them. */

export interface LockFile {
  /** By the place of a package, such as `node_modules/pg`. */
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface RuntimePackage {
  /** Such as `node_modules/pg`. */
  readonly place: string;
  readonly version: string;
  readonly integrity: string;
}

/** In the order of the places. Packages for development alone are left out. */
export function runtimePackages({ packages }: LockFile, workspace: string): readonly RuntimePackage[] {
  const found = new Map<string, RuntimePackage>();
  const follow = (from: string) => {
    const { dependencies, optionalDependencies } = packages[from] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = resolve(packages, from, name);
      if (place === undefined || found.has(place)) continue;
      const { version = "", integrity = "" } = packages[place] ?? {};
      found.set(place, { place, version, integrity });
      follow(place);
    }
  };
  follow(workspace);
  return [...found.values()].toSorted((one, other) => (one.place < other.place ? -1 : 1));
}

/** As Node does: the nearest `node_modules` on the way up. `undefined` for an optional package that is not locked. */
function resolve(packages: LockFile["packages"], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/\/?[^/]*$/, "")) {
    const place = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "") return undefined;
  }
}
