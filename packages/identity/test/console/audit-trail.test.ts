/** The audit trail in the database, and its list in the console. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { createAuditTrail } from "../../src/console/audit/audit-trail.js";
import { createLog } from "../../src/platform/log.js";
import { purgeAll } from "../../src/platform/purge-schedule.js";
import type { AuditEvent } from "../../src/policy/audit.js";
import { databases } from "../databases.js";
import { testReplicas, type TestReplicas } from "../test-app.js";
import { PUBLIC_URL } from "../test-server.js";
import { consoleBrowser, passwordOf, type ConsoleBrowser } from "./console-browser.js";

const DAY_MS = 86_400_000;
const PAGE = { "x-console": "1", origin: PUBLIC_URL };
const silent = createLog("silent", { write: () => {} });

interface Tables {
  readonly audit_event: { id: string; request_id: string };
  readonly audit_target: { value: string; event_id: string };
}

let now = Date.UTC(2026, 10, 23, 12);
const logged: AuditEvent[] = [];
let replicas: TestReplicas;
let browser: ConsoleBrowser;
beforeAll(async () => {
  const log = createLog("info", {
    write(line: string) {
      const { audit } = JSON.parse(line) as { readonly audit?: AuditEvent };
      if (audit !== undefined) logged.push(audit);
    },
  });
  const env = { IDENTITY_AUDIT_TRAIL_DAYS: "30" };
  replicas = await testReplicas(databases, 2, { env, log, clock: { now: () => now } });
  browser = consoleBrowser(replicas.apps[0] as App);
  await browser.signIn();
}, 60_000);
afterAll(() => replicas.remove());

const database = () => (replicas.apps[0] as App).database;
const count = async () =>
  (await database().tables<Tables>().selectFrom("audit_event").select("id").execute()).length;
const change = (method: string, path: string, body?: object) =>
  browser.ask(method, `/console/api/v3${path}`, { headers: PAGE, body });

interface ShownEvent {
  readonly id: string;
  readonly action: string;
  readonly request_id: string;
  readonly [member: string]: unknown;
}

const list = async (query = ""): Promise<{ events: ShownEvent[]; next: string | null }> =>
  (await browser.ask("GET", `/audit${query}`)).body;
/** Events are written within a second. */
async function written(expected: number): Promise<void> {
  await expect.poll(count, { timeout: 10_000 }).toBe(expected);
}

describe(`the audit trail on ${databases.name}`, () => {
  it("has what the log has, of all replicas, the newest first", async () => {
    now += 1000;
    await change("POST", "/regions", { region: { id: "north" } });
    now += 1000;
    await change("PATCH", "/regions/none", { region: { description: "x" } });
    now += 1000;
    await consoleBrowser(replicas.apps[1] as App).signIn(passwordOf("admin", "wrong"));
    await written(logged.length);
    const { events, next } = await list();
    expect(next).toBeNull();
    expect(events.map(({ request_id: id }) => id)).toEqual(logged.map(({ request }) => request).toReversed());
    const [refused, failed, created] = events;
    expect(refused).toMatchObject({
      action: "authenticate",
      outcome: "refused",
      status: 401,
      // Of the account that was tried.
      user_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      user: { name: "admin", domain: "Default" },
      scope: null,
      target: { user: "admin", domain_id: "default" },
    });
    expect(failed).toMatchObject({
      action: "identity:update_region",
      outcome: "failed",
      status: 404,
      target: { region_id: "none" },
      scope: { system: { all: true } },
      address: "127.0.0.1",
    });
    expect(created).toMatchObject({
      at: "2026-11-23T12:00:01.000000Z",
      action: "identity:create_region",
      status: 201,
    });
  });

  it("is filtered by each fact of an event", async () => {
    const { events } = await list();
    const actionsOf = async (query: string) => (await list(query)).events.map(({ action }) => action);
    expect(await actionsOf("?outcome=refused")).toEqual(["authenticate"]);
    expect(await actionsOf("?action=identity:create_region")).toEqual(["identity:create_region"]);
    expect(await actionsOf("?target=none")).toEqual(["identity:update_region"]);
    expect(await actionsOf(`?request_id=${events[1]?.request_id}`)).toEqual(["identity:update_region"]);
    expect(await actionsOf(`?user_id=${String(events[1]?.["user_id"])}&outcome=failed`)).toEqual([
      "identity:update_region",
    ]);
    expect(await actionsOf("?address=10.0.0.1")).toEqual([]);
    expect(await actionsOf("?since=2026-11-23T12:00:02Z&until=2026-11-23T12:00:03Z")).toEqual([
      "identity:update_region",
    ]);
    expect(await actionsOf("?user_id=%25")).toEqual([]);
  });

  it("is read in pages", async () => {
    const all = (await list()).events.map(({ id }) => id);
    const seen: string[] = [];
    let query = "?limit=1";
    for (let pages = 0; pages < 20; pages++) {
      const { events, next } = await list(query);
      seen.push(...events.map(({ id }) => id));
      if (next === null) break;
      query = `?limit=1&marker=${next}`;
    }
    expect(seen).toEqual(all);
  });

  it.each([
    ["?limit=0", 'limit: "0", expected a whole number from 1 to 500'],
    ["?limit=501", "limit"],
    ["?since=yesterday", 'since: "yesterday", expected a time'],
    ["?outcome=good", "outcome"],
  ])("rejects %s", async (query, message) => {
    const { status, body } = await browser.ask("GET", `/audit${query}`);
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
  });

  it("is for administrators and readers of the system alone", async () => {
    await change("POST", "/users", { user: { name: "kim", domain_id: "default", password: "kim-password" } });
    const kim = consoleBrowser(replicas.apps[0] as App);
    expect((await kim.ask("GET", "/audit")).status).toBe(401);
    await kim.signIn(passwordOf("kim", "kim-password"), { unscoped: {} });
    expect((await kim.ask("GET", "/audit")).status).toBe(403);
  });

  it("has logins, changes of the scope and logouts of the console", async () => {
    const own = consoleBrowser(replicas.apps[0] as App);
    now += 60_000;
    const { body } = await own.signIn();
    now += 1000;
    await own.ask("PUT", "/session/scope", { body: { scope: "unscoped" } });
    now += 1000;
    await own.ask("DELETE", "/session");
    await written(logged.length);
    const { events } = await list("?limit=3");
    expect(events.map(({ action, outcome, user_id: user }) => [action, outcome, user])).toEqual([
      ["logout", "done", body.session.user.id],
      ["authenticate", "done", body.session.user.id],
      ["authenticate", "done", body.session.user.id],
    ]);
  });

  it("names the users that exist, with their domains; deleted ones keep their id", async () => {
    const { body } = await change("POST", "/users", {
      user: { name: "eve", domain_id: "default", password: "eve-password" },
    });
    const { id } = body.user;
    now += 1000;
    await consoleBrowser(replicas.apps[0] as App).signIn(passwordOf("eve", "eve-password"), { unscoped: {} });
    await written(logged.length);
    const [login] = (await list(`?user_id=${id}`)).events;
    expect(login).toMatchObject({ user_id: id, user: { name: "eve", domain: "Default" } });
    await change("DELETE", `/users/${id}`);
    expect((await list(`?user_id=${id}`)).events).toMatchObject([{ user_id: id, user: null }]);
  });

  it("has the item of a change by kind and name, and its values before and after, without those that may be secret", async () => {
    now += 1000;
    const { body } = await change("POST", "/users", { user: { name: "=lou", domain_id: "default" } });
    const { id } = body.user;
    now += 1000;
    const facts = {
      description: "night shift",
      enabled: true,
      password: "lou-password",
      pin: "lou-password",
    };
    await change("PATCH", `/users/${id}`, { user: { ...facts, name: "=lou" } });
    now += 1000;
    const { body: none } = await change("GET", "/groups");
    expect(none.groups).toBeDefined();
    await change("DELETE", `/users/${id}`);
    await written(logged.length);
    const { events } = await list(`?target=${id}`);
    const item = { kind: "user", id, name: "=lou" };
    expect(events).toMatchObject([
      { action: "identity:delete_user", item, changes: null },
      {
        action: "identity:update_user",
        item,
        changes: { description: { before: null, after: "night shift" }, password: {}, pin: {} },
      },
      { action: "identity:create_user", item },
    ]);
    expect(Object.keys(events[1]?.["changes"] as object)).not.toContain("enabled");
    expect((await list("?target=%3Dlou")).events).toHaveLength(3);
  });

  it("is exported whole, as JSON lines and as CSV without formulas, by those who may read it", async () => {
    const { events } = await list("?limit=500");
    const lines = await browser.ask("GET", "/audit/export?format=jsonl");
    expect(lines.headers["content-disposition"]).toBe('attachment; filename="audit.jsonl"');
    const exported = lines.text.trimEnd().split("\n");
    expect(exported.map((line) => JSON.parse(line) as object)).toEqual(events);
    const { text } = await browser.ask(
      "GET",
      "/audit/export?format=csv&target=%3Dlou&action=identity:delete_user",
    );
    const [heading, row, ...others] = text.split("\r\n");
    expect(heading).toMatch(
      /^at,action,outcome,status,user_id,user,user_domain,address,request_id,scope,item_kind,/,
    );
    expect(row).toContain(",user,");
    expect(row).toContain(",'=lou,");
    expect(others).toEqual([""]);
    const kim = consoleBrowser(replicas.apps[0] as App);
    await kim.signIn(passwordOf("kim", "kim-password"), { unscoped: {} });
    expect((await kim.ask("GET", "/audit/export?format=csv")).status).toBe(403);
    expect((await browser.ask("GET", "/audit/export?format=xml")).status).toBe(400);
  });

  it("has no secret", async () => {
    await written(logged.length);
    const text = JSON.stringify((await list("?limit=500")).events) + JSON.stringify(logged);
    expect(text).not.toMatch(/kim-password|eve-password|lou-password|adminpw|gAAAAA/);
  });

  it("has at once what was just done at this replica", async () => {
    for (let round = 0; round < 5; round++) {
      now += 1000;
      await change("PATCH", `/regions/at-once-${round}`, { region: { description: "x" } });
      const { events } = await list(`?target=at-once-${round}`);
      expect(events.map(({ action }) => action)).toEqual(["identity:update_region"]);
    }
  });
});

describe(`the bounds of the audit trail on ${databases.name}`, () => {
  const event = (number: number): AuditEvent => ({
    action: "authenticate",
    target: { user: `user ${number}` },
    outcome: "refused",
    status: 401,
    request: `req-${number}`,
    from: "127.0.0.1",
  });
  let ids = 0;
  const trailOf = (options: { readonly days?: number; readonly maxEvents?: number } = {}, of = database()) =>
    createAuditTrail({
      database: of,
      clock: { now: () => now },
      newId: () => `${(ids += 1)}`.padStart(8, "0"),
      days: 30,
      maxEvents: 1000,
      ...options,
    });

  it("are its age and its number: the oldest are deleted", async () => {
    await database().tables<Tables>().deleteFrom("audit_event").execute();
    const trail = trailOf({ maxEvents: 250 });
    const stop = trail.start(silent);
    trail.record(event(0));
    now += 31 * DAY_MS;
    for (let number = 1; number <= 300; number++) trail.record(event(number));
    await stop();
    expect(await count()).toBe(301);
    await purgeAll([{ name: "audit", purge: () => trail.purge() }], { log: silent });
    const rows = await database().tables<Tables>().selectFrom("audit_event").select("request_id").execute();
    expect(new Set(rows.map(({ request_id: id }) => id))).toEqual(
      new Set(Array.from({ length: 250 }, (_, index) => `req-${index + 51}`)),
    );
    expect(
      await database().tables<Tables>().selectFrom("audit_target").select("value").execute(),
    ).toHaveLength(250);
    await purgeAll([{ name: "audit", purge: () => trailOf().purge() }], { log: silent });
    expect(await count()).toBe(250);
  });

  it("are what waits: a flood while the database does not answer is counted, and the rest is written later", async () => {
    await database().tables<Tables>().deleteFrom("audit_event").execute();
    let isDown = true;
    const lines: Record<string, unknown>[] = [];
    const log = createLog("info", {
      write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    });
    const failing = {
      ...database(),
      transaction: ((work, options) =>
        isDown
          ? Promise.reject(new Error("no database"))
          : database().transaction(work, options)) as App["database"]["transaction"],
    };
    const trail = trailOf({}, failing);
    const stop = trail.start(log);
    for (let number = 0; number < 10_100; number++) trail.record(event(number));
    await expect.poll(() => lines.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
    expect(lines).toContainEqual(expect.objectContaining({ msg: expect.stringContaining("no database") }));
    expect(lines).toContainEqual(expect.objectContaining({ dropped: 100 }));
    isDown = false;
    await stop();
    expect(await count()).toBe(10_000);
  }, 60_000);

  it("are none without the setting: the list says so", async () => {
    const without = await testReplicas(databases, 1);
    const asked = consoleBrowser(without.apps[0] as App);
    await asked.signIn();
    expect((await asked.ask("GET", "/audit")).body).toEqual({ is_kept: false, events: [], next: null });
    const rows = await (without.apps[0] as App).database
      .tables<Tables>()
      .selectFrom("audit_event")
      .select("id")
      .execute();
    expect(rows).toEqual([]);
    await without.remove();
  });
});
