/** Password guesses are limited on every login path. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createLog } from "../../src/platform/log.js";
import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

/** Nothing comes back with time: it stands still. */
const clock = { now: () => Date.parse("2026-11-21T12:00:00Z") };

let service: TestApp;
let written: string[];
let adminId: string;
beforeEach(async () => {
  written = [];
  const log = createLog("info", { write: (line) => void written.push(line) });
  const env = { IDENTITY_RATE_LIMIT: "on", IDENTITY_LOGIN_NETWORK_FAILURES: "25" };
  service = await testApp(sqliteDatabases, env, { log, clock });
  adminId = (await logIn(BY_NAME, ADMIN_PASSWORD)).json<{ token: { user: { id: string } } }>().token.user.id;
});
afterEach(() => service.remove());

const BY_NAME = { name: "admin", domain: { name: "Default" } };
const NAMES = [BY_NAME, { name: "admin", domain: { id: "default" } }];
const UNKNOWN_USER = [
  { name: "unknown", domain: { name: "Default" } },
  { name: "unknown", domain: { id: "default" } },
];

function logIn(
  user: object,
  password: string,
  { from = "127.0.0.1", headers = {} }: { from?: string; headers?: Record<string, string> } = {},
) {
  const identity = { methods: ["password"], password: { user: { ...user, password } } };
  const payload = { auth: { identity } };
  const url = "/v3/auth/tokens";
  return service.app.server.inject({ method: "POST", url, payload, headers, remoteAddress: from });
}

const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  service.app.server.inject({ method: "POST", url, payload, headers, remoteAddress: "127.0.0.1" });

/** Lines of the log about limits. */
const reports = () =>
  written.flatMap((line) => (JSON.parse(line) as { loginLimit?: object }).loginLimit ?? []);

function change(password: string) {
  const payload = { user: { original_password: password, password: "another" } };
  return service.app.server.inject({ method: "POST", url: `/v3/users/${adminId}/password`, payload });
}

describe("guesses at a password", () => {
  it("count for one account, however it is named, and whether it exists or not", async () => {
    for (const names of [[...NAMES, { id: adminId }], UNKNOWN_USER]) {
      for (let guess = 0; guess < 10; guess++) {
        const name = names[guess % names.length] as object;
        expect((await logIn(name, "wrong")).statusCode).toBe(401);
      }
      for (const name of names) {
        const answer = await logIn(name, ADMIN_PASSWORD);
        expect(answer.statusCode).toBe(429);
        expect(answer.headers["retry-after"]).toBe("90");
      }
    }
  });

  it("are limited for the secret of an application credential, apart from its user's password", async () => {
    const scope = { project: { name: "admin", domain: { id: "default" } } };
    const identity = { methods: ["password"], password: { user: { ...BY_NAME, password: ADMIN_PASSWORD } } };
    const { headers } = await post("/v3/auth/tokens", { auth: { identity, scope } });
    const made = await post(
      `/v3/users/${adminId}/application_credentials`,
      { application_credential: { name: "robot" } },
      { "x-auth-token": String(headers["x-subject-token"]) },
    );
    const { id, secret } = made.json<{ application_credential: { id: string; secret: string } }>()
      .application_credential;
    const logInBy = (application_credential: object) =>
      post("/v3/auth/tokens", {
        auth: { identity: { methods: ["application_credential"], application_credential } },
      });
    for (let guess = 0; guess < 10; guess++) {
      const name = guess % 2 === 0 ? { id } : { name: "robot", user: BY_NAME };
      expect((await logInBy({ ...name, secret: "wrong" })).statusCode).toBe(401);
    }
    expect((await logInBy({ id, secret })).statusCode).toBe(429);
    expect((await logIn(BY_NAME, ADMIN_PASSWORD)).statusCode).toBe(201);
  });

  it("are limited too where a password is changed", async () => {
    for (let guess = 0; guess < 10; guess++) expect((await change("wrong")).statusCode).toBe(401);
    expect((await change(ADMIN_PASSWORD)).statusCode).toBe(429);
    expect((await logIn(BY_NAME, ADMIN_PASSWORD)).statusCode).toBe(429);
  });

  it("count for the connection's address, whatever X-Forwarded-For an untrusted client sends", async () => {
    const attempts = Array.from({ length: 40 }, (_, number) =>
      logIn({ id: `user-${number}` }, "wrong", { headers: { "x-forwarded-for": `192.0.2.${number}` } }),
    );
    const statuses = (await Promise.all(attempts)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  it("cost nothing that were good", async () => {
    for (let login = 0; login < 15; login++)
      expect((await logIn(BY_NAME, ADMIN_PASSWORD)).statusCode).toBe(201);
  });

  it("from one address keep the right password out at no other address", async () => {
    for (let guess = 0; guess < 15; guess++)
      expect((await logIn(BY_NAME, "wrong", { from: "192.0.2.66" })).statusCode).toBe(guess < 10 ? 401 : 429);
    expect((await logIn(BY_NAME, ADMIN_PASSWORD, { from: "192.0.2.7" })).statusCode).toBe(201);
    expect((await logIn(BY_NAME, ADMIN_PASSWORD, { from: "2001:db8::7" })).statusCode).toBe(201);
  });

  it("count for the client's address behind a trusted proxy", async () => {
    await service.remove();
    service = await testApp(
      sqliteDatabases,
      { IDENTITY_RATE_LIMIT: "on", IDENTITY_TRUSTED_PROXIES: "192.0.2.1" },
      { clock },
    );
    const by = (client: string, password: string) =>
      logIn(BY_NAME, password, { from: "192.0.2.1", headers: { "x-forwarded-for": client } });
    for (let guess = 0; guess < 11; guess++) await by("2001:db8:0:ff::66", "wrong");
    expect((await by("2001:db8:0:1::1", ADMIN_PASSWORD)).statusCode).toBe(429);
    expect((await by("2001:db8:0:100::1", ADMIN_PASSWORD)).statusCode).toBe(201);
  });

  it("don't reveal by the limit of a locked or disabled account that a password was right", async () => {
    await service.remove();
    service = await testApp(
      sqliteDatabases,
      { IDENTITY_RATE_LIMIT: "on", IDENTITY_LOCKOUT_ATTEMPTS: "3" },
      { clock },
    );
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++)
      statuses.push((await logIn(BY_NAME, guess < 3 ? "wrong" : ADMIN_PASSWORD)).statusCode);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it("that are refused leave one line in the log for each limit, and are counted", async () => {
    for (let guess = 0; guess < 30; guess++) {
      await logIn(BY_NAME, "wrong", { from: "192.0.2.66" });
      await logIn(UNKNOWN_USER[0] as object, "wrong", { from: "192.0.2.66" });
    }
    const facts = { limit: "account and network", network: "192.0.2.66", retryAfterSeconds: 90 };
    expect(reports()).toEqual([
      { ...facts, subject: adminId },
      { ...facts, subject: "unknown account" },
    ]);
    const { body } = await service.app.server.inject("/metrics");
    expect(body).toContain('login_attempts_refused_total{limit="account and network"} 40');
    expect(body).toContain("login_attempts_waiting 0");
    expect(body).toMatch(/^login_attempts_waited_total 0$/m);
  });
});

it("records who changed a password, and who tried", async () => {
  await change("wrong");
  await change(ADMIN_PASSWORD);
  const records = written.flatMap((line) => (JSON.parse(line) as { audit?: object }).audit ?? []);
  const record = { action: "change_password", target: { user_id: adminId }, from: "127.0.0.1" };
  expect(records).toMatchObject([
    { action: "authenticate" },
    { ...record, outcome: "refused", status: 401 },
    { ...record, outcome: "done", status: 204 },
  ]);
  expect(written.join("")).not.toContain(ADMIN_PASSWORD);
});
