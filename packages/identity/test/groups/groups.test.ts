/** Groups: create, read, list, update, delete. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED, type AskOptions } from "../feature-server.js";
import { userServer, type Tables, type UserServer } from "../users/user-server.js";

let service: UserServer;
beforeEach(async () => {
  service = await userServer(databases);
});
afterEach(() => service.close());

const create = (group: object) => service.ask("POST", "/v3/groups", { body: { group } });
const change = (id: string, group: object) => service.ask("PATCH", `/v3/groups/${id}`, { body: { group } });
const namesOf = async (query: string, as?: object) => {
  const { body } = await service.ask("GET", `/v3/groups${query}`, as);
  return body.groups.map(({ name }: { name: string }) => name).toSorted();
};

describe(`groups on ${databases.name}`, () => {
  it("are created with the given attributes, and returned with them", async () => {
    const { status, body } = await create({ name: "  g1 ", domain_id: "d1", foo: 1, id: "x", links: 5 });
    expect(status).toBe(201);
    const { id } = body.group;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(body.group).toEqual({
      foo: 1,
      id,
      name: "g1",
      domain_id: "d1",
      description: "",
      links: { self: `http://127.0.0.1:5900/v3/groups/${id}` },
    });
    expect((await service.ask("GET", `/v3/groups/${id}`)).body).toEqual(body);
    expect((await create({ name: "g2", domain_id: "d1", description: null })).body.group.description).toBe(
      null,
    );
  });

  it("are listed with their total and numbers of members if a client asks for details", async () => {
    const [one] = [await service.addGroup("g1"), await service.addGroup("g2")];
    const ann = await service.addUser("ann");
    await service.ask("PUT", `/v3/groups/${one}/users/${ann}`);
    const { body } = await service.ask("GET", "/v3/groups?details=true&sort_key=name");
    expect(body.total).toBe(2);
    expect(body.groups.map((group: { member_count: number }) => group.member_count)).toEqual([1, 0]);
    const { body: plain } = await service.ask("GET", "/v3/groups");
    expect([plain.total, plain.groups[0].member_count]).toEqual([undefined, undefined]);
  });

  it("belong to the domain of the token, or to the default domain, if domain_id is missing", async () => {
    const domainOf = async (as: AskOptions["as"] & object) =>
      (await service.ask("POST", "/v3/groups", { as, body: { group: { name: "g" } } })).body.group.domain_id;
    expect(await domainOf(inDomain("d1", "admin"))).toBe("d1");
    expect(await domainOf(inProject("p1", "d1", "admin"))).toBe("default");
  });

  it("have names of their own within a domain", async () => {
    const id = await service.addGroup("g1");
    await service.addGroup("g1", { domain_id: "d2" });
    await service.addGroup("g2");
    const taken = "Conflict occurred attempting to store group - Duplicate entry found with name";
    expect(
      await service.refusal("POST", "/v3/groups", { body: { group: { name: "g1", domain_id: "d1" } } }),
    ).toEqual([409, `${taken} g1 at domain ID d1.`]);
    expect(await service.refusal("PATCH", `/v3/groups/${id}`, { body: { group: { name: "g2" } } })).toEqual([
      409,
      `${taken} g2.`,
    ]);
  });

  it.each([
    [{ name: 5 }, "Invalid input for field/attribute name. Value: 5. 5 is not of type 'string'"],
    [{ name: " " }, "Invalid input for field/attribute name. Value:  . ' ' does not match '[\\\\S]+'"],
    [
      { name: "g", description: 5 },
      "Invalid input for field/attribute description. Value: 5. 5 is not of type 'string', 'null'",
    ],
    [
      { name: "g", domain_id: 5 },
      "Invalid input for field/attribute domain_id. Value: 5. 5 is not of type 'string'",
    ],
    [{ foo: 1 }, "Invalid input for field/attribute group. Value: {'foo': 1}. 'name' is a required property"],
  ])("are refused as %j", async (group, message) => {
    expect(await service.refusal("POST", "/v3/groups", { body: { group } })).toEqual([400, message]);
  });

  it("are of domains that are there", async () => {
    await service.addProject("p1", "d1");
    for (const id of ["nope", "p1"]) {
      const body = { group: { name: "g", domain_id: id } };
      expect(await service.refusal("POST", "/v3/groups", { body })).toEqual([
        404,
        `Could not find domain: ${id}.`,
      ]);
    }
  });

  it("are changed in what is sent alone, and stay in their domain", async () => {
    const id = await service.addGroup("g1", { description: "d", foo: 1, bar: 2 });
    const changed = await change(id, { name: " g2 ", foo: null, id, domain_id: "d1" });
    expect(changed.status).toBe(200);
    expect(changed.body.group).toMatchObject({ name: "g2", description: "d", foo: null, bar: 2 });
    expect((await change(id, { description: null })).body.group.description).toBeNull();
    const refusals = [
      [{ domain_id: "d2" }, 400, "Cannot change Domain ID"],
      [{ domain_id: 5 }, 400, "Cannot change Domain ID"],
      [{ id: "x" }, 400, "Cannot change ID"],
      [{}, 400, "Invalid input for field/attribute group. Value: {}. {} does not have enough properties"],
      [
        { name: null },
        400,
        "Invalid input for field/attribute name. Value: None. None is not of type 'string'",
      ],
    ] as const;
    for (const [group, status, message] of refusals)
      expect(await service.refusal("PATCH", `/v3/groups/${id}`, { body: { group } })).toEqual([
        status,
        message,
      ]);
  });

  it("that don't exist are not found", async () => {
    const body = { group: { name: "x" } };
    for (const method of ["GET", "PATCH", "DELETE"])
      expect(await service.refusal(method, "/v3/groups/nope", method === "PATCH" ? { body } : {})).toEqual([
        404,
        "Could not find group: nope.",
      ]);
  });

  it.each([
    ["a reader of the system", SYSTEM_READER],
    ["a manager of a domain", inDomain("d1", "manager", "member", "reader")],
    ["a reader of a domain", inDomain("d1", "reader")],
    ["a member of a project", inProject("p1", "d1", "member", "reader")],
    ["a user without a scope", UNSCOPED],
  ])("that don't exist were 403 instead of 404 to a deletion by %s", async (_, as) => {
    expect(await service.refusal("DELETE", "/v3/groups/nope", { as })).toEqual([
      404,
      "Could not find group: nope.",
    ]);
    // As in Keystone, changing it is refused first.
    const body = { group: { description: "x" } };
    expect((await service.refusal("PATCH", "/v3/groups/nope", { as, body }))[0]).toBe(403);
    expect((await service.ask("DELETE", "/v3/groups/nope", { as: null })).status).toBe(401);
  });

  it("are listed by domain and name, in pages", async () => {
    for (const name of ["a", "ab", "c"]) await service.addGroup(name);
    await service.addGroup("a", { domain_id: "d2" });
    expect(await namesOf("?domain_id=d1")).toEqual(["a", "ab", "c"]);
    expect(await namesOf("?domain_id=d1&name=a")).toEqual(["a"]);
    expect(await namesOf("?domain_id=d1&name__contains=b&description=x")).toEqual(["ab"]);
    const { body } = await service.ask("GET", "/v3/groups?limit=3");
    expect([body.groups.length, body.truncated]).toEqual([3, true]);
    const next = await service.ask("GET", body.links.next.replace("http://127.0.0.1:5900", ""));
    expect([next.body.groups.length, next.body.links.next]).toEqual([1, null]);
    expect(await service.refusal("GET", "/v3/groups?name=")).toEqual([
      400,
      "Invalid input for field/attribute name. Value: . '' is too short",
    ]);
  });

  it("revoke, when deleted, the tokens of users who had roles through them", async () => {
    const [idle, busy] = [await service.addGroup("idle"), await service.addGroup("busy")];
    const ann = await service.addUser("ann");
    for (const id of [idle, busy]) await service.ask("PUT", `/v3/groups/${id}/users/${ann}`);
    const tables = service.database.tables<Tables>();
    await tables.insertInto("role").values({ id: "r", name: "r", options: "{}", extra: "{}" }).execute();
    await tables
      .insertInto("assignment")
      .values({ group_id: busy, target_kind: "domain", target_id: "d1", role_id: "r", is_inherited: false })
      .execute();
    expect((await service.ask("DELETE", `/v3/groups/${idle}`)).status).toBe(204);
    expect(service.ended).toEqual([]);
    expect((await service.ask("DELETE", `/v3/groups/${busy}`)).status).toBe(204);
    expect(service.ended).toEqual([{ userId: ann }]);
    expect((await service.ask("GET", `/v3/groups/${busy}`)).status).toBe(404);
    expect(await service.users.groupIdsOf(ann)).toEqual([]);
  });

  it("are found by id, and by name in a domain", async () => {
    const id = await service.addGroup("g");
    expect(await service.groups.findGroup({ name: "g", domainId: "d1" })).toMatchObject({ id });
    expect(await service.groups.findGroup({ name: "g", domainId: "d2" })).toBeUndefined();
    expect(await service.groups.findGroup({ id })).toMatchObject({ name: "g", domainId: "d1" });
  });

  it("are read by readers, and changed by managers of their domain", async () => {
    const id = await service.addGroup("g1");
    const other = await service.addGroup("g2", { domain_id: "d2" });
    const reader = inDomain("d1", "reader");
    const manager = inDomain("d1", "manager", "member", "reader");
    for (const as of [SYSTEM_READER, reader, manager]) {
      expect((await service.ask("GET", `/v3/groups/${id}`, { as })).status).toBe(200);
      expect((await service.ask("GET", "/v3/groups", { as })).status).toBe(200);
    }
    for (const as of [reader, manager]) {
      expect(await namesOf("", { as })).toEqual(["g1"]);
      expect(await namesOf("?domain_id=d2", { as })).toEqual([]);
      expect((await service.ask("GET", `/v3/groups/${other}`, { as })).status).toBe(403);
      expect((await service.ask("GET", "/v3/groups/nope", { as })).status).toBe(403);
    }
    const changes = [
      ["POST", "/v3/groups", { name: "new", domain_id: "d1" }, 201],
      ["PATCH", `/v3/groups/${id}`, { description: "new" }, 200],
      ["DELETE", `/v3/groups/${id}`, {}, 204],
    ] as const;
    for (const as of [SYSTEM_READER, reader, UNSCOPED, inDomain("d2", "manager")])
      for (const [method, url] of changes)
        expect((await service.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    const unsaid = { as: manager, body: { group: { name: "x" } } };
    expect((await service.ask("POST", "/v3/groups", unsaid)).status).toBe(403);
    for (const [method, url, group, status] of changes)
      expect((await service.ask(method, url, { as: manager, body: { group } })).status).toBe(status);
    for (const url of ["/v3/groups", `/v3/groups/${other}`]) {
      expect((await service.ask("GET", url, { as: UNSCOPED })).status).toBe(403);
      expect((await service.ask("GET", url, { as: null })).status).toBe(401);
    }
    expect((await service.ask("DELETE", `/v3/groups/${other}`)).status).toBe(204);
  });
});
