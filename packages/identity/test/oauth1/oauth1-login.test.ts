/** Login by an access token of OAuth 1.0a. Expected responses are Keystone's unless a test states otherwise. */
import { createHmac } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Member } from "../application-credentials/application-credential-server.js";
import { sqliteDatabases } from "../databases.js";
import { CONSUMERS, oauth1Server, type OAuth1Server, type Pair } from "./oauth1-server.js";

let server: OAuth1Server;
let admin: Member;
let consumer: Pair;
let access: Pair;
beforeAll(async () => {
  server = await oauth1Server(sqliteDatabases);
  admin = await server.member(["admin"]);
  ({ consumer, token: access } = await server.authorized(admin));
});
afterAll(() => server.close());

const names = (roles: readonly { readonly name: string }[]) => roles.map(({ name }) => name).toSorted();

describe(`a login by OAuth 1.0a on ${sqliteDatabases.name}`, () => {
  it("has the authorized roles, with those that they imply, on the project", async () => {
    const { status, body, token } = await server.logIn(consumer, access);
    expect(status).toBe(201);
    expect(body.token).toMatchObject({
      methods: ["oauth1"],
      user: { id: admin.id },
      project: { id: admin.projectId },
      is_domain: false,
      "OS-OAUTH1": { access_token_id: access.id, consumer_id: consumer.id },
    });
    expect(names(body.token.roles)).toEqual(["member", "reader"]);
    const { body: shown } = await server.ask("GET", "/v3/auth/tokens", {
      headers: { "x-subject-token": token },
    });
    expect(shown.token).toMatchObject({ methods: ["oauth1"], "OS-OAUTH1": { consumer_id: consumer.id } });
  });

  it("ignores a scope, which clients send", async () => {
    const other = await server.member();
    const { status, body } = await server.logIn(consumer, access, {
      scope: { project: { id: other.projectId } },
    });
    expect([status, body.token.project.id]).toEqual([201, admin.projectId]);
  });

  it("oauth1-logins-are-unauthorized: is refused alike, whatever is wrong", async () => {
    const unknown = { id: "f".repeat(32), secret: "x" };
    const other = await server.consumer();
    const time = String(Math.floor(server.time.now / 1000) - 601);
    const late = server.sign("/v3/auth/tokens", {
      consumer,
      token: access,
      parameters: { oauth_timestamp: time },
    });
    const elsewhere = server.sign("/v3/auth/tokens?nocatalog", { consumer, token: access });
    const { token: requested } = await server.requestToken(consumer, admin.projectId);
    const attempts = [
      await server.logIn(consumer, { ...access, secret: "wrong" }),
      await server.logIn({ ...consumer, secret: "wrong" }, access),
      await server.logIn(consumer, unknown),
      await server.logIn(unknown, access),
      await server.logIn(other, access),
      await server.logIn(consumer, requested),
      await server.logIn(consumer, access, { authorization: late }),
      await server.logIn(consumer, access, { authorization: elsewhere }),
      await server.logIn(consumer, access, { authorization: 'OAuth a="' }),
      await server.logIn(consumer, access, { authorization: "" }),
    ];
    for (const { status, body } of attempts)
      expect([status, body.error.message]).toEqual([
        401,
        "The request you have made requires authentication.",
      ]);
  });

  it("nonces-work-once: is refused when it was captured", async () => {
    const authorization = server.sign("/v3/auth/tokens", { consumer, token: access });
    const both = await Promise.all([1, 2, 3].map(() => server.logIn(consumer, access, { authorization })));
    expect(both.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(both.filter(({ status }) => status === 401)).toHaveLength(2);
  });

  it("is signed over the target as it was sent, however it is spelled", async () => {
    for (const [signed, sent, status] of [
      ["/v3/auth/t%6Fkens", "/v3/auth/t%6Fkens", 201],
      ["/v3/auth/t%6fkens", "http://127.0.0.1:5900/v3/auth/t%6fkens", 201],
      ["/v3/auth/tokens/", "/v3/auth/tokens/", 201],
      ["/v3/auth/tokens", "/v3/auth/t%6Fkens", 401],
      ["/v3/auth/t%6Fkens", "/v3/auth/tokens", 401],
    ] as const) {
      const authorization = server.sign(signed, { consumer, token: access });
      const body = { auth: { identity: { methods: ["oauth1"], oauth1: {} } } };
      const answer = await server.send("POST", sent, { body, headers: { authorization } });
      expect({ signed, sent, status: answer.status }).toEqual({ signed, sent, status });
    }
  });

  it("gives a delegated token, which passes nothing on (CVE-2026-80184, CVE-2026-90460)", async () => {
    const { token } = await server.logIn(consumer, access);
    expect((await server.send("GET", "/v3/auth/projects", { token })).status).toBe(200);
    const { token: requested } = await server.requestToken(consumer, admin.projectId);
    const trust = {
      trustor_user_id: admin.id,
      trustee_user_id: admin.id,
      impersonation: false,
      project_id: admin.projectId,
      roles: [{ name: "member" }],
    };
    const requests = [
      ["POST", `/v3/users/${admin.id}/application_credentials`, { application_credential: { name: "a" } }],
      ["GET", `/v3/users/${admin.id}/application_credentials`, undefined],
      ["POST", "/v3/OS-TRUST/trusts", { trust }],
      ["POST", `/v3/users/${admin.id}/credentials/OS-EC2`, { tenant_id: admin.projectId }],
      ["POST", "/v3/credentials", { credential: { type: "cert", blob: "x", user_id: admin.id } }],
      ["GET", `/v3/users/${admin.id}/OS-OAUTH1/access_tokens`, undefined],
      ["DELETE", `/v3/users/${admin.id}/OS-OAUTH1/access_tokens/${access.id}`, undefined],
      ["PUT", `/v3/OS-OAUTH1/authorize/${requested.id}`, { roles: [{ name: "member" }] }],
      ["POST", "/v3/auth/tokens", { auth: { identity: { methods: ["token"], token: { id: token } } } }],
    ] as const;
    for (const [method, url, body] of requests) {
      const { status } = await server.send(method, url, { token, ...(body !== undefined && { body }) });
      expect([method, url, status]).toEqual([method, url, 403]);
    }
  });

  it("has no more than the user still has (CVE-2020-12690)", async () => {
    const user = await server.member(["admin", "member"]);
    const made = await server.authorized(user, [{ name: "member" }, { name: "reader" }]);
    const { token } = await server.logIn(made.consumer, made.token);
    await server.grant(user.id, user.projectId, "admin", "DELETE");
    expect(await server.validated(token)).toBe(200);
    await server.grant(user.id, user.projectId, "member", "DELETE");
    expect(await server.validated(token)).toBe(404);
    expect((await server.logIn(made.consumer, made.token)).status).toBe(401);
  });

  it("binds EC2 keys to the access token that they name (CVE-2020-12689)", async () => {
    const user = await server.member(["admin"]);
    const made = await server.authorized(user);
    const service = await server.member(["service"]);
    const key = { access: "bound-to-an-access-token", secret: "of the key" };
    const blob = JSON.stringify({ ...key, access_token_id: made.token.id });
    const credential = { type: "ec2", blob, user_id: user.id, project_id: user.projectId };
    await server.send("POST", "/v3/credentials", { token: user.token, body: { credential } });
    const validate = () => {
      const text = `GET\n\n\n${new Date(server.time.now).toUTCString()}\n/b/o`;
      const token = Buffer.from(text).toString("base64url");
      const signature = createHmac("sha1", key.secret).update(text).digest("base64");
      const credentials = { access: key.access, token, signature };
      return server.send("POST", "/v3/s3tokens", { token: service.token, body: { credentials } });
    };
    const { status, body } = await validate();
    expect(status).toBe(200);
    expect(names(body.token.roles)).toEqual(["member", "reader"]);
    await server.ask("DELETE", `${CONSUMERS}/${made.consumer.id}`);
    expect((await validate()).status).toBe(401);
  });

  it.each([
    [
      "the access token",
      (user: Member, made: { token: Pair }) =>
        `/v3/users/${user.id}/OS-OAUTH1/access_tokens/${made.token.id}`,
    ],
    ["the consumer", (_: Member, made: { consumer: Pair }) => `${CONSUMERS}/${made.consumer.id}`],
    ["the project", (user: Member) => `/v3/projects/${user.projectId}`],
    ["the user", (user: Member) => `/v3/users/${user.id}`],
  ])("ends with %s, and so do its tokens", async (_, pathOf) => {
    const user = await server.member(["admin"]);
    const made = await server.authorized(user);
    const { token } = await server.logIn(made.consumer, made.token);
    expect(await server.validated(token)).toBe(200);
    expect((await server.ask("DELETE", pathOf(user, made))).status).toBe(204);
    expect(await server.validated(token)).toBe(404);
    expect((await server.logIn(made.consumer, made.token)).status).toBe(401);
  });

  it("ends after a day, and its tokens no later", async () => {
    const user = await server.member(["admin"]);
    const made = await server.authorized(user);
    const { now } = server.time;
    server.time.now += 24 * 3_600_000 - 600_000;
    const { body } = await server.logIn(made.consumer, made.token);
    expect(Date.parse(body.token.expires_at)).toBe(Math.floor((now + 24 * 3_600_000) / 1000) * 1000);
    server.time.now += 600_000;
    expect((await server.logIn(made.consumer, made.token)).status).toBe(401);
    server.time.now = now;
  });

  it("is no longer possible while the user or project is disabled", async () => {
    const user = await server.member(["admin"]);
    const made = await server.authorized(user);
    for (const [kind, id] of [
      ["user", user.id],
      ["project", user.projectId],
    ] as const) {
      const enable = (enabled: boolean) =>
        server.ask("PATCH", `/v3/${kind}s/${id}`, { body: { [kind]: { enabled } } });
      await enable(false);
      expect((await server.logIn(made.consumer, made.token)).status).toBe(401);
      await enable(true);
      expect((await server.logIn(made.consumer, made.token)).status).toBe(201);
    }
  });
});
