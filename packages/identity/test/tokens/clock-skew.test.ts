/** Revocation works whatever the clock skew between replicas. */
import { setImmediate } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../test-app.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe(`two replicas on one ${databases.name} whose clocks differ`, () => {
  let replicas: TestReplicas;
  /** How far the clock of each is ahead. */
  let aheadMs: [number, number];
  let users: number;
  /** Of the administrator, from each. */
  let admins: string[];
  beforeEach(async () => {
    aheadMs = [0, 0];
    users = 0;
    const clocks = [0, 1].map((index) => ({ now: () => Date.now() + (aheadMs[index] ?? 0) }));
    replicas = await testReplicas(databases, 2, { clocks });
    await setClocks(0, 0);
  });
  afterEach(() => replicas.remove());

  async function ask(replica: number, { method, url, body, ...tokens }: Question) {
    await setImmediate();
    const answer = await replicas.apps[replica]?.server.inject({
      method,
      url,
      headers: {
        ...(tokens.token !== undefined && { "x-auth-token": tokens.token }),
        ...(tokens.subject !== undefined && { "x-subject-token": tokens.subject }),
      },
      ...(body !== undefined && { payload: body }),
    });
    return {
      status: answer?.statusCode,
      body: answer?.body,
      token: String(answer?.headers["x-subject-token"]),
    };
  }
  const logIn = async (replica: number, identity: object, scope: object | string = "unscoped") => {
    const body = { auth: { identity, scope } };
    const {
      status,
      token,
      body: text,
    } = await ask(replica, { method: "POST", url: "/v3/auth/tokens", body });
    if (status !== 201) throw new Error(text);
    return token;
  };
  const asUser = (id: string, password: string) => ({
    methods: ["password"],
    password: { user: { id, password } },
  });
  const setClocks = async (...ahead: [number, number]) => {
    aheadMs = ahead;
    const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    const identity = { methods: ["password"], password: { user } };
    admins = await Promise.all([0, 1].map((replica) => logIn(replica, identity, { system: { all: true } })));
  };
  const addUser = async (password: string) => {
    const body = { user: { name: `user-${users++}`, password } };
    const answer = await ask(0, { method: "POST", url: "/v3/users", token: admins[0], body });
    return (JSON.parse(answer.body ?? "") as { user: { id: string } }).user.id;
  };
  const setPassword = async (replica: number, id: string, password: string) => {
    const body = { user: { password } };
    const url = `/v3/users/${id}`;
    const { status } = await ask(replica, { method: "PATCH", url, token: admins[replica], body });
    expect(status).toBe(200);
  };
  const statusOf = async (replica: number, subject: string) =>
    (await ask(replica, { method: "HEAD", url: "/v3/auth/tokens", token: admins[replica], subject })).status;
  const expectEnded = async (subject: string) => {
    for (const replica of [0, 1])
      await expect.poll(() => statusOf(replica, subject), { timeout: 2000, interval: 20 }).toBe(404);
  };

  it("end tokens after the clock of one was ahead by a day, and was set right", async () => {
    const id = await addUser("one");
    await setClocks(26 * HOUR_MS, 0);
    await setPassword(0, await addUser("another user"), "another");
    for (const replica of [0, 1]) await statusOf(replica, admins[replica] ?? "");
    await setClocks(0, 0);
    const tokens = [await logIn(0, asUser(id, "one")), await logIn(1, asUser(id, "one"))];
    await setPassword(1, id, "two");
    for (const token of tokens) await expectEnded(token);
    expect(await statusOf(1, await logIn(0, asUser(id, "two")))).toBe(200);
  });

  it.each<[number, number]>([
    [5 * MINUTE_MS, 0],
    [0, 5 * MINUTE_MS],
  ])("by %i and %i ms: a new password ends each token from before, and none from after", async (...ahead) => {
    await setClocks(...ahead);
    const id = await addUser("password 0");
    for (const changing of [0, 1]) {
      const old = `password ${changing}`;
      const next = `password ${changing + 1}`;
      const tokens = [await logIn(0, asUser(id, old)), await logIn(1, asUser(id, old))];
      for (const from of [0, 1])
        tokens.push(await logIn(from, { methods: ["token"], token: { id: tokens[1 - from] } }));
      await setPassword(changing, id, next);
      const later = [await logIn(0, asUser(id, next)), await logIn(1, asUser(id, next))];
      for (const token of tokens) await expectEnded(token);
      for (const token of later)
        for (const replica of [0, 1]) expect(await statusOf(replica, token)).toBe(200);
    }
  });
});

interface Question {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH";
  readonly url: string;
  readonly token?: string | undefined;
  readonly subject?: string;
  readonly body?: object;
}
