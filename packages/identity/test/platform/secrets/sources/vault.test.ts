/** The master key wrapped by Vault's transit engine, over HTTPS: logins, rotation of Vault's key, failures, and attacks on the database. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../../../src/config.js";
import { toMasterKey } from "../../../../src/platform/secrets/sealing.js";
import { createKeySources } from "../../../../src/platform/secrets/sources/key-sources.js";
import type { WrappedKey } from "../../../../src/platform/secrets/sources/key-wrapper.js";
import { startVault, type VaultDouble } from "./vault-double.js";

const KEY = Buffer.alloc(32, 5);
const { id: KEY_ID } = toMasterKey(KEY);

let folder: string;
let vault: VaultDouble;
let tokenFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hamkit-vault-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  vault = await startVault(folder);
  vault.rotate("hamkit-identity");
  tokenFile = file("token", vault.addToken());
});
afterEach(() => vault.close());

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `${text}\n`, { mode: 0o600 });
  return path;
}

const sourcesOf = (env: Record<string, string> = {}) =>
  createKeySources(
    readConfig({
      IDENTITY_MASTER_KEY_SOURCE: "vault",
      IDENTITY_VAULT_URL: vault.url,
      IDENTITY_VAULT_CA_FILE: vault.caFile,
      IDENTITY_VAULT_TOKEN_FILE: tokenFile,
      ...env,
    }),
  );
const wrapperOf = (env?: Record<string, string>) => sourcesOf(env).wrapper("vault");

describe("a master key wrapped by Vault", () => {
  it("is unwrapped to what it was, by the ciphertext alone", async () => {
    const wrapper = await wrapperOf();
    const wrapped = await wrapper.wrap(KEY, KEY_ID);
    expect(wrapped).toEqual({
      keyId: KEY_ID,
      source: "vault",
      wrappingKey: "hamkit-identity",
      wrapped: expect.stringMatching(/^vault:v1:[\w+/=]+$/) as string,
    });
    expect(await (await wrapperOf()).unwrap(wrapped)).toEqual(KEY);
    expect(JSON.stringify(wrapped)).not.toContain(KEY.toString("base64"));
  });

  it("is unwrapped by a former version of Vault's key, until Vault refuses that", async () => {
    const sources = sourcesOf();
    const wrapper = await sources.wrapper("vault");
    const { wrapped } = await sources.create("vault");
    vault.rotate("hamkit-identity");
    await sources.unwrap(wrapped);
    expect(await wrapper.examine(wrapped)).toEqual([
      "the master key is wrapped by version 1 of the transit key hamkit-identity, the latest is 2: run hamkit-identity keys rewrap before min_decryption_version is raised",
    ]);
    const again = await sources.rewrap(wrapped);
    expect(again).toMatchObject({
      keyId: wrapped.keyId,
      wrapped: expect.stringMatching(/^vault:v2:/) as string,
    });
    const key = vault.keys.get("hamkit-identity");
    if (key !== undefined) key.minDecryption = 2;
    await sources.unwrap(again);
    expect(await wrapper.examine(again)).toEqual([]);
    await expect(sources.unwrap(wrapped)).rejects.toMatchObject({
      code: "master-key/source-refused",
      message: `Vault at ${vault.url}: ciphertext or signature version is disallowed by policy (too old) (status 400)`,
    });
  });

  it("warns of keys that others can wrap by, or that can leave Vault", async () => {
    const wrapper = await wrapperOf();
    const wrapped = await wrapper.wrap(KEY, KEY_ID);
    Object.assign(vault.keys.get("hamkit-identity") ?? {}, { type: "rsa-4096", exportable: true });
    const faults = await wrapper.examine(wrapped);
    expect(faults).toHaveLength(2);
    expect(faults.join()).toMatch(/of type rsa-4096.*exportable/);
    // A policy that permits no more than needed.
    vault.mood.denied = /^transit\/keys/;
    expect(await wrapper.examine(wrapped)).toEqual([]);
  });

  it("is in a namespace of Vault, if the settings name one", async () => {
    vault.mood.namespace = "cloud/identity";
    await expect((await wrapperOf()).wrap(KEY, KEY_ID)).rejects.toThrow("permission denied (status 403)");
    await (await wrapperOf({ IDENTITY_VAULT_NAMESPACE: "cloud/identity" })).wrap(KEY, KEY_ID);
  });
});

describe("a changed wrapped key", () => {
  const changes: Readonly<Record<string, (wrapped: WrappedKey, other: WrappedKey) => Partial<WrappedKey>>> = {
    truncated: ({ wrapped }) => ({ wrapped: wrapped.slice(0, -8) }),
    "cut to its prefix": () => ({ wrapped: "vault:v1:" }),
    altered: ({ wrapped }) => ({
      wrapped: `${wrapped.slice(0, 20)}${wrapped[20] === "A" ? "B" : "A"}${wrapped.slice(21)}`,
    }),
    "of another version": ({ wrapped }) => ({ wrapped: wrapped.replace("v1", "v2") }),
    "of a version that does not exist": ({ wrapped }) => ({ wrapped: wrapped.replace("v1", "v99") }),
    "that of another master key": (_, { wrapped }) => ({ wrapped }),
    "of another transit key": () => ({ wrappingKey: "other" }),
    "of a path instead of a key": () => ({ wrappingKey: "../../auth/token/lookup-self" }),
    "a plain key": () => ({ wrapped: KEY.toString("base64") }),
  };

  it.each(Object.entries(changes))("is refused: %s", async (_, change) => {
    const sources = sourcesOf();
    const [{ wrapped }, { wrapped: other }] = [await sources.create("vault"), await sources.create("vault")];
    vault.rotate("hamkit-identity");
    vault.rotate("other");
    const begin = vault.requests.length;
    await expect(sources.unwrap({ ...wrapped, ...change(wrapped, other) })).rejects.toMatchObject({
      name: "KeySourceError",
      code: "master-key/source-refused",
    });
    expect(vault.requests.slice(begin).filter((request) => request.includes(".."))).toEqual([]);
    // The untouched one is good.
    await sources.unwrap(wrapped);
  });

  it("is refused if a key of 31 bytes was wrapped", async () => {
    const sources = sourcesOf();
    const wrapper = await sources.wrapper("vault");
    const short = await wrapper.wrap(KEY.subarray(1), KEY_ID);
    await expect(sources.unwrap(short)).rejects.toThrow(`unwrapped another key than ${KEY_ID}`);
  });
});

describe("Vault", () => {
  /** Each with a Vault of its own: attempts are repeated after pauses. */
  it("that fails gives an error that says why, and whether waiting may help", async () => {
    type Failure = [prepare: (double: VaultDouble) => unknown, code: string, message: RegExp];
    const failures: readonly Failure[] = [
      [({ mood }) => (mood.isSealed = true), "unavailable", /: Vault is sealed \(status 503\)$/],
      [({ mood }) => (mood.status = 429), "unavailable", /: no reason given \(status 429\)$/],
      [({ mood }) => (mood.status = 412), "unavailable", /: no reason given \(status 412\)$/],
      [(double) => double.stop(), "unavailable", /^Vault at https:\/\/localhost:\d+: no response/],
      [
        ({ mood }) => (mood.denied = /^transit/),
        "unavailable",
        /: 1 error occurred: \* permission denied \(status 403\)$/,
      ],
      [({ keys }) => keys.clear(), "refused", /: encryption key not found \(status 400\)$/],
    ];
    await Promise.all(
      failures.map(async ([prepare, code, message]) => {
        const double = await startVault(folder);
        double.rotate("hamkit-identity");
        for (const [token, facts] of vault.tokens) double.tokens.set(token, facts);
        const sources = sourcesOf({ IDENTITY_VAULT_URL: double.url, IDENTITY_VAULT_CA_FILE: double.caFile });
        const { wrapped } = await sources.create("vault");
        await prepare(double);
        await expect(sources.unwrap(wrapped)).rejects.toMatchObject({
          code: `master-key/source-${code}`,
          message: expect.stringMatching(message) as string,
        });
        await double.close();
      }),
    );
  });

  it("is asked again if it is busy for a moment", async () => {
    const sources = sourcesOf();
    const { wrapped } = await sources.create("vault");
    vault.mood.isSealed = true;
    const unwrapping = sources.unwrap(wrapped);
    await delay(100);
    vault.mood.isSealed = false;
    expect((await unwrapping).id).toBe(wrapped.keyId);
  });

  it("of a certificate that the settings don't trust is not told the token", async () => {
    const other = await startVault(folder);
    const { requests } = vault;
    try {
      await expect(
        (await wrapperOf({ IDENTITY_VAULT_CA_FILE: other.caFile })).wrap(KEY, KEY_ID),
      ).rejects.toThrow(
        /its TLS certificate is not issued by a known authority \(public ones, or those of IDENTITY_VAULT_CA_FILE\)/,
      );
      expect(requests).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it("may send a client to the active node", async () => {
    const active = await startVault(folder, vault);
    try {
      active.rotate("hamkit-identity");
      for (const [token, facts] of vault.tokens) active.tokens.set(token, facts);
      vault.mood.redirectTo = active.url;
      await (await wrapperOf()).wrap(KEY, KEY_ID);
      expect(active.requests).toContain("POST transit/encrypt/hamkit-identity");
    } finally {
      await active.close();
    }
  });
});

describe("the login at Vault", () => {
  const APPROLE = { IDENTITY_VAULT_AUTH: "approle", IDENTITY_VAULT_ROLE: "role-id" };
  const logins = () => vault.requests.filter((request) => request.endsWith("/login")).length;
  const renewals = () => vault.requests.filter((request) => request.endsWith("/renew-self")).length;

  it("is by a token, whose file is read again", async () => {
    const wrapper = await wrapperOf();
    await wrapper.wrap(KEY, KEY_ID);
    vault.tokens.clear();
    await expect(wrapper.wrap(KEY, KEY_ID)).rejects.toThrow("permission denied (status 403)");
    writeFileSync(tokenFile, vault.addToken());
    await wrapper.wrap(KEY, KEY_ID);
  });

  it("by a token that expires is renewed before", async () => {
    writeFileSync(tokenFile, vault.addToken(0.5));
    const wrapper = await wrapperOf();
    await wrapper.wrap(KEY, KEY_ID);
    expect(wrapper.restMs()).toBeLessThan(400);
    await delay(wrapper.restMs() + 5);
    await wrapper.wrap(KEY, KEY_ID);
    expect(renewals()).toBe(1);
  });

  it("names the file that is missing", async () => {
    const env = { IDENTITY_VAULT_TOKEN_FILE: join(folder, "none") };
    await expect((await wrapperOf(env)).wrap(KEY, KEY_ID)).rejects.toMatchObject({
      code: "master-key/source-unavailable",
      message: `IDENTITY_VAULT_TOKEN_FILE: "${join(folder, "none")}" does not exist`,
    });
  });

  it("is by AppRole, and again after its token was revoked", async () => {
    const env = { ...APPROLE, IDENTITY_VAULT_SECRET_ID_FILE: file("secret-id", "secret-id") };
    const wrapper = await wrapperOf(env);
    await Promise.all([wrapper.wrap(KEY, KEY_ID), wrapper.wrap(KEY, KEY_ID)]);
    expect(logins()).toBe(1);
    vault.tokens.clear();
    await wrapper.wrap(KEY, KEY_ID);
    expect(logins()).toBe(2);
  });

  it("by AppRole is renewed, and repeated where it can't be", async () => {
    const env = { ...APPROLE, IDENTITY_VAULT_SECRET_ID_FILE: file("secret-id", "secret-id") };
    vault.login.ttlSeconds = 0.4;
    const wrapper = await wrapperOf(env);
    await wrapper.wrap(KEY, KEY_ID);
    await delay(wrapper.restMs() + 5);
    await wrapper.wrap(KEY, KEY_ID);
    expect([logins(), renewals()]).toEqual([1, 1]);
    for (const token of vault.tokens.values()) token.renewable = false;
    await delay(wrapper.restMs() + 5);
    await wrapper.wrap(KEY, KEY_ID);
    expect(logins()).toBe(2);
  });

  it("by AppRole that is refused tells no secret", async () => {
    const env = { ...APPROLE, IDENTITY_VAULT_SECRET_ID_FILE: file("secret-id", "wrong-secret-id") };
    await expect((await wrapperOf(env)).wrap(KEY, KEY_ID)).rejects.toThrow(
      `Vault at ${vault.url}: invalid role or secret ID (status 400)`,
    );
  });

  it("is by the token of a Kubernetes service account, read at each login", async () => {
    const jwtFile = file("jwt", "former");
    const env = {
      IDENTITY_VAULT_AUTH: "kubernetes",
      IDENTITY_VAULT_ROLE: "identity",
      IDENTITY_VAULT_JWT_FILE: jwtFile,
    };
    const wrapper = await wrapperOf(env);
    await expect(wrapper.wrap(KEY, KEY_ID)).rejects.toThrow("permission denied (status 403)");
    writeFileSync(jwtFile, "jwt");
    await wrapper.wrap(KEY, KEY_ID);
  });

  it("by a token that an error quotes does not tell it", async () => {
    vault.mood.denied = /^transit/;
    vault.mood.quotesToken = true;
    const error: unknown = await (await wrapperOf()).wrap(KEY, KEY_ID).catch((caught: unknown) => caught);
    expect(String(error)).toMatch(/: \*\*\* may not do this \(status 403\)$/);
  });
});
