/** Dry runs with what a login would result in, and lint with what rules can give. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import {
  GROUPS,
  MAPPINGS,
  member,
  NAMED_MEMBER,
  workbenchServer,
  type WorkbenchServer,
} from "./workbench-server.js";

let service: WorkbenchServer;
beforeAll(async () => {
  service = await workbenchServer(sqliteDatabases);
  await service.map([NAMED_MEMBER]);
});
afterAll(() => service.close());

const evaluate = async (rules: readonly object[], assertion: object, more: object = {}) => {
  const body = { rules, assertion, identity_provider_id: "idp", protocol_id: "mapped", ...more };
  const { status, body: result, text } = await service.ask("POST", `${MAPPINGS}/evaluate`, { body });
  if (status !== 200) throw new Error(text);
  return result;
};

describe(`a dry run on ${sqliteDatabases.name}`, () => {
  it("shows user, groups and roles of a login that was not made", async () => {
    const { login, refusal, error, lint } = await evaluate([NAMED_MEMBER], member("kim", "staff", "ops"));
    expect([refusal, error]).toEqual([null, null]);
    expect(login).toMatchObject({
      user: { name: "kim", domain_id: service.domainId, type: "ephemeral", unique_id: "kim", is_new: true },
      groups: [{ id: service.groupIds.staff, name: "staff", domain_id: service.domainId }],
      missing_groups: [],
      projects: [],
    });
    const web = {
      kind: "project",
      id: service.projectId,
      name: "web",
      domain_id: service.domainId,
      inherited: false,
    };
    const through = { id: service.groupIds.staff, name: "staff" };
    // Bootstrap has member imply reader.
    expect(
      login.roles.map(
        ({ role, target, through: by }: { role: { name: string }; target: object; through: object }) => ({
          role: role.name,
          target,
          through: by,
        }),
      ),
    ).toEqual([
      { role: "member", target: web, through },
      { role: "reader", target: web, through },
    ]);
    expect(lint).toMatchObject([{ code: "unstable-user-id", place: "rules[0].local[0].user.name" }]);
    expect((await service.ask("GET", "/v3/users?name=kim")).body.users).toEqual([]);
  });

  it("has the same user and groups as the login that follows", async () => {
    const { login } = await evaluate([NAMED_MEMBER], member("ada", "staff"));
    const { body } = await service.login(member("ada", "staff"));
    expect(body.token.user).toMatchObject({ id: login.user.id, name: "ada" });
    expect(body.token.user["OS-FEDERATION"].groups).toEqual([{ id: service.groupIds.staff }]);
    expect((await evaluate([NAMED_MEMBER], member("ada", "staff"))).login.user).toMatchObject({
      id: login.user.id,
      is_new: false,
    });
  });

  it("shows missing groups, new projects, and local users with their own roles", async () => {
    const lab = { projects: [{ name: "lab", roles: [{ name: "member" }] }] };
    const rule = {
      ...NAMED_MEMBER,
      local: [{ user: { name: "{0}" } }, lab, { ...GROUPS, groups: "nowhere" }],
    };
    const { login } = await evaluate([rule], member("kim", "staff"));
    expect(login).toMatchObject({
      missing_groups: [{ name: "nowhere", domain: "people", reason: 'no group "nowhere" in domain people' }],
      projects: [{ name: "lab", is_new: true, roles: [{ name: "member" }], domain_id: service.domainId }],
    });
    const local = { user: { name: "admin", domain: { id: "default" }, type: "local" } };
    const admin = await evaluate([{ local: [local], remote: [{ type: "REMOTE_USER" }] }], member("x"));
    expect(admin.login.user).toMatchObject({ name: "admin", type: "local", is_new: false });
    expect(admin.login.roles).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          role: expect.objectContaining({ name: "admin" }),
          target: expect.objectContaining({ kind: "system" }),
        }),
      ]),
    );
  });

  it("shows why a login would be rejected after the rules matched", async () => {
    const unknown = {
      ...NAMED_MEMBER,
      local: [{ user: { name: "{0}" } }, { group: { id: "no-such-group" } }],
    };
    const { result, login, refusal } = await evaluate([unknown], member("kim", "staff"));
    expect(result).not.toBeNull();
    expect(login).toBeNull();
    expect(refusal).toEqual({
      step: "groups",
      reason: '1 of the 1 group ids that the mapping names do not exist: "no-such-group"',
    });
    const lab = { projects: [{ name: "lab", roles: [{ name: "no-such-role" }] }] };
    const withLab = { ...NAMED_MEMBER, local: [{ user: { name: "{0}" } }, lab] };
    const roleless = await evaluate([withLab], member("kim", "staff"));
    expect(roleless.login).toBeNull();
    expect(roleless.refusal).toEqual({
      step: "references",
      reason: expect.stringContaining("no-such-role"),
    });
    const nobody = await evaluate([NAMED_MEMBER], {});
    expect(nobody.refusal).toMatchObject({ step: "mapping" });
  });

  it("tests conditions behind the first that fails, and says that a login does not", async () => {
    const rule = {
      ...NAMED_MEMBER,
      remote: [{ type: "MAIL" }, { type: "GROUPS", any_one_of: ["x"] }, { type: "REMOTE_USER" }],
    };
    const { trace } = await evaluate([{ ...rule, local: [] }], member("kim", "staff"));
    expect(trace[0].conditions).toMatchObject([
      { type: "MAIL", matched: false, reached: true },
      {
        type: "GROUPS",
        matched: false,
        reached: false,
        received: ["staff"],
        reason: "no value is in the list",
      },
      { type: "REMOTE_USER", matched: true, reached: false, index: null, passed: null },
    ]);
  });

  it("looks nothing up without a provider, and fails for one that does not exist", async () => {
    const body = { rules: [NAMED_MEMBER], assertion: member("kim") };
    const without = await service.ask("POST", `${MAPPINGS}/evaluate`, { body });
    expect(without.body).not.toHaveProperty("login");
    const unknown = { ...body, identity_provider_id: "no" };
    expect((await service.ask("POST", `${MAPPINGS}/evaluate`, { body: unknown })).status).toBe(404);
  });

  it("is no line of the audit trail, at every keystroke", async () => {
    const before = service.audits.length;
    await evaluate([NAMED_MEMBER], member("kim"));
    await service.ask("POST", `${MAPPINGS}/lint`, { body: { rules: [NAMED_MEMBER] } });
    expect(service.audits.slice(before)).toEqual([]);
  });
});

describe(`what rules can give, on ${sqliteDatabases.name}`, () => {
  const access = async (rules: readonly object[], schema_version = "1.0") => {
    const { status, body, text } = await service.ask("POST", `${MAPPINGS}/lint`, {
      body: { rules, schema_version },
    });
    if (status !== 200) throw new Error(text);
    return body.access as { text: string; is_admin: boolean; [member: string]: unknown }[];
  };
  const rule = (local: readonly object[], ...remote: readonly object[]) => [{ local, remote }];
  const UID = { type: "UID" };
  const OPS = { type: "GROUPS", any_one_of: ["ops"] };

  it("are groups with their roles, and what the provider's administrators have to set", async () => {
    const [root, staff] = await access([
      ...rule([{ group: { id: service.groupIds.root } }], UID, OPS),
      ...rule([{ group: { name: "staff", domain: { name: "people" } } }], UID),
    ]);
    expect(root).toMatchObject({
      rule: 0,
      place: "rules[0].local[0].group",
      kind: "group",
      id: service.groupIds.root,
      name: "root",
      domain_id: service.domainId,
      exists: true,
      is_admin: true,
      requires: ["UID is sent", 'GROUPS contains one of "ops"'],
      attributes: ["UID", "GROUPS"],
    });
    expect(root?.["roles"]).toEqual(expect.arrayContaining(["admin on the system", "admin in project web"]));
    expect(root?.text).toMatch(
      /^users get group root, with admin .* if UID is sent, and GROUPS contains one of "ops"$/,
    );
    expect(staff).toMatchObject({
      name: "staff",
      is_admin: false,
      roles: ["member in project web", "reader in project web"],
    });
  });

  it("are the administrators' groups among those that an assertion chooses", async () => {
    const [root, any, ...others] = await access(
      rule([{ groups: "{1}", domain: { name: "people" } }], UID, { type: "GROUPS" }),
    );
    expect(root).toMatchObject({ name: "root", is_admin: true });
    expect(root?.["requires"]).toContain('GROUPS contains "root"');
    expect(any).toMatchObject({ id: null, name: null, domain_id: service.domainId, is_admin: false });
    expect(others).toEqual([]);
    // Lists and prefixes of the rule exclude them.
    const only = (condition: object, groups = "{1}") =>
      access(rule([{ groups, domain: { name: "people" } }], UID, { type: "GROUPS", ...condition }));
    const adminsOf = async (entries: ReturnType<typeof only>) =>
      (await entries)
        .filter(({ is_admin }) => is_admin)
        .map(({ name, requires }) => [name, (requires as string[])[0]]);
    expect(await adminsOf(only({ blacklist: ["root"] }))).toEqual([]);
    expect(await adminsOf(only({ whitelist: ["^st"], regex: true }))).toEqual([]);
    expect(await adminsOf(only({ whitelist: ["staff", "root"] }))).toEqual([
      ["root", 'GROUPS contains "root"'],
    ]);
    expect(await adminsOf(only({}, "cloud-{1}"))).toEqual([]);
    expect(await adminsOf(only({}, "r{1}"))).toEqual([["root", 'GROUPS contains "oot"']]);
    expect(
      await access(rule([{ group: { name: "no such", domain: { name: "people" } } }], UID)),
    ).toMatchObject([{ id: null, name: "no such", exists: false, is_admin: false }]);
    expect(
      await access(rule([{ groups: "{1}", domain: { name: "no such" } }], UID, { type: "GROUPS" })),
    ).toMatchObject([{ exists: false, is_admin: false }]);
  });

  it("are roles in projects, and local users", async () => {
    const projects = [{ name: "{0}", roles: [{ name: "admin" }] }];
    expect(await access(rule([{ projects }], UID))).toMatchObject([
      { kind: "project", name: "{0}", roles: ["admin in project {0}"], is_admin: true, attributes: ["UID"] },
    ]);
    expect(await access(rule([{ projects_json: "{0}" }], UID), "3.0")).toMatchObject([
      { kind: "project", is_admin: true },
    ]);
    const user = { name: "admin", domain: { id: "default" }, type: "local" };
    const [admin] = await access(rule([{ user }], UID, OPS));
    expect(admin).toMatchObject({ kind: "local-user", name: "admin", exists: true, is_admin: true });
    expect(admin?.text).toContain("users log in as local user admin, with admin");
    const chosen = await access(rule([{ user: { ...user, name: "{0}" } }], UID));
    expect(chosen.filter(({ is_admin }) => is_admin).map(({ name }) => name)).toEqual(["admin", "boss"]);
    expect(await access(rule([{ user: { ...user, name: "nobody" } }], UID))).toMatchObject([
      { exists: false },
    ]);
  });

  const adminsOf = async (rules: readonly object[], version?: string) =>
    (await access(rules, version))
      .filter(({ is_admin }) => is_admin)
      .map(({ kind, name }) => [kind, name].join(" "));

  it("are administrators of every domain, where the assertion chooses the domain", async () => {
    const remote = [UID, { type: "GROUPS" }, { type: "DOMAIN" }];
    const local = { type: "local", name: "admin", domain: { name: "{2}" } };
    for (const item of [
      { groups: "{1}", domain: { name: "{2}" } },
      { groups: "root", domain: { id: "{2}" } },
      { group: { name: "root", domain: { name: "{2}" } } },
      { group_ids: "{1}", domain: { id: "{2}" } },
    ])
      expect(await adminsOf(rule([item], ...remote))).toEqual(["group root"]);
    expect(await adminsOf(rule([{ user: local }], ...remote))).toEqual(["local-user admin"]);
    const [root] = await access(rule([{ groups: "{1}", domain: { name: "{2}" } }], ...remote));
    expect(root?.["requires"]).toEqual(
      expect.arrayContaining(['GROUPS contains "root"', "DOMAIN names the domain"]),
    );
    const staff = { group: { name: "staff", domain: { name: "{2}" } } };
    expect(await access(rule([staff], ...remote))).toMatchObject([
      { name: "staff", domain_id: null, exists: true, is_admin: false },
    ]);
    const listed = [UID, { type: "GROUPS", whitelist: ["root"] }, { type: "DOMAIN" }];
    expect(await adminsOf(rule([{ groups: "{1}", domain: { name: "{2}" } }], ...listed))).toEqual([
      "group root",
    ]);
  });

  it("are administrators by a role whose name the assertion chooses", async () => {
    const projects = [{ name: "web", roles: [{ name: "{1}" }] }];
    const [web] = await access(rule([{ projects }], UID, { type: "ROLE" }));
    expect(web).toMatchObject({ is_admin: true, roles: ["any role in project web, also admin"] });
    expect(web?.["requires"]).toContain('ROLE contains "admin"');
    expect(await adminsOf(rule([{ projects }], UID, { type: "ROLE", blacklist: ["admin"] }))).toEqual([]);
    expect(await adminsOf(rule([{ projects }], UID, { type: "ROLE", whitelist: ["member"] }))).toEqual([]);
  });

  it("have administrators first, whatever is left out", async () => {
    const names = Array.from({ length: 1200 }, (_, index) => `g${index}`);
    const many = rule([{ groups: "{1}", domain: { name: "people" } }], UID, {
      type: "GROUPS",
      whitelist: [...names, "root"],
    });
    const { body } = await service.ask("POST", `${MAPPINGS}/lint`, { body: { rules: many } });
    expect(body.truncated).toBe(true);
    expect(body.access).toHaveLength(1000);
    expect(body.access[0]).toMatchObject({ name: "root", is_admin: true });
    const few = await service.ask("POST", `${MAPPINGS}/lint`, { body: { rules: [NAMED_MEMBER] } });
    expect(few.body.truncated).toBe(false);
  });

  it("are shown to those who may read mappings", async () => {
    const body = { rules: [NAMED_MEMBER] };
    const status = async (token: string) =>
      (await service.ask("POST", `${MAPPINGS}/lint`, { body, token })).status;
    expect([await status(service.reader), await status(service.domainAdmin), await status("")]).toEqual([
      200, 403, 401,
    ]);
  });
});
