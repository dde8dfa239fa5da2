/** Guessing of one-time codes: failures are limited, also for a client that knows the password. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { codeAt, decodeTotpSecret } from "../../src/auth/methods/totp.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";
import { databases } from "../databases.js";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const time = { now: Date.parse("2026-11-22T12:00:00Z") };

let service: TestApp;
let user: string;
beforeEach(async () => {
  const env = { IDENTITY_RATE_LIMIT: "on", IDENTITY_LOGIN_FAILURES: "5", IDENTITY_LOGIN_WINDOW: "900" };
  service = await testApp(databases, env, { clock: { now: () => time.now } });
  const made = await logIn("192.0.2.1", {
    methods: ["password"],
    password: { user: { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD } },
  });
  user = made.json().token.user.id as string;
  const credential = { type: "totp", blob: SECRET, user_id: user };
  await service.app.server.inject({
    method: "POST",
    url: "/v3/credentials",
    headers: { "x-auth-token": String(made.headers["x-subject-token"]) },
    payload: { credential },
  });
});
afterEach(() => service.remove());

const logIn = (remoteAddress: string, identity: object) =>
  service.app.server.inject({
    method: "POST",
    url: "/v3/auth/tokens",
    remoteAddress,
    payload: { auth: { identity } },
  });

const totp = (passcode: string) => ({ totp: { user: { id: user, passcode } } });
const right = () => codeAt(decodeTotpSecret(SECRET) as Buffer, Math.floor(time.now / 30_000));

describe(`guesses of one-time codes on ${databases.name}`, () => {
  it("are limited per account and network: then the right code is not even checked", async () => {
    const guess = (code: string, address = "192.0.2.9") =>
      logIn(address, { methods: ["totp"], ...totp(code) });
    for (let count = 0; count < 5; count++) expect((await guess("000000")).statusCode).toBe(401);
    const refused = await guess(right());
    expect([refused.statusCode, Number(refused.headers["retry-after"]) > 0]).toStrictEqual([429, true]);
    expect((await guess(right(), "198.51.100.7")).statusCode).toBe(201);
  });

  it("are limited for a client that knows the password, from a network that is known by it", async () => {
    const password = { user: { id: user, password: ADMIN_PASSWORD } };
    const guess = (code: string) =>
      logIn("192.0.2.1", { methods: ["password", "totp"], password, ...totp(code) });
    for (let count = 0; count < 5; count++) expect((await guess("000000")).statusCode).toBe(401);
    expect((await guess(right())).statusCode).toBe(429);
    expect((await logIn("192.0.2.1", { methods: ["password"], password })).statusCode).toBe(201);
  });
});
