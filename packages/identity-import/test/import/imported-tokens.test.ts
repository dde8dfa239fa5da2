/** Tokens of an imported Keystone, in replicas of the whole service. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { importFernetKeys } from "../../src/import/import-tokens.js";
import { importRevocationEvents, type KeystoneRevocationEvent } from "../../src/import/revocation-events.js";
import type { Database } from "../../../identity/src/platform/database/database.js";
import { toMasterKey } from "../../../identity/src/platform/secrets/sealing.js";
import { dropImportedKeys } from "../../../identity/src/tokens/imported/imported-tokens.js";
import { databases } from "../../../identity/test/databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../../../identity/test/test-app.js";
import {
  keystoneToken,
  pairOf,
  type Packable,
} from "../../../identity/test/tokens/imported/keystone-token.js";

const HOUR = 3_600_000;
const METHODS = ["password", "token", "application_credential", "mapped"];
const [PASSWORD] = [1];
const SWITCH = Date.parse("2026-11-22T08:00:00Z");
const ISSUED = SWITCH - HOUR;
/** The key of tests that issue tokens, and the staged one. */
const [KEY, STAGED] = [randomBytes(32), randomBytes(32)];
const masterKey = toMasterKey(Buffer.alloc(32, 7));

let replicas: TestReplicas;
let folder: string;
let now: number;
let userId: string;
let projectId: string;
let systemToken: string;

beforeEach(async () => {
  now = SWITCH;
  const clock = { now: () => now };
  // The clock of the second replica is behind.
  const clocks = [clock, { now: () => now - 2 * HOUR }];
  replicas = await testReplicas(databases, 2, { clock, clocks });
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  for (const [name, key] of Object.entries({ 0: STAGED, 3: KEY }))
    await writeFile(join(folder, name), `${key.toString("base64url")}=`);
  const { headers, body } = await logIn({ system: { all: true } });
  systemToken = String(headers["x-subject-token"]);
  userId = body.token.user.id;
  const inProject = await logIn({ project: { name: "admin", domain: { id: "default" } } });
  projectId = inProject.body.token.project.id;
});
afterEach(async () => {
  await replicas.remove();
  await rm(folder, { recursive: true });
});

const database = (): Database => replicas.apps[0]?.database as Database;

async function ask(method: "GET" | "POST" | "DELETE" | "PATCH", url: string, options: AskOptions = {}) {
  const { replica = 0, token, subject, payload } = options;
  const server = replicas.apps[replica]?.server;
  const answer = await server?.inject({
    method,
    url,
    headers: {
      ...(token !== undefined && { "x-auth-token": token }),
      ...(subject !== undefined && { "x-subject-token": subject }),
    },
    ...(payload !== undefined && { payload }),
  });
  const text = answer?.body ?? "";
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  const body: any = text === "" ? undefined : JSON.parse(text);
  return { status: answer?.statusCode ?? 0, headers: answer?.headers ?? {}, body };
}

interface AskOptions {
  readonly replica?: number;
  readonly token?: string;
  readonly subject?: string;
  readonly payload?: object;
}

function logIn(scope: object) {
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const auth = { identity: { methods: ["password"], password: { user } }, scope };
  return ask("POST", "/v3/auth/tokens", { payload: { auth } });
}

function rescope(id: string, scope: object) {
  const auth = { identity: { methods: ["token"], token: { id } }, scope };
  return ask("POST", "/v3/auth/tokens", { payload: { auth } });
}

function importAll(events: readonly KeystoneRevocationEvent[] = []) {
  const lifetimeSeconds = 24 * 3600;
  return database().transaction(
    async (transaction) => {
      const result = await importRevocationEvents(transaction, events, {
        now,
        lifetimeMs: lifetimeSeconds * 1000,
      });
      await importFernetKeys(transaction, {
        fernetKeys: folder,
        authMethods: METHODS,
        lifetimeSeconds,
        expiredWindowSeconds: 48 * 3600,
        database: database(),
        masterKey,
        clock: { now: () => now },
      });
      return result;
    },
    { changes: ["facts", "revocations"] },
  );
}

interface TokenOptions {
  readonly key?: Buffer;
  readonly issuedAt?: number;
  readonly lifetimeMs?: number;
  readonly auditId?: Buffer;
  readonly methodSum?: number;
}

/** A token of the Keystone for the administrator's project. */
function keystones(options: TokenOptions = {}): string {
  const { key = KEY, issuedAt = ISSUED, lifetimeMs = 24 * HOUR, auditId = randomBytes(16) } = options;
  const expiry = { double: (issuedAt + lifetimeMs) / 1000 };
  const payload: Packable = [
    2,
    pairOf(userId),
    options.methodSum ?? PASSWORD,
    pairOf(projectId),
    expiry,
    [auditId],
  ];
  return keystoneToken(key, payload, { issuedAt });
}

const validation = (subject: string, replica = 0) =>
  ask("GET", "/v3/auth/tokens", { token: systemToken, subject, replica });
const statusOf = async (subject: string, replica = 0) => (await validation(subject, replica)).status;

describe(`tokens of an imported Keystone on ${databases.name}`, () => {
  it("are unknown before its keys are imported", async () => {
    expect(await statusOf(keystones())).toBe(404);
  });

  it("are validated by all replicas, and show what Keystone showed", async () => {
    await importAll();
    const auditId = randomBytes(16);
    for (const replica of [0, 1]) {
      const { status, body } = await validation(keystones({ auditId }), replica);
      expect(status).toBe(200);
      expect(body.token).toMatchObject({
        methods: ["password"],
        user: { id: userId, name: "admin", domain: { id: "default", name: "Default" } },
        audit_ids: [auditId.toString("base64url")],
        issued_at: "2026-11-22T07:00:00.000000Z",
        expires_at: "2026-11-23T07:00:00.000000Z",
        project: { id: projectId, name: "admin" },
        is_domain: false,
      });
      expect(body.token.roles.map(({ name }: { name: string }) => name)).toContain("admin");
      expect(body.token.catalog).toBeInstanceOf(Array);
    }
  });

  it("are verified by the staged key too, and by no other", async () => {
    await importAll();
    expect(await statusOf(keystones({ key: STAGED }))).toBe(200);
    expect(await statusOf(keystones({ key: randomBytes(32) }))).toBe(404);
  });

  it("are good for requests, with the roles that the user has", async () => {
    await importAll();
    for (const replica of [0, 1]) {
      expect((await ask("GET", "/v3/users", { token: keystones(), replica })).status).toBe(200);
      const forged = keystones({ key: randomBytes(32) });
      expect((await ask("GET", "/v3/users", { token: forged, replica })).status).toBe(401);
    }
  });

  it("are rescoped to tokens of this service, of the same chain, which expire no later", async () => {
    await importAll();
    const auditId = randomBytes(16);
    const soon = keystones({ auditId, lifetimeMs: HOUR + 60_000 });
    const { status, body, headers } = await rescope(soon, { system: { all: true } });
    expect(status).toBe(201);
    expect(body.token).toMatchObject({
      methods: ["password", "token"],
      system: { all: true },
      expires_at: "2026-11-22T08:01:00.000000Z",
      audit_ids: [expect.any(String), auditId.toString("base64url")],
    });
    expect(await statusOf(String(headers["x-subject-token"]), 1)).toBe(200);
  });

  it("of a trust with impersonation name the trustee, and are those of the trustor", async () => {
    const created = await ask("POST", "/v3/users", {
      token: systemToken,
      payload: { user: { name: "trustee", domain_id: "default", password: "pw" } },
    });
    const trusteeId = created.body.user.id as string;
    const inProject = await logIn({ project: { id: projectId } });
    const trust = {
      trustor_user_id: userId,
      trustee_user_id: trusteeId,
      project_id: projectId,
      impersonation: true,
      roles: [{ name: "reader" }],
    };
    const ownToken = String(inProject.headers["x-subject-token"]);
    const made = await ask("POST", "/v3/OS-TRUST/trusts", { token: ownToken, payload: { trust } });
    const trustId = made.body.trust.id as string;
    await importAll();
    const expiry = { double: (ISSUED + HOUR * 2) / 1000 };
    const audit = [randomBytes(16)];
    const head = [3, pairOf(trusteeId), PASSWORD, pairOf(projectId), expiry, audit] as const;
    const text = keystoneToken(KEY, [...head, Buffer.from(trustId, "hex")], { issuedAt: ISSUED });
    const { status, body } = await validation(text);
    expect(status).toBe(200);
    expect(body.token).toMatchObject({
      user: { id: userId, name: "admin" },
      "OS-TRUST:trust": { id: trustId, trustee_user: { id: trusteeId }, trustor_user: { id: userId } },
      roles: [{ name: "reader" }],
    });
    const removed = await ask("DELETE", `/v3/OS-TRUST/trusts/${trustId}`, { token: ownToken });
    expect(removed.status).toBe(204);
    expect(await statusOf(text)).toBe(404);
  });

  it("are revoked one by one", async () => {
    await importAll();
    const [revoked, other] = [keystones(), keystones()];
    const deleted = await ask("DELETE", "/v3/auth/tokens", { token: systemToken, subject: revoked });
    expect(deleted.status).toBe(204);
    await expect.poll(() => statusOf(revoked, 1)).toBe(404);
    expect((await ask("GET", "/v3/users", { token: revoked })).status).toBe(401);
    expect(await statusOf(other)).toBe(200);
  });

  it("are rejected if issued after the import, for longer than the lifetime, or by an unknown method", async () => {
    await importAll();
    expect(await statusOf(keystones({ issuedAt: SWITCH - 1000 }))).toBe(200);
    expect(await statusOf(keystones({ issuedAt: SWITCH }))).toBe(404);
    expect(await statusOf(keystones({ issuedAt: SWITCH + HOUR }))).toBe(404);
    expect(await statusOf(keystones({ lifetimeMs: 24 * HOUR + 1000 }))).toBe(404);
    expect(await statusOf(keystones({ methodSum: 16 }))).toBe(404);
  });

  it("expire in their time, and are shown a while longer with allow_expired", async () => {
    await importAll();
    const early = keystones({ lifetimeMs: 2 * HOUR });
    now = SWITCH + HOUR - 1;
    systemToken = String((await logIn({ system: { all: true } })).headers["x-subject-token"]);
    expect(await statusOf(early)).toBe(200);
    now = SWITCH + HOUR;
    systemToken = String((await logIn({ system: { all: true } })).headers["x-subject-token"]);
    expect(await statusOf(early)).toBe(404);
    expect((await ask("GET", "/v3/users", { token: early })).status).toBe(401);
    const expired = await ask("GET", "/v3/auth/tokens?allow_expired=1", {
      token: systemToken,
      subject: early,
    });
    expect(expired.status).toBe(200);
  });

  it("end on all replicas at once when the imported keys are dropped", async () => {
    await importAll();
    const dropped = keystones();
    for (const replica of [0, 1]) expect(await statusOf(dropped, replica)).toBe(200);
    expect(await dropImportedKeys(database())).toBe(true);
    expect(await statusOf(dropped, 0)).toBe(404);
    await expect.poll(() => statusOf(dropped, 1)).toBe(404);
    expect((await ask("GET", "/v3/users", { token: dropped, replica: 1 })).status).toBe(401);
    expect(await statusOf(systemToken)).toBe(200);
    expect(await dropImportedKeys(database())).toBe(false);
  });

  it("are verified by the keys of the last import only", async () => {
    await importAll();
    now += HOUR;
    await writeFile(join(folder, "3"), randomBytes(32).toString("base64url"));
    await importAll();
    systemToken = String((await logIn({ system: { all: true } })).headers["x-subject-token"]);
    expect(await statusOf(keystones())).toBe(404);
    expect(await statusOf(keystones({ key: STAGED, issuedAt: SWITCH + HOUR - 1000 }))).toBe(200);
  });

  it("are revoked by what changes after the import, also where a replica's clock is behind", async () => {
    await importAll();
    const before = keystones({ issuedAt: SWITCH - 1000 });
    expect(await statusOf(before, 1)).toBe(200);
    const change = { payload: { user: { password: "another" } }, token: systemToken, replica: 1 };
    expect((await ask("PATCH", `/v3/users/${userId}`, change)).status).toBe(200);
    expect((await ask("GET", "/v3/users", { token: before, replica: 1 })).status).toBe(401);
    await expect.poll(async () => (await ask("GET", "/v3/users", { token: before })).status).toBe(401);
  });

  it("stay revoked by Keystone's events from before, which compare the time of issue", async () => {
    const auditId = randomBytes(16);
    const times = { issued_before: "2026-11-22 07:10:00", revoked_at: "2026-11-22 07:10:00" };
    const events = [
      { audit_id: auditId.toString("base64url"), ...times },
      { user_id: userId, ...times },
      { user_id: "another", issued_before: "2026-11-22 07:50:00", revoked_at: "2026-11-22 07:50:00" },
      // Older than any token can be.
      { user_id: userId, issued_before: "2026-11-21 07:59:59", revoked_at: "2026-11-21 07:59:59" },
      { access_token_id: "oauth1", consumer_id: "c", ...times },
    ];
    expect(await importAll(events)).toEqual({ imported: 4, expired: 1, known: 0 });
    const ofSecond = Date.parse("2026-11-22T07:10:00Z");
    // The administrator's own token of this service was read after the events' time.
    systemToken = String((await logIn({ system: { all: true } })).headers["x-subject-token"]);
    expect(await statusOf(keystones({ issuedAt: ISSUED }))).toBe(404);
    expect(await statusOf(keystones({ issuedAt: ofSecond }))).toBe(404);
    expect(await statusOf(keystones({ issuedAt: ofSecond + 1000 }))).toBe(200);
    expect(await statusOf(keystones({ issuedAt: ofSecond + 1000, auditId }))).toBe(404);
    expect(await importAll(events)).toEqual({ imported: 0, expired: 1, known: 4 });
  });

  it("have events listed as Keystone listed them", async () => {
    const times = { issued_before: "2026-11-22 07:10:00", revoked_at: "2026-11-22 07:11:00" };
    await importAll([
      { trust_id: "t1", ...times },
      { access_token_id: "a1", consumer_id: "c1", ...times },
      { domain_id: "d1", expires_at: "2026-11-22 09:00:00", ...times },
      { domain_id: "d1", ...times },
    ]);
    const { body } = await ask("GET", "/v3/OS-REVOKE/events", { token: systemToken });
    const shown = { issued_before: "2026-11-22T07:10:00.000000Z", revoked_at: "2026-11-22T07:11:00.000000Z" };
    expect(body.events).toEqual([
      { "OS-TRUST:trust_id": "t1", ...shown },
      { "OS-OAUTH1:access_token_id": "a1", "OS-OAUTH1:consumer_id": "c1", ...shown },
      { domain_scope_id: "d1", expires_at: "2026-11-22T09:00:00.000000Z", ...shown },
      { domain_id: "d1", ...shown },
    ]);
  });
});
