/** Federated logins with malformed assertions, and with disabled users, domains, projects or providers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { asForwarded, AUTH, loginServer, NAMED, asserted, type LoginServer } from "./login-server.js";

describe(`at its edges, a login by a provider on ${sqliteDatabases.name}`, () => {
  let service: LoginServer;
  let staff: string;
  let project: string;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases);
    staff = await service.create("groups", { name: "staff", domain_id: "default" });
    project = await service.create("projects", { name: "work", domain_id: "default" });
    const { body } = await service.ask("GET", "/v3/roles?name=reader");
    await service.ask("PUT", `/v3/projects/${project}/groups/${staff}/roles/${body.roles[0].id}`);
  });
  afterAll(() => service.close());

  const namesOf = async (path: string) => {
    const { body } = await service.ask("GET", `/v3/${path}`);
    return (Object.values(body as object)[0] as { name: string }[]).map(({ name }) => name);
  };
  const inStaff = () => ({ ...NAMED, local: [...NAMED.local, { group: { id: staff } }] });
  const giving = (name: string) => ({
    local: [...NAMED.local, { projects: [{ name, roles: [{ name: "member" }] }] }],
    remote: [...NAMED.remote, { type: "PROJECT" }],
  });

  it.each([
    ["the name of a user", [NAMED], asserted("admin\0x")],
    [
      "REMOTE_USER, without a name in the mapping",
      [{ ...NAMED, local: [{ group: { id: "g" } }] }],
      asserted("admin\0x"),
    ],
    ["the name of a project", [giving("{1}")], asserted("nell", { PROJECT: "work\0x" })],
    [
      "JSON within an attribute",
      [{ local: [...NAMED.local, { groups: "{1}" }], remote: [...NAMED.remote, { type: "GROUPS" }] }],
      asserted("nell", {
        GROUPS: String.raw`JSON:{"groups":[{"name":"a\u0000","domain":{"id":"default"}}]}`,
      }),
    ],
  ])("texts-have-no-nul: is refused with U+0000 in %s", async (_, rules, attributes) => {
    await service.map(rules);
    const users = await namesOf("users");
    const projects = await namesOf("projects");
    expect((await service.login(attributes)).status).toBe(401);
    expect(service.refusals.at(-1)).toMatchObject({ step: "mapping" });
    expect(await namesOf("users")).toEqual(users);
    expect(await namesOf("projects")).toEqual(projects);
  });

  const nested = (depth: number, inner = "") => "[".repeat(depth) + inner + "]".repeat(depth);
  const groupsOf = (groups: string) => [
    { local: [...NAMED.local, { groups }], remote: [...NAMED.remote, { type: "GROUPS" }] },
  ];
  it.each([
    [
      "of a group with a name",
      groupsOf("{1}"),
      asserted("nell", { GROUPS: `JSON:{"name":"a","domain":{"id":"default"},"x":${nested(20_000)}}` }),
    ],
    [
      "of a list with a name",
      groupsOf("{1}"),
      asserted("nell", { GROUPS: `JSON:${nested(20_000, '"name"')}` }),
    ],
    ["of a list", groupsOf("{1}"), asserted("nell", { GROUPS: `JSON:${nested(20_000)}` })],
    [
      "of projects",
      [
        {
          local: [...NAMED.local, { projects_json: "{1}" }],
          remote: [...NAMED.remote, { type: "PROJECTS" }],
        },
      ],
      asserted("nell", { PROJECTS: `[{"name":"p","roles":[{"name":"member"}],"x":${nested(20_000)}}]` }),
    ],
  ])(
    "is refused with JSON %s that is nested 20,000 levels deep, and answers no 500",
    async (_, rules, attributes) => {
      await service.map(rules, JSON.stringify(rules).includes("projects_json") ? "3.0" : "1.0");
      expect((await service.login(attributes)).status).toBe(401);
      expect(service.refusals.at(-1)).toMatchObject({ step: "mapping" });
    },
  );

  it("is refused with an attribute in a front end's JSON that is nested 20,000 levels deep", async () => {
    await service.map([NAMED]);
    const deep = `{"REMOTE_USER":"nell","IDP":"https://idp.example.org","X":${nested(20_000)}}`;
    const headers = { ...asForwarded({}), "x-assertion": Buffer.from(deep).toString("base64") };
    expect((await service.ask("GET", AUTH, { headers })).status).toBe(401);
    expect(service.refusals.at(-1)).toMatchObject({ step: "header" });
  });

  it("is rejected when a project's name is too long, and stores nothing", async () => {
    await service.map([giving("{1}")]);
    expect((await service.login(asserted("pia", { PROJECT: "p".repeat(65) }))).status).toBe(403);
    expect(service.refusals.at(-1)).toMatchObject({
      step: "projects",
      reason: "a project of the mapping can't be created: request/text-too-long",
    });
    expect(await namesOf("users?name=pia")).toEqual([]);
    expect((await service.login(asserted("pia", { PROJECT: "p".repeat(64) }))).status).toBe(201);
  });

  it("disabled-users-stay-out: is refused to users who are disabled, or whose domain is", async () => {
    await service.map([NAMED]);
    const { user } = (await service.login(asserted("dan"))).body.token as {
      user: { id: string; domain: { id: string } };
    };
    const enable = (path: string, kind: string, enabled: boolean) =>
      service.ask("PATCH", `/v3/${path}`, { body: { [kind]: { enabled } } });
    await enable(`users/${user.id}`, "user", false);
    expect((await service.login(asserted("dan"))).status).toBe(401);
    await enable(`users/${user.id}`, "user", true);
    expect((await service.login(asserted("dan"))).status).toBe(201);
    await enable(`domains/${user.domain.id}`, "domain", false);
    expect((await service.login(asserted("dan"))).status).toBe(401);
    expect((await service.login(asserted("never seen"))).status).toBe(401);
    await enable(`domains/${user.domain.id}`, "domain", true);
    expect((await service.login(asserted("dan"))).status).toBe(201);
  });

  it.each([
    ["application/json", "garbage"],
    ["application/x-www-form-urlencoded", "a=b"],
    ["text/xml", "<a/>"],
  ])("logins-take-any-body: overlooks a body that says nothing to it, as %s", async (type, text) => {
    await service.map([NAMED]);
    const headers = { ...asForwarded(asserted("bea")), "content-type": type };
    // The body is sent as it is.
    const answer = await service.ask("POST", AUTH, { headers, body: Buffer.from(text) });
    expect(answer.status).toBe(201);
  });

  it("expiring-members-are-members: has users among those of their groups until that ends", async () => {
    const change = (authorization_ttl: number | null) =>
      service.ask("PATCH", "/v3/OS-FEDERATION/identity_providers/idp", {
        body: { identity_provider: { authorization_ttl } },
      });
    await change(10);
    await service.map([inStaff()]);
    expect((await service.login(asserted("ed"))).status).toBe(201);
    expect(await namesOf(`groups/${staff}/users`)).toEqual(["ed"]);
    service.time.now += 600_001;
    expect(await namesOf(`groups/${staff}/users`)).toEqual([]);
    await change(null);
  });

  it("scopes-are-enabled: leads to no project that is disabled", async () => {
    await service.map([inStaff()]);
    const { token } = await service.login(asserted("flo"));
    const projectsBy = async (path: string) =>
      ((await service.ask("GET", path, { token })).body.projects as { id: string }[]).map(({ id }) => id);
    expect(await projectsBy("/v3/OS-FEDERATION/projects")).toEqual([project]);
    await service.ask("PATCH", `/v3/projects/${project}`, { body: { project: { enabled: false } } });
    expect(await projectsBy("/v3/OS-FEDERATION/projects")).toEqual([]);
    expect(await projectsBy("/v3/auth/projects")).toEqual([]);
  });

  it.each([
    { id: 5 },
    { id: null },
    { identity_provider: 5, protocol: "mapped" },
    { identity_provider: null, protocol: "mapped" },
    { identity_provider: "idp", protocol: ["mapped"] },
  ])("mistakes-are-told: is refused where ids are no texts: %j", async (mapped) => {
    const identity = { methods: ["mapped"], mapped };
    const headers = asForwarded(asserted("gus"));
    const answer = await service.ask("POST", "/v3/auth/tokens", { body: { auth: { identity } }, headers });
    expect(answer.status).toBe(400);
  });
});
