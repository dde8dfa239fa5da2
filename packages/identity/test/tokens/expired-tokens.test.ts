import { afterEach, beforeEach, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

const HOUR = 3_600_000;

let service: TestApp;
let now: number;
let expired: string;
let present: string;
beforeEach(async () => {
  now = Date.parse("2026-11-21T12:00:00Z");
  service = await testApp(sqliteDatabases, {}, { clock: { now: () => now } });
  expired = await logIn();
  now += HOUR;
  present = await logIn();
});
afterEach(() => service.remove());

async function logIn(): Promise<string> {
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const auth = { identity: { methods: ["password"], password: { user } }, scope: { system: { all: true } } };
  const answer = await service.app.server.inject({
    method: "POST",
    url: "/v3/auth/tokens",
    payload: { auth },
  });
  return String(answer.headers["x-subject-token"]);
}

async function ask(method: "GET" | "HEAD" | "DELETE", query: string): Promise<number> {
  const headers = { "x-auth-token": present, "x-subject-token": expired };
  return (await service.app.server.inject({ method, url: `/v3/auth/tokens${query}`, headers })).statusCode;
}

it("shows an expired token to who asks for it in so many words, for two days", async () => {
  for (const yes of ["1", "true", "True", "yes"]) expect(await ask("GET", `?allow_expired=${yes}`)).toBe(200);
  for (const no of ["", "?allow_expired", "?allow_expired=0", "?allow_expired=false"])
    expect(await ask("HEAD", no)).toBe(404);
  now += 48 * HOUR - 1000;
  present = await logIn();
  expect(await ask("GET", "?allow_expired=1")).toBe(200);
  now += 1000;
  expect(await ask("GET", "?allow_expired=1")).toBe(404);
});

it("rejects every request with an expired token", async () => {
  const { server } = service.app;
  expect(await ask("DELETE", "?allow_expired=1")).toBe(404);
  for (const url of ["/v3/users", "/v3/users?allow_expired=1", "/v3/auth/tokens?allow_expired=1"]) {
    const headers = { "x-auth-token": expired, "x-subject-token": expired };
    expect((await server.inject({ url, headers })).statusCode).toBe(401);
  }
  const auth = { identity: { methods: ["token"], token: { id: expired } } };
  const url = "/v3/auth/tokens?allow_expired=1";
  expect((await server.inject({ method: "POST", url, payload: { auth } })).statusCode).toBe(404);
});
