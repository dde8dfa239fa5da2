import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { IOError } from "../../src/errors.js";
import { readBytes, readBytesIfThere, writeWhole } from "../../src/io/file.js";

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
    expect(await readBytesIfThere(join(folder, "none"))).toBeUndefined();
  });
});

describe("writeWhole", () => {
  it("makes folders, replaces what was there and leaves nothing else behind", async () => {
    const path = join(folder, "a/b/file");
    await writeWhole(path, "one");
    await writeWhole(path, "two");
    expect(await readFile(path, "utf8")).toBe("two");
    expect(await readdir(join(folder, "a/b"))).toEqual(["file"]);
  });

  it("leaves the old file and no draft where it can't write", async () => {
    await writeFile(join(folder, "file"), "old");
    await expect(writeWhole(join(folder, "file", "below"), "new")).rejects.toBeInstanceOf(IOError);
    expect(await readdir(folder)).toEqual(["file"]);
  });
});
