import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { beforeEach, describe, expect, it } from "vitest";

import { temporaryFolder } from "./public-files.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
interface Machine {
  readonly os: string;
  readonly cpu: string;
  readonly libc: () => string | undefined;
}
const { missingPackage } = (await import(
  new URL("../../../../scripts/installed.mjs", import.meta.url).href
)) as { missingPackage: (root: string, machine?: Machine) => string | undefined };

const MUSL: Machine = { os: "linux", cpu: "x64", libc: () => "musl" };
const GLIBC: Machine = { os: "linux", cpu: "x64", libc: () => "glibc" };

/** The packages of a lock file, in the form that npm 11 writes. */
const LOCKED = {
  "": { name: "clone", workspaces: ["packages/*"], devDependencies: { a: "1.2.3" } },
  "node_modules/@own/part": { resolved: "packages/part", link: true },
  "node_modules/a": { version: "1.2.3", integrity: "sha512-a", dev: true },
  "node_modules/b-alias": { name: "b", version: "2.0.0", integrity: "sha512-b" },
  "node_modules/native-darwin-arm64": { version: "1.0.0", optional: true, os: ["darwin"], cpu: ["arm64"] },
  "node_modules/native-linux-x64": { version: "1.0.0", optional: true, os: ["linux"], libc: ["glibc"] },
  "node_modules/native-linux-x64-musl": { version: "1.0.0", optional: true, os: ["linux"], libc: ["musl"] },
  "node_modules/only-with-wasm": { version: "1.0.0", optional: true },
  "packages/part": { name: "@own/part", version: "0.1.0" },
  "packages/part/node_modules/a": { version: "1.0.0", integrity: "sha512-a1" },
} as const;
const LIST = "node_modules/.package-lock.json";
const LEFT_OUT = ["", "node_modules/native-darwin-arm64", "node_modules/native-linux-x64-musl"];

const clone = temporaryFolder();
const pathOf = (path: string) => join(clone.path, path);
beforeEach(async () => {
  await rm(pathOf("."), { recursive: true, force: true });
  await mkdir(pathOf("packages/part"), { recursive: true });
  const installed = Object.entries(LOCKED).filter(
    ([path]) => ![...LEFT_OUT, "node_modules/only-with-wasm"].includes(path),
  );
  for (const [path, entry] of installed) {
    await mkdir(pathOf(path), { recursive: true });
    if ("version" in entry)
      await writeFile(pathOf(`${path}/package.json`), JSON.stringify({ version: entry.version }));
  }
  await writeLock("package-lock.json", LOCKED);
  await writeLock("node_modules/.package-lock.json", Object.fromEntries(installed));
});

async function writeLock(path: string, packages: object): Promise<void> {
  await writeFile(pathOf(path), JSON.stringify({ lockfileVersion: 3, packages }));
}

function missing(machine = GLIBC): string | undefined {
  return missingPackage(`${clone.path}/`, machine);
}

describe("what npm has installed", () => {
  it("is everything, in this checkout", () => {
    expect(missingPackage(root)).toBeUndefined();
  });

  it("is everything, although npm's list lacks the root and packages for other machines", () => {
    expect(missing()).toBeUndefined();
  });

  const changes: readonly [string, string | undefined, () => Promise<unknown>][] = [
    ["a raised version", "node_modules/a", () => lock("node_modules/a", { version: "1.2.4" })],
    [
      "another content",
      "node_modules/b-alias",
      () => lock("node_modules/b-alias", { integrity: "sha512-c" }),
    ],
    ["a new package", "node_modules/c", () => lock("node_modules/c", { version: "1.0.0" })],
    [
      "another version below a workspace",
      "packages/part/node_modules/a",
      () => lock("packages/part/node_modules/a", { version: "1.0.1" }),
    ],
    ["a package that became a link", "node_modules/a", () => lock("node_modules/a", { link: true })],
    ["another version of a workspace", undefined, () => lock("packages/part", { version: "0.2.0" })],
    ["a package that is not needed", undefined, () => unlock("node_modules/a")],
    ["no node_modules", LIST, () => rm(pathOf("node_modules"), { recursive: true })],
    ["an interrupted install, without npm's list", LIST, () => rm(pathOf(LIST))],
    ["npm's list cut off", LIST, () => writeFile(pathOf(LIST), '{"packages":{"node_mod')],
    ["a deleted package", "node_modules/a", () => rm(pathOf("node_modules/a"), { recursive: true })],
    [
      "a replaced package",
      "node_modules/a",
      () => writeFile(pathOf("node_modules/a/package.json"), '{"version":"9.9.9"}'),
    ],
    ["a deleted link", "node_modules/@own/part", () => rm(pathOf("node_modules/@own"), { recursive: true })],
    [
      "a missing package for this machine",
      "node_modules/native-linux-x64",
      async () => {
        const { ["node_modules/native-linux-x64"]: _, ...others } = await read(LIST);
        await writeLock(LIST, others);
      },
    ],
  ];
  it.each(changes)("with %s: %s", async (_, found, change) => {
    await change();
    expect(missing()).toBe(found);
  });

  it("was for another machine", () => {
    expect(missing(MUSL)).toBe("node_modules/native-linux-x64-musl");
    expect(missing({ os: "darwin", cpu: "arm64", libc: () => undefined })).toBe(
      "node_modules/native-darwin-arm64",
    );
    expect(missing({ os: "darwin", cpu: "x64", libc: () => undefined })).toBeUndefined();
  });
});

describe("npm start on an installed checkout", () => {
  it("does not install again, and installs once when the lock file has changed", async () => {
    await mkdir(pathOf("scripts"));
    for (const name of ["built.mjs", "installed.mjs", "prepare.mjs"])
      await cp(join(root, "scripts", name), pathOf(`scripts/${name}`));
    await writeFile(pathOf("scripts/start.mjs"), 'import { install } from "./prepare.mjs"; install();');
    await mkdir(pathOf("programs"));
    // In place of npm: notes its arguments, and "installs" by writing the list.
    await writeFile(
      pathOf("programs/npm"),
      `#!/bin/sh\necho "$@" >> ${pathOf("calls")}\ncp ${pathOf("package-lock.json")} ${pathOf(LIST)}\n` +
        `echo '{"version":"1.2.4"}' > ${pathOf("node_modules/a/package.json")}\n`,
    );
    await chmod(pathOf("programs/npm"), 0o755);
    const PATH = `${pathOf("programs")}${delimiter}${process.env["PATH"]}`;
    const start = () =>
      spawnSync(process.execPath, [pathOf("scripts/start.mjs")], {
        encoding: "utf8",
        env: { ...process.env, PATH },
      });
    expect(start()).toMatchObject({ status: 0, stderr: "" });
    await lock("node_modules/a", { version: "1.2.4" });
    expect(start().stderr).toContain("node_modules/a is not as in package-lock.json");
    expect(await readFile(pathOf("calls"), "utf8")).toMatch(/^ci --include=dev --include=optional .*\n$/);
  });
});

async function read(path: string): Promise<Record<string, object>> {
  return (JSON.parse(await readFile(pathOf(path), "utf8")) as { packages: Record<string, object> }).packages;
}

async function lock(path: string, entry: object): Promise<void> {
  const packages = await read("package-lock.json");
  await writeLock("package-lock.json", { ...packages, [path]: { ...packages[path], ...entry } });
}

async function unlock(path: string): Promise<void> {
  const { [path]: _, ...others } = await read("package-lock.json");
  await writeLock("package-lock.json", others);
}
