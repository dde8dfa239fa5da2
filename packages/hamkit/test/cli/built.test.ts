import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { temporaryFolder } from "./public-files.js";

interface BuildStamp {
  readonly isCurrent: () => boolean;
  readonly keep: () => void;
}
const { buildStamp } = (await import(new URL("../../../../scripts/built.mjs", import.meta.url).href)) as {
  buildStamp: (root: string) => BuildStamp;
};
const { isOlder } = (await import(new URL("../../../../scripts/older.mjs", import.meta.url).href)) as {
  isOlder: (file: string, others: readonly string[], isSource?: (path: string) => boolean) => boolean;
};

const clone = temporaryFolder();
const BUILT = [
  "country-data/dist/index.cjs",
  "hamkit/dist/cli/main.js",
  "hamkit/dist/index.cjs",
  "console/dist/index.html",
  "identity/dist/hamkit-identity.js",
  "radio-page/dist/index.html",
];

async function write(path: string, text: string): Promise<void> {
  const file = join(clone.path, "packages", path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

describe("a build", () => {
  beforeEach(async () => {
    await rm(clone.path, { recursive: true, force: true });
    for (const path of [...BUILT, "hamkit/src/index.ts"]) await write(path, "");
    buildStamp(clone.path).keep();
  });

  it("is not repeated when nothing has changed", () => {
    expect(buildStamp(clone.path).isCurrent()).toBe(true);
  });

  it.each([
    ["a changed source", () => write("hamkit/src/index.ts", "export {};")],
    ["a new source", () => write("hamkit/src/new.ts", "")],
    ["a deleted source", () => rm(join(clone.path, "packages/hamkit/src/index.ts"))],
    ["a deleted program", () => rm(join(clone.path, "packages/identity/dist/hamkit-identity.js"))],
    [
      "a source of the same length and another time",
      () => utimes(join(clone.path, "packages/hamkit/src/index.ts"), 1, 1),
    ],
  ])("is repeated for %s", async (_what, change) => {
    await change();
    expect(buildStamp(clone.path).isCurrent()).toBe(false);
  });

  it.each([
    "hamkit/test/a.test.ts",
    "hamkit/dist/other.js",
    "hamkit/src/map/land.ts",
    "a/src/generated/b.ts",
  ])("is not repeated for %s, which is no source", async (path) => {
    await mkdir(join(clone.path, "packages", dirname(path)), { recursive: true });
    await write(path, "changed");
    expect(buildStamp(clone.path).isCurrent()).toBe(true);
  });

  it("is repeated for what was changed while it ran", async () => {
    const stamp = buildStamp(clone.path);
    await write("hamkit/src/index.ts", "changed during the build");
    stamp.keep();
    expect(buildStamp(clone.path).isCurrent()).toBe(false);
  });
});

describe("what is built of one package", () => {
  const at = (path: string): string => join(clone.path, "packages", path);
  beforeEach(async () => {
    await rm(clone.path, { recursive: true, force: true });
    for (const path of ["a/built", "a/src/one.js", "a/src/deep/two.js"]) await write(path, "");
    for (const path of ["a/src/one.js", "a/src/deep/two.js"]) await utimes(at(path), 1, 1);
  });

  it("is built again after a change in its folders alone, of files that count", async () => {
    const isBuiltAgain = () => isOlder(at("a/built"), [at("a/src")], (path) => path.endsWith(".js"));
    expect(isBuiltAgain()).toBe(false);
    await write("a/src/deep/notes.txt", "");
    await utimes(at("a/src/deep/notes.txt"), 4e9, 4e9);
    expect(isBuiltAgain()).toBe(false);
    await utimes(at("a/src/deep/two.js"), 4e9, 4e9);
    expect(isBuiltAgain()).toBe(true);
  });

  it("is built if it is missing", () => {
    expect(isOlder(at("a/missing"), [at("a/src")])).toBe(true);
  });
});
