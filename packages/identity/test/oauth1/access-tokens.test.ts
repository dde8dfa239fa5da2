/** Request tokens, their authorization, and access tokens. Expected responses are Keystone's unless a test states otherwise. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Member } from "../application-credentials/application-credential-server.js";
import { databases } from "../databases.js";
import {
  ACCESS_TOKEN,
  CONSUMERS,
  oauth1Server,
  REQUEST_TOKEN,
  type OAuth1Server,
  type Pair,
} from "./oauth1-server.js";

let server: OAuth1Server;
let consumer: Pair;
/** Users who may authorize are administrators of a project. */
let admin: Member;
beforeAll(async () => {
  server = await oauth1Server(databases);
  consumer = await server.consumer();
  admin = await server.member(["admin"]);
});
afterAll(() => server.close());

const HOUR = 3_600_000;
const UNKNOWN = "f".repeat(32);

const listPath = (user: Pick<Member, "id">) => `/v3/users/${user.id}/OS-OAUTH1/access_tokens`;

/** A request token that the administrator has authorized, and the verifier. */
async function authorized(roles: unknown = [{ name: "member" }]): Promise<{ token: Pair; verifier: string }> {
  const { token } = await server.requestToken(consumer, admin.projectId);
  const { status, body } = await server.authorize(token, admin, roles);
  expect(status).toBe(200);
  return { token, verifier: body.token.oauth_verifier as string };
}

describe(`request tokens on ${databases.name}`, () => {
  it("are a form, and last eight hours", async () => {
    const { status, type, token, expiresAt } = await server.requestToken(consumer, admin.projectId);
    expect([status, type]).toEqual([201, "application/x-www-form-urlencoded"]);
    expect(token).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      secret: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const end = Math.floor((server.time.now + 8 * HOUR) / 1000) * 1000;
    expect(expiresAt).toBe(new Date(end).toISOString().replace("Z", "000Z"));
  });

  it.each([
    ["an unknown consumer", () => server.requestToken({ id: UNKNOWN, secret: "x" }, admin.projectId), 404],
    ["a wrong secret", () => server.requestToken({ ...consumer, secret: "wrong" }, admin.projectId), 401],
    ["an unknown project", () => server.requestToken(consumer, UNKNOWN), 404],
    ["no project", () => server.requestToken(consumer, ""), 400],
    ["no callback", () => server.requestToken(consumer, admin.projectId, { oauth_callback: "" }), 400],
    ["another version", () => server.requestToken(consumer, admin.projectId, { oauth_version: "2.0" }), 400],
    [
      "another signature method",
      () => server.requestToken(consumer, admin.projectId, { oauth_signature_method: "PLAINTEXT" }),
      400,
    ],
    ["no nonce", () => server.requestToken(consumer, admin.projectId, { oauth_nonce: "" }), 400],
    ["no time", () => server.requestToken(consumer, admin.projectId, { oauth_timestamp: "" }), 400],
    ["no signature", () => server.form(REQUEST_TOKEN, { "requested-project-id": admin.projectId }), 400],
  ])("are not for %s", async (_, request, status) => {
    expect(await request()).toMatchObject({ status });
  });

  it("are not for a time more than ten minutes off", async () => {
    for (const [offset, status] of [
      [-601, 400],
      [-599, 201],
      [599, 201],
      [601, 400],
    ] as const) {
      const oauth_timestamp = String(Math.floor(server.time.now / 1000) + offset);
      expect(await server.requestToken(consumer, admin.projectId, { oauth_timestamp })).toMatchObject({
        status,
      });
    }
  });

  it("nonces-work-once: are not for a request that was captured", async () => {
    const authorization = server.sign(REQUEST_TOKEN, { consumer, parameters: { oauth_callback: "oob" } });
    const headers = { authorization, "requested-project-id": admin.projectId };
    expect(await server.form(REQUEST_TOKEN, headers)).toMatchObject({ status: 201 });
    expect(await server.form(REQUEST_TOKEN, headers)).toMatchObject({ status: 401 });
  });
});

describe(`the authorization of a request token on ${databases.name}`, () => {
  it("names a verifier of eight letters, the last of which counts", async () => {
    const { token, verifier } = await authorized();
    expect(verifier).toMatch(/^[A-Za-z]{8}$/);
    const { body } = await server.authorize(token, admin, [{ name: "reader" }]);
    expect(await server.accessToken(consumer, token, verifier)).toMatchObject({ status: 401 });
    expect(await server.accessToken(consumer, token, body.token.oauth_verifier)).toMatchObject({
      status: 201,
    });
  });

  it("is for roles that the user has on the project", async () => {
    const { token } = await server.requestToken(consumer, admin.projectId);
    const role = await server.create("role", { name: "not held" });
    expect(await server.authorize(token, admin, [{ id: role }])).toMatchObject({ status: 401 });
    expect(await server.authorize(token, admin, [{ name: "does not exist" }])).toMatchObject({ status: 401 });
    expect(await server.authorize(token, admin, [{ id: await server.roleId("reader") }])).toMatchObject({
      status: 200,
    });
    const { token: elsewhere } = await server.requestToken(consumer, (await server.member()).projectId);
    expect(await server.authorize(elsewhere, admin)).toMatchObject({ status: 401 });
  });

  it("authorizations-name-roles: is rejected without roles", async () => {
    const { token } = await server.requestToken(consumer, admin.projectId);
    for (const roles of [[], undefined])
      expect(await server.authorize(token, admin, roles ?? [])).toMatchObject({ status: 400 });
    const path = `/v3/OS-OAUTH1/authorize/${token.id}`;
    expect(await server.send("PUT", path, { token: admin.token, body: {} })).toMatchObject({ status: 400 });
    expect(await server.accessToken(consumer, token, "AAAAAAAA")).toMatchObject({ status: 401 });
  });

  it("is an administrator's, with a token of a project that is not delegated", async () => {
    const { token } = await server.requestToken(consumer, admin.projectId);
    const statusBy = async (by: string) => (await server.authorize(token, { token: by })).status;
    const member = await server.member();
    expect(await statusBy("")).toBe(401);
    expect(await statusBy(member.token)).toBe(403);
    expect(
      (
        await server.ask("PUT", `/v3/OS-OAUTH1/authorize/${token.id}`, {
          body: { roles: [{ name: "member" }] },
        })
      ).status,
    ).toBe(403);
    const { body } = await server.make(admin, { unrestricted: true });
    const { token: byCredential } = await server.logInByCredential(body.application_credential);
    expect(await statusBy(byCredential)).toBe(403);
    expect(await server.authorize({ id: UNKNOWN }, admin)).toMatchObject({ status: 404 });
    expect(await statusBy(admin.token)).toBe(200);
  });

  it("is not of one that has expired", async () => {
    const { token } = await server.requestToken(consumer, admin.projectId);
    const { verifier, token: other } = await authorized();
    const { now } = server.time;
    server.time.now += 8 * HOUR + 1000;
    const { token: renewed } = await server.byPassword(
      { id: admin.id },
      { project: { id: admin.projectId } },
    );
    expect(await server.authorize(token, { token: renewed })).toMatchObject({ status: 401 });
    expect(await server.accessToken(consumer, other, verifier)).toMatchObject({ status: 401 });
    server.time.now = now;
  });
});

describe(`access tokens on ${databases.name}`, () => {
  it("come for a request token once", async () => {
    const { token, verifier } = await authorized();
    const got = await server.accessToken(consumer, token, verifier);
    expect(got).toMatchObject({ status: 201, type: "application/x-www-form-urlencoded" });
    expect(got.token.id).not.toBe(token.id);
    expect(got.token.secret).not.toBe(token.secret);
    expect(await server.accessToken(consumer, token, verifier)).toMatchObject({ status: 404 });
    expect(await server.authorize(token, admin)).toMatchObject({ status: 404 });
  });

  it("come once for concurrent requests", async () => {
    const { token, verifier } = await authorized();
    const got = await Promise.all(
      Array.from({ length: 8 }, () => server.accessToken(consumer, token, verifier)),
    );
    expect(got.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(got.filter(({ status }) => status === 404)).toHaveLength(7);
  });

  it("need the verifier, the consumer, and the secrets of both", async () => {
    const { token, verifier } = await authorized();
    const other = await server.consumer();
    const attempts = [
      [consumer, token, "WRONG", 400],
      [consumer, token, "WRONGWRO", 401],
      [consumer, { ...token, secret: "x" }, verifier, 401],
      [{ ...consumer, secret: "x" }, token, verifier, 401],
      [consumer, { ...token, id: UNKNOWN }, verifier, 404],
      [{ id: UNKNOWN, secret: "x" }, token, verifier, 404],
      [other, token, verifier, 401],
      [consumer, token, "", 400],
    ] as const;
    for (const [by, given, text, status] of attempts)
      expect(await server.accessToken(by, given, text)).toMatchObject({ status });
    expect(await server.form(ACCESS_TOKEN, {})).toMatchObject({ status: 400 });
    expect(await server.accessToken(consumer, token, verifier)).toMatchObject({ status: 201 });
  });

  it("are shown to administrators with a token of a project, with their roles", async () => {
    const user = await server.member(["admin"]);
    const { token } = await server.authorized(user);
    const { body } = await server.send("GET", listPath(user), { token: user.token });
    const self = expect.stringMatching(`${listPath(user)}/${token.id}$`) as string;
    const [shown] = body.access_tokens;
    expect(shown).toEqual({
      id: token.id,
      consumer_id: expect.any(String),
      project_id: user.projectId,
      authorizing_user_id: user.id,
      expires_at: expect.stringMatching(/T.*\.000000Z$/),
      links: { self, roles: expect.stringMatching(`${token.id}/roles$`) },
    });
    const get = async (path: string, by = user.token) =>
      server.send("GET", listPath(user) + path, { token: by });
    expect((await get(`/${token.id}`)).body).toEqual({ access_token: shown });
    const { roles } = (await get(`/${token.id}/roles`)).body;
    expect(roles).toEqual([
      {
        id: await server.roleId("member"),
        name: "member",
        domain_id: null,
        options: { immutable: true },
        links: expect.anything(),
      },
    ]);
    expect((await get(`/${token.id}/roles/${roles[0].id}`)).body).toEqual({ role: roles[0] });
    expect((await get(`/${token.id}/roles/${await server.roleId("reader")}`)).status).toBe(404);
    expect((await get(`/${UNKNOWN}`)).status).toBe(404);
    const member = await server.member();
    for (const path of ["", `/${token.id}`, `/${token.id}/roles`, `/${token.id}/roles/${roles[0].id}`]) {
      expect((await get(path, member.token)).status).toBe(403);
      expect((await server.ask("GET", listPath(user) + path)).status).toBe(403);
      expect((await get(path, admin.token)).status).toBe(200);
    }
    // Under the address of another user it does not exist.
    const elsewhere = `${listPath(admin)}/${token.id}`;
    expect((await server.send("GET", elsewhere, { token: admin.token })).status).toBe(404);
    expect((await server.send("DELETE", elsewhere, { token: admin.token })).status).toBe(404);
  });

  it("are deleted by their user and by administrators, with their consumer, user and project", async () => {
    const user = await server.member(["admin"]);
    const member = await server.member();
    const alone = await server.member(["admin"]);
    const remove = async (id: string, by: string) =>
      (await server.send("DELETE", `${listPath(user)}/${id}`, { token: by })).status;
    const count = async (of = user) =>
      (await server.send("GET", listPath(of), { token: admin.token })).body.access_tokens.length as number;
    const { token, consumer: first } = await server.authorized(user);
    expect(await remove(token.id, member.token)).toBe(403);
    expect(await remove(token.id, user.token)).toBe(204);
    expect(await remove(token.id, user.token)).toBe(404);
    expect(await count()).toBe(0);
    expect(first.id).not.toBe("");
    const { consumer: second } = await server.authorized(user);
    expect(await count()).toBe(1);
    await server.ask("DELETE", `${CONSUMERS}/${second.id}`);
    expect(await count()).toBe(0);
    await server.authorized(user);
    await server.authorized(alone);
    await server.ask("DELETE", `/v3/projects/${user.projectId}`);
    expect([await count(), await count(alone)]).toEqual([0, 1]);
    await server.ask("DELETE", `/v3/users/${alone.id}`);
    expect(await count(alone)).toBe(0);
  });
});
