/** Test logins at a real provider of OpenID Connect: every step, and nothing created. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { PUBLIC_URL } from "../../test-server.js";
import { createBrowser } from "../../federation/openid/test-browser.js";
import { AUDIENCE, CLIENT_ID, KIM, publicKey, signingKeys } from "../../federation/openid/test-provider.js";
import { OPENID, OPENID_AUTH, testLoginServer, type TestLoginServer } from "./test-login-service.js";

// JSON of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** The names of the steps by status. */
const stepsOf = ({ result }: Json, status: string): string[] =>
  result.steps.filter((step: Json) => step.status === status).map(({ step }: Json) => step);
const failureOf = ({ result }: Json): Json => result.steps.find((step: Json) => step.status === "failed");

describe(`test logins with OpenID Connect, with ${sqliteDatabases.name}`, () => {
  let server: TestLoginServer;
  beforeAll(async () => {
    server = await testLoginServer(sqliteDatabases);
  });
  afterAll(() => server.close());

  const foreign = signingKeys("foreign");
  const seconds = () => Math.floor(server.time.now / 1000);
  const accessToken = (changes: Record<string, unknown> = {}) =>
    server.op.keys.sign({
      iss: server.op.issuer,
      sub: KIM.sub,
      aud: AUDIENCE,
      exp: seconds() + 300,
      iat: seconds(),
      preferred_username: "kim.example",
      groups: ["staff", "operators"],
      ...changes,
    });
  const testToken = async (changes: Record<string, unknown> = {}): Promise<Json> => {
    const response = await server.test(OPENID, { access_token: await accessToken(changes) });
    expect(response).toMatchObject({ status: 201 });
    return response.body.test_login;
  };

  it("shows each step of a good access token, and what the login would give and create", async () => {
    const before = await server.rows();
    const login = await testToken();
    expect(login.status).toBe("passed");
    expect(stepsOf(login, "failed")).toEqual([]);
    expect(stepsOf(login, "passed")).toEqual([
      "message",
      "signature",
      "issuer",
      "audience",
      "time",
      "remote-id",
      "attributes",
      "mapping",
      "user",
      "groups",
      "projects",
    ]);
    const { result } = login;
    expect(result.steps[1]).toMatchObject({
      message: 'RS256, by key "first" of the provider',
      received: "first",
    });
    expect(result.steps[3]).toMatchObject({ received: AUDIENCE, expected: `${CLIENT_ID}, ${AUDIENCE}` });
    expect(result.attributes).toMatchObject({ "OIDC-sub": "kim", "OIDC-groups": "staff;operators" });
    expect(result.mapping).toMatchObject({
      id: "op",
      error: null,
      trace: [{ matched: true }, { matched: true }],
    });
    expect(result.user).toMatchObject({
      name: "kim.example",
      domain_id: "default",
      type: "federated",
      exists: false,
    });
    expect(result.groups).toEqual([{ id: server.groupId, name: "staff", domain_id: "default" }]);
    expect(result.steps.find(({ step }: Json) => step === "groups").message).toBe(
      '1 group; ignored: no group "operators" in domain Default',
    );
    expect(result.scopes).toMatchObject([
      {
        scope: { project: { id: server.projectId, name: "atelier" } },
        roles: [{ name: "member" }, { name: "reader" }],
      },
    ]);
    expect(result.changes).toEqual([
      { action: "create", resource: "user", name: "kim.example" },
      { action: "create", resource: "federated identity", name: "kim" },
      { action: "create", resource: "group memberships" },
    ]);
    expect(await server.rows()).toBe(before);
  });

  it.each([
    [
      "a wrong audience",
      { aud: "account" },
      "audience",
      { received: "account", expected: `${CLIENT_ID}, ${AUDIENCE}` },
    ],
    [
      "another issuer",
      { iss: "https://other.example.org" },
      "issuer",
      { received: "https://other.example.org" },
    ],
    ["an expired token", { exp: 1_700_000_000 }, "time", { received: "2023-11-14T22:13:20Z" }],
  ])("names the step that fails, behind those that passed: %s", async (_, changes, step, compared) => {
    const login = await testToken(changes);
    expect(login.status).toBe("failed");
    expect(failureOf(login)).toMatchObject({ step, ...compared });
    const order = ["message", "signature", "issuer", "audience", "time"];
    expect(stepsOf(login, "passed")).toEqual(order.slice(0, order.indexOf(step)));
    expect(stepsOf(login, "not-reached")).toContain("mapping");
    expect(login.result).toMatchObject({ attributes: null, user: null, changes: [] });
  });

  it("names a signature by an unknown key", async () => {
    const token = await foreign.sign({
      iss: server.op.issuer,
      sub: "kim",
      aud: AUDIENCE,
      exp: seconds() + 60,
    });
    const { body } = await server.test(OPENID, { access_token: token });
    expect(failureOf(body.test_login)).toMatchObject({ step: "signature" });
    expect(publicKey(foreign)).toBeDefined();
  });

  it("shows which rule did not match and why, where an attribute is missing", async () => {
    const login = await testToken({ preferred_username: undefined, groups: undefined });
    expect(failureOf(login)).toMatchObject({ step: "mapping" });
    expect(login.result.attributes["OIDC-sub"]).toBe("kim");
    expect(login.result.mapping.trace[0].conditions).toMatchObject([
      { matched: true },
      { matched: false, reason: expect.stringContaining('the assertion has no "OIDC-preferred_username"') },
    ]);
  });

  it("passes for a user who exists, and would change nothing; for a disabled user it fails", async () => {
    const headers = { authorization: `Bearer ${await accessToken()}` };
    const real = await server.ask("POST", `${OPENID}/auth`, { token: "", headers });
    expect(real).toMatchObject({ status: 201 });
    const login = await testToken();
    expect(login.result.user).toMatchObject({ exists: true, id: real.body.token.user.id });
    expect(login.result.changes).toEqual([]);
    const user = `/v3/users/${real.body.token.user.id}`;
    await server.ask("PATCH", user, { body: { user: { enabled: false } } });
    expect(failureOf(await testToken())).toMatchObject({ step: "user" });
    await server.ask("DELETE", user);
    // The real login is counted a second later, and no test login with it.
    const days = () =>
      server.database
        .tables<{ readonly login_day: { readonly proved: number } }>()
        .selectFrom("login_day")
        .select("proved")
        .execute();
    await expect.poll(days).toEqual([{ proved: 1 }]);
  });

  it("creates nothing where the mapping grants roles in projects that do not exist yet", async () => {
    const rules = [
      {
        remote: [{ type: "OIDC-sub" }],
        local: [{ user: { name: "{0}" } }, { projects: [{ name: "new {0}", roles: [{ name: "member" }] }] }],
      },
    ];
    const known = await server.ask("GET", "/v3/OS-FEDERATION/mappings/op");
    await server.ask("PATCH", "/v3/OS-FEDERATION/mappings/op", { body: { mapping: { rules } } });
    const before = await server.rows();
    const login = await testToken();
    expect(login.status).toBe("passed");
    expect(login.result.projects).toMatchObject([{ name: "new kim", roles: [{ name: "member" }] }]);
    expect(login.result.changes).toContainEqual({ action: "create", resource: "project", name: "new kim" });
    expect(login.result.changes).toContainEqual(expect.objectContaining({ resource: "role assignment" }));
    expect(await server.rows()).toBe(before);
    const { rules: old } = known.body.mapping;
    await server.ask("PATCH", "/v3/OS-FEDERATION/mappings/op", { body: { mapping: { rules: old } } });
  });

  it("goes through a browser and the provider, and gives no token", async () => {
    const browser = createBrowser();
    const before = await server.rows();
    const { id, location } = await server.beginIn(browser, OPENID);
    const waiting = await server.result(OPENID, id);
    expect(waiting.body.test_login).toMatchObject({ status: "begun", result: null, login_url: null });
    const back = await browser.follow(location, OPENID_AUTH);
    const page = await server.visit(browser, back.href);
    expect(page.status).toBe(200);
    expect(page.text).toContain("The test login passed");
    expect(page.headers).not.toHaveProperty("x-subject-token");
    const { body } = await server.result(OPENID, id);
    expect(body.test_login.status).toBe("passed");
    expect(stepsOf(body.test_login, "passed").slice(0, 7)).toEqual([
      "message",
      "signature",
      "issuer",
      "audience",
      "time",
      "request",
      "replay",
    ]);
    expect(await server.rows()).toBe(before);
    // The answer counts as used: neither a test nor a login takes it again.
    const again = await server.visit(browser, back.href);
    expect(again.headers).not.toHaveProperty("x-subject-token");
    expect((await server.result(OPENID, id)).body.test_login.status).toBe("passed");
  });

  it("begins and ends in the browser that asked for it alone, and begins once", async () => {
    const [own, other] = [createBrowser(), createBrowser()];
    const created = await server.test(OPENID);
    const { login_url: url, id } = created.body.test_login;
    expect((await server.visit(other, url)).status).toBe(401);
    own.keep(url, [created.headers["set-cookie"] ?? []].flat() as string[]);
    const step = await server.visit(own, url);
    expect(step.status).toBe(302);
    expect((await server.visit(own, url)).status).toBe(401);
    const back = await own.follow(String(step.headers["location"]), OPENID_AUTH);
    const stolen = await server.visit(other, back.href);
    expect(stolen.status).toBe(401);
    expect((await server.result(OPENID, id)).body.test_login).toMatchObject({
      status: "begun",
      result: null,
    });
    expect((await server.visit(own, back.href)).status).toBe(200);
    expect((await server.result(OPENID, id)).body.test_login.status).toBe("passed");
  });

  it("sends its cookie to the test login alone, hidden from scripts", async () => {
    const created = await server.test(OPENID);
    const { id } = created.body.test_login;
    const [cookie = ""] = [created.headers["set-cookie"] ?? []].flat() as string[];
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toContain("SameSite=Lax");
    expect(cookie).toContain(`Path=${OPENID}/test_logins/${id}`);
    expect(created.headers["cache-control"]).toBe("no-store");
    expect(created.text).not.toContain(cookie.split(/[=;]/)[1]);
  });

  it("shows where the provider refuses the user", async () => {
    const browser = createBrowser();
    const { id, location } = await server.beginIn(browser, OPENID);
    const state = new URL(location).searchParams.get("state") ?? "";
    const words = "AADSTS65001: The user or administrator has not consented to use the application.";
    const answer = { error: "access_denied", error_description: words, state, iss: server.op.issuer };
    const refused = `${OPENID_AUTH}?${new URLSearchParams(answer).toString()}`;
    const page = await server.visit(browser, refused);
    expect(page.text).toContain("The test login failed");
    const { body } = await server.result(OPENID, id);
    expect(failureOf(body.test_login)).toMatchObject({
      message: expect.stringContaining("access_denied"),
      provider_words: words,
      remedies: [{ provider: "Entra ID", text: "AADSTS65001", guide: "docs/identity/providers/entra-id.md" }],
    });
  });

  describe("of a workload", () => {
    const JOBS = OPENID.replace(/openid$/, "jobs");
    const SUBJECT = "repo:acme/web:ref:refs/heads/main";
    const testJob = async (changes: Record<string, unknown> = {}): Promise<Json> => {
      const token = await accessToken({ sub: SUBJECT, aud: "cloud", ...changes });
      return (await server.test(JOBS, { access_token: token })).body.test_login;
    };
    beforeAll(async () => {
      const rules = [{ remote: [{ type: "OIDC-sub" }], local: [{ user: { id: "{0}", name: "{0}" } }] }];
      await server.ask("PUT", "/v3/OS-FEDERATION/mappings/jobs", { body: { mapping: { rules } } });
      const settings = {
        type: "openid",
        issuer: server.op.issuer,
        token_kinds: ["workload"],
        audiences: ["cloud"],
        conditions: [{ claim: "sub", values: ["repo:acme/*"] }],
      };
      const body = { protocol: { mapping_id: "jobs", settings } };
      const { status, text } = await server.ask("PUT", JOBS, { body });
      if (status !== 201) throw new Error(text);
    });

    it("shows each step, also of a token that has logged in before", async () => {
      const token = await accessToken({ sub: SUBJECT, aud: "cloud" });
      const headers = { authorization: `Bearer ${token}` };
      expect(await server.ask("POST", `${JOBS}/auth`, { token: "", headers })).toMatchObject({ status: 201 });
      const { body } = await server.test(JOBS, { access_token: token });
      expect(body.test_login.status).toBe("passed");
      expect(stepsOf(body.test_login, "passed").slice(0, 7)).toEqual([
        "message",
        "signature",
        "issuer",
        "audience",
        "time",
        "conditions",
        "remote-id",
      ]);
    });

    it.each([
      ["another audience", { aud: "other" }, "audience"],
      ["a second audience", { aud: ["cloud", "other"] }, "audience"],
      ["an expired token", { exp: 1_700_000_000 }, "time"],
      ["a token that is not yet valid", { nbf: 4_000_000_000 }, "time"],
      ["another repository", { sub: "repo:evil/web:ref:refs/heads/main" }, "conditions"],
      ["a pull request", { sub: "repo:acme/web:pull_request" }, "conditions"],
    ])("names the step that fails: %s", async (_, changes, step) => {
      const login = await testJob(changes);
      expect(failureOf(login)).toMatchObject({ step });
      expect(stepsOf(login, "passed").slice(0, 3)).toEqual(["message", "signature", "issuer"]);
      expect(stepsOf(login, "not-reached")).toContain("mapping");
    });

    it("names another issuer behind the signature, and a key that is not published", async () => {
      const login = await testJob({ iss: "https://other.example.org" });
      expect(failureOf(login)).toMatchObject({ step: "issuer", received: "https://other.example.org" });
      expect(stepsOf(login, "passed")).toEqual(["message", "signature"]);
      const claims = { iss: server.op.issuer, sub: SUBJECT, aud: "cloud", exp: seconds() + 60 };
      const { body } = await server.test(JOBS, { access_token: await foreign.sign(claims) });
      expect(failureOf(body.test_login)).toMatchObject({ step: "signature" });
      expect(stepsOf(body.test_login, "passed")).toEqual(["message"]);
    });
  });

  it("is for those who may change the mapping: an administrator, not a reader, not without a token", async () => {
    const reader = await server.tokenOf("reading-user", "reader");
    expect((await server.test(OPENID, {}, reader)).status).toBe(403);
    expect((await server.test(OPENID, {}, "")).status).toBe(401);
    const { id } = await testToken();
    expect((await server.result(OPENID, id, reader)).status).toBe(403);
    expect((await server.result(OPENID, id, "")).status).toBe(401);
    expect((await server.result(OPENID, id)).status).toBe(200);
  });

  it("is for its creator alone: another administrator does not find it", async () => {
    const other = await server.tokenOf("other-admin", "admin");
    const { id } = await testToken();
    expect((await server.result(OPENID, id, other)).status).toBe(404);
    const own = (await server.test(OPENID, { access_token: await accessToken() }, other)).body.test_login.id;
    expect((await server.result(OPENID, own, other)).status).toBe(200);
    expect((await server.result(OPENID, own)).status).toBe(404);
  });

  it("ends after ten minutes, and is sealed in the database until it is deleted", async () => {
    const { id } = await testToken();
    const rows = () =>
      server.database
        .tables<{ test_login: { id: string; sealed_result: string } }>()
        .selectFrom("test_login")
        .selectAll()
        .where("id", "=", id)
        .execute();
    expect(JSON.stringify(await rows())).not.toMatch(/kim\.example|operators/);
    server.time.now += 601_000;
    expect((await server.result(OPENID, id)).status).toBe(404);
    server.time.now -= 601_000;
    expect((await server.result(OPENID, id)).status).toBe(200);
  });

  it("answers under each prefix of the federation", async () => {
    for (const prefix of ["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"]) {
      const path = OPENID.replace("/v3/OS-FEDERATION", prefix);
      const { body, status } = await server.test(path, { access_token: await accessToken() });
      expect(status).toBe(201);
      expect(body.test_login.links.self).toBe(`${PUBLIC_URL}${path}/test_logins/${body.test_login.id}`);
      expect((await server.result(path, body.test_login.id)).status).toBe(200);
    }
  });

  it("rejects what the protocol's settings do not accept, and unknown protocols", async () => {
    const saml = await server.test(OPENID, { saml_response: "PHg+" });
    expect(saml.status).toBe(400);
    expect(saml.body.error.message).toContain('settings are of type "openid", expected "saml2"');
    expect((await server.test(OPENID, { access_token: "a", saml_response: "b" })).status).toBe(400);
    const mapped = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped";
    expect((await server.test(mapped)).status).toBe(400);
    expect((await server.test(`${OPENID}x`)).status).toBe(404);
  });

  it("keeps no more than twenty of a user", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 21; count++) {
      server.time.now += 1;
      ids.push((await server.test(OPENID)).body.test_login.id);
    }
    expect((await server.result(OPENID, ids[0] ?? "")).status).toBe(404);
    expect((await server.result(OPENID, ids[1] ?? "")).status).toBe(200);
    expect((await server.result(OPENID, ids.at(-1) ?? "")).status).toBe(200);
  });

  it("is recorded in the audit log, and not among failed logins", async () => {
    await testToken({ aud: "account" });
    expect(server.audits.at(-1)).toMatchObject({ action: "identity:create_test_login", outcome: "done" });
    const { body } = await server.ask("GET", "/v3/OS-FEDERATION/failed_logins?step=access-token");
    expect(body.failed_logins).toEqual([]);
  });
});
