/** The overview: replicas and their heartbeats, the database, keys, and how many logged in. */
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { createHeartbeat } from "../../src/console/overview/heartbeat.js";
import { listLoginCounts, listReplicas, putReplica } from "../../src/console/overview/replica-store.js";
import { newId } from "../../src/platform/ids.js";
import { createLog } from "../../src/platform/log.js";
import type { AuditEvent } from "../../src/policy/audit.js";
import { databases } from "../databases.js";
import { testReplicas, type TestReplicas } from "../test-app.js";
import { consoleBrowser, passwordOf, type ConsoleBrowser } from "./console-browser.js";

const HOUR_MS = 3_600_000;
const silent = createLog("silent", { write: () => {} });

let now = Date.UTC(2026, 10, 23, 12, 30);
const clock = { now: () => now };
/** Of the doctor. */
let runs = 0;
let replicas: TestReplicas;
let browser: ConsoleBrowser;
beforeAll(async () => {
  const examine = async function* () {
    runs++;
    await delay(50);
    yield { state: "warning", subject: "clock", text: "it is late: synchronize it" } as const;
  };
  replicas = await testReplicas(databases, 2, { clock, examine });
  browser = consoleBrowser(replicas.apps[0] as App);
  await browser.signIn();
}, 60_000);
afterAll(() => replicas.remove());

const database = () => (replicas.apps[0] as App).database;
const heartbeat = (worker = 0, impairments: readonly string[] = []) =>
  createHeartbeat({
    database: database(),
    clock,
    newId,
    version: "9.8.7",
    worker,
    impairments: async () => impairments,
    masterKeys: { keyIds: () => ["a1"], onKey: () => {} },
  });
const overview = async () => (await browser.ask("GET", "/overview")).body;

describe(`the overview on ${databases.name}`, () => {
  it("shows the replicas, the database and the keys", async () => {
    const shown = await overview();
    expect(shown.replicas).toHaveLength(2);
    for (const each of shown.replicas)
      expect(each).toEqual({
        id: expect.stringMatching(/^[\da-f]{32}$/),
        host: hostname(),
        worker: 0,
        version: shown.version,
        started_at: "2026-11-23T12:30:00.000000Z",
        seen_at: "2026-11-23T12:30:00.000000Z",
        is_alive: true,
        is_asked: expect.any(Boolean),
        impairments: expect.any(Array),
      });
    expect(shown.replicas.filter((each: { is_asked: boolean }) => each.is_asked)).toHaveLength(1);
    expect(shown.database).toEqual({
      kind: databases.name === "SQLite" ? "sqlite" : "postgres",
      version: expect.stringMatching(/^\d+\.\d+/),
      // The clock of the test is not that of the server.
      impairments: expect.toSatisfy((sentences: string[]) => sentences.every((each) => /clock/.test(each))),
    });
    expect(shown.problems).toEqual([]);
    expect(shown.keys).toEqual({
      master: {
        id: expect.stringMatching(/^[\da-f]{8,}$/),
        in_force_id: shown.keys.master.id,
        is_in_force: true,
        file: null,
        source: { kind: "environment", wrapping_key: null, answered_at: null, fault: null },
      },
      signing: [2, 1].map((number) => ({ number, created_at: "2026-11-23T12:30:00.000000Z" })),
      rotation_days: 30,
      saml: [],
    });
    expect(shown.audit_trail).toEqual({ days: 0 });
    expect(JSON.stringify(shown)).not.toMatch(/sealed|gAAAAA/);
  });

  it("tells a silent process from one that is alive, forgets it after a day, and one that stopped at once", async () => {
    const stop = await heartbeat(3).start(silent);
    const before = now;
    now += 10 * 60_000;
    const statesOf = async () =>
      (await overview()).replicas.map((each: { worker: number; is_alive: boolean }) => [
        each.worker,
        each.is_alive,
      ]);
    expect(await statesOf()).toContainEqual([3, false]);
    await stop();
    expect((await statesOf()).flat()).not.toContain(3);
    const stopAnother = await heartbeat(4).start(silent);
    now += 25 * HOUR_MS;
    const stopThird = await heartbeat(5).start(silent);
    expect((await listReplicas(database())).map(({ worker }) => worker)).toEqual([5]);
    await stopThird();
    await stopAnother();
    now = before;
  });

  it("shows what each process can't do, as its last heartbeat said", async () => {
    const stop = await heartbeat(6, ["The clock is 90 s ahead."]).start(silent);
    const { replicas: shown } = await overview();
    expect(
      shown.flatMap((each: { worker: number; impairments: string[] }) =>
        each.worker === 6 ? each.impairments : [],
      ),
    ).toEqual(["The clock is 90 s ahead."]);
    await stop();
  });

  it("keeps the two hundred last seen, however many were killed", async () => {
    const replica = { host: "h", worker: 0, version: "1", startedAt: now, impairments: [], masterKeys: [] };
    for (let index = 0; index < 210; index++)
      await database().transaction(
        (transaction) => putReplica(transaction, { ...replica, id: `r${index}`, seenAt: now + index }, 0),
        { changes: [] },
      );
    const kept = await listReplicas(database());
    expect([kept.length, kept[0]?.id]).toEqual([200, "r209"]);
  });

  it("counts logins of all processes by hour and outcome, for seven days", async () => {
    const event = (outcome: AuditEvent["outcome"], more: Partial<AuditEvent> = {}): AuditEvent => ({
      action: "authenticate",
      target: {},
      outcome,
      user: outcome === "done" ? "u" : undefined,
      status: 0,
      request: "r",
      from: "a",
      ...more,
    });
    const countedFrom = now - 8 * 24 * HOUR_MS;
    const at = now;
    now = countedFrom;
    const stopOld = await (async () => {
      const old = heartbeat();
      old.record(event("done"));
      return old.start(silent);
    })();
    await stopOld();
    expect(await listLoginCounts(database(), 0)).toContainEqual(
      expect.objectContaining({ outcome: "done", count: 1 }),
    );
    now = at;
    const both = [heartbeat(1), heartbeat(2)];
    for (const each of both) {
      each.record(event("done"));
      each.record(event("refused"));
      each.record(event("refused"));
      // A browser that is sent to its provider, and what is no login.
      each.record(event("done", { user: undefined }));
      each.record(event("done", { action: "identity:create_user" }));
    }
    const stops = await Promise.all(both.map((each) => each.start(silent)));
    both[0]?.record(event("failed"));
    for (const stop of stops) await stop();
    expect((await overview()).logins.hours).toEqual([
      { hour: "2026-11-23T12:00:00.000000Z", done: 2, refused: 4, failed: 1 },
    ]);
  });

  it("runs the doctor once for all who ask at a time", async () => {
    const other = consoleBrowser(replicas.apps[0] as App);
    await other.signIn();
    const reports = await Promise.all(
      [browser, other].map(async (each) => (await each.ask("POST", "/doctor")).body),
    );
    expect(runs).toBe(1);
    for (const report of reports)
      expect(report).toEqual({
        checked_at: "2026-11-23T12:30:00.000000Z",
        findings: [{ state: "warning", subject: "clock", text: "it is late: synchronize it" }],
      });
  });

  it("is for administrators and readers of the system alone", async () => {
    const kim = consoleBrowser(replicas.apps[0] as App);
    expect((await kim.ask("GET", "/overview")).status).toBe(401);
    await browser.ask("POST", "/console/api/v3/users", {
      headers: { "x-console": "1", origin: "http://127.0.0.1:5900" },
      body: { user: { name: "kim", domain_id: "default", password: "kim-password" } },
    });
    await kim.signIn(passwordOf("kim", "kim-password"), { unscoped: {} });
    expect((await kim.ask("GET", "/overview")).status).toBe(403);
    expect((await kim.ask("POST", "/doctor")).status).toBe(403);
    expect(runs).toBe(1);
  });

  it("counts the failed logins of the last hour by reason", async () => {
    const fail = (name: string) =>
      consoleBrowser(replicas.apps[0] as App).signIn(passwordOf(name, "wrong-password"));
    expect(await fail("admin")).toMatchObject({ status: 401 });
    now += 2 * HOUR_MS;
    // The other session has expired.
    await browser.signIn();
    for (const name of ["admin", "admin", "nobody"]) expect(await fail(name)).toMatchObject({ status: 401 });
    await expect
      .poll(async () => (await overview()).logins.failed_last_hour, { timeout: 5000 })
      .toEqual([
        { code: "password-wrong", reason: "wrong password", count: 2 },
        { code: "user-unknown", reason: "the user does not exist", count: 1 },
      ]);
  });
});
