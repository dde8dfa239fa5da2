import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { AUTH, loginServer, NAMED, asserted, type LoginServer } from "./login-server.js";

/** The complete response to a failed login. */
const NOT_IN = {
  error: { code: 401, message: "The request you have made requires authentication.", title: "Unauthorized" },
};
const FORBIDDEN = {
  error: {
    code: 403,
    message: "You are not authorized to perform the requested action.",
    title: "Forbidden",
  },
};

const inGroup = (id: string) => ({ ...NAMED, local: [...NAMED.local, { group: { id } }] });
const withGroups = {
  local: [...NAMED.local, { groups: "{1}", domain: { id: "default" } }],
  remote: [...NAMED.remote, { type: "GROUPS" }],
};

describe(`a login by a provider on ${databases.name}`, () => {
  let service: LoginServer;
  let staff: string;
  let project: string;
  beforeAll(async () => {
    service = await loginServer(databases);
    staff = await service.create("groups", { name: "staff", domain_id: "default" });
    await service.create("groups", { name: "guests", domain_id: "default" });
    project = await service.create("projects", { name: "work", domain_id: "default" });
    const { body } = await service.ask("GET", "/v3/roles?name=reader");
    await service.ask("PUT", `/v3/projects/${project}/groups/${staff}/roles/${body.roles[0].id}`);
  });
  afterAll(() => service.close());

  const check = async (subject: string) =>
    (await service.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": subject } })).status;
  const rescope = (id: string, scope: object = { project: { id: project } }, method = "token") =>
    service.ask("POST", "/v3/auth/tokens", {
      body: { auth: { identity: { methods: [method], [method]: { id } }, scope } },
    });
  const change = (attributes: object) =>
    service.ask("PATCH", "/v3/OS-FEDERATION/identity_providers/idp", {
      body: { identity_provider: attributes },
    });
  const groupsOf = async (userId: string) =>
    (await service.ask("GET", `/v3/users/${userId}/groups`)).body.groups as {
      name: string;
      membership_expires_at: string | null;
    }[];

  it("makes the user known under the id that Keystone gives", async () => {
    const { status, body, token } = await service.login(asserted("José M/x's"));
    expect(status).toBe(201);
    expect(token).not.toBe("");
    const { user, methods } = body.token;
    expect(methods).toEqual(["mapped"]);
    expect(user).toEqual({
      // sha256 of the domain's id, "user" and Jos%C3%A9%20M/x%27s
      id: await sha256(`${user.domain.id}userJos%C3%A9%20M/x%27s`),
      name: "José M/x's",
      domain: { id: user.domain.id as string, name: "people" },
      "OS-FEDERATION": { groups: [], identity_provider: { id: "idp" }, protocol: { id: "mapped" } },
    });
    const shown = await service.ask("GET", `/v3/users/${user.id}`);
    expect(shown.body.user).toMatchObject({
      name: "José M/x's",
      enabled: true,
      federated: [
        { idp_id: "idp", protocols: [{ protocol_id: "mapped", unique_id: "Jos%C3%A9%20M/x%27s" }] },
      ],
    });
  });

  it("writes nothing where nothing has changed", async () => {
    await service.map([inGroup(staff)]);
    await service.login(asserted("ann"));
    const before = service.revisions();
    await service.login(asserted("ann"));
    await service.login(asserted("ann"));
    expect(service.revisions()).toEqual(before);
  });

  it("updates name and email", async () => {
    const id = { user: { id: "{1}", name: "{0}", email: "{2}" } };
    const remote = [...NAMED.remote, { type: "UID" }, { type: "MAIL" }];
    await service.map([{ local: [id], remote }]);
    const first = await service.login(asserted("bea", { UID: "u1", MAIL: "bea@example.org" }));
    const later = await service.login(asserted("beatrice", { UID: "u1", MAIL: "b@example.org" }));
    const userId = first.body.token.user.id as string;
    expect(later.body.token.user).toMatchObject({ id: userId, name: "beatrice" });
    expect((await service.ask("GET", `/v3/users/${userId}`)).body.user).toMatchObject({
      name: "beatrice",
      email: "b@example.org",
    });
  });

  it("accepts two users of a provider with one name", async () => {
    await service.map([
      { local: [{ user: { id: "{1}", name: "{0}" } }], remote: [...NAMED.remote, { type: "UID" }] },
    ]);
    const one = await service.login(asserted("same", { UID: "s1" }));
    const other = await service.login(asserted("same", { UID: "s2" }));
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.body.token.user.id).not.toBe(other.body.token.user.id);
    const { body } = await service.ask("GET", "/v3/users?name=same");
    expect(body.users).toHaveLength(2);
  });

  it("recognizes a user who logs in through another protocol of the provider", async () => {
    await service.map([NAMED]);
    const path = "/v3/OS-FEDERATION/identity_providers/idp/protocols/other";
    await service.ask("PUT", path, { body: { protocol: { mapping_id: "people" } } });
    const one = await service.login(asserted("cleo"));
    const other = await service.login(asserted("cleo"), `${path}/auth`);
    expect(other.body.token.user.id).toBe(one.body.token.user.id);
    expect(other.body.token.methods).toEqual(["other"]);
    // With the protocol its tokens end, and the user stays for the other one.
    await service.ask("DELETE", path);
    expect([await check(one.token), await check(other.token)]).toEqual([200, 404]);
  });

  it("drops groups that have no such name, until they are there", async () => {
    await service.map([withGroups]);
    const before = await service.login(asserted("eve", { GROUPS: "staff;crew" }));
    expect(before.body.token.user["OS-FEDERATION"].groups).toEqual([{ id: staff }]);
    const crew = await service.create("groups", { name: "crew", domain_id: "default" });
    const after = await service.login(asserted("eve", { GROUPS: "staff;crew" }));
    expect(after.body.token.user["OS-FEDERATION"].groups).toEqual([{ id: staff }, { id: crew }]);
  });

  it("rejects a group id that does not exist, and logs it", async () => {
    await service.map([inGroup("f".repeat(32))]);
    const { status, body } = await service.login(asserted("finn"));
    expect([status, body]).toEqual([401, NOT_IN]);
    expect(service.refusals.at(-1)).toEqual({
      idpId: "idp",
      id: "mapped",
      step: "groups",
      reason: `1 of the 1 group ids that the mapping names do not exist: "${"f".repeat(32)}"`,
    });
    expect((await service.ask("GET", "/v3/users?name=finn")).body.users).toEqual([]);
  });

  it("logs names of attributes, never their values", async () => {
    await service.map([{ ...NAMED, remote: [{ type: "MISSING" }] }]);
    const { status, body } = await service.login(asserted("gil", { PHONE: "555-1234" }));
    expect([status, body]).toEqual([401, NOT_IN]);
    expect(service.refusals.at(-1)).toEqual({
      idpId: "idp",
      id: "mapped",
      step: "mapping",
      reason: 'mapping "people", rules: no-rule-matched (rules[0].remote[0]: "MISSING" is missing)',
      attributes: ["REMOTE_USER", "IDP", "PHONE"],
    });
  });

  it("ends earlier tokens when the groups of a user change", async () => {
    await service.map([withGroups]);
    const first = await service.login(asserted("hal", { GROUPS: "staff" }));
    service.time.now += 1000;
    const same = await service.login(asserted("hal", { GROUPS: "staff" }));
    expect(await check(first.token)).toBe(200);
    service.time.now += 1000;
    const changed = await service.login(asserted("hal", { GROUPS: "guests" }));
    expect([await check(first.token), await check(same.token), await check(changed.token)]).toEqual([
      404, 404, 200,
    ]);
  });

  it("keeps users in their groups until the provider's authorization_ttl expires", async () => {
    await service.map([inGroup(staff)]);
    await change({ authorization_ttl: 10 });
    const { body } = await service.login(asserted("ida"));
    const userId = body.token.user.id as string;
    const reaches = async () =>
      (await service.ask("GET", `/v3/role_assignments?effective&user.id=${userId}`)).body.role_assignments
        .length as number;
    const [group] = await groupsOf(userId);
    expect(group?.name).toBe("staff");
    expect(Date.parse(group?.membership_expires_at ?? "")).toBe(service.time.now + 600_000);
    expect(await reaches()).toBe(1);
    expect((await service.ask("HEAD", `/v3/groups/${staff}/users/${userId}`)).status).toBe(204);

    service.time.now += 600_000;
    expect(await groupsOf(userId)).toEqual([]);
    expect(await reaches()).toBe(0);
    expect((await service.ask("HEAD", `/v3/groups/${staff}/users/${userId}`)).status).toBe(404);
    await change({ authorization_ttl: null });
  });

  it("validates a token again when a membership that it depends on has expired", async () => {
    const guest = await service.create("projects", { name: "lounge", domain_id: "default" });
    const { body: roles } = await service.ask("GET", "/v3/roles?name=reader");
    await service.map([withGroups]);
    await change({ authorization_ttl: 5 });
    const { body, token } = await service.login(asserted("jan", { GROUPS: "staff;guests" }));
    const groups = body.token.user["OS-FEDERATION"].groups as { id: string }[];
    await service.ask("PUT", `/v3/projects/${guest}/groups/${groups[1]?.id}/roles/${roles.roles[0].id}`);
    // A token of the user without groups: its roles come from the membership only.
    const userId = body.token.user.id as string;
    const scopes = async () =>
      (await service.ask("GET", `/v3/users/${userId}/projects`)).body.projects.length as number;
    expect(await scopes()).toBe(2);
    service.time.now += 300_000;
    expect(await scopes()).toBe(0);
    // Nor do the groups that a token itself names count for longer.
    expect((await rescope(token)).status).toBe(401);
    await change({ authorization_ttl: null });
  });

  it("renews memberships before they end, and not at every login", async () => {
    await service.map([inGroup(staff)]);
    await change({ authorization_ttl: 10 });
    const { body } = await service.login(asserted("kay"));
    const userId = body.token.user.id as string;
    const before = service.revisions();
    service.time.now += 59_000;
    await service.login(asserted("kay"));
    expect(service.revisions()).toEqual(before);
    service.time.now += 2000;
    await service.login(asserted("kay"));
    const [group] = await groupsOf(userId);
    expect(Date.parse(group?.membership_expires_at ?? "")).toBe(service.time.now + 600_000);
    await change({ authorization_ttl: null });
  });

  it("makes projects with roles, once, and leaves other roles alone", async () => {
    const projects = [{ name: "home of {0}", roles: [{ name: "member" }, { name: "reader" }] }];
    await service.map([{ ...NAMED, local: [...NAMED.local, { projects }] }]);
    const { token } = await service.login(asserted("lou"));
    await service.login(asserted("lou"));
    const { body } = await service.ask("GET", "/v3/OS-FEDERATION/projects", { token });
    expect(body.projects).toMatchObject([{ name: "home of lou", enabled: true }]);
    const scoped = await rescope(token, { project: { id: body.projects[0].id as string } });
    expect(scoped.status).toBe(201);
    const names = (scoped.body.token.roles as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["member", "reader"]);
  });

  it("takes away what a mapping of schema 3.0 gives no more", async () => {
    const giving = (...roles: string[]) => ({
      ...NAMED,
      local: [
        { user: { name: "{0}" }, projects: [{ name: "exact", roles: roles.map((name) => ({ name })) }] },
      ],
    });
    const rolesOf = async (token: string) => {
      const { body } = await service.ask("GET", "/EXT-FEDERATION/projects", { token });
      return (body.projects as { name: string }[]).map(({ name }) => name);
    };
    await service.map([giving("member")], "3.0");
    expect(await rolesOf((await service.login(asserted("mia"))).token)).toEqual(["exact"]);
    await service.map([NAMED], "3.0");
    expect(await rolesOf((await service.login(asserted("mia"))).token)).toEqual([]);
  });

  it("stores nothing where a role of the mapping is missing, or of another domain", async () => {
    const giving = (name: string) => ({
      ...NAMED,
      local: [...NAMED.local, { projects: [{ name: "never", roles: [{ name }] }] }],
    });
    await service.map([giving("nothing")]);
    expect((await service.login(asserted("nia"))).status).toBe(404);
    await service.create("roles", { name: "foreign", domain_id: "default" });
    await service.map([giving("foreign")]);
    const { status, body } = await service.login(asserted("nia"));
    expect(status).toBe(403);
    expect(body.error.message).toBe(
      "role: foreign must be within the same domain as the identity provider: idp.",
    );
    expect((await service.ask("GET", "/v3/users?name=nia")).body.users).toEqual([]);
    expect((await service.ask("GET", "/v3/projects?name=never")).body.projects).toEqual([]);
  });

  it("logs in local users, without OS-FEDERATION in their tokens", async () => {
    const id = await service.create("users", { name: "local", domain_id: "default" });
    const user = { name: "{0}", type: "local", domain: { id: "default" } };
    await service.map([{ ...NAMED, local: [{ user }] }]);
    const { body } = await service.login(asserted("local"));
    expect(body.token).toMatchObject({ methods: ["mapped"], user: { id, password_expires_at: null } });
    expect(body.token.user).not.toHaveProperty("OS-FEDERATION");
    expect((await service.login(asserted("unknown"))).status).toBe(401);
  });

  it("keeps the federation in tokens for another scope, and their end", async () => {
    await service.map([inGroup(staff)]);
    const { body, token } = await service.login(asserted("ole"));
    service.time.now += 1000;
    const scoped = await rescope(token);
    expect(scoped.status).toBe(201);
    expect(scoped.body.token).toMatchObject({
      methods: ["mapped", "token"],
      expires_at: body.token.expires_at as string,
      user: body.token.user as object,
      roles: [{ name: "reader" }],
    });
    expect((await rescope(token, { project: { id: project } }, "saml2")).body.token.methods).toEqual([
      "saml2",
    ]);
  });

  it("rescopes no more once the mapping is gone", async () => {
    await service.map([inGroup(staff)]);
    const { token } = await service.login(asserted("pia"));
    const url = "/v3/OS-FEDERATION/mappings/people";
    const { rules } = (await service.ask("GET", url)).body.mapping;
    await service.ask("DELETE", url);
    expect([(await rescope(token)).status, await check(token)]).toEqual([404, 200]);
    await service.ask("PUT", url, { body: { mapping: { rules } } });
    expect((await rescope(token)).status).toBe(201);
  });

  it("disabled-providers-end-tokens: is refused once the provider is disabled, and stays so", async () => {
    await service.map([inGroup(staff)]);
    const { token } = await service.login(asserted("pia"));
    await change({ enabled: false });
    expect([(await rescope(token)).status, await check(token)]).toEqual([404, 404]);
    expect((await service.login(asserted("pia"))).body).toEqual(FORBIDDEN);
    await change({ enabled: true });
    expect([(await rescope(token)).status, await check(token)]).toEqual([404, 404]);
    service.time.now += 1000;
    expect((await service.login(asserted("pia"))).status).toBe(201);
  });

  it("ends with its provider", async () => {
    await service.map([NAMED]);
    const path = "/v3/OS-FEDERATION/identity_providers/brief";
    await service.ask("PUT", path, { body: { identity_provider: { enabled: true } } });
    await service.ask("PUT", `${path}/protocols/mapped`, { body: { protocol: { mapping_id: "people" } } });
    const { token, body } = await service.login(asserted("quin"), `${path}/protocols/mapped/auth`);
    expect((await service.ask("GET", "/v3/users?idp_id=brief")).body.users).toHaveLength(1);
    expect((await service.ask("DELETE", path)).status).toBe(204);
    expect(await check(token)).toBe(404);
    expect((await service.ask("GET", `/v3/users/${body.token.user.id}`)).status).toBe(404);
  });

  it("is refused where the provider's own name is missing, wrong or empty", async () => {
    await service.map([NAMED]);
    const statuses = [];
    for (const IDP of [undefined, "https://evil.example.org", ""])
      statuses.push((await service.login({ REMOTE_USER: "rex", IDP })).status);
    expect(statuses).toEqual([401, 403, 403]);
  });

  it("is open by its address under all three prefixes, with HEAD and POST", async () => {
    for (const prefix of ["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"])
      expect((await service.login(asserted("sue"), AUTH.replace("/v3/OS-FEDERATION", prefix))).status).toBe(
        201,
      );
  });

  it("refuses names that are too long to be kept", async () => {
    expect((await service.login(asserted("u".repeat(256)))).body).toEqual(NOT_IN);
  });

  it("provisions many users at the same moment", async () => {
    await service.map([inGroup(staff)]);
    const newcomers = Array.from({ length: 24 }, (_, index) => service.login(asserted(`newcomer ${index}`)));
    const statuses = (await Promise.all(newcomers)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 24 }, () => 201));
  });

  it("is done once for many logins at the same moment", async () => {
    await service.map([inGroup(staff)]);
    const all = await Promise.all(Array.from({ length: 8 }, () => service.login(asserted("tim"))));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
  });
});

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(text));
  return Buffer.from(digest).toString("hex");
}
