/** A failed login has its reason in the log and in the list of failed logins, and never in the response. */
import { readFileSync } from "node:fs";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { LOGIN_REASONS } from "../../src/platform/login-reasons.js";
import { createLog } from "../../src/platform/log.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";
import { databases } from "../databases.js";

const PASSWORD = "a right password";
const WRONG = "Secr3t-typed-by-user";
const lines: string[] = [];
const time = { now: Date.now() };

let service: TestApp;
let admin: string;
let users: Record<string, string>;
let domains: Record<string, string>;

type Reply = Awaited<ReturnType<typeof inject>>;

const inject = (method: string, url: string, body?: object, headers: Record<string, string> = {}) =>
  service.app.server.inject({
    method: method as "GET",
    url,
    headers,
    ...(body === undefined ? {} : { payload: body }),
  });
const form = (url: string, payload: string, headers: Record<string, string>) =>
  service.app.server.inject({
    method: "POST",
    url,
    payload,
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
  });
const asAdmin = (method: string, url: string, body?: object) =>
  inject(method, url, body, { "x-auth-token": admin });
const logIn = (identity: object, scope?: unknown, headers: Record<string, string> = {}) =>
  inject("POST", "/v3/auth/tokens", { auth: { identity, scope } }, headers);
const byPassword = (user: object, password: string = PASSWORD) => ({
  methods: ["password"],
  password: { user: { ...user, password } },
});

async function create(kind: string, plural: string, body: object): Promise<string> {
  const answer = await asAdmin("POST", `/v3/${plural}`, { [kind]: body });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return String(answer.json()[kind].id);
}

const addUser = (name: string, more: object = {}) =>
  create("user", "users", { name, domain_id: "default", password: PASSWORD, ...more });

beforeAll(async () => {
  service = await testApp(
    databases,
    { IDENTITY_LOCKOUT_ATTEMPTS: "2", IDENTITY_LOCKOUT_SECONDS: "3600", IDENTITY_CONSOLE: "off" },
    {
      clock: { now: () => time.now },
      log: createLog("info", { write: (line: string) => void lines.push(line) }),
    },
  );
  const scope = { system: { all: true } };
  const first = await logIn(byPassword({ name: "admin", domain: { id: "default" } }, ADMIN_PASSWORD), scope);
  admin = String(first.headers["x-subject-token"]);
  domains = { off: await create("domain", "domains", { name: "off" }) };
  users = {
    ann: await addUser("ann"),
    disabled: await addUser("disabled", { enabled: false }),
    locked: await addUser("locked"),
    none: await addUser("none", { password: undefined }),
    elsewhere: await addUser("elsewhere", { domain_id: domains["off"] }),
    factors: await addUser("factors", {
      options: { multi_factor_auth_enabled: true, multi_factor_auth_rules: [["password", "totp"]] },
    }),
    coded: await addUser("coded"),
    first: await addUser("first"),
    ben: await addUser("ben"),
  };
  await asAdmin("PATCH", `/v3/domains/${domains["off"]}`, { domain: { enabled: false } });
});
afterAll(() => service.remove());
// A network has a budget of records, which grows again.
beforeEach(() => {
  time.now += 40_000;
});

/** The latest line of a failed login for a response, after its hooks have run. */
async function lineOf({ headers }: Reply): Promise<Record<string, unknown> | undefined> {
  const id = String(headers["x-openstack-request-id"]);
  for (let wait = 0; wait < 50; wait++) {
    const found = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line["request"] === id && line["msg"] === "login refused");
    if (found !== undefined) return found["login"] as Record<string, unknown>;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return undefined;
}

async function recorded(query: string): Promise<Record<string, unknown>[]> {
  for (let wait = 0; wait < 50; wait++) {
    const answer = await asAdmin("GET", `/v3/OS-FEDERATION/failed_logins?${query}`);
    const { failed_logins: found } = answer.json() as { failed_logins: Record<string, unknown>[] };
    if (found.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return [];
}

const CASES: Readonly<Record<string, { readonly reason: string; readonly attempt: () => Promise<Reply> }>> = {
  "an unknown user": {
    reason: "user-unknown",
    attempt: () => logIn(byPassword({ name: "nobody", domain: { id: "default" } })),
  },
  "an unknown id": { reason: "user-unknown", attempt: () => logIn(byPassword({ id: "nobody" })) },
  "an unknown name of a domain": {
    reason: "domain-unknown",
    attempt: () => logIn(byPassword({ name: "ann", domain: { name: "nowhere" } })),
  },
  "an unknown id of a domain": {
    reason: "domain-unknown",
    attempt: () => logIn(byPassword({ name: "ann", domain: { id: "nowhere" } })),
  },
  "a wrong password": {
    reason: "password-wrong",
    attempt: () => logIn(byPassword({ id: users["ann"] }, WRONG)),
  },
  "a disabled user": { reason: "user-disabled", attempt: () => logIn(byPassword({ id: users["disabled"] })) },
  "a disabled domain": {
    reason: "user-domain-disabled",
    attempt: () => logIn(byPassword({ id: users["elsewhere"] })),
  },
  "a user without a password": {
    reason: "password-not-set",
    attempt: () => logIn(byPassword({ id: users["none"] })),
  },
  "a locked user": {
    reason: "user-locked",
    attempt: async () => {
      for (let guess = 0; guess < 2; guess++) await logIn(byPassword({ id: users["locked"] }, WRONG));
      return logIn(byPassword({ id: users["locked"] }));
    },
  },
  "a missing factor": { reason: "more-methods", attempt: () => logIn(byPassword({ id: users["factors"] })) },
  "no one-time secret": {
    reason: "code-not-set",
    attempt: () => logIn({ methods: ["totp"], totp: { user: { id: users["coded"], passcode: "123456" } } }),
  },
  "an unsupported method": {
    reason: "method-unsupported",
    attempt: () => logIn({ methods: ["pin"], pin: {} }),
  },
  "a malformed token": {
    reason: "token-unreadable",
    attempt: () => logIn({ methods: ["token"], token: { id: "gAAAA" } }),
  },
  "a revoked token": {
    reason: "token-revoked",
    attempt: async () => {
      const token = String((await logIn(byPassword({ id: users["first"] }))).headers["x-subject-token"]);
      await inject("DELETE", "/v3/auth/tokens", undefined, {
        "x-auth-token": token,
        "x-subject-token": token,
      });
      return logIn({ methods: ["token"], token: { id: token } });
    },
  },
  "an unknown application credential": {
    reason: "application-credential-unknown",
    attempt: () =>
      logIn({ methods: ["application_credential"], application_credential: { id: "x", secret: WRONG } }),
  },
  "no role": {
    reason: "no-role",
    attempt: () => logIn(byPassword({ id: users["ann"] }), { system: { all: true } }),
  },
  "an unknown project": {
    reason: "scope-project-unknown",
    attempt: () => logIn(byPassword({ id: users["ann"] }), { project: { id: "nope" } }),
  },
  "an unknown trust": {
    reason: "trust-unknown",
    attempt: () => logIn(byPassword({ id: users["ann"] }), { "OS-TRUST:trust": { id: "nope" } }),
  },
  "an unreadable receipt": {
    reason: "receipt-unreadable",
    attempt: () => logIn(byPassword({ id: users["ann"] }), undefined, { "openstack-auth-receipt": "x" }),
  },
  "an unsigned request of OAuth 1.0a": {
    reason: "oauth1-invalid",
    attempt: () => logIn({ methods: ["oauth1"], oauth1: {} }),
  },
  "an unknown EC2 key": {
    reason: "access-key-unknown",
    attempt: () =>
      inject(
        "POST",
        "/v3/ec2tokens",
        { credentials: { access: "nope", signature: "x" } },
        { "x-auth-token": admin },
      ),
  },
  "client credentials of OAuth 2.0": {
    reason: "application-credential-unknown",
    attempt: () =>
      form("/v3/OS-OAUTH2/token", "grant_type=client_credentials", {
        authorization: `Basic ${Buffer.from(`x:${WRONG}`).toString("base64")}`,
      }),
  },
  "a wrong password of a change": {
    reason: "password-wrong",
    attempt: () =>
      inject("POST", `/v3/users/${users["first"]}/password`, {
        user: { original_password: WRONG, password: "another one" },
      }),
  },
};

describe(`a failed login on ${databases.name}`, () => {
  /** Records are written each second: all attempts come before the first test. */
  const replies = new Map<string, Reply>();
  beforeAll(async () => {
    for (const [name, { attempt }] of Object.entries(CASES)) {
      replies.set(name, await attempt());
      time.now += 40_000;
    }
  });

  it.each(Object.entries(CASES))("has its reason in the log and in the list: %s", async (name, each) => {
    const answer = replies.get(name);
    if (answer === undefined) throw new RangeError(name);
    const line = await lineOf(answer);
    expect(line).toMatchObject({ reason: each.reason, from: "127.0.0.1" });
    expect(answer.body).not.toContain(each.reason);
    const id = String(answer.headers["x-openstack-request-id"]);
    const [record] = await recorded(`request_id=${id}`);
    expect(record).toMatchObject({ code: each.reason, request_id: id, address: "127.0.0.1", idp_id: null });
    expect(record?.["method"]).toBe(line?.["method"]);
  });

  it("is answered alike whether the user is unknown, disabled, locked or without a password, or the password is wrong", async () => {
    const names = [
      "an unknown user",
      "an unknown name of a domain",
      "a wrong password",
      "a disabled user",
      "a disabled domain",
      "a user without a password",
      "a locked user",
    ];
    const answers = [];
    for (const name of names) {
      const answer = await CASES[name]?.attempt();
      if (answer === undefined) throw new RangeError(name);
      const { statusCode, body, headers } = answer;
      const { date: _date, "x-openstack-request-id": _id, ...others } = headers;
      answers.push({ statusCode, body, others });
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("names the user who exists, and lists by user, method and code", async () => {
    const answer = await logIn(byPassword({ name: "ben", domain: { name: "Default" } }, WRONG));
    expect(await lineOf(answer)).toMatchObject({ userId: users["ben"], user: '"ben"', domain: '"Default"' });
    const id = String(answer.headers["x-openstack-request-id"]);
    expect(await recorded(`request_id=${id}`)).toMatchObject([
      { user_id: users["ben"], user_name: "ben", domain: "Default", method: "password" },
    ]);
    const ofBen = await recorded(`user_id=${users["ben"]}&code=password-wrong&method=password`);
    expect(ofBen.map((each) => each["user_id"])).toEqual([users["ben"]]);
    expect(await recorded("code=no-role")).not.toEqual([]);
  });

  it("keeps no secret, and no name that may be one: whatever was typed into which field", async () => {
    const typed = "P4ssw0rd-in-the-name-field";
    const answers = [
      await logIn(byPassword({ name: typed, domain: { id: "default" } }, typed)),
      await logIn(
        byPassword({ name: `${typed}\n\u001b[31m${"x".repeat(5000)}`, domain: { name: typed } }, "ann"),
      ),
      await logIn(byPassword({ id: typed }, typed)),
    ];
    for (const answer of answers) {
      const id = String(answer.headers["x-openstack-request-id"]);
      const line = (await lineOf(answer)) ?? {};
      expect(JSON.stringify(line).length).toBeLessThan(1000);
      for (const value of Object.values(line)) expect(value).toMatch(/^[\x20-\x7e…]*$/);
      expect(JSON.stringify(await recorded(`request_id=${id}`))).not.toContain(typed);
    }
    // Typed as name and as password, it is a password: in no line, that of the audit log neither.
    for (const at of [0, 2]) {
      const id = String(answers[at]?.headers["x-openstack-request-id"]);
      const ofRequest = lines.filter((line) => line.includes(id));
      expect(ofRequest).toHaveLength(3);
      expect(ofRequest.join("")).not.toContain(typed);
    }
    // The passwords of all tests.
    const all = JSON.stringify(await recorded("limit=1000"));
    for (const secret of [WRONG, PASSWORD]) {
      expect(all).not.toContain(secret);
      expect(lines.join("")).not.toContain(secret);
    }
  });

  it("is recorded for twenty attempts of a network at once, and logged for each", async () => {
    const before = lines.filter((line) => line.includes('"login refused"')).length;
    for (let attempt = 0; attempt < 60; attempt++) await logIn({ methods: ["token"], token: { id: "x" } });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(lines.filter((line) => line.includes('"login refused"')).length - before).toBe(60);
    expect((await recorded("code=token-unreadable&limit=1000")).length).toBeLessThanOrEqual(30);
    expect((await recorded("code=token-unreadable&limit=1000")).length).toBeGreaterThan(5);
  });
});

describe("docs/identity/failed-logins.md", () => {
  it("explains every code, and no others", () => {
    const page = readFileSync(new URL("../../../../docs/identity/failed-logins.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` +\| (.+?) +\| (.+?) +\|$/gm)];
    expect(rows.map(([, code]) => code)).toEqual(Object.keys(LOGIN_REASONS));
  });
});
