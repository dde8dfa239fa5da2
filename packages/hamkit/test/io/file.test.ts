import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { IOError } from "../../src/errors.js";
import {
  readBytes,
  readBytesIfExists,
  writeDirectly,
  createAtomically,
  writeAtomically,
} from "../../src/io/file.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-file-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("readBytes", () => {
  it.each([0, 1, 3_000_000])("reads all of a file of %d bytes", async (size) => {
    const content = Buffer.alloc(size, "hamkit");
    await writeFile(join(folder, "file"), content);
    expect(content.equals(await readBytes(join(folder, "file")))).toBe(true);
  });

  it.skipIf(process.platform === "win32")("reads a pipe, which has no size", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const [bytes] = await Promise.all([readBytes(pipe), writeFile(pipe, "through a pipe")]);
    expect(Buffer.from(bytes).toString()).toBe("through a pipe");
  });

  it("names the file that can't be read, with the cause", async () => {
    const failure: unknown = await readBytes(folder).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(IOError);
    expect(failure).toMatchObject({ resource: folder, cause: expect.any(Error) });
    await expect(readBytes(join(folder, "none"))).rejects.toThrow("ENOENT");
    expect(await readBytesIfExists(join(folder, "none"))).toBeUndefined();
  });
});

describe("writeAtomically", () => {
  it("makes folders, replaces what was there and leaves nothing else behind (files-are-downloaded-when-they-changed)", async () => {
    const path = join(folder, "a/b/file");
    await writeAtomically(path, "one");
    await writeAtomically(path, "two");
    expect(await readFile(path, "utf8")).toBe("two");
    expect(await readdir(join(folder, "a/b"))).toEqual(["file"]);
  });

  it("leaves the old file and no draft where it can't write", async () => {
    await writeFile(join(folder, "file"), "old");
    await expect(writeAtomically(join(folder, "file", "below"), "new")).rejects.toBeInstanceOf(IOError);
    expect(await readdir(folder)).toEqual(["file"]);
  });
});

describe("writeDirectly", () => {
  it("creates a new file, and leaves an existing one unchanged", async () => {
    const path = join(folder, "file");
    expect(await writeDirectly(path, "one", { mayReplace: false })).toBe(true);
    expect(await writeDirectly(path, "two", { mayReplace: false })).toBe(false);
    expect(await readFile(path, "utf8")).toBe("one");
    expect(await writeDirectly(path, "two", { mayReplace: true })).toBe(true);
    expect(await readFile(path, "utf8")).toBe("two");
  });

  it.skipIf(process.platform === "win32")("writes through a link", async () => {
    await writeFile(join(folder, "file"), "old");
    await symlink(join(folder, "file"), join(folder, "link"));
    await writeDirectly(join(folder, "link"), "new", { mayReplace: true });
    expect(await readFile(join(folder, "file"), "utf8")).toBe("new");
  });

  it("makes no folders, and names the file that can't be written", async () => {
    const path = join(folder, "none/file");
    await expect(writeDirectly(path, "", { mayReplace: false })).rejects.toMatchObject({
      code: "io/failed",
      resource: path,
    });
  });
});

describe("createAtomically", () => {
  it("makes folders and a file, and leaves nothing else behind", async () => {
    await createAtomically(join(folder, "a/file"), "one");
    expect(await readFile(join(folder, "a/file"), "utf8")).toBe("one");
    expect(await readdir(join(folder, "a"))).toEqual(["file"]);
  });

  it("does not touch what is there, though it came there at the last moment", async () => {
    const path = join(folder, "file");
    const outcomes = await Promise.allSettled([createAtomically(path, "one"), createAtomically(path, "two")]);
    const written = outcomes.findIndex(({ status }) => status === "fulfilled");
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await readFile(path, "utf8")).toBe(["one", "two"][written]);
    await expect(createAtomically(path, "three")).rejects.toThrow("it already exists");
    expect(await readdir(folder)).toEqual(["file"]);
  });
});
