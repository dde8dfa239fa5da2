/** A running service, while and after its secrets are resealed with another master key. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rename, rm, writeFile, chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createApp, type App } from "../src/app.js";
import { readConfig } from "../src/config.js";
import { createPendingLogins } from "../src/federation/browser/pending-logins.js";
import {
  storeSecrets as storeProtocolSecrets,
  unsealSecrets,
} from "../src/identity-providers/protocols/protocol-secrets.js";
import { openService, type OpenService } from "../src/open-service.js";
import { systemClock } from "../src/platform/clock.js";
import { openDatabase } from "../src/platform/database/open-database.js";
import { newId, newRequestId } from "../src/platform/ids.js";
import { createLog } from "../src/platform/log.js";
import { createHashKey } from "../src/platform/login-throttling/login-throttle.js";
import { holdMasterKey } from "../src/platform/secrets/held-master-key.js";
import { sealingIn } from "../src/platform/secrets/master-key-in-force.js";
import { sealSecret, toMasterKey } from "../src/platform/secrets/sealing.js";
import { readServiceSecrets, resealSecrets } from "../src/sealed-secrets.js";
import { sqliteDatabases, type TestDatabase } from "./databases.js";
import { migratedDatabase } from "./migrated-databases.js";
import { ADMIN_PASSWORD } from "./test-app.js";

const PUBLIC_URL = "http://identity.test:5000";
const KEY = { idpId: "idp", id: "openid" };

interface Tables {
  readonly identity_provider: { id: string; domain_id: string; enabled: boolean };
  readonly protocol: { idp_id: string; id: string; mapping_id: string };
  readonly protocol_secret: { protocol_id: string };
}

let place: TestDatabase;
let folder: string;
let closing: (() => Promise<unknown>)[];
beforeEach(async () => {
  place = await migratedDatabase(sqliteDatabases);
  folder = await mkdtemp(join(tmpdir(), "hamkit-key-"));
  closing = [];
});
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  await place.remove();
  await rm(folder, { recursive: true });
});

const textOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const keyOf = (byte: number) => toMasterKey(Buffer.alloc(32, byte));

async function keyFile(name: string, byte: number): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, `${textOf(byte)}\n`, { mode: 0o600 });
  return file;
}

const configOf = (file: string) =>
  readConfig({
    IDENTITY_DATABASE_URL: place.url,
    IDENTITY_RATE_LIMIT: "off",
    IDENTITY_MASTER_KEY_FILE: file,
    IDENTITY_ADMIN_PASSWORD: ADMIN_PASSWORD,
    IDENTITY_CONSOLE: "off",
  });

async function start(file: string, lines: string[] = []): Promise<App> {
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const app = await createApp(configOf(file), {
    log,
    clock: systemClock,
    newId,
    newRequestId,
    publicUrl: PUBLIC_URL,
    isProcess: false,
  });
  closing.push(() => app.close());
  return app;
}

async function reseal(from: number, to: number): Promise<void> {
  const database = openDatabase(place.url);
  try {
    await resealSecrets(database, { from: keyOf(from), to: keyOf(to) });
  } finally {
    await database.close();
  }
}

async function until(check: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("not within five seconds");
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

describe(`a master key replaced`, () => {
  async function open(file: string): Promise<OpenService> {
    const service = await openService(configOf(file), { clock: systemClock, newId, publicUrl: PUBLIC_URL });
    closing.push(() => service.database.close());
    return service;
  }

  /** Secrets of all kinds that logins use. */
  async function storeSecrets({ areas, database, masterKey }: OpenService) {
    const user = await areas.users.users.findUser({ name: "admin", domainId: "default" });
    if (user === undefined) throw new Error("no admin");
    await areas.credentials.credentials.create({ user_id: user.id, type: "totp", blob: "GEZDGNBVGY3TQOJQ" });
    const tables = database.tables<Tables>();
    await tables
      .insertInto("identity_provider")
      .values({ id: "idp", domain_id: "default", enabled: true })
      .execute();
    await tables.insertInto("protocol").values({ idp_id: "idp", id: "openid", mapping_id: "m" }).execute();
    await database.transaction(async (transaction) => {
      const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
      await storeProtocolSecrets(transaction, KEY, { secrets: new Map([["client_secret", "cs"]]), seal });
    });
    return { userId: user.id, consumer: await areas.oauth1.consumers.create() };
  }

  const readersOf = (
    { areas, database, masterKey }: OpenService,
    { userId, consumer }: Awaited<ReturnType<typeof storeSecrets>>,
  ): Readonly<Record<string, () => Promise<unknown>>> => ({
    "signing keys": async () => (await areas.tokenKeys.signingKeys.load()).primary,
    // Read anew after a change of anything.
    "SAML keys": async () => {
      await database.transaction(() => Promise.resolve());
      const metadata = await areas.federation.serviceMetadata();
      return /<ds:X509Certificate>([^<]*)/.exec(metadata)?.[1];
    },
    "client secrets": () => unsealSecrets(database, KEY, masterKey),
    "one-time codes": () => areas.credentials.credentials.listOf(userId, "totp"),
    consumers: () => areas.oauth1.consumers.secretOf(consumer.id),
  });

  it("leaves secrets usable that a replica has used, and each replica that has the new key uses all", async () => {
    const first = await open(await keyFile("a.key", 1));
    const second = await open(await keyFile("b.key", 1));
    const stored = await storeSecrets(first);
    const [ofFirst, ofSecond] = [readersOf(first, stored), readersOf(second, stored)];
    const before = await Promise.all(Object.values(ofFirst).map((read) => read()));
    await readServiceSecrets(second.database, second.masterKey);
    await reseal(1, 2);

    // What was used before goes on: on the first all, on the second what a process reads at its start.
    expect(await Promise.all(Object.values(ofFirst).map((read) => read()))).toEqual(before);
    for (const name of ["signing keys", "SAML keys", "client secrets"]) await ofSecond[name]?.();
    for (const name of ["one-time codes", "consumers"])
      await expect(ofSecond[name]?.()).rejects.toMatchObject({ code: "master-key/not-in-force" });
    // Neither stores any.
    for (const { areas } of [first, second]) {
      await expect(areas.oauth1.consumers.create()).rejects.toMatchObject({
        code: "master-key/not-in-force",
      });
      await expect(areas.tokenKeys.signingKeys.rotate()).rejects.toMatchObject({
        code: "master-key/not-in-force",
      });
    }

    second.masterKey.replace(keyOf(2));
    expect(await Promise.all(Object.values(ofSecond).map((read) => read()))).toEqual(before);
    await second.areas.oauth1.consumers.create();
    // A secret that another replica has replaced is not used any more.
    const fresh = await second.areas.tokenKeys.signingKeys.rotate();
    expect(fresh.keys).toHaveLength(3);
    expect((await first.areas.tokenKeys.signingKeys.load()).keys).toHaveLength(2);
  });

  it("is taken from its file when it is in force: written in place or renamed over, whatever was there before", async () => {
    const file = await keyFile("master.key", 1);
    const app = await start(file);
    await keyFile("next.key", 2);
    await reseal(1, 2);
    await until(async () => (await readyz(app)).includes("is not in force"));
    expect((await app.server.inject("/readyz")).statusCode).toBe(200);
    await until(async () => (await metrics(app)).includes("master_key_not_in_force 1"));
    expect((await logIn(app)).statusCode).toBe(201);

    await rename(join(folder, "next.key"), file);
    await until(async () => (await readyz(app)) === "");
    await until(async () => (await metrics(app)).includes("master_key_not_in_force 0"));

    await reseal(2, 3);
    await until(async () => (await readyz(app)).includes("is not in force"));
    await writeFile(file, textOf(3));
    await until(async () => (await readyz(app)) === "");

    // The file first, then the reseal.
    await writeFile(file, textOf(4));
    await until(async () => (await readyz(app)).includes("a restart would fail"));
    await reseal(3, 4);
    await until(async () => (await readyz(app)) === "");
    expect((await logIn(app)).statusCode).toBe(201);
  });

  it("fails no use of a secret if it waits in a file beside the former one, which a restart still needs", async () => {
    const file = await keyFile("master.key", 1);
    const app = await start(file);
    const token = String((await logIn(app)).headers["x-subject-token"]);
    const other = await open(await keyFile("other.key", 1));
    const { userId } = await storeSecrets(other);
    const [stored] = await other.areas.credentials.credentials.listOf(userId, "totp");
    const staged = await keyFile("master.key.next", 2);
    for (let look = 0; look < 2; look++) await app.reloadMasterKey();
    expect(await readyz(app)).toBe("");
    await reseal(1, 2);
    // Used for the first time.
    const url = `/v3/credentials/${stored?.id}`;
    const answer = await app.server.inject({ url, headers: { "x-auth-token": token } });
    expect(answer.statusCode).toBe(200);
    await until(async () => (await readyz(app)).includes("a restart would fail"));
    expect(await readyz(app)).not.toContain("is not in force");
    await rename(staged, file);
    await until(async () => (await readyz(app)) === "");
  });

  it("is taken at once on SIGHUP", async () => {
    const file = await keyFile("master.key", 1);
    const app = await start(file);
    await reseal(1, 2);
    await writeFile(file, textOf(2));
    // A look that is under way may have begun before.
    for (let look = 0; look < 2; look++) await app.reloadMasterKey();
    expect(await readyz(app)).toBe("");
  });

  it("is not lost to a file that is empty, garbage, short, another key, readable by others, or gone", async () => {
    const file = await keyFile("master.key", 1);
    const lines: string[] = [];
    const app = await start(file, lines);
    const spoil: Record<string, () => Promise<unknown>> = {
      empty: () => writeFile(file, ""),
      garbage: () => writeFile(file, randomBytes(45)),
      short: () => writeFile(file, textOf(1).slice(0, 20)),
      "another key": () => writeFile(file, textOf(9)),
      open: () => chmod(file, 0o644),
      gone: () => rm(file),
    };
    for (const [name, apply] of Object.entries(spoil)) {
      await apply();
      for (let look = 0; look < 3; look++) await app.reloadMasterKey();
      expect(await readyz(app)).toContain("a restart would fail");
      const token = String((await logIn(app)).headers["x-subject-token"]);
      const consumer = await app.server.inject({
        method: "POST",
        url: "/v3/OS-OAUTH1/consumers",
        headers: { "x-auth-token": token },
        payload: { consumer: {} },
      });
      expect({ name, status: consumer.statusCode }).toEqual({ name, status: 201 });
      await rm(file, { force: true });
      await keyFile("master.key", 1);
      for (let look = 0; look < 2; look++) await app.reloadMasterKey();
      expect(await readyz(app)).toBe("");
    }
    expect(lines.some((line) => line.includes("the master key file can't be used"))).toBe(true);
    expect(lines.join("")).not.toContain(textOf(9));
  });

  it("does not fail password logins or requests while it is replaced, ten times", async () => {
    const file = await keyFile("master.key", 1);
    const app = await start(file);
    const statuses = new Set<number>();
    const end = new AbortController();
    const logins = (async () => {
      while (!end.signal.aborted) statuses.add((await logIn(app)).statusCode);
    })();
    for (let round = 1; round <= 10; round++) {
      await reseal(round, round + 1);
      if (round % 3 > 0) await writeFile(file, textOf(round + 1));
      if (round % 3 === 0) await rename(await keyFile("next.key", round + 1), file);
      for (let look = 0; look < 2; look++) await app.reloadMasterKey();
      expect(await readyz(app)).toBe("");
    }
    end.abort();
    await logins;
    expect([...statuses]).toEqual([201]);
  });

  it("leaves the service's secrets usable however many of users' were used, and though one of them is damaged", async () => {
    const service = await open(await keyFile("a.key", 1));
    const { database, masterKey, areas } = service;
    await storeSecrets(service);
    const other = { idpId: "idp", id: "damaged" };
    await database
      .tables<Tables>()
      .insertInto("protocol")
      .values({ idp_id: "idp", id: "damaged", mapping_id: "m" })
      .execute();
    await database.transaction(async (transaction) => {
      const seal = await sealingIn(transaction, { kind: database.kind, masterKey, keeps: false });
      const damaged = (secret: Uint8Array, bound: string) => seal(secret, `${bound}/moved`);
      await storeProtocolSecrets(transaction, other, {
        secrets: new Map([["client_secret", "cs"]]),
        seal: damaged,
      });
    });
    const metadata = await areas.federation.serviceMetadata();
    await readServiceSecrets(database, masterKey);
    for (let count = 0; count < 10_001; count++) {
      const bound = `credential/${count}`;
      masterKey.keep(Buffer.from("x"), sealSecret(keyOf(1), Buffer.from("x"), bound), bound);
    }
    // Resealed as `keys reseal` does, apart from the damaged one.
    await database.tables<Tables>().deleteFrom("protocol").where("id", "=", "damaged").execute();
    await database
      .tables<Tables>()
      .deleteFrom("protocol_secret")
      .where("protocol_id", "=", "damaged")
      .execute();
    await reseal(1, 2);
    expect(await unsealSecrets(database, KEY, masterKey)).toEqual({ client_secret: "cs" });
    expect(await areas.federation.serviceMetadata()).toBe(metadata);
  });

  it("leaves logins that began before it able to return, and counters of failed logins equal on all replicas", async () => {
    const database = openDatabase(place.url);
    closing.push(() => database.close());
    const masterKey = holdMasterKey(keyOf(1));
    const begun = createPendingLogins({ database, clock: systemClock, masterKey });
    const login = { kind: "openid", id: "x", expiresAt: Date.now() + 60_000 } as const;
    const sealed = begun.seal({ ...login, data: "state" });
    const hash = createHashKey(masterKey);
    const former = hash("a");
    masterKey.replace(keyOf(2));
    expect(begun.unseal("openid", "x", sealed)).toBe("state");
    expect(begun.unseal("openid", "y", sealed)).toBeUndefined();
    expect(hash("a")).not.toBe(former);
    expect(hash("a")).toBe(createHashKey(keyOf(2))("a"));
  });
});
