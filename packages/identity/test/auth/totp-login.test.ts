/** Login with a one-time code, on two replicas. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { codeAt, decodeTotpSecret } from "../../src/auth/methods/totp.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../test-app.js";
import { sqliteDatabases } from "../databases.js";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
/** 80 bits, which Keystone's library refuses. */
const SHORT_SECRET = "JBSWY3DPEHPK3PXP";
const PASSWORD = "a-long-password";

const time = { now: Date.now() };
let replicas: TestReplicas;
let admin: string;
let users = 0;

beforeAll(async () => {
  replicas = await testReplicas(sqliteDatabases, 2, { clock: { now: () => time.now } });
  const scope = { system: { all: true } };
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  admin = (await logIn({ methods: ["password"], password: { user } }, { scope })).token;
});
afterAll(() => replicas.remove());
// Each test begins in a later step, within the admin's hour.
beforeEach(() => {
  time.now += 60_000;
});

async function ask(method: string, url: string, body?: object, headers: object = {}, replica = 0) {
  const app = replicas.apps[replica];
  if (app === undefined) throw new RangeError(`no replica ${replica}`);
  const payload = body === undefined ? {} : { payload: body };
  const answer = await app.server.inject({
    method: method as "GET",
    url,
    headers: { ...headers },
    ...payload,
  });
  // oxlint-disable-next-line typescript/no-explicit-any
  const parsed: any = answer.body === "" ? undefined : answer.json();
  return { status: answer.statusCode, headers: answer.headers, body: parsed };
}

const asAdmin = (method: string, url: string, body?: object) =>
  ask(method, url, body, { "x-auth-token": admin });

interface LoginOptions {
  readonly scope?: object;
  readonly receipt?: string;
  readonly replica?: number;
}

async function logIn(identity: object, { scope, receipt, replica = 0 }: LoginOptions = {}) {
  const headers = receipt === undefined ? {} : { "openstack-auth-receipt": receipt };
  const answer = await ask("POST", "/v3/auth/tokens", { auth: { identity, scope } }, headers, replica);
  return { ...answer, token: String(answer.headers["x-subject-token"] ?? "") };
}

/** A user with a secret for each of the given texts. */
async function addUser(secrets: readonly string[] = [SECRET], options: object = {}): Promise<string> {
  const user = { name: `user${(users += 1)}`, domain_id: "default", password: PASSWORD, options };
  const id = (await asAdmin("POST", "/v3/users", { user })).body.user.id as string;
  for (const blob of secrets) await addSecret(id, blob);
  return id;
}

async function addSecret(userId: string, blob: string): Promise<string> {
  const credential = { type: "totp", blob, user_id: userId };
  const { status, body } = await asAdmin("POST", "/v3/credentials", { credential });
  expect(status).toBe(201);
  return body.credential.id as string;
}

const step = () => Math.floor(time.now / 30_000);
const codeOf = (secret: string, at = step()) => codeAt(decodeTotpSecret(secret) as Buffer, at);
const byCode = (id: string, passcode: unknown = codeOf(SECRET), options: LoginOptions = {}) =>
  logIn({ methods: ["totp"], totp: { user: { id, passcode } } }, options);

describe(`the method totp on ${sqliteDatabases.name}`, () => {
  it("logs in by id and by name", async () => {
    const id = await addUser();
    const { status, body, token } = await byCode(id);
    expect([status, body.token.methods, body.token.user.id]).toStrictEqual([201, ["totp"], id]);
    const seen = await ask("GET", "/v3/auth/tokens", undefined, {
      "x-auth-token": token,
      "x-subject-token": token,
    });
    expect([seen.status, seen.body.token.methods]).toStrictEqual([200, ["totp"]]);
    const rescoped = await logIn({ methods: ["token"], token: { id: token } });
    expect(rescoped.body.token.methods).toStrictEqual(["totp", "token"]);
    time.now += 30_000;
    const named = { name: body.token.user.name as string, domain: { name: "Default" } };
    const user = { ...named, passcode: codeOf(SECRET) };
    expect((await logIn({ methods: ["totp"], totp: { user } })).status).toBe(201);
  });

  it("logs in with a secret of 80 bits, and in spite of a broken one", async () => {
    const id = await addUser(["!!!", SHORT_SECRET]);
    expect((await byCode(id, codeOf(SHORT_SECRET))).status).toBe(201);
  });

  it("accepts the code of the step before, and none of the next step", async () => {
    expect((await byCode(await addUser(), codeOf(SECRET, step() - 1))).status).toBe(201);
    expect((await byCode(await addUser(), codeOf(SECRET, step() - 2))).status).toBe(401);
    expect((await byCode(await addUser(), codeOf(SECRET, step() + 1))).status).toBe(401);
  });

  it.each([["000000"], [123456], [""], [null], [["123456"]], [{}], ["1".repeat(50_000)]])(
    "rejects %j",
    async (passcode) => {
      expect((await byCode(await addUser(), passcode)).status).toBe(401);
    },
  );

  it("rejects a request without a code", async () => {
    const user = { id: await addUser() };
    expect((await logIn({ methods: ["totp"], totp: { user } })).status).toBe(401);
  });

  it("rejects the right code of another user, of no user, and of a user without a secret", async () => {
    for (const id of ["f".repeat(32), await addUser([]), await addUser([SHORT_SECRET])])
      expect((await byCode(id)).status).toBe(401);
  });

  it.each([
    [{}, "Expecting to find user in totp"],
    [{ user: { name: "a", passcode: "1" } }, "Expecting to find domain in user"],
    [{ user: { passcode: "1" } }, "id or name must be present"],
    ["text", "is not of type 'object'"],
  ])("needs a user: %j", async (totp, message) => {
    const { status, body } = await logIn({ methods: ["totp"], totp });
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
    expect((await logIn({ methods: ["totp"] })).status).toBe(400);
  });

  it("rejects disabled users, whose code stays unused", async () => {
    const id = await addUser();
    await asAdmin("PATCH", `/v3/users/${id}`, { user: { enabled: false } });
    expect((await byCode(id)).status).toBe(401);
    await asAdmin("PATCH", `/v3/users/${id}`, { user: { enabled: true } });
    expect((await byCode(id)).status).toBe(201);
  });

  it("ends with its credential", async () => {
    const id = await addUser([]);
    const credential = await addSecret(id, SECRET);
    await asAdmin("DELETE", `/v3/credentials/${credential}`);
    expect((await byCode(id)).status).toBe(401);
  });
});

describe(`one-time-codes-work-once on ${sqliteDatabases.name}`, () => {
  it("a code is rejected the second time, also one of an earlier step, and with a copy of the secret", async () => {
    const id = await addUser([SECRET, SECRET]);
    expect((await byCode(id)).status).toBe(201);
    expect((await byCode(id)).status).toBe(401);
    expect((await byCode(id, codeOf(SECRET, step() - 1))).status).toBe(401);
    expect((await byCode(id, undefined, { replica: 1 })).status).toBe(401);
    time.now += 30_000;
    expect((await byCode(id)).status).toBe(201);
  });

  it("a changed secret does not make the code good again", async () => {
    const id = await addUser([]);
    const credential = await addSecret(id, SECRET);
    expect((await byCode(id)).status).toBe(201);
    const change = { credential: { blob: SECRET } };
    expect((await asAdmin("PATCH", `/v3/credentials/${credential}`, change)).status).toBe(200);
    expect((await byCode(id)).status).toBe(401);
  });

  it("two users with the same secret each use it", async () => {
    for (const id of [await addUser(), await addUser()]) expect((await byCode(id)).status).toBe(201);
  });

  it("one of many concurrent logins on two replicas gets a token, in each of ten rounds", async () => {
    const id = await addUser([SECRET, SECRET]);
    for (let round = 0; round < 10; round++) {
      time.now += 30_000;
      const code = codeOf(SECRET);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => byCode(id, code, { replica: index % 2 })),
      );
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toStrictEqual([
        201,
        ...Array.from({ length: 9 }, () => 401),
      ]);
    }
  });
});

describe(`a password and a one-time code on ${sqliteDatabases.name}`, () => {
  const RULES = { multi_factor_auth_rules: [["password", "totp"]] };
  const both = (id: string, { password = PASSWORD, code = codeOf(SECRET), of = id } = {}) =>
    logIn({
      methods: ["password", "totp"],
      password: { user: { id, password } },
      totp: { user: { id: of, passcode: code } },
    });

  it("log in together", async () => {
    const id = await addUser([SECRET], RULES);
    const { status, body } = await both(id);
    expect([status, body.token.methods]).toStrictEqual([201, ["password", "totp"]]);
  });

  it("log in one after the other, by a receipt, in either order", async () => {
    const id = await addUser([SECRET], RULES);
    const byPassword = (receipt?: string) =>
      logIn(
        { methods: ["password"], password: { user: { id, password: PASSWORD } } },
        receipt === undefined ? {} : { receipt },
      );
    const first = await byPassword();
    expect([first.status, first.body.required_auth_methods]).toStrictEqual([401, [["password", "totp"]]]);
    const done = await byCode(id, undefined, { receipt: String(first.headers["openstack-auth-receipt"]) });
    expect([done.status, done.body.token.methods]).toStrictEqual([201, ["password", "totp"]]);
    time.now += 30_000;
    const code = await byCode(id);
    expect([code.status, code.body.receipt.methods]).toStrictEqual([401, ["totp"]]);
    expect((await byPassword(String(code.headers["openstack-auth-receipt"]))).status).toBe(201);
  });

  it("are both required to be right, and of one user", async () => {
    const id = await addUser([SECRET], RULES);
    const other = await addUser();
    expect((await both(id, { password: "wrong" })).status).toBe(401);
    expect((await both(id, { code: "000000" })).status).toBe(401);
    expect((await both(id, { of: other })).status).toBe(401);
    expect((await both(id)).status).toBe(201);
  });
});
