/** Logout tokens of an OpenID provider, and logouts by users, at two replicas on one database. */
import { createHmac } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { PUBLIC_URL } from "../../test-server.js";
import { DASHBOARD, ENV, loginServer, NAMED, type LoginResponse, type LoginServer } from "../login-server.js";
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  signingKeys,
  startProvider,
  type TestProvider,
} from "../openid/test-provider.js";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const NOW = Math.floor(Date.now() / 1000) * 1000;

let op: TestProvider;
let other: TestProvider;
let server: LoginServer;
beforeAll(async () => {
  [op, other] = await Promise.all([startProvider(), startProvider()]);
  server = await loginServer(
    sqliteDatabases,
    { ...ENV, IDENTITY_ALLOW_HTTP_ISSUERS: "on" },
    { now: NOW, replicas: 2 },
  );
  await put("mappings/openid", { mapping: { rules: [NAMED] } });
  for (const [id, { issuer }] of [["op", op] as const, ["other", other] as const]) {
    await put(`identity_providers/${id}`, { identity_provider: { enabled: true, remote_ids: [issuer] } });
    await put(`identity_providers/${id}/protocols/openid`, { protocol: protocol(issuer) });
  }
  await put("identity_providers/op/protocols/silent", { protocol: protocol(op.issuer, { logout: false }) });
});
afterAll(async () => {
  await Promise.all([server.close(), op.close(), other.close()]);
});

const protocol = (issuer: string, settings: object = {}) => ({
  mapping_id: "openid",
  settings: {
    type: "openid",
    issuer,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    audiences: [AUDIENCE],
    logout: true,
    ...settings,
  },
});

async function put(path: string, body: object): Promise<void> {
  const { status, text } = await server.ask("PUT", `/v3/OS-FEDERATION/${path}`, { body });
  if (status !== 201) throw new Error(text);
}

const pathOf = (idp = "op", id = "openid") => `/v3/OS-FEDERATION/identity_providers/${idp}/protocols/${id}`;
const seconds = NOW / 1000;

interface LogInOptions {
  readonly by?: TestProvider;
  readonly at?: string;
  readonly replica?: number;
}

/** Logs in with an access token. */
async function logIn(
  claims: object,
  { by = op, at = pathOf(), replica = 0 }: LogInOptions = {},
): Promise<string> {
  const token = await by.keys.sign({
    iss: by.issuer,
    aud: AUDIENCE,
    client_id: CLIENT_ID,
    iat: seconds,
    exp: seconds + 300,
    ...claims,
  });
  return (await server.ask("POST", `${at}/auth`, { replica, headers: { authorization: `Bearer ${token}` } }))
    .token;
}

let tokens = 0;
const claimsOf = (claims: object = {}, issuer = op.issuer) => {
  tokens += 1;
  return {
    iss: issuer,
    aud: CLIENT_ID,
    iat: seconds,
    exp: seconds + 120,
    jti: `jti${tokens}`,
    events: { [EVENT]: {} },
    ...claims,
  };
};

const logoutToken = (claims: object = {}, header: Record<string, unknown> = {}) =>
  op.keys.sign(claimsOf(claims), { typ: "logout+jwt", ...header });

const send = (token: string, url = `${pathOf()}/logout`, replica = 0): Promise<LoginResponse> =>
  post({ logout_token: token }, url, replica);

function post(fields: Record<string, string>, url: string, replica = 0): Promise<LoginResponse> {
  return server.ask("POST", url, {
    replica,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(new URLSearchParams(fields).toString()),
  });
}

const check = async (token: string, replica = 0) =>
  (await server.ask("GET", "/v3/auth/tokens", { replica, headers: { "x-subject-token": token } })).status;

describe("a session at the provider", () => {
  it("is in the list of its user's sessions with its provider, and ends with its tokens, one by one or all", async () => {
    const [first, second, last] = [
      await logIn({ sub: "uma", sid: "u1" }),
      await logIn({ sub: "uma", sid: "u2" }, { replica: 1 }),
      await logIn({ sub: "uma", sid: "u3" }),
    ];
    // Without a logout of its own, a protocol has no sessions.
    const silent = await logIn({ sub: "uma", sid: "u1" }, { at: pathOf("op", "silent") });
    const tokenOf = async (token: string) =>
      (await server.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": token } })).body.token;
    const { user, audit_ids: ids } = await tokenOf(first);
    const path = `/v3/users/${user.id}/sessions`;
    const list = async () => (await server.ask("GET", path)).body.sessions as { id: string }[];
    const listed = await list();
    expect(listed).toHaveLength(3);
    const provider = { kind: "provider", identity_provider_id: "op", protocol_id: "openid" };
    const unknown = { methods: null, device: null, address: null, begun_at: null, last_used_at: null };
    expect(listed.find(({ id }) => id === ids.at(-1))).toMatchObject({ ...provider, ...unknown });
    expect((await server.ask("DELETE", `${path}/${ids.at(-1)}`)).status).toBe(204);
    const all = [first, second, last, silent];
    for (const replica of [0, 1])
      await expect
        .poll(() => Promise.all(all.map((each) => check(each, replica))))
        .toEqual([404, 200, 200, 200]);
    expect(await list()).toHaveLength(2);
    expect((await server.ask("DELETE", `${path}/${ids.at(-1)}`)).status).toBe(404);
    // Another user's session is none of this one's.
    const [anothers] = (await tokenOf(await logIn({ sub: "vic", sid: "v1" }))).audit_ids as string[];
    expect((await server.ask("DELETE", `${path}/${anothers}`)).status).toBe(404);
    expect((await server.ask("DELETE", path)).status).toBe(204);
    await expect.poll(() => Promise.all(all.map((each) => check(each)))).toEqual([404, 404, 404, 404]);
    expect(await list()).toEqual([]);
  });
});

describe("a logout token", () => {
  it("with sid ends the tokens of that session at all replicas, and no others", async () => {
    const ended = [
      await logIn({ sub: "kim", sid: "s1" }),
      await logIn({ sub: "kim", sid: "s1" }, { replica: 1 }),
    ];
    const others = [
      await logIn({ sub: "kim", sid: "s2" }),
      await logIn({ sub: "lee", sid: "s3" }),
      await logIn({ sub: "kim", sid: "s1" }, { at: pathOf("op", "silent") }),
      await logIn({ sub: "kim", sid: "s1" }, { by: other, at: pathOf("other") }),
    ];
    const { status, text, headers } = await send(await logoutToken({ sid: "s1" }));
    expect([status, text, headers["cache-control"]]).toEqual([200, "", "no-store"]);
    for (const replica of [0, 1]) {
      await expect.poll(() => Promise.all(ended.map((each) => check(each, replica)))).toEqual([404, 404]);
      expect(await Promise.all(others.map((each) => check(each, replica)))).toEqual([200, 200, 200, 200]);
    }
    expect(server.audits.at(-1)).toMatchObject({
      action: "logout",
      target: { idp_id: "op", protocol_id: "openid", sessions: "1" },
      outcome: "done",
    });
  });

  it("with sub ends all sessions of the user", async () => {
    const ended = [await logIn({ sub: "mo", sid: "m1" }), await logIn({ sub: "mo" })];
    const stays = await logIn({ sub: "nan", sid: "n1" });
    expect((await send(await logoutToken({ sub: "mo" }, { typ: "JWT" }), undefined, 1)).status).toBe(200);
    await expect.poll(() => Promise.all(ended.map((each) => check(each)))).toEqual([404, 404]);
    expect(await check(stays)).toBe(200);
  });

  it("with both ends the session, and those of the user that have no sid", async () => {
    const ended = [await logIn({ sub: "ole", sid: "o1" }), await logIn({ sub: "ole" })];
    const stays = [await logIn({ sub: "ole", sid: "o2" }), await logIn({ sub: "pat" })];
    expect((await send(await logoutToken({ sub: "ole", sid: "o1" }))).status).toBe(200);
    expect(await Promise.all([...ended, ...stays].map((each) => check(each)))).toEqual([404, 404, 200, 200]);
  });

  it("stops logins with tokens from before it, and no later ones", async () => {
    expect((await send(await logoutToken({ sub: "quin" }))).status).toBe(200);
    expect(await logIn({ sub: "quin" })).toBe("");
    expect(server.refusals.at(-1)).toMatchObject({ step: "session" });
    expect(await logIn({ sub: "quin", iat: seconds + 1 })).not.toBe("");
  });

  it("rejects access tokens without iat after a logout: they are not known to be later", async () => {
    expect(await logIn({ sub: "timeless", sid: "one", iat: undefined })).not.toBe("");
    expect((await send(await logoutToken({ sub: "timeless", sid: "one" }))).status).toBe(200);
    for (const sid of ["one", undefined])
      expect(await logIn({ sub: "timeless", sid, iat: undefined })).toBe("");
    expect(server.refusals.at(-1)).toMatchObject({
      step: "session",
      reason:
        "the provider has logged the user out: the assertion does not say when it was issued (iat), expected one from after the logout",
    });
    expect(await logIn({ sub: "timeless", sid: "two", iat: undefined })).not.toBe("");
    expect(await logIn({ sub: "timeless", sid: "one", iat: seconds + 1 })).not.toBe("");
    // What the provider reports as active now is later.
    op.answers.set("/token/introspection", (_, response) => {
      response.setHeader("content-type", "application/json");
      const claims = { active: true, token_type: "Bearer", iss: op.issuer, client_id: CLIENT_ID };
      response.end(JSON.stringify({ ...claims, sub: "timeless", sid: "one" }));
    });
    const headers = { authorization: "Bearer opaque" };
    server.time.now += 1000;
    expect((await server.ask("POST", `${pathOf()}/auth`, { headers })).status).toBe(201);
    server.time.now -= 1000;
    op.answers.delete("/token/introspection");
  });

  it("ends the session too if the provider's clock is 60 s ahead, which is the leeway", async () => {
    const token = await logIn({ sub: "sue" });
    expect((await send(await logoutToken({ sub: "sue", iat: seconds + 60 }))).status).toBe(200);
    expect(await check(token)).toBe(404);
  });

  it("leaves application credentials of the user alone", async () => {
    const project = await server.create("projects", { name: "lab", domain_id: "default" });
    const token = await logIn({ sub: "ray" });
    const { body } = await server.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": token } });
    const { id: user } = body.token.user as { id: string };
    const { body: roles } = await server.ask("GET", "/v3/roles?name=member");
    await server.ask("PUT", `/v3/projects/${project}/users/${user}/roles/${roles.roles[0].id}`);
    const identity = { methods: ["token"], token: { id: token } };
    const auth = { identity, scope: { project: { id: project } } };
    const scoped = await server.ask("POST", "/v3/auth/tokens", { body: { auth } });
    const credential = await server.ask("POST", `/v3/users/${user}/application_credentials`, {
      token: scoped.token,
      body: { application_credential: { name: "robot", secret: "a secret" } },
    });
    expect(credential.status).toBe(201);
    expect((await send(await logoutToken({ sub: "ray" }))).status).toBe(200);
    expect(await Promise.all([token, scoped.token].map((each) => check(each)))).toEqual([404, 404]);
    const { id } = credential.body.application_credential as { id: string };
    const robot = { methods: ["application_credential"], application_credential: { id, secret: "a secret" } };
    expect(
      (await server.ask("POST", "/v3/auth/tokens", { body: { auth: { identity: robot } } })).status,
    ).toBe(201);
  });
});

describe("a rejected logout token", () => {
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const unsigned = () => `${base64({ alg: "none", typ: "logout+jwt" })}.${base64(claimsOf({ sub: "kim" }))}.`;
  const symmetric = () => {
    const text = `${base64({ alg: "HS256", typ: "logout+jwt" })}.${base64(claimsOf({ sub: "kim" }))}`;
    return `${text}.${createHmac("sha256", CLIENT_SECRET).update(text).digest("base64url")}`;
  };

  it.each([
    ["not signed", unsigned, /alg/],
    ["signed with the client's secret", symmetric, /alg/],
    [
      "by a key of another party",
      () => signingKeys("first").sign(claimsOf({ sub: "kim" }), { typ: "logout+jwt" }),
      /signature/,
    ],
    [
      "by another issuer",
      () => other.keys.sign(claimsOf({ sub: "kim" }, other.issuer), { typ: "logout+jwt" }),
      /signature|iss/,
    ],
    [
      "in the name of another issuer",
      () => logoutToken({ sub: "kim", iss: "https://evil.example.org" }),
      /"iss".*"https:\/\/evil.example.org", expected "http:/,
    ],
    [
      "for another client",
      () => logoutToken({ sub: "kim", aud: "someone" }),
      /"aud".*"someone", expected "identity"/,
    ],
    ["for the audience of access tokens", () => logoutToken({ sub: "kim", aud: AUDIENCE }), /"aud"/],
    ["expired", () => logoutToken({ sub: "kim", exp: seconds - 61 }), /"exp".* ago/],
    ["without an end", () => logoutToken({ sub: "kim", exp: undefined }), /missing required "exp"/],
    [
      "valid for days",
      () => logoutToken({ sub: "kim", exp: seconds + 86_401 }),
      /"exp" is 86401 s after "iat", expected at most 86400 s/,
    ],
    [
      "from the future",
      () => logoutToken({ sub: "kim", iat: seconds + 61 }),
      /"iat" is in the future: .*Z, in 61 s .*clocks/,
    ],
    ["without iat", () => logoutToken({ sub: "kim", iat: undefined }), /missing required "iat"/],
    ["without jti", () => logoutToken({ sub: "kim", jti: undefined }), /missing required "jti"/],
    ["without events", () => logoutToken({ sub: "kim", events: undefined }), /missing required "events"/],
    [
      "about another event",
      () => logoutToken({ sub: "kim", events: { "https://example.org/": {} } }),
      /"events" has no member/,
    ],
    [
      "with an event that is no object",
      () => logoutToken({ sub: "kim", events: { [EVENT]: true } }),
      /"events" has no member/,
    ],
    ["with a nonce", () => logoutToken({ sub: "kim", nonce: "n" }), /"nonce"/],
    ["about no one", () => logoutToken(), /neither "sub" nor "sid"/],
    ["about a number", () => logoutToken({ sub: 7 }), /"sub"/],
    [
      "that is an ID token",
      () => op.keys.sign({ ...claimsOf({ sub: "kim" }), events: undefined, nonce: "n" }, { typ: "JWT" }),
      /missing required "events"/,
    ],
    [
      "that is an access token",
      () => logoutToken({ sub: "kim" }, { typ: "at+jwt" }),
      /"typ" of the header is "at\+jwt", expected "logout\+jwt"/,
    ],
    ["whose subject is a number", () => logoutToken({ sub: 5 }), /"sub" is of type number/],
    ["whose subject is a list", () => logoutToken({ sub: ["kim"] }), /"sub" is of type list/],
    ["whose session is a number", () => logoutToken({ sid: 9_007_199_254_740_992 }), /"sid" is no text/],
    ["that is no JWT", () => "x", /./],
  ])("%s", async (_name, make, reason) => {
    const token = await logIn({ sub: "kim", sid: "stays", iat: seconds + 1 });
    expect(token).not.toBe("");
    const { status, body, headers } = await send(await make());
    expect([status, headers["cache-control"]]).toEqual([400, "no-store"]);
    expect(body).toEqual({ error: { code: 400, message: "The logout was rejected.", title: "Bad Request" } });
    expect(server.refusals.at(-1)).toMatchObject({
      step: "logout-token",
      reason: expect.stringMatching(reason),
    });
    expect(server.audits.at(-1)).toMatchObject({ action: "logout", outcome: "failed" });
    expect(await check(token)).toBe(200);
  });

  it("replayed, at another replica", async () => {
    const token = await logoutToken({ sub: "sam" });
    expect((await send(token)).status).toBe(200);
    const later = await logIn({ sub: "sam", iat: seconds + 1 });
    expect((await send(token, undefined, 1)).status).toBe(400);
    expect(server.refusals.at(-1)).toMatchObject({ step: "replay" });
    expect(await check(later)).toBe(200);
  });

  it("at a protocol without the setting, at one of another issuer, and of a disabled provider", async () => {
    const token = await logIn({ sub: "tom" }, { by: other, at: pathOf("other") });
    expect((await send(await logoutToken({ sub: "tom" }), `${pathOf("op", "silent")}/logout`)).status).toBe(
      400,
    );
    expect(server.refusals.at(-1)).toMatchObject({ step: "settings" });
    expect((await send(await logoutToken({ sub: "tom" }), `${pathOf("other")}/logout`)).status).toBe(400);
    expect((await send(await logoutToken({ sub: "tom" }), `${pathOf("none")}/logout`)).status).toBe(404);
    expect(await check(token)).toBe(200);
    const path = "/v3/OS-FEDERATION/identity_providers/other";
    await server.ask("PATCH", path, { body: { identity_provider: { enabled: false } } });
    expect((await send(await logoutToken({ sub: "tom" }), `${pathOf("other")}/logout`)).status).toBe(400);
    await server.ask("PATCH", path, { body: { identity_provider: { enabled: true } } });
  });

  it("of more than 64 KiB", async () => {
    expect((await send("x".repeat(1 << 16))).status).toBe(413);
  });
});

describe("a logout by a user", () => {
  it("ends the tokens, and sends the browser to the provider's end_session_endpoint and back", async () => {
    const token = await logIn({ sub: "uma", sid: "u1" });
    const returnUrl = new URL("/auth/login/", DASHBOARD).href;
    const { status, headers } = await post({ token, origin: returnUrl }, `${pathOf()}/logout`);
    expect([status, await check(token)]).toEqual([303, 404]);
    const { origin, pathname, searchParams } = new URL(String(headers["location"]));
    expect(origin + pathname).toBe(`${op.issuer}/session/end`);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: CLIENT_ID,
      post_logout_redirect_uri: `${PUBLIC_URL}${pathOf()}/logout`,
      state: returnUrl,
    });
    const back = await server.ask("GET", `${pathOf()}/logout?state=${encodeURIComponent(returnUrl)}`);
    expect([back.status, back.headers["location"]]).toEqual([303, returnUrl]);
  });

  it("is rejected where the protocol has none", async () => {
    const token = await logIn({ sub: "uma" }, { at: pathOf("op", "silent") });
    expect((await post({ token }, `${pathOf("op", "silent")}/logout`)).status).toBe(400);
    expect((await post({ token }, `${pathOf()}/logout`)).status).toBe(400);
    expect(await check(token)).toBe(200);
  });
});
