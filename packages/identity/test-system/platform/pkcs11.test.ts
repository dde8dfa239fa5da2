/** The master key wrapped by an AES key of a PKCS#11 token: SoftHSM, whose key is made as docs/identity/master-key.md says. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../src/config.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { createKeySources } from "../../src/platform/secrets/sources/key-sources.js";
import type { WrappedKey } from "../../src/platform/secrets/sources/key-wrapper.js";
import { createSoftToken, SOFT_MODULE, SOFT_PIN, type SoftToken } from "./soft-token.js";

const KEY = Buffer.alloc(32, 5);
const { id: KEY_ID } = toMasterKey(KEY);

let folder: string;
let token: SoftToken;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hamkit-pkcs11-"));
  token = createSoftToken(folder);
  for (const label of ["twin", "twin"]) token.addToken(label);
  Object.assign(process.env, token.env);
});
afterAll(() => {
  delete process.env["SOFTHSM2_CONF"];
  rmSync(folder, { recursive: true });
});

const sourcesOf = (env: Record<string, string> = {}) =>
  createKeySources(
    readConfig({
      IDENTITY_MASTER_KEY_SOURCE: "pkcs11",
      IDENTITY_PKCS11_MODULE: SOFT_MODULE,
      IDENTITY_PKCS11_TOKEN: "identity",
      IDENTITY_PKCS11_PIN: SOFT_PIN,
      ...env,
    }),
  );

describe("a master key wrapped by a PKCS#11 token", () => {
  it("is unwrapped to what it was, also many at once, with the PIN from a file", async () => {
    const pinFile = join(folder, "pin");
    writeFileSync(pinFile, `${SOFT_PIN}\n`, { mode: 0o600 });
    const sources = sourcesOf({ IDENTITY_PKCS11_PIN: "", IDENTITY_PKCS11_PIN_FILE: pinFile });
    const wrapper = await sources.wrapper("pkcs11");
    const wrapped = await wrapper.wrap(KEY, KEY_ID);
    expect(wrapped).toEqual({
      keyId: KEY_ID,
      source: "pkcs11",
      wrappingKey: "hamkit-identity",
      wrapped: expect.stringMatching(/^gcm:[\w+/]{16}:[\w+/=]{64}$/) as string,
    });
    const again = await sourcesOf().wrapper("pkcs11");
    const keys = await Promise.all([1, 2, 3, 4].map(() => again.unwrap(wrapped)));
    expect(keys).toEqual([KEY, KEY, KEY, KEY]);
    expect(await again.examine(wrapped)).toEqual([]);
  });

  it("is unwrapped while memory is collected: a module whose handle was collected ended the process", async () => {
    const { wrapped, key } = await sourcesOf().create("pkcs11");
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const timer = setInterval(collect, 30);
    for (let index = 0; index < 4; index++) expect((await sourcesOf().unwrap(wrapped)).id).toBe(key.id);
    clearInterval(timer);
  });

  it("is found by the number of a slot", async () => {
    const { wrapped, key } = await sourcesOf().create("pkcs11");
    const slot = /Slot (\d+)(?:(?!Slot \d)[^])*?Label: +identity/.exec(token.listSlots())?.[1] ?? "";
    const sources = sourcesOf({ IDENTITY_PKCS11_TOKEN: "", IDENTITY_PKCS11_SLOT: slot });
    expect((await sources.unwrap(wrapped)).id).toBe(key.id);
    await expect(
      sourcesOf({ IDENTITY_PKCS11_TOKEN: "", IDENTITY_PKCS11_SLOT: "77" }).unwrap(wrapped),
    ).rejects.toThrow("PKCS#11 token in slot 77: the slot does not exist (IDENTITY_PKCS11_SLOT)");
  });

  it("is wrapped anew by another key, whose name goes with it", async () => {
    const { wrapped } = await sourcesOf().create("pkcs11");
    token.makeKey("next-key", "--extractable");
    const sources = sourcesOf({ IDENTITY_PKCS11_KEY: "next-key" });
    const again = await sources.rewrap(wrapped);
    expect(again).toMatchObject({ keyId: wrapped.keyId, wrappingKey: "next-key" });
    await sourcesOf().unwrap(again);
    expect(await (await sources.wrapper("pkcs11")).examine(again)).toEqual([
      'the key "next-key" can leave the token: create one that is sensitive and not extractable, and run hamkit-identity keys rewrap',
    ]);
  });

  const changes: Readonly<Record<string, (wrapped: WrappedKey, other: WrappedKey) => Partial<WrappedKey>>> = {
    truncated: ({ wrapped }) => ({ wrapped: wrapped.slice(0, -8) }),
    "with another nonce": ({ wrapped }) => ({
      wrapped: wrapped.replace(/^gcm:.{16}/, `gcm:${"A".repeat(16)}`),
    }),
    "with an altered text": ({ wrapped }) => ({ wrapped: wrapped.replace(/.{9}$/, "AAAAAAAA=") }),
    "of another master key": (_, { wrapped }) => ({ wrapped }),
    "for another master key": (_, { keyId }) => ({ keyId }),
    "by a key that does not exist": () => ({ wrappingKey: "none" }),
    "by a malformed name": () => ({ wrappingKey: "a;b" }),
    "a plain key": () => ({ wrapped: KEY.toString("base64") }),
  };
  it.each(Object.entries(changes))("is refused if it was changed: %s", async (_, change) => {
    const sources = sourcesOf();
    const [{ wrapped }, { wrapped: other }] = [
      await sources.create("pkcs11"),
      await sources.create("pkcs11"),
    ];
    await expect(sources.unwrap({ ...wrapped, ...change(wrapped, other) })).rejects.toMatchObject({
      name: "KeySourceError",
      code: "master-key/source-refused",
    });
    await sources.unwrap(wrapped);
  });
});

describe("a PKCS#11 token", () => {
  it("is told a wrong PIN once: it would lock itself after some", async () => {
    const { wrapped } = await sourcesOf().create("pkcs11");
    const sources = sourcesOf({ IDENTITY_PKCS11_PIN: "99999999" });
    await expect(sources.unwrap(wrapped)).rejects.toMatchObject({
      code: "master-key/source-refused",
      message: 'PKCS#11 token "identity": the PIN is wrong',
    });
    for (let attempt = 0; attempt < 20; attempt++)
      await expect(sources.unwrap(wrapped)).rejects.toThrow("is not tried again until it is another");
    await sourcesOf().unwrap(wrapped);
  });

  it.each([
    [
      "without the label",
      { IDENTITY_PKCS11_TOKEN: "none" },
      "unavailable",
      'PKCS#11 token "none": no token has this label (IDENTITY_PKCS11_TOKEN)',
    ],
    [
      "with the label of another",
      { IDENTITY_PKCS11_TOKEN: "twin" },
      "refused",
      'PKCS#11 token "twin": 2 tokens have this label: set IDENTITY_PKCS11_SLOT instead',
    ],
    [
      "without the key",
      { IDENTITY_PKCS11_KEY: "none" },
      "refused",
      'PKCS#11 token "identity": no AES key has the label "none" (IDENTITY_PKCS11_KEY)',
    ],
    [
      "whose module is missing",
      { IDENTITY_PKCS11_MODULE: "/none.so" },
      "refused",
      'IDENTITY_PKCS11_MODULE: "/none.so" can\'t be loaded: ',
    ],
    [
      "whose module is none",
      { IDENTITY_PKCS11_MODULE: "/usr/lib/x86_64-linux-gnu/libz.so.1" },
      "refused",
      "can't be loaded: ",
    ],
  ])("%s gives an error that says so", async (_, env, code, message) => {
    await expect(sourcesOf(env).create("pkcs11")).rejects.toMatchObject({
      code: `master-key/source-${code}`,
      message: expect.stringContaining(message) as string,
    });
  });
});
