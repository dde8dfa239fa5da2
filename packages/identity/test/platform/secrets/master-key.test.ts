import { once } from "node:events";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { examineModes } from "../../../src/doctor/file-checks.js";
import { loadMasterKey } from "../../../src/platform/secrets/master-key.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "identity-master-key-"));
  file = join(folder, "new", "master.key");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A file that is there already. */
function given(text: string, mode = 0o600): string {
  const path = join(folder, "given.key");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe("the master key", () => {
  it("is made on the first start, for its owner's eyes only, and is the same on the next one", async () => {
    const made = await loadMasterKey({ file, mayCreate: true });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(file, "utf8"), "base64")).toHaveLength(32);
    expect(await loadMasterKey({ file, mayCreate: false })).toEqual(made);
  });

  it("is one for all that start at once, and nothing else is left behind", async () => {
    const keys = await Promise.all(
      Array.from({ length: 20 }, () => loadMasterKey({ file, mayCreate: true })),
    );
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    expect(readdirSync(join(folder, "new"))).toEqual(["master.key"]);
  });

  it("is not generated when secrets are sealed by a key that is missing", async () => {
    await expect(loadMasterKey({ file, mayCreate: false })).rejects.toMatchObject({
      code: "master-key/missing",
      message: expect.stringContaining(`${file} (IDENTITY_MASTER_KEY_FILE) does not exist`) as string,
    });
  });

  it.each([0o640, 0o604, 0o644, 0o660])("is refused when others may read its file: mode %o", async (mode) => {
    const path = given(Buffer.alloc(32).toString("base64"), mode);
    await expect(loadMasterKey({ file: path, mayCreate: true })).rejects.toMatchObject({
      code: "master-key/readable-by-others",
      message: expect.stringContaining(`mode ${mode.toString(8)}`) as string,
    });
  });

  it.each([0o600, 0o400])("is read from a file of mode %o", async (mode) => {
    const path = given(`${Buffer.alloc(32, 7).toString("base64")}\n`, mode);
    expect(await loadMasterKey({ file: path, mayCreate: false })).toEqual(toMasterKey(Buffer.alloc(32, 7)));
  });

  it("may be given in the environment, in both alphabets of base64, padded or not", async () => {
    const bytes = Buffer.alloc(32, 0xfb);
    for (const text of [
      bytes.toString("base64"),
      bytes.toString("base64url"),
      `${bytes.toString("base64url")}=`,
    ]) {
      expect(await loadMasterKey({ text, file, mayCreate: false })).toEqual(toMasterKey(bytes));
    }
  });

  it.each(["", "secret", Buffer.alloc(31).toString("base64"), `${Buffer.alloc(32).toString("base64")}!`])(
    "is refused when it is %j",
    async (text) => {
      const error = { code: "master-key/malformed" };
      await expect(loadMasterKey({ text, file, mayCreate: true })).rejects.toMatchObject(error);
      await expect(loadMasterKey({ file: given(text), mayCreate: true })).rejects.toMatchObject(error);
    },
  );

  it("is never shown in a refusal", async () => {
    const text = "c2VjcmV0LXNlY3JldA==";
    await expect(loadMasterKey({ text, file, mayCreate: true })).rejects.not.toThrow(text);
  });

  it("is told to be a folder, a socket, a device, empty or behind a file where its path is: not to need chmod", async () => {
    const socket = join(folder, "socket");
    const server = createServer().listen(socket);
    await once(server, "listening");
    symlinkSync("loop", join(folder, "loop"));
    const places: readonly (readonly [string, string])[] = [
      [folder, "is a folder, expected a file"],
      [socket, "is a socket, expected a file"],
      ["/dev/null", "is a device, expected a file"],
      [join(given(""), "below"), "a part of its path is not a folder"],
      [given(" \n"), "is empty, expected 32 bytes in base64"],
      [join(folder, "loop"), "is a link that leads to itself"],
    ];
    for (const [path, reason] of places) {
      const loading = loadMasterKey({ file: path, mayCreate: true });
      await expect(loading).rejects.toThrow(reason);
      await expect(loading).rejects.toThrow(path);
      await expect(loading).rejects.not.toThrow("chmod");
    }
    for (const path of [folder, socket]) {
      const [finding] = examineModes([{ subject: "master key", path }]);
      expect(finding).toMatchObject({
        state: "failure",
        text: expect.stringMatching(/expected a file$/) as string,
      });
    }
    server.close();
  });

  it("reports why the file can't be read", async () => {
    await expect(loadMasterKey({ file: join(given("x"), "below"), mayCreate: true })).rejects.toMatchObject({
      code: "master-key/unreadable",
    });
  });
});
