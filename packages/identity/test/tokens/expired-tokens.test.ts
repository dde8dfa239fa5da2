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

/** The token of a new user with a role on the project of the administrator. */
async function logInAs(role: string): Promise<string> {
  const { server } = service.app;
  const send = async (method: "GET" | "POST" | "PUT", url: string, payload?: object) =>
    server.inject({ method, url, headers: { "x-auth-token": present }, ...(payload && { payload }) });
  const projectId = (await send("GET", "/v3/projects?name=admin")).json().projects[0].id as string;
  const user = { name: `the ${role}`, password: "a password", domain_id: "default" };
  const { id } = (await send("POST", "/v3/users", { user })).json().user;
  const roleId = (await send("GET", `/v3/roles?name=${role}`)).json().roles[0].id as string;
  await send("PUT", `/v3/projects/${projectId}/users/${id}/roles/${roleId}`);
  const identity = { methods: ["password"], password: { user: { id, password: "a password" } } };
  const auth = { identity, scope: { project: { id: projectId } } };
  const answer = await server.inject({ method: "POST", url: "/v3/auth/tokens", payload: { auth } });
  return String(answer.headers["x-subject-token"]);
}

it("shows an expired token to services and its own user, and no other: they finish what the user began", async () => {
  const admin = present;
  present = await logInAs("service");
  expect(await ask("GET", "?allow_expired=1")).toBe(200);
  expect(await ask("GET", "")).toBe(404);
  present = admin;
  present = await logInAs("member");
  expect(await ask("GET", "?allow_expired=1")).toBe(403);
  expired = present;
  now += HOUR;
  expect(await ask("GET", "?allow_expired=1")).toBe(401);
});

it("does not show an expired token that was revoked, or whose user was disabled", async () => {
  const subject = await logInAs("member");
  const { server } = service.app;
  const revoked = present;
  const revocation = { "x-auth-token": present, "x-subject-token": revoked };
  const [user] = (
    await server.inject({ url: "/v3/users?name=the%20member", headers: { "x-auth-token": present } })
  ).json().users;
  const url = `/v3/users/${user.id}`;
  const payload = { user: { enabled: false } };
  await server.inject({ method: "PATCH", url, headers: { "x-auth-token": present }, payload });
  await server.inject({ method: "DELETE", url: "/v3/auth/tokens", headers: revocation });
  now += HOUR;
  present = await logIn();
  for (const token of [subject, revoked]) {
    expired = token;
    expect(await ask("GET", "?allow_expired=1")).toBe(404);
  }
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
