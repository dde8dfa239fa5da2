/** Guesses at passwords, by whatever way in, are limited. */
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
  service = await testApp(sqliteDatabases, { IDENTITY_RATE_LIMIT: "on" }, { log, clock });
  adminId = (await logIn(BY_NAME, ADMIN_PASSWORD)).json<{ token: { user: { id: string } } }>().token.user.id;
});
afterEach(() => service.remove());

const BY_NAME = { name: "admin", domain: { name: "Default" } };
const NAMES = [BY_NAME, { name: "admin", domain: { id: "default" } }];
const NOBODY = [
  { name: "nobody", domain: { name: "Default" } },
  { name: "nobody", domain: { id: "default" } },
];

function logIn(user: object, password: string, headers: Record<string, string> = {}) {
  const identity = { methods: ["password"], password: { user: { ...user, password } } };
  const payload = { auth: { identity } };
  return service.app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload, headers });
}

function change(password: string) {
  const payload = { user: { original_password: password, password: "another" } };
  return service.app.server.inject({ method: "POST", url: `/v3/users/${adminId}/password`, payload });
}

describe("guesses at a password", () => {
  it("are one account's, in whatever way it is named, and whether it is there or not", async () => {
    for (const names of [[...NAMES, { id: adminId }], NOBODY]) {
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

  it("are limited too where a password is changed", async () => {
    for (let guess = 0; guess < 10; guess++) expect((await change("wrong")).statusCode).toBe(401);
    expect((await change(ADMIN_PASSWORD)).statusCode).toBe(429);
    expect((await logIn(BY_NAME, ADMIN_PASSWORD)).statusCode).toBe(429);
  });

  it("come from where they come from, whatever X-Forwarded-For says", async () => {
    const attempts = Array.from({ length: 120 }, (_, number) =>
      logIn({ id: `user-${number}` }, "wrong", { "x-forwarded-for": `192.0.2.${number}` }),
    );
    const statuses = (await Promise.all(attempts)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5);
  });

  it("cost nothing that were good", async () => {
    for (let login = 0; login < 15; login++)
      expect((await logIn(BY_NAME, ADMIN_PASSWORD)).statusCode).toBe(201);
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
