/** Sessions of users: what is listed, how they end, and who may; resets of passwords and one-time codes by administrators. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { consoleBrowser, passwordOf } from "../console/console-browser.js";
import { databases } from "../databases.js";
import {
  passkeyService,
  PASSWORD,
  PUBLIC_URL,
  type PasskeyTestService,
  type PasskeyUser,
} from "../passkeys/passkey-service.js";

const PAGE = { "x-console": "1", origin: PUBLIC_URL };
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let service: PasskeyTestService;
beforeAll(async () => {
  service = await passkeyService(databases, { replicas: 2 });
});
afterAll(() => service.remove());

async function browserOf({ name }: PasskeyUser, userAgent = FIREFOX, password = PASSWORD) {
  const browser = consoleBrowser(service.replicas.apps[0] as App, PUBLIC_URL);
  const { status } = await browser.signIn(passwordOf(name, password), { unscoped: {} });
  const ask = (method: string, path: string) =>
    browser.ask(method, `/console/api/v3${path}`, { headers: { ...PAGE, "user-agent": userAgent } });
  return {
    status,
    ask,
    isSignedIn: async () =>
      (await browser.ask("GET", "/session", { headers: { "user-agent": userAgent } })).status === 200,
  };
}

const asAdmin = (method: string, path: string, body?: object) =>
  service.ask(method, path, { token: service.admin, body });
const pathOf = (id: string, ...more: string[]) => ["/v3/users", id, "sessions", ...more].join("/");
const works = async ({ id }: PasskeyUser, token: string) =>
  (await service.ask("GET", pathOf(id), { token, replica: 1 })).status === 200;

describe(`sessions on ${databases.name}`, () => {
  it("are listed with device, methods and times, and the list says what it lacks", async () => {
    const user = await service.addUser();
    const browser = await browserOf(user);
    const { status, body } = await browser.ask("GET", `/users/${user.id}/sessions`);
    expect(status).toBe(200);
    expect(body).toEqual({
      sessions: [
        {
          id: expect.stringMatching(/^[\w-]{43}$/) as string,
          kind: "console",
          methods: ["password"],
          identity_provider_id: null,
          protocol_id: null,
          device: "Firefox on Linux",
          user_agent: FIREFOX,
          address: "127.0.0.1",
          begun_at: expect.any(String) as string,
          last_used_at: expect.any(String) as string,
          expires_at: expect.any(String) as string,
          is_current: true,
        },
      ],
      not_listed: ["token"],
    });
    expect(JSON.stringify(body)).not.toContain("sealed");
  });

  it("note their last use within minutes, not with each request", async () => {
    const user = await service.addUser();
    const browser = await browserOf(user);
    const lastUse = async () =>
      Date.parse((await browser.ask("GET", `/users/${user.id}/sessions`)).body.sessions[0].last_used_at);
    const first = await lastUse();
    service.time.now += 299_000;
    expect(await lastUse()).toBe(first);
    service.time.now += 2000;
    expect((await lastUse()) - first).toBeGreaterThanOrEqual(300_000);
  });

  it("end one by one: the others and tokens of other logins go on", async () => {
    const user = await service.addUser();
    const [one, other] = [await browserOf(user), await browserOf(user, "curl/8.14.1")];
    await one.ask("GET", `/users/${user.id}/sessions`);
    const { sessions } = (await other.ask("GET", `/users/${user.id}/sessions`)).body;
    const first = sessions.find(({ is_current: isCurrent }: { is_current: boolean }) => !isCurrent);
    expect((await other.ask("DELETE", `/users/${user.id}/sessions/${first.id}`)).status).toBe(204);
    expect([await one.isSignedIn(), await other.isSignedIn()]).toEqual([false, true]);
    expect(await works(user, user.token)).toBe(true);
    expect((await other.ask("DELETE", `/users/${user.id}/sessions/${first.id}`)).status).toBe(404);
  });

  it("end all at once, with the tokens that no list has", async () => {
    const user = await service.addUser();
    const browser = await browserOf(user);
    const bystander = await service.addUser();
    expect((await service.ask("DELETE", pathOf(user.id), { token: user.token })).status).toBe(204);
    expect([await browser.isSignedIn(), await works(user, user.token)]).toEqual([false, false]);
    expect(await works(bystander, bystander.token)).toBe(true);
    expect((await asAdmin("GET", pathOf(user.id))).body.sessions).toEqual([]);
    // The user may log in again.
    expect((await browserOf(user)).status).toBe(200);
  });

  it("are no unfinished logins", async () => {
    const user = await service.addUser({
      multi_factor_auth_enabled: true,
      multi_factor_auth_rules: [["password", "totp"]],
    });
    expect((await browserOf(user)).status).toBe(401);
    expect((await asAdmin("GET", pathOf(user.id))).body.sessions).toEqual([]);
  });

  it("are reached by their user and administrators, and by no one else", async () => {
    const user = await service.addUser();
    await browserOf(user);
    const other = await service.addUser();
    const [session] = (await asAdmin("GET", pathOf(user.id))).body.sessions;
    for (const [method, path] of [
      ["GET", pathOf(user.id)],
      ["DELETE", pathOf(user.id, session.id)],
      ["DELETE", pathOf(user.id)],
    ] as const)
      expect((await service.ask(method, path, { token: other.token })).status).toBe(403);
    // Another user's session is not found below the own path.
    const elsewhere = pathOf(other.id, session.id);
    expect((await service.ask("DELETE", elsewhere, { token: other.token })).status).toBe(404);
    expect((await asAdmin("DELETE", pathOf(user.id, session.id))).status).toBe(204);
    expect((await asAdmin("DELETE", pathOf(user.id))).status).toBe(204);
    for (const method of ["GET", "DELETE"])
      expect((await asAdmin(method, pathOf("f".repeat(32)))).status).toBe(404);
  });
});

describe(`a reset of one-time codes on ${databases.name}`, () => {
  it("deletes the secrets and revokes tokens, by administrators only", async () => {
    const user = await service.addUser();
    const blob = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    for (const type of ["totp", "cert"])
      await asAdmin("POST", "/v3/credentials", { credential: { type, blob, user_id: user.id } });
    const path = `/v3/users/${user.id}/one_time_codes`;
    expect((await service.ask("DELETE", path, { token: user.token })).status).toBe(403);
    expect((await asAdmin("DELETE", path)).status).toBe(204);
    const { credentials } = (await asAdmin("GET", `/v3/credentials?user_id=${user.id}`)).body;
    expect(credentials.map(({ type }: { type: string }) => type)).toEqual(["cert"]);
    expect(await works(user, user.token)).toBe(false);
    expect((await asAdmin("DELETE", `/v3/users/${"f".repeat(32)}/one_time_codes`)).status).toBe(404);
  });
});

describe(`a reset of a password on ${databases.name}`, () => {
  const reset = (id: string, user: object, token = service.admin) =>
    service.ask("POST", `/v3/users/${id}/password/reset`, { token, body: { user } });
  const logIn = (id: string, password: string) => service.logIn(service.byPassword(id, password));

  it("has the user change a new password, or the present one, before the next login", async () => {
    const user = await service.addUser();
    const { status, body } = await reset(user.id, { password: "temporary" });
    expect([status, Date.parse(`${body.user.password_expires_at}Z`) <= service.time.now]).toEqual([
      200,
      true,
    ]);
    expect(await works(user, user.token)).toBe(false);
    expect((await logIn(user.id, PASSWORD)).status).toBe(401);
    const expired = await logIn(user.id, "temporary");
    expect(expired.body.error.message).toContain("The password is expired and needs to be changed");
    const changed = await service.ask("POST", `/v3/users/${user.id}/password`, {
      body: { user: { original_password: "temporary", password: "own-choice" } },
    });
    expect([changed.status, (await logIn(user.id, "own-choice")).status]).toEqual([204, 201]);
    expect((await reset(user.id, {})).status).toBe(200);
    const again = await logIn(user.id, "own-choice");
    expect(again.body.error.message).toContain("The password is expired");
  });

  it("can't be got around by a passkey", async () => {
    const user = await service.addUser();
    const authenticator = service.authenticator();
    await service.register(user, authenticator);
    await reset(user.id, {});
    const answer = await service.logIn(service.byPasskey(authenticator.get(await service.loginOptions())));
    expect([answer.status, answer.body.error.message]).toEqual([
      401,
      expect.stringContaining("The password is expired") as string,
    ]);
  });

  it("is refused where the user could not follow it", async () => {
    for (const options of [{ ignore_password_expiry: true }, { lock_password: true }]) {
      const user = await service.addUser(options);
      expect((await reset(user.id, {})).status).toBe(409);
      expect((await logIn(user.id, PASSWORD)).status).toBe(201);
    }
    const { user } = (await asAdmin("POST", "/v3/users", { user: { name: "none", domain_id: "default" } }))
      .body;
    expect((await reset(user.id, {})).status).toBe(409);
    expect((await reset(user.id, { password: "first" })).status).toBe(200);
  });

  it("is for administrators only", async () => {
    const user = await service.addUser();
    expect((await reset(user.id, {}, user.token)).status).toBe(403);
    expect((await reset("f".repeat(32), {})).status).toBe(404);
  });
});
