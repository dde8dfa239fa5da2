/** The packages that a workspace runs with, as a lock file of npm has them: scripts/packaging/runtime-packages.mjs with types. */

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

const script = new URL("../../../scripts/packaging/runtime-packages.mjs", import.meta.url).href;

interface Script {
  readonly runtimePackages: (
    lock: LockFile,
    workspace: string,
    names?: readonly string[],
  ) => readonly RuntimePackage[];
}

export const { runtimePackages } = (await import(script)) as Script;
