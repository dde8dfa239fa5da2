/** Logging in to the console, its scope, and the end of a session. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { codeAt, decodeTotpSecret } from "../../src/auth/methods/totp.js";
import { createPendingLogins } from "../../src/federation/browser/pending-logins.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { purgeAll } from "../../src/platform/purge-schedule.js";
import { createConsoleSessions, createConsoleCookie } from "../../src/console/console-sessions.js";
import { databases } from "../databases.js";
import { testReplicas, type TestReplicas } from "../test-app.js";
import { consoleBrowser, passwordOf, SYSTEM, type ConsoleBrowser } from "./console-browser.js";

const COOKIE = "console";
const LIFE_MS = 3_600_000;

interface Tables {
  readonly console_session: { id: string; sealed: string; expires_at: number };
}

let now: number;
let replicas: TestReplicas;
let app: App;
let browser: ConsoleBrowser;
const clock = { now: () => now };

async function start(env: Record<string, string> = {}): Promise<void> {
  now = Date.now();
  replicas = await testReplicas(databases, 2, { clock, env });
  app = replicas.apps[0] as App;
  browser = consoleBrowser(app);
}

const sessionRows = () => app.database.tables<Tables>().selectFrom("console_session").selectAll().execute();

/** The token that the service keeps for a browser: what no page can do. */
async function keptToken(of = browser): Promise<string> {
  const masterKey = toMasterKey(Buffer.alloc(32, 7));
  const pendingLogins = createPendingLogins({ database: app.database, clock, masterKey });
  const secret = of.jar.get(COOKIE) ?? "";
  const texts = (await sessionRows()).map(
    ({ sealed }) => pendingLogins.unseal("console", secret, sealed) as { readonly text: string } | undefined,
  );
  return texts.find((each) => each !== undefined)?.text ?? "";
}

/** Whether a token is valid at the API. */
async function isValid(token: string): Promise<boolean> {
  const headers = { "x-auth-token": token, "x-subject-token": token };
  return (await app.server.inject({ url: "/v3/auth/tokens", headers })).statusCode === 200;
}

/** As the administrator of the system, without the console. */
async function administrate(method: string, url: string, body?: object) {
  const payload = { auth: { identity: passwordOf(), scope: SYSTEM } };
  const login = await app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
  const answer = await app.server.inject({
    method: method as "POST",
    url,
    headers: { "x-auth-token": String(login.headers["x-subject-token"]) },
    ...(body !== undefined && { payload: body }),
  });
  if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.body}`);
  return answer.body === "" ? undefined : answer.json();
}

async function createUser(name: string, more: object = {}): Promise<string> {
  const user = { name, domain_id: "default", password: "user-password", ...more };
  return (await administrate("POST", "/v3/users", { user })).user.id as string;
}

describe(`a session of the console on ${databases.name}`, () => {
  beforeEach(() => start());
  afterEach(() => replicas.remove());

  it("begins with a login, and shows the token's facts", async () => {
    const { status, body } = await browser.signIn();
    expect(status).toBe(200);
    expect(body.session).toMatchObject({
      user: { name: "admin", domain: { id: "default", name: "Default" } },
      scope: { system: { all: true } },
      token: { methods: ["password"], system: { all: true }, user: { name: "admin" } },
    });
    expect(body.session.roles.map(({ name }: { name: string }) => name)).toContain("admin");
    expect(body.session.expires_at).toBe(body.session.token.expires_at);
    expect((await browser.ask("GET", "/session")).body).toEqual(body);
  });

  it("holds at every replica", async () => {
    await browser.signIn();
    const other = consoleBrowser(replicas.apps[1] as App);
    for (const [name, value] of browser.jar) other.jar.set(name, value);
    expect((await other.ask("GET", "/session")).status).toBe(200);
    expect((await other.ask("GET", "/console/api/v3/users", pageHeaders())).status).toBe(200);
  });

  const pageHeaders = () => ({ headers: { "x-console": "1" } });
  const forward = (method: string, path: string, request: { readonly body?: object } = {}, by = browser) =>
    by.ask(method, `/console/api${path}`, {
      ...request,
      headers: { "x-console": "1", ...(method !== "GET" && { origin: "http://127.0.0.1:5900" }) },
    });

  it("has the API answer as it answers its token, errors and lists too", async () => {
    await browser.signIn();
    const token = await keptToken();
    for (const url of [
      "/v3/users?limit=1",
      "/v3/projects/none",
      "/v3/regions",
      "/v3/none",
      "/v3/auth/projects",
    ]) {
      const direct = await app.server.inject({ url, headers: { "x-auth-token": token } });
      const forwarded = await forward("GET", url);
      expect([forwarded.status, forwarded.text]).toEqual([direct.statusCode, direct.body]);
    }
    const created = await forward("POST", "/v3/regions", { body: { region: { id: "north" } } });
    expect([created.status, created.body.region.id]).toEqual([201, "north"]);
    expect((await forward("DELETE", "/v3/regions/north")).status).toBe(204);
  });

  it("changes its scope without another login, and only to scopes of the user", async () => {
    await browser.signIn();
    const [cookie] = [...browser.jar.values()];
    const { body: projects } = await forward("GET", "/v3/auth/projects");
    const [{ id }] = projects.projects as [{ id: string }];
    const changed = await browser.ask("PUT", "/session/scope", { body: { scope: { project: { id } } } });
    expect([changed.status, changed.body.session.scope.project.id]).toEqual([200, id]);
    expect((await browser.ask("GET", "/session")).body).toEqual(changed.body);
    expect([...browser.jar.values()]).toEqual([cookie]);
    const other = await administrate("POST", "/v3/projects", {
      project: { name: "no roles", domain_id: "default" },
    });
    const refused = await browser.ask("PUT", "/session/scope", {
      body: { scope: { project: { id: other.project.id } } },
    });
    expect(refused.status).toBe(403);
    expect((await browser.ask("GET", "/session")).body).toEqual(changed.body);
    const unscoped = await browser.ask("PUT", "/session/scope", { body: { scope: "unscoped" } });
    expect([unscoped.status, unscoped.body.session.scope, unscoped.body.session.roles]).toEqual([
      200,
      null,
      [],
    ]);
    const back = await browser.ask("PUT", "/session/scope", { body: { scope: SYSTEM } });
    expect(back.body.session.scope).toEqual(SYSTEM);
    // Rescoping never extends the login.
    expect(back.body.session.expires_at).toBe(changed.body.session.expires_at);
  });

  it.each([
    [{}, 400],
    [{ scope: {} }, 400],
    [{ scope: { "OS-TRUST:trust": { id: "t" } } }, 400],
    [{ scope: { project: { id: "none" } } }, 403],
  ])("answers the scope %j by %i, and stays", async (body, status) => {
    const before = (await browser.signIn()).body;
    expect((await browser.ask("PUT", "/session/scope", { body })).status).toBe(status);
    expect((await browser.ask("GET", "/session")).body).toEqual(before);
  });

  it("ends with the token's lifetime", async () => {
    await browser.signIn();
    now += LIFE_MS + 1000;
    expect((await browser.ask("GET", "/session")).status).toBe(401);
    expect((await forward("GET", "/v3/users")).status).toBe(401);
  });

  it("ends at logout, and its token with it", async () => {
    await browser.signIn();
    const token = await keptToken();
    expect(await isValid(token)).toBe(true);
    const cookie = new Map(browser.jar);
    const { status, cookies } = await browser.ask("DELETE", "/session");
    expect([status, browser.jar.size, cookies]).toEqual([204, 0, [expect.stringContaining("Max-Age=0")]]);
    expect(await isValid(token)).toBe(false);
    expect(await sessionRows()).toEqual([]);
    for (const [name, value] of cookie) browser.jar.set(name, value);
    expect((await browser.ask("GET", "/session")).status).toBe(401);
    expect((await browser.ask("DELETE", "/session")).status).toBe(204);
  });

  it("ends when the user's tokens are revoked", async () => {
    const id = await createUser("kim");
    await browser.signIn(passwordOf("kim", "user-password"), { unscoped: {} });
    expect((await browser.ask("GET", "/session")).status).toBe(200);
    await administrate("PATCH", `/v3/users/${id}`, { user: { enabled: false } });
    expect((await browser.ask("GET", "/session")).status).toBe(401);
    expect((await forward("GET", "/v3/auth/projects")).status).toBe(401);
    expect((await browser.ask("PUT", "/session/scope", { body: { scope: "unscoped" } })).status).toBe(401);
  });

  it("is deleted some minutes after it expired", async () => {
    await browser.signIn();
    const sessions = createConsoleSessions({
      database: app.database,
      clock,
      pendingLogins: { seal: () => "", unseal: () => undefined },
      cookie: createConsoleCookie({ isSecure: false }),
    });
    const purge = () => purgeAll([{ name: "sessions", purge: () => sessions.purge() }], { log: console });
    now += LIFE_MS;
    await purge();
    expect(await sessionRows()).toHaveLength(1);
    now += 300_000;
    await purge();
    expect(await sessionRows()).toEqual([]);
  });

  it("is one of fifty of its user: the oldest ends", async () => {
    await browser.signIn();
    const masterKey = toMasterKey(Buffer.alloc(32, 7));
    const pendingLogins = createPendingLogins({ database: app.database, clock, masterKey });
    const cookie = createConsoleCookie({ isSecure: false });
    const sessions = createConsoleSessions({ database: app.database, clock, pendingLogins, cookie });
    const { user } = (await browser.ask("GET", "/session")).body.session as { user: { id: string } };
    for (let count = 0; count < 60; count++) {
      now += 1;
      const content = { kind: "token", text: `t${count}` } as const;
      const facts = { methods: ["password"], auditChainId: `chain${count}` };
      await sessions.begin({ userId: user.id, content, ...facts, expiresAt: now + LIFE_MS });
    }
    expect(await sessionRows()).toHaveLength(50);
    expect((await browser.ask("GET", "/session")).status).toBe(401);
  });

  it("asks for further factors, and keeps the receipt", async () => {
    const rules = [["password", "totp"]];
    const id = await createUser("ann", { options: { multi_factor_auth_rules: rules } });
    const blob = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await administrate("POST", "/v3/credentials", { credential: { user_id: id, type: "totp", blob } });
    const first = await browser.signIn(passwordOf("ann", "user-password"), { unscoped: {} });
    expect([first.status, first.body]).toEqual([
      401,
      { receipt: expect.objectContaining({ methods: ["password"] }), required_auth_methods: rules },
    ]);
    expect(first.headers).not.toHaveProperty("openstack-auth-receipt");
    expect((await browser.ask("GET", "/session")).body).toEqual(first.body);
    expect((await forward("GET", "/v3/auth/projects")).status).toBe(401);
    expect((await browser.ask("PUT", "/session/scope", { body: { scope: "unscoped" } })).status).toBe(401);
    const byCode = (passcode: string) => ({ methods: ["totp"], totp: { user: { id, passcode } } });
    expect((await browser.signIn(byCode("000000"), { unscoped: {} })).status).toBe(401);
    const code = codeAt(decodeTotpSecret(blob) as Buffer, Math.floor(now / 30_000));
    const last = await browser.signIn(byCode(code), { unscoped: {} });
    expect([last.status, last.body.session?.token.methods]).toEqual([200, ["password", "totp"]]);
  });

  it("begins anew with a password after another user's unfinished login", async () => {
    const rules = [["password", "totp"]];
    await createUser("ann", { options: { multi_factor_auth_rules: rules } });
    await browser.signIn(passwordOf("ann", "user-password"), { unscoped: {} });
    const { status, body } = await browser.signIn();
    expect([status, body.session.user.name]).toEqual([200, "admin"]);
    expect(await sessionRows()).toHaveLength(1);
  });

  it("changes its own expired password without a session, and then begins", async () => {
    await replicas.remove();
    await start({ IDENTITY_PASSWORD_EXPIRES_DAYS: "1" });
    const user = await createUser("new");
    now += 86_400_000;
    const refused = await browser.signIn(passwordOf("new", "user-password"), { unscoped: {} });
    const message = `The password is expired and needs to be changed for user: ${user}.`;
    expect([refused.status, refused.body]).toEqual([
      401,
      { error: { code: 401, title: "Unauthorized", message }, password_expired: { user_id: user } },
    ]);
    const change = { user: { original_password: "user-password", password: "another-password" } };
    expect((await forward("POST", `/v3/users/${user}/password`, { body: change })).status).toBe(204);
    const { status } = await browser.signIn(passwordOf("new", "another-password"), { unscoped: {} });
    expect(status).toBe(200);
  });

  it("asks the policy what its caller may do", async () => {
    const id = await createUser("kim");
    const checks = [
      { action: "identity:create_identity_provider" },
      { action: "identity:list_audit_events" },
      { action: "identity:get_user", target: { user: { id, domain_id: "default" } } },
      { action: "identity:get_user", target: { user: { id: "other", domain_id: "default" } } },
      { action: "identity:list_regions" },
    ];
    const asked = async () => (await browser.ask("POST", "/allowed", { body: { checks } })).body;
    await browser.signIn();
    expect(await asked()).toEqual({ allowed: [true, true, true, true, true] });
    await browser.signIn(passwordOf("kim", "user-password"), { unscoped: {} });
    expect(await asked()).toEqual({ allowed: [false, false, true, false, true] });
    const unknown = await browser.ask("POST", "/allowed", {
      body: { checks: [{ action: "identity:none" }] },
    });
    expect([unknown.status, unknown.body.error.message]).toEqual([
      400,
      expect.stringContaining('"identity:none" is not an action'),
    ]);
    await browser.ask("DELETE", "/session");
    expect((await browser.ask("POST", "/allowed", { body: { checks } })).status).toBe(401);
  });
});
