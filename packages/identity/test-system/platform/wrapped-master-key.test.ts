/** Services whose master key is wrapped by Vault: their first start, a Vault that is away, reseals while they run, and moves to other sources. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createApp, type App } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { masterKeyOf } from "../../src/master-key-of.js";
import { systemClock } from "../../src/platform/clock.js";
import type { Database } from "../../src/platform/database/database.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { newId, newRequestId } from "../../src/platform/ids.js";
import { createLog } from "../../src/platform/log.js";
import { keyIdInForce } from "../../src/platform/secrets/master-key-in-force.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { createKeySources } from "../../src/platform/secrets/sources/key-sources.js";
import { listWrappedKeys, putWrappedKey } from "../../src/platform/secrets/sources/wrapped-key-store.js";
import { listSealedSecrets, resealSecrets } from "../../src/sealed-secrets.js";
import { commandLine } from "../../test/command-line.js";
import { sqliteDatabases as databases, type TestDatabase } from "../../test/databases.js";
import { migratedDatabase } from "../../test/migrated-databases.js";
import { startVault, type VaultDouble } from "../../test/platform/secrets/sources/vault-double.js";
import { ADMIN_PASSWORD } from "../../test/test-app.js";

const { finish } = commandLine();

let place: TestDatabase;
let database: Database;
let folder: string;
let vault: VaultDouble;
let closing: (() => Promise<unknown>)[];
let lines: string[];
beforeEach(async () => {
  place = await migratedDatabase(databases);
  database = openDatabase(place.url);
  folder = await mkdtemp(join(tmpdir(), "hamkit-key-"));
  vault = await startVault(folder);
  vault.rotate("hamkit-identity");
  await writeFile(join(folder, "token"), vault.addToken(), { mode: 0o600 });
  closing = [];
  lines = [];
});
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  await vault.close();
  await database.close();
  await place.remove();
  await rm(folder, { recursive: true });
});

const fileEnv = (): Record<string, string> => ({
  IDENTITY_DATABASE_URL: place.url,
  IDENTITY_RATE_LIMIT: "off",
  IDENTITY_ADMIN_PASSWORD: ADMIN_PASSWORD,
  IDENTITY_PUBLIC_URL: "http://identity.test:5000",
  IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
});
const bothEnv = () => ({
  ...fileEnv(),
  IDENTITY_VAULT_URL: vault.url,
  IDENTITY_VAULT_CA_FILE: vault.caFile,
  IDENTITY_VAULT_TOKEN_FILE: join(folder, "token"),
});
const vaultEnv = () => ({ ...bothEnv(), IDENTITY_MASTER_KEY_SOURCE: "vault" });

async function start(env: Record<string, string>): Promise<App> {
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const publicUrl = "http://identity.test:5000";
  const deps = { log, clock: systemClock, newId, newRequestId, publicUrl, isProcess: false };
  const app = await createApp(readConfig(env), deps);
  closing.push(() => app.close());
  return app;
}

const readyz = async (app: App) => (await app.server.inject("/readyz")).body;
const metrics = async (app: App) => (await app.server.inject("/metrics")).body;
const logIn = (app: App) =>
  app.server.inject({
    method: "POST",
    url: "/v3/auth/tokens",
    payload: {
      auth: {
        identity: {
          methods: ["password"],
          password: { user: { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD } },
        },
        scope: { system: { all: true } },
      },
    },
  });

/** A secret that no process has read before. */
async function storeCredential(app: App): Promise<() => Promise<number>> {
  const token = String((await logIn(app)).headers["x-subject-token"]);
  const headers = { "x-auth-token": token };
  const { users } = (await app.server.inject({ url: "/v3/users?name=admin", headers })).json();
  const credential = { user_id: users[0].id as string, type: "totp", blob: "GEZDGNBVGY3TQOJQ" };
  const stored = await app.server.inject({
    method: "POST",
    url: "/v3/credentials",
    headers,
    payload: { credential },
  });
  const url = `/v3/credentials/${stored.json().credential.id}`;
  return async () => (await app.server.inject({ url, headers })).statusCode;
}

describe("a master key in Vault", () => {
  it("is created by the first of several starts at once, and no plain key is left anywhere", async () => {
    const apps = await Promise.all([1, 2].map(() => start(vaultEnv())));
    const [wrapped, ...others] = await listWrappedKeys(database);
    expect(others).toEqual([]);
    expect(await keyIdInForce(database)).toBe(wrapped?.keyId);
    for (const app of apps) expect((await logIn(app)).statusCode).toBe(201);
    expect(await readyz(apps[0] as App)).toBe("");
    await expect(rm(join(folder, "master.key"))).rejects.toMatchObject({ code: "ENOENT" });
    // The doctor unseals every secret by it.
    expect((await finish(["keys", "rotate", "--force"], vaultEnv())).errors).toBe("");
  });

  it("is in memory: a Vault that is away stops nothing, and is reported until it is back", async () => {
    const app = await start(vaultEnv());
    const read = await storeCredential(app);
    const [wrapped] = await listWrappedKeys(database);
    await vault.stop();
    // Wrapped anew: unwrapped at once instead of within a minute.
    if (wrapped !== undefined)
      await putWrappedKey(database, { ...wrapped, wrapped: `${wrapped.wrapped.slice(0, -4)}AAA=` });
    await expect.poll(() => readyz(app)).toContain("Vault has not unwrapped the master key");
    expect(await readyz(app)).not.toContain(vault.url);
    expect(await metrics(app)).toContain("master_key_source_failing 1");
    expect([(await logIn(app)).statusCode, await read()]).toEqual([201, 200]);
    expect(lines.filter((line) => line.includes("the master key can't be unwrapped"))).toHaveLength(1);

    await vault.start();
    if (wrapped !== undefined) await putWrappedKey(database, wrapped);
    await expect.poll(() => readyz(app)).toBe("");
    const answered = async () =>
      /^master_key_source_answered_timestamp_seconds\{source="vault"\} (\d+)/m.exec(await metrics(app))?.[1];
    await expect.poll(async () => Number(await answered())).toBeGreaterThan(Date.now() / 1000 - 60);
  });

  it("is not waited for by requests: Vault may be slow", async () => {
    const app = await start(vaultEnv());
    const [wrapped] = await listWrappedKeys(database);
    vault.mood.delayMs = 7000;
    if (wrapped !== undefined)
      await putWrappedKey(database, { ...wrapped, wrapped: `${wrapped.wrapped.slice(0, -4)}AAA=` });
    const asked = () => vault.requests.filter((request) => request.includes("decrypt")).length;
    const before = asked();
    await expect.poll(asked).toBe(before + 1);
    const begin = performance.now();
    expect((await logIn(app)).statusCode).toBe(201);
    expect(performance.now() - begin).toBeLessThan(3000);
    await expect.poll(() => lines.join("")).toMatch(/no response within 5000 ms/);
  });

  it("is refused at a start with the settings of a file, or without those of Vault", async () => {
    await (await start(vaultEnv())).close();
    closing = [];
    await expect(start(fileEnv())).rejects.toThrow(
      "a master key is wrapped by Vault, which the settings don't name: set IDENTITY_VAULT_URL",
    );
    await (await start(bothEnv())).close();
    closing = [];
  });

  it("does not accept a plain key in its place: an attacker who writes the database can't go back to a former one", async () => {
    await (await start(fileEnv())).close();
    closing = [];
    await expect(start(vaultEnv())).rejects.toMatchObject({
      code: "master-key/not-wrapped",
      message: expect.stringMatching(
        /^IDENTITY_MASTER_KEY_SOURCE is vault, but the master key in force, [\da-f]{16}, is not wrapped/,
      ) as string,
    });
  });
});

describe("a reseal", () => {
  it("moves from a file to Vault, to another key of Vault and back, and running services fail no use of a secret", async () => {
    const app = await start(bothEnv());
    const read = await storeCredential(app);
    const statuses = new Set<number>();
    const end = new AbortController();
    const uses = (async () => {
      while (!end.signal.aborted)
        for (const use of [read, async () => (await logIn(app)).statusCode]) statuses.add(await use());
    })();
    for (const step of ["to Vault", "within Vault"]) {
      const { exit, output, errors } = await finish(["keys", "reseal", "--to", "vault"], bothEnv());
      expect({ step, exit, errors }).toEqual({ step, exit: 0, errors: "" });
      expect(output).toMatch(
        /^Resealed \d+ secrets with master key [\da-f]{16}, wrapped by hamkit-identity of vault\./,
      );
      expect(await readyz(app)).toBe("");
      expect(await listWrappedKeys(database)).toHaveLength(1);
    }
    const rewrapped = await finish(["keys", "rewrap"], vaultEnv());
    expect(rewrapped.output).toMatch(
      /^Master key [\da-f]{16} is wrapped by hamkit-identity of vault, version 1\.\n$/,
    );

    const next = join(folder, "master.key.next");
    await writeFile(next, Buffer.alloc(32, 9).toString("base64"), { mode: 0o600 });
    for (let look = 0; look < 2; look++) await app.reloadMasterKey();
    const back = await finish(["keys", "reseal", "--next-key-file", next], bothEnv());
    expect(back).toMatchObject({ exit: 0, errors: "" });
    for (let look = 0; look < 2; look++) await app.reloadMasterKey();
    end.abort();
    await uses;
    expect(statuses).toEqual(new Set([200, 201]));
    expect(await keyIdInForce(database)).toBe(toMasterKey(Buffer.alloc(32, 9)).id);
    expect(await listWrappedKeys(database)).toEqual([]);
  }, 30_000);

  it("is not done while a running service can't unwrap the next key, unless it is forced", async () => {
    const app = await start({
      ...fileEnv(),
      IDENTITY_VAULT_URL: vault.url,
      IDENTITY_VAULT_CA_FILE: vault.caFile,
      IDENTITY_VAULT_TOKEN_FILE: join(folder, "none"),
    });
    const before = await keyIdInForce(database);
    const resealing = finish(["keys", "reseal", "--to", "vault"], bothEnv());
    await expect.poll(() => readyz(app)).toContain("Vault does not unwrap the next master key");
    // Its settings are mended while the command waits.
    await writeFile(join(folder, "none"), vault.addToken());
    expect(await resealing).toMatchObject({ exit: 0, errors: "" });
    expect(await keyIdInForce(database)).not.toBe(before);
    expect(await readyz(app)).toBe("");
  });

  it("of two at once is done by one", async () => {
    await (await start(vaultEnv())).close();
    closing = [];
    const both = await Promise.all([1, 2].map(() => finish(["keys", "reseal"], vaultEnv())));
    expect(new Set(both.map(({ exit }) => exit))).toEqual(new Set([0, 1]));
    expect(both.map(({ errors }) => errors).join("")).toMatch(/^hamkit-identity: .* is not in force/);
    const [kept, ...others] = await listWrappedKeys(database);
    expect([kept?.keyId, others]).toEqual([await keyIdInForce(database), []]);
    await start(vaultEnv());
  });

  it("that was killed before it was done leaves a key that the next one removes", async () => {
    const app = await start(vaultEnv());
    const { wrapped } = await createKeySources(readConfig(vaultEnv())).create("vault");
    await putWrappedKey(database, wrapped);
    for (let look = 0; look < 2; look++) await app.reloadMasterKey();
    expect(await readyz(app)).toBe("");
    expect(await finish(["keys", "reseal"], vaultEnv())).toMatchObject({ exit: 0, errors: "" });
    expect((await listWrappedKeys(database)).map(({ keyId }) => keyId)).toEqual([
      await keyIdInForce(database),
    ]);
  });

  it("that fails in the middle of the secrets leaves the former key, its wrapping and all secrets as they were", async () => {
    await start(vaultEnv());
    const sources = createKeySources(readConfig(vaultEnv()));
    const from = await masterKeyOf(readConfig(vaultEnv()), database);
    const { key: to, wrapped } = await sources.create("vault");
    const before = await Promise.all([listWrappedKeys(database), listSealedSecrets(database)]);
    const broken = { ...from, key: to.key };
    await expect(resealSecrets(database, { from: broken, to, wrapped })).rejects.toMatchObject({
      code: "seal/damaged",
    });
    const after = await Promise.all([listWrappedKeys(database), listSealedSecrets(database)]);
    expect(JSON.stringify(after)).toBe(JSON.stringify(before));
    await start(vaultEnv());
  });

  it("refuses options that contradict each other", async () => {
    await start(fileEnv());
    for (const [args, message] of [
      [[], "--next-key-file: is missing: the file of the next master key"],
      [["--to", "hsm"], '--to: "hsm" is not one of file, vault, pkcs11'],
      [
        ["--to", "vault", "--next-key-file", "x"],
        '--next-key-file: "x" is not used: the next key is wrapped by vault',
      ],
      [["--to", "vault"], "a master key is wrapped by Vault, which the settings don't name"],
    ] as const)
      expect((await finish(["keys", "reseal", ...args], fileEnv())).errors).toContain(message);
    expect((await finish(["keys", "rewrap"], fileEnv())).errors).toContain(
      "The master key in force is not wrapped",
    );
  });
});
