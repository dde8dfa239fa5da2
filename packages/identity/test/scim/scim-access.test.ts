/** The secrets of SCIM clients: who may create them, and what they open. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { isAllowed, type Action } from "../../src/policy/is-allowed.js";
import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_ADMIN, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import { ERROR, operations, scimServer, USER, type ScimServer } from "./scim-server.js";

const SECRETS = "/v3/OS-FEDERATION/identity_providers/idp/scim_secrets";
const INVALID = {
  status: 401,
  headers: { "www-authenticate": "Bearer", "content-type": "application/scim+json; charset=utf-8" },
  body: { schemas: [ERROR], status: "401", detail: "The bearer secret is not valid here." },
};

let service: ScimServer;
beforeAll(async () => {
  service = await scimServer(databases);
});
afterAll(() => service.close());

describe(`SCIM secrets on ${databases.name}`, () => {
  it("are shown once, stored as digests, and at most two at a time", async () => {
    const { body: list } = await service.ask("GET", SECRETS);
    expect(list.scim_secrets).toHaveLength(1);
    const second = await service.ask("POST", SECRETS, {
      body: { scim_secret: { description: "rotation", expires_at: "2099-01-01T00:00:00Z" } },
    });
    expect(second.status).toBe(201);
    const { secret, ...shown } = second.body.scim_secret;
    expect(secret).toMatch(/^scim_[0-9a-f]{32}_[A-Za-z0-9_-]{43}$/);
    expect(shown).toEqual({
      id: expect.any(String),
      description: "rotation",
      created_at: expect.any(String),
      expires_at: "2099-01-01T00:00:00.000000Z",
      last_used_at: null,
      links: { self: expect.stringContaining(`/scim_secrets/${shown.id}`) },
    });
    expect((await service.ask("GET", `${SECRETS}/${shown.id}`)).body).toEqual({ scim_secret: shown });
    expect(await service.ask("POST", SECRETS, { body: { scim_secret: {} } })).toMatchObject({ status: 409 });
    // Both open the provider, until the older one is deleted.
    for (const each of [service.secret, secret])
      expect((await service.push("GET", "/Users", undefined, { secret: each })).status).toBe(200);
    const rows = await service.database
      .tables<{ scim_secret: { hash: string } }>()
      .selectFrom("scim_secret")
      .select("hash")
      .execute();
    for (const { hash } of rows) expect(secret).not.toContain(hash);
    await expect
      .poll(async () => (await service.ask("GET", `${SECRETS}/${shown.id}`)).body.scim_secret.last_used_at)
      .toEqual(expect.any(String));
    expect((await service.ask("DELETE", `${SECRETS}/${shown.id}`)).status).toBe(204);
    expect(await service.push("GET", "/Users", undefined, { secret })).toMatchObject(INVALID);
    expect((await service.ask("GET", `${SECRETS}/${shown.id}`)).status).toBe(404);
  });

  it("need a provider that says by what its users are identified", async () => {
    const provider = "/v3/OS-FEDERATION/identity_providers/silent";
    await service.ask("PUT", provider, { body: { identity_provider: { enabled: true } } });
    const create = () => service.ask("POST", `${provider}/scim_secrets`, { body: { scim_secret: {} } });
    expect((await create()).status).toBe(409);
    await service.ask("PATCH", provider, { body: { identity_provider: { scim_unique_id: "userName" } } });
    const { secret } = (await create()).body.scim_secret;
    await service.ask("PATCH", provider, { body: { identity_provider: { scim_unique_id: null } } });
    expect(await service.push("GET", "/Users", undefined, { secret, provider: "silent" })).toMatchObject({
      status: 403,
      body: { schemas: [ERROR], detail: expect.stringContaining("scim_unique_id") },
    });
  });

  it("expire, and don't open a disabled provider", async () => {
    const expiresAt = new Date(service.time.now + 60_000).toISOString().slice(0, 19);
    const { id, secret } = await service.createSecret("idp", { expires_at: expiresAt });
    const read = () => service.push("GET", "/Users", undefined, { secret });
    expect((await read()).status).toBe(200);
    service.time.now += 61_000;
    expect(await read()).toMatchObject(INVALID);
    await service.ask("DELETE", `${SECRETS}/${id}`);
    const path = "/v3/OS-FEDERATION/identity_providers/idp";
    await service.ask("PATCH", path, { body: { identity_provider: { enabled: false } } });
    expect((await service.push("GET", "/Users")).status).toBe(403);
    await service.ask("PATCH", path, { body: { identity_provider: { enabled: true } } });
    expect((await service.push("GET", "/Users")).status).toBe(200);
  });

  it("open nothing at another provider, and don't tell unknown providers from wrong secrets", async () => {
    const secret = await service.addProvider("second");
    const wrong = `${service.secret.slice(0, -1)}${service.secret.endsWith("A") ? "B" : "A"}`;
    const answers = await Promise.all([
      service.push("GET", "/Users", undefined, { secret }),
      service.push("GET", "/Users", undefined, { secret: wrong }),
      service.push("GET", "/Users", undefined, { secret: null }),
      service.push("GET", "/Users", undefined, { secret: "x" }),
      service.push("GET", "/Users", undefined, { provider: "nowhere", secret: service.secret }),
      service.push("POST", "/Users", { userName: "x" }, { provider: "nowhere", secret: wrong }),
      service.push("GET", "/Nothing", undefined, { secret: wrong }),
    ]);
    for (const answer of answers.slice(0, -1)) expect(answer).toMatchObject(INVALID);
    expect(answers.at(-1)?.status).not.toBe(200);
  });

  it("have tokens as an alternative, of who may change users and groups of the provider's domain", async () => {
    const provider = await service.ask("GET", "/v3/OS-FEDERATION/identity_providers/idp");
    const domain = provider.body.identity_provider.domain_id as string;
    const user = { name: "pusher", domain_id: "default", password: "Secret-1-pw" };
    const { id } = (await service.ask("POST", "/v3/users", { body: { user } })).body.user;
    const { roles } = (await service.ask("GET", "/v3/roles?name=manager")).body;
    await service.ask("PUT", `/v3/domains/${domain}/users/${id}/roles/${roles[0].id}`);
    const tokenOf = async (scope: object | string) => {
      const password = { user: { name: user.name, domain: { id: "default" }, password: user.password } };
      const auth = { identity: { methods: ["password"], password }, scope };
      const { headers } = await service.ask("POST", "/v3/auth/tokens", { token: "", body: { auth } });
      return String(headers["x-subject-token"]);
    };
    const secret = await tokenOf({ domain: { id: domain } });
    const body = { schemas: [USER], userName: "by-token" };
    expect((await service.push("POST", "/Users", body, { secret })).status).toBe(201);
    const audit = service.audits.findLast(({ action }) => action === "scim:create_user");
    expect(audit).toMatchObject({ user: id, scope: { kind: "domain" }, outcome: "done" });
    expect(audit?.["target"]).not.toHaveProperty("secret_id");
    // Of another domain, without the role, and without any.
    await service.addProvider("elsewhere");
    const denied = [
      await service.push("GET", "/Users", undefined, { secret, provider: "elsewhere" }),
      await service.push("GET", "/Users", undefined, { secret, provider: "nowhere" }),
      await service.push("GET", "/Users", undefined, { secret: await tokenOf("unscoped") }),
      await service.push("GET", "/Users", undefined, { secret: (await service.logIn("plain")).token }),
    ];
    for (const answer of denied)
      expect(answer).toMatchObject({ status: 403, body: { schemas: [ERROR], status: "403" } });
    await service.ask("DELETE", "/v3/auth/tokens", { headers: { "x-subject-token": secret } });
    expect(await service.push("GET", "/Users", undefined, { secret })).toMatchObject(INVALID);
  });

  it("are not tokens", async () => {
    const headers = { "x-auth-token": service.secret };
    expect((await service.ask("GET", "/v3/users", { headers })).status).toBe(401);
  });

  it.each([
    ["identity:create_scim_secret", [SYSTEM_ADMIN], [SYSTEM_READER, UNSCOPED, inDomain("d1", "admin")]],
    ["identity:delete_scim_secret", [SYSTEM_ADMIN], [SYSTEM_READER, UNSCOPED, inDomain("d1", "admin")]],
    ["identity:list_scim_secrets", [SYSTEM_ADMIN, SYSTEM_READER], [UNSCOPED, inDomain("d1", "admin")]],
    ["identity:get_scim_secret", [SYSTEM_ADMIN, SYSTEM_READER], [UNSCOPED, inProject("p1", "d1", "member")]],
  ] as const)("are for administrators: %s", (action: Action, allowed, denied) => {
    for (const caller of allowed) expect(isAllowed(action, caller)).toBe(true);
    for (const caller of denied) expect(isAllowed(action, caller)).toBe(false);
  });

  it("can't be read or made by a user without a role", async () => {
    const { token } = await service.logIn("plain");
    for (const [method, url] of [
      ["GET", SECRETS],
      ["POST", SECRETS],
      ["GET", `${SECRETS}/x`],
      ["DELETE", `${SECRETS}/x`],
    ] as const)
      expect((await service.ask(method, url, { token, ...(method === "POST" && { body: {} }) })).status).toBe(
        403,
      );
  });

  it("are in the audit log with what they changed, never themselves", async () => {
    const id = await service.pushUser("audited");
    await service.push("PATCH", `/Users/${id}`, operations({ op: "replace", path: "active", value: false }));
    await service.push("DELETE", `/Users/${id}`, undefined, { secret: "scim_wrong" });
    const { scim_secrets: secrets } = (await service.ask("GET", SECRETS)).body;
    const secretId = secrets[0].id as string;
    await expect
      .poll(() => service.audits.filter(({ action }) => String(action).startsWith("scim:")).slice(-3))
      .toMatchObject([
        { action: "scim:create_user", target: { idp_id: "idp", secret_id: secretId }, outcome: "done" },
        { action: "scim:update_user", target: { idp_id: "idp", id, secret_id: secretId }, outcome: "done" },
        { action: "scim:delete_user", target: { idp_id: "idp", id }, outcome: "refused", status: 401 },
      ]);
    expect(JSON.stringify(service.audits)).not.toContain(service.secret);
    expect(service.audits.some(({ action }) => action === "identity:create_scim_secret")).toBe(true);
  });
});

describe(`wrong SCIM secrets on ${databases.name}`, () => {
  it("are limited for each provider and network", async () => {
    const env = {
      IDENTITY_RATE_LIMIT: "on",
      IDENTITY_LOGIN_PROVIDER_FAILURES: "3",
      IDENTITY_LOGIN_PROVIDER_WINDOW: "600",
    };
    const limited = await scimServer(databases, { env });
    try {
      const guess = () => limited.push("GET", "/Users", undefined, { secret: "x", address: "192.0.2.7" });
      for (let count = 0; count < 3; count++) expect((await guess()).status).toBe(401);
      expect(await guess()).toMatchObject({
        status: 429,
        headers: { "retry-after": expect.any(String) },
        body: { schemas: [ERROR], status: "429" },
      });
      expect((await limited.push("GET", "/Users", undefined, { address: "192.0.2.7" })).status).toBe(429);
      expect((await limited.push("GET", "/Users", undefined, { address: "198.51.100.7" })).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe(`the documents of SCIM on ${databases.name}`, () => {
  it("say what is supported", async () => {
    const { body } = await service.push("GET", "/ServiceProviderConfig");
    expect(body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [{ type: "oauthbearertoken" }],
    });
    const types = (await service.push("GET", "/ResourceTypes")).body;
    expect(types.Resources.map(({ id }: { id: string }) => id)).toEqual(["User", "Group"]);
    expect((await service.push("GET", "/ResourceTypes/User")).body).toMatchObject({ endpoint: "/Users" });
    const { Resources: schemas } = (await service.push("GET", "/Schemas")).body;
    expect(schemas).toHaveLength(3);
    for (const { id } of schemas)
      expect((await service.push("GET", `/Schemas/${id}`)).body).toMatchObject({ id });
    for (const path of ["/Schemas/x", "/ResourceTypes/x", "/Devices", "/Users/x/y"])
      expect(await service.push("GET", path)).toMatchObject({ status: 404, body: { schemas: [ERROR] } });
  });

  it("say of Bulk, /Me and searches by POST that they are not offered", async () => {
    for (const [method, path] of [
      ["POST", "/Bulk"],
      ["GET", "/Me"],
      ["POST", "/Users/.search"],
    ] as const)
      expect(await service.push(method, path, method === "POST" ? {} : undefined)).toMatchObject({
        status: 501,
        body: { schemas: [ERROR], status: "501" },
      });
  });

  it("take both media types, and no others", async () => {
    const create = (type: string, userName: string) =>
      service.push("POST", "/Users", { userName }, { headers: { "content-type": type } });
    expect((await create("application/json", "by-json")).status).toBe(201);
    expect((await create("application/scim+json; charset=utf-8", "by-scim")).status).toBe(201);
    expect(await create("text/plain", "by-text")).toMatchObject({ status: 400, body: { schemas: [ERROR] } });
  });
});
