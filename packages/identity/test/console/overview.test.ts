/** The overview: replicas and their heartbeats, the database, keys, and how many logged in. */
import { hostname } from "node:os";

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
let replicas: TestReplicas;
let browser: ConsoleBrowser;
beforeAll(async () => {
  replicas = await testReplicas(databases, 2, { clock });
  browser = consoleBrowser(replicas.apps[0] as App);
  await browser.signIn();
}, 60_000);
afterAll(() => replicas.remove());

const database = () => (replicas.apps[0] as App).database;
const heartbeat = (worker = 0) =>
  createHeartbeat({ database: database(), clock, newId, version: "9.8.7", worker });
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
      });
    expect(shown.replicas.filter((each: { is_asked: boolean }) => each.is_asked)).toHaveLength(1);
    expect(shown.database).toEqual({
      kind: databases.name === "SQLite" ? "sqlite" : "postgres",
      version: expect.stringMatching(/^\d+\.\d+/),
      // The clock of the test is not that of the server.
      impairments: expect.toSatisfy((sentences: string[]) => sentences.every((each) => /clock/.test(each))),
    });
    expect(shown.keys).toEqual({
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

  it("keeps the two hundred last seen, however many were killed", async () => {
    const replica = { host: "h", worker: 0, version: "1", startedAt: now };
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

  it("is for administrators and readers of the system alone", async () => {
    const kim = consoleBrowser(replicas.apps[0] as App);
    expect((await kim.ask("GET", "/overview")).status).toBe(401);
    await browser.ask("POST", "/console/api/v3/users", {
      headers: { "x-console": "1", origin: "http://127.0.0.1:5900" },
      body: { user: { name: "kim", domain_id: "default", password: "kim-password" } },
    });
    await kim.signIn(passwordOf("kim", "kim-password"), { unscoped: {} });
    expect((await kim.ask("GET", "/overview")).status).toBe(403);
  });
});
