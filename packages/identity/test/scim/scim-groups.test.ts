/** Groups that an identity provider pushes by SCIM, and their members. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { GROUP, operations, scimServer, USER, type ScimServer } from "./scim-server.js";

let service: ScimServer;
let anna: string;
let bert: string;
let carl: string;
beforeAll(async () => {
  service = await scimServer(databases);
  [anna = "", bert = "", carl = ""] = [
    await service.pushUser("anna"),
    await service.pushUser("bert"),
    await service.pushUser("carl"),
  ];
});
afterAll(() => service.close());

const membersOf = async (id: string): Promise<string[]> =>
  (await service.push("GET", `/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value);
const change = (id: string, ...all: object[]) => service.push("PATCH", `/Groups/${id}`, operations(...all));

describe(`pushed groups on ${databases.name}`, () => {
  it("are groups of the provider's domain, with users as members", async () => {
    const { status, headers, body } = await service.push("POST", "/Groups", {
      schemas: [GROUP],
      displayName: "Admins",
      externalId: "g-1",
      members: [{ value: anna, display: "ignored" }],
    });
    expect([status, headers["etag"]]).toEqual([201, 'W/"1"']);
    const base = "http://127.0.0.1:5900/scim/v2/idp";
    expect(body).toEqual({
      schemas: [GROUP],
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      externalId: "g-1",
      displayName: "Admins",
      members: [{ value: anna, $ref: `${base}/Users/${anna}`, display: "anna", type: "User" }],
      meta: {
        resourceType: "Group",
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${base}/Groups/${body.id}`,
        version: 'W/"1"',
      },
    });
    const { group } = (await service.ask("GET", `/v3/groups/${body.id}`)).body;
    expect(group).toMatchObject({ name: "Admins", scim_identity_provider: "idp" });
    expect((await service.ask("HEAD", `/v3/groups/${body.id}/users/${anna}`)).status).toBe(204);
  });

  it("take and drop members, in all the ways in which clients send it", async () => {
    const id = await service.pushGroup("ways", [anna]);
    expect(
      await change(id, { op: "Add", path: "members", value: [{ value: bert, display: "Bert" }] }),
    ).toMatchObject({
      status: 204,
      body: undefined,
      headers: { etag: 'W/"2"' },
    });
    expect((await membersOf(id)).toSorted()).toEqual([anna, bert].toSorted());
    await change(id, { op: "add", value: { members: [{ value: carl }] } });
    await change(id, { op: "remove", path: `members[value eq "${anna}"]` });
    expect((await membersOf(id)).toSorted()).toEqual([bert, carl].toSorted());
    await change(id, { op: "Remove", path: "members", value: [{ $ref: null, value: bert }] });
    expect(await membersOf(id)).toEqual([carl]);
    await change(id, {
      op: "replace",
      path: null,
      value: { displayName: "ways 2", members: [{ value: anna }] },
    });
    expect(await membersOf(id)).toEqual([anna]);
    await change(
      id,
      { op: "add", path: "members", value: { value: bert } },
      { op: "remove", path: "members" },
    );
    expect(await membersOf(id)).toEqual([]);
    const put = await service.push("PUT", `/Groups/${id}`, {
      displayName: "ways 3",
      members: [{ value: carl }],
    });
    expect(put).toMatchObject({ status: 200, body: { displayName: "ways 3", members: [{ value: carl }] } });
    await service.push("PUT", `/Groups/${id}`, { displayName: "ways 4" });
    expect(await membersOf(id)).toEqual([carl]);
    expect(
      (
        await service.push(
          "PATCH",
          `/Groups/${id}?attributes=displayName`,
          operations({ op: "add", path: "members", value: [] }),
        )
      ).body,
    ).toEqual({
      schemas: [GROUP],
      id,
      displayName: "ways 4",
    });
  });

  it("have the version of their last change, and none for a change of nothing", async () => {
    const id = await service.pushGroup("versions", [anna]);
    const added = await change(id, { op: "add", path: "members", value: [{ value: anna }] });
    expect(added.headers["etag"]).toBe('W/"1"');
    const refused = await service.push(
      "PATCH",
      `/Groups/${id}`,
      operations({ op: "remove", path: "members" }),
      {
        headers: { "if-match": 'W/"7"' },
      },
    );
    expect(refused.status).toBe(412);
    expect(await membersOf(id)).toEqual([anna]);
  });

  it("are found by name in any case, and by a member, without the list of members", async () => {
    const id = await service.pushGroup("Found", [anna]);
    const find = async (filter: string) =>
      (await service.push("GET", `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`))
        .body;
    const { Resources } = await find('displayName eq "found"');
    expect(Resources).toEqual([expect.objectContaining({ id, displayName: "Found" })]);
    expect(Resources[0]).not.toHaveProperty("members");
    expect(await find(`id eq "${id}" and members eq "${anna}"`)).toMatchObject({ totalResults: 1 });
    expect(await find(`id eq "${id}" and members[value eq "${bert}"]`)).toMatchObject({ totalResults: 0 });
    expect(await find(`members.value eq "${anna}" and displayName sw "fou"`)).toMatchObject({
      totalResults: 1,
    });
    expect(await find(`not (members.value eq "${anna}")`)).toMatchObject({ scimType: "invalidFilter" });
  });

  it("give their members roles without a login, and take them at once", async () => {
    const id = await service.pushGroup("of-roles");
    const { body } = await service.ask("GET", "/v3/roles?name=member");
    const project = await service.create("projects", { name: "of-group", domain_id: "default" });
    const role = body.roles[0].id as string;
    await service.ask("PUT", `/v3/projects/${project}/groups/${id}/roles/${role}`);
    const { token: unscoped } = await service.logIn("bert");
    const scoped = () =>
      service.ask("POST", "/v3/auth/tokens", {
        body: {
          auth: {
            identity: { methods: ["token"], token: { id: unscoped } },
            scope: { project: { id: project } },
          },
        },
      });
    expect((await scoped()).status).toBe(401);
    await change(id, { op: "add", path: "members", value: [{ value: bert }] });
    const { status, token } = await scoped();
    expect(status).toBe(201);
    expect(await service.isValid(token)).toBe(true);
    await change(id, { op: "remove", path: `members[value eq "${bert}"]` });
    expect(await service.isValid(token)).toBe(false);
    expect((await scoped()).status).toBe(401);
    expect((await service.push("DELETE", `/Groups/${id}`)).status).toBe(204);
    expect((await service.ask("GET", `/v3/groups/${id}`)).status).toBe(404);
    expect((await service.push("GET", `/Groups/${id}`)).status).toBe(404);
  });

  it("can't have users of another provider, local users or groups as members", async () => {
    const id = await service.pushGroup("own-users");
    await service.addProvider("other");
    const theirs = (await service.push("POST", "/Users", { userName: "theirs" }, { provider: "other" })).body
      .id;
    const local = await service.create("users", { name: "local" });
    const group = await service.pushGroup("inner");
    for (const member of [
      { value: theirs },
      { value: local },
      { value: group, type: "Group" },
      { value: 5 },
      "x",
      {},
    ])
      expect([member, await change(id, { op: "add", path: "members", value: [member] })]).toMatchObject([
        member,
        { status: 400, body: { scimType: "invalidValue" } },
      ]);
    expect(await membersOf(id)).toEqual([]);
  });

  it("are neither created nor changed where the provider is authorized for other domains alone", async () => {
    const secret = await service.addProvider("narrow");
    const options = { provider: "narrow", secret };
    const path = "/v3/OS-FEDERATION/identity_providers/narrow";
    const domain = (await service.ask("GET", path)).body.identity_provider.domain_id as string;
    const authorize = (domains: readonly string[] | null) =>
      service.ask("PATCH", path, { body: { identity_provider: { authorized_domains: domains } } });
    const draft = { schemas: [GROUP], displayName: "Narrow" };
    await authorize([domain]);
    const made = await service.push("POST", "/Groups", draft, options);
    expect(made.status).toBe(201);
    await authorize(["default"]);
    const rename = operations({ op: "replace", path: "displayName", value: "Other" });
    for (const [method, place, body] of [
      ["POST", "/Groups", { ...draft, displayName: "Second" }],
      ["PATCH", `/Groups/${made.body.id}`, rename],
      ["PUT", `/Groups/${made.body.id}`, draft],
    ] as const)
      expect(await service.push(method, place, body, options)).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining("authorized_domains") },
      });
    // Users of its own domain are its own, and what it has pushed it may delete.
    const user = await service.push("POST", "/Users", { schemas: [USER], userName: "narrow" }, options);
    expect(user.status).toBe(201);
    expect((await service.push("DELETE", `/Groups/${made.body.id}`, undefined, options)).status).toBe(204);
  });

  it("don't show or drop members whom an administrator has added", async () => {
    const id = await service.pushGroup("mixed", [anna]);
    const local = await service.create("users", { name: "helper" });
    await service.ask("PUT", `/v3/groups/${id}/users/${local}`);
    expect(await membersOf(id)).toEqual([anna]);
    await change(id, { op: "remove", path: `members[value eq "${local}"]` });
    await change(id, { op: "replace", path: "members", value: [{ value: bert }] });
    expect((await service.ask("HEAD", `/v3/groups/${id}/users/${local}`)).status).toBe(204);
  });

  it("never take over a group that the provider has not pushed", async () => {
    const { domain_id: domainId } = (await service.ask("GET", "/v3/OS-FEDERATION/identity_providers/idp"))
      .body.identity_provider;
    const local = await service.create("groups", { name: "Locals", domain_id: domainId });
    const id = await service.pushGroup("renamed");
    for (const [method, path, body] of [
      ["POST", "/Groups", { displayName: "Locals" }],
      ["PATCH", `/Groups/${id}`, operations({ op: "replace", path: "displayName", value: "Locals" })],
      ["POST", "/Groups", { displayName: "RENAMED" }],
    ] as const)
      expect(await service.push(method, path, body)).toMatchObject({
        status: 409,
        body: { scimType: "uniqueness" },
      });
    for (const method of ["GET", "DELETE"])
      expect((await service.push(method, `/Groups/${local}`)).status).toBe(404);
    expect((await change(local, { op: "add", path: "members", value: [{ value: anna }] })).status).toBe(404);
  });
});
