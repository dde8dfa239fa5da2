/** Metrics of logins: by method, outcome and reason, and not by what clients make up. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

let service: TestApp;
beforeAll(async () => {
  service = await testApp(sqliteDatabases);
});
afterAll(() => service.remove());

const logIn = (identity: object) =>
  service.app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload: { auth: { identity } } });
const byPassword = (name: string, password: string) => ({
  methods: ["password"],
  password: { user: { name, domain: { id: "default" }, password } },
});

it("counts logins by method and outcome, failures by reason, and no malformed request", async () => {
  await logIn(byPassword("admin", ADMIN_PASSWORD));
  await logIn(byPassword("admin", "wrong"));
  await logIn(byPassword("nobody", "wrong"));
  for (let name = 0; name < 30; name++) await logIn({ methods: [`made-up-${name}`] });
  await logIn({
    methods: ["token", "password"],
    token: { id: "x" },
    password: { user: { id: "x", password: "y" } },
  });
  await logIn({ methods: "password" });
  const { body } = await service.app.server.inject("/metrics");
  const lines = body
    .split("\n")
    .filter((line) => /^identity_(?:failed_)?logins_total\{.*[1-9]\d*$/.test(line));
  expect(lines.toSorted()).toEqual([
    'identity_failed_logins_total{reason="method-unsupported"} 30',
    'identity_failed_logins_total{reason="password-wrong"} 1',
    'identity_failed_logins_total{reason="token-unreadable"} 1',
    'identity_failed_logins_total{reason="user-unknown"} 1',
    'identity_logins_total{method="other",outcome="failure"} 30',
    'identity_logins_total{method="password",outcome="failure"} 2',
    'identity_logins_total{method="password",outcome="success"} 1',
    'identity_logins_total{method="several",outcome="failure"} 1',
  ]);
  // A rate needs the zero before.
  expect(body).toContain('identity_failed_logins_total{reason="user-locked"} 0\n');
});

it("tells the state of the service: versions, readiness, keys and revocations", async () => {
  const { body } = await service.app.server.inject("/metrics");
  expect(body).toMatch(/^identity_build_info\{version="\d+\.\d+\.\d+[^"]*",node="\d+\.[\d.]+"\} 1$/m);
  expect(body).toMatch(/^identity_ready 1$/m);
  expect(body).toMatch(/^identity_impairments 0$/m);
  expect(Number(/^identity_token_key_age_seconds (\S+)$/m.exec(body)?.[1])).toBeLessThan(600);
  expect(body).toMatch(/^identity_revocation_position \d+$/m);
});
