/** Key repositories of Keystone, and credentials encrypted with their keys. */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openCredentialKeys } from "../../src/import/credential-keys.js";
import { readKeyFolder } from "../../src/import/key-folder.js";
import { encryptFernet, toFernetKey } from "../../../identity/src/tokens/fernet.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
});
afterEach(() => rm(folder, { recursive: true }));

const [STAGED, SECONDARY, PRIMARY] = [0, 9, 10].map(() => randomBytes(32)) as [Buffer, Buffer, Buffer];
/** As `Fernet.generate_key` of Python writes it. */
const textOf = (key: Buffer) => `${key.toString("base64url")}=`;

async function writeKeys(): Promise<void> {
  for (const [name, key] of Object.entries({ 0: STAGED, 9: SECONDARY, 10: PRIMARY }))
    await writeFile(join(folder, name), textOf(key));
}

describe("a key repository", () => {
  it("has its keys by number, the primary first", async () => {
    await writeKeys();
    expect(readKeyFolder(folder).map(({ number, key }) => [number, key])).toEqual([
      [10, PRIMARY],
      [9, SECONDARY],
      [0, STAGED],
    ]);
  });

  it("may have other files, an empty one, and line ends, as Keystone accepts them", async () => {
    await writeFile(join(folder, "1"), `${textOf(PRIMARY)}\n`);
    await writeFile(join(folder, "0"), "");
    await writeFile(join(folder, "0.tmp"), "not yet a key");
    await mkdir(join(folder, "2"));
    expect(readKeyFolder(folder).map(({ key }) => key)).toEqual([PRIMARY]);
  });

  it.each([
    "too short",
    randomBytes(31).toString("base64url"),
    randomBytes(32).toString("hex"),
    "é".repeat(43),
  ])("names a file that is not a key, and not its content: %s", async (content) => {
    await writeKeys();
    await writeFile(join(folder, "4"), content);
    expect(() => readKeyFolder(folder)).toThrow(
      `${join(folder, "4")} is not a Fernet key: expected 32 bytes in URL-safe base64`,
    );
  });

  it("must exist, and have a key", async () => {
    expect(() => readKeyFolder(folder)).toThrow(`${folder} has no keys`);
    const missing = join(folder, "missing");
    expect(() => readKeyFolder(missing)).toThrow(`The key folder ${missing} can't be read`);
  });
});

describe("credential keys", () => {
  const encrypt = (key: Buffer, text: string | Buffer) =>
    // Python's library writes the padding.
    encryptFernet(toFernetKey(key), Buffer.from(text), { at: 0 }).replace(/$/, "");

  it("decrypt what any of them encrypted, and what Keystone's null key did", async () => {
    await writeKeys();
    const { open, hashes } = openCredentialKeys(folder);
    const text = '{"access": "a", "secret": "ünïcödé"}';
    for (const key of [PRIMARY, SECONDARY, STAGED, Buffer.alloc(32)])
      expect(open(encrypt(key, text), "any hash")).toBe(text);
    expect(open(encrypt(PRIMARY, "x".repeat(60_000)))).toHaveLength(60_000);
    // As keystone/credential/providers/fernet/core.py hashes them.
    expect(hashes[0]).toBe(createHash("sha1").update(textOf(PRIMARY)).digest("hex"));
  });

  it("are Keystone's null key alone where its folder is missing or empty, if that is allowed", () => {
    for (const keyless of [folder, join(folder, "missing")]) {
      const { open, hashes } = openCredentialKeys(keyless, { mayBeMissing: true });
      expect(hashes).toEqual([]);
      expect(open(encrypt(Buffer.alloc(32), "secret"))).toBe("secret");
      expect(() => open(encrypt(PRIMARY, "secret"), "5f0e")).toThrow(`${keyless} has none`);
      expect(() => openCredentialKeys(keyless)).toThrow(keyless);
    }
  });

  it("name the key of a credential that is not in the folder", async () => {
    await writeKeys();
    const { open, hashes } = openCredentialKeys(folder);
    const other = encrypt(randomBytes(32), "secret");
    expect(() => open(other, "5f0e")).toThrow(
      `The credential is encrypted with the key of key_hash 5f0e, which is not among the keys in ${folder} (key_hash ${hashes.join(", ")})`,
    );
    expect(() => open(other, hashes[0])).toThrow(
      /^The credential was modified, or is encrypted with another key/,
    );
    expect(() => open("garbage")).toThrow(/^The credential was modified/);
    expect(() => open(encrypt(PRIMARY, Buffer.from([0xff])))).toThrow("not text in UTF-8");
  });
});
