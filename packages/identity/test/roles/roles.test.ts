/** Roles and implied roles. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED, type FeatureResponse } from "../feature-server.js";
import { roleFixture, type RoleFixture } from "./role-fixture.js";

let fixture: RoleFixture;
beforeEach(async () => {
  fixture = await roleFixture(databases);
});
afterEach(() => fixture.close());

const create = (role: object) => fixture.ask("POST", "/v3/roles", { body: { role } });
const change = (id: string, role: object) => fixture.ask("PATCH", `/v3/roles/${id}`, { body: { role } });
const failureOf = ({ status, body }: FeatureResponse) => [status, body.error.message as string];
const namesOf = ({ body }: FeatureResponse) => body.roles.map(({ name }: { name: string }) => name);

describe(`roles on ${databases.name}`, () => {
  it("are created with the given attributes, and returned with them", async () => {
    const { status, body } = await create({
      name: "cook",
      foo: 1,
      id: "mine",
      options: { immutable: null },
    });
    expect(status).toBe(201);
    const { id } = body.role;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(body).toEqual({
      role: {
        foo: 1,
        id,
        name: "cook",
        domain_id: null,
        description: null,
        options: {},
        links: { self: `http://127.0.0.1:5900/v3/roles/${id}` },
      },
    });
    expect(await fixture.get(`/roles/${id}`)).toMatchObject({ status: 200, body });
  });

  it("are sorted and searched, and counted if a client asks for details", async () => {
    for (const name of ["list-b", "List-a", "list-c"]) await create({ name });
    const listed = await fixture.get("/roles?search=list-&sort_key=name&sort_dir=desc&limit=2&details=true");
    expect([listed.body.total, namesOf(listed)]).toEqual([3, ["list-c", "list-b"]]);
    const next = await fixture.get(listed.body.links.next.replace("http://127.0.0.1:5900/v3", ""));
    expect([next.body.total, namesOf(next)]).toEqual([undefined, ["List-a"]]);
    const { id } = (await create({ name: "list-d" })).body.role;
    expect((await fixture.get(`/roles?search=${id}&details=true`)).body.total).toBe(1);
    expect((await fixture.get("/roles?search=list-")).body.total).toBeUndefined();
  });

  it.each([
    [{}, "Invalid input for field/attribute role. Value: {}. 'name' is a required property"],
    [{ name: "" }, "Invalid input for field/attribute name. Value: . '' is too short"],
    [{ name: 5 }, "Invalid input for field/attribute name. Value: 5. 5 is not of type 'string'"],
    [
      { name: "x", description: 7 },
      "Invalid input for field/attribute description. Value: 7. 7 is not of type 'string', 'null'",
    ],
    [
      { name: "x", options: { immutable: true, foo: 1 } },
      "Invalid input for field/attribute options. Value: {'immutable': True, 'foo': 1}. Additional properties are not allowed ('foo' was unexpected)",
    ],
    [
      { name: "x", options: { immutable: "x" } },
      "Invalid input for field/attribute immutable. Value: x. 'x' is not of type 'boolean', 'null'",
    ],
  ])("are refused as %j", async (role, message) => {
    expect(failureOf(await create(role))).toEqual([400, message]);
  });

  it("have names of their own in their domain, or in none", async () => {
    const id = await fixture.role("cook");
    expect((await create({ name: "cook", domain_id: "d1" })).status).toBe(201);
    expect((await create({ name: "cook", domain_id: "d2" })).status).toBe(201);
    expect(failureOf(await create({ name: "cook" }))).toEqual([
      409,
      "Conflict occurred attempting to store role - Duplicate entry found with name cook.",
    ]);
    expect(failureOf(await create({ name: "cook", domain_id: "d1" }))).toEqual([
      409,
      "Conflict occurred attempting to store role - Duplicate entry found with name cook at domain ID d1.",
    ]);
    await fixture.role("waiter");
    expect((await change(id, { name: "waiter" })).status).toBe(409);
    expect((await change(id, { name: "cook" })).status).toBe(200);
  });

  it("are of domains that there are (role-domains-exist)", async () => {
    expect(failureOf(await create({ name: "cook", domain_id: "nope" }))).toEqual([
      404,
      "Could not find domain: nope.",
    ]);
  });

  it("are listed by domain and by name, in pages", async () => {
    for (const name of ["cook", "COOK", "waiter"]) await fixture.role(name);
    await fixture.role("maid", { domain_id: "d1" });
    expect(namesOf(await fixture.get("/roles")).toSorted()).toEqual(["COOK", "cook", "waiter"]);
    expect(namesOf(await fixture.get("/roles?domain_id=d1"))).toEqual(["maid"]);
    expect(namesOf(await fixture.get("/roles?domain_id=d2"))).toEqual([]);
    expect(namesOf(await fixture.get("/roles?name=cook"))).toEqual(["cook"]);
    expect(namesOf(await fixture.get("/roles?name__icontains=oo")).toSorted()).toEqual(["COOK", "cook"]);
    const first = await fixture.get("/roles?limit=2");
    expect([namesOf(first).length, first.body.truncated]).toEqual([2, true]);
    const next = first.body.links.next.replace("http://127.0.0.1:5900/v3", "");
    expect(namesOf(await fixture.get(next))).toHaveLength(1);
  });

  it.each(["domain_id=", "name="])("are not listed by nothing: %s", async (query) => {
    const [field = ""] = query.split("=");
    expect(failureOf(await fixture.get(`/roles?${query}`))).toEqual([
      400,
      `Invalid input for field/attribute ${field}. Value: . '' is too short`,
    ]);
  });

  it("are changed in what is sent alone, and stay in their domain", async () => {
    const id = await fixture.role("cook", { description: "x", foo: 1, bar: 2 });
    const { body } = await change(id, { id, foo: null, domain_id: null, description: null });
    expect(body.role).toMatchObject({ name: "cook", description: null, foo: null, bar: 2 });
    expect(failureOf(await change(id, { id: "z" }))).toEqual([400, "Cannot change ID"]);
    expect(failureOf(await change(id, { domain_id: "d1" }))).toEqual([
      400,
      "Update of `domain_id` is not allowed.",
    ]);
    expect(failureOf(await change(id, {}))).toEqual([
      400,
      "Invalid input for field/attribute role. Value: {}. {} does not have enough properties",
    ]);
  });

  it("that are immutable are kept until that is taken back", async () => {
    const id = await fixture.role("cook", { options: { immutable: true } });
    expect(failureOf(await change(id, { name: "x" }))).toEqual([
      403,
      `Unable to update immutable role resource: \`${id}. Set resource option "immutable" to false first.`,
    ]);
    expect(failureOf(await fixture.ask("DELETE", `/v3/roles/${id}`))).toEqual([
      403,
      `Unable to delete immutable role resource: \`${id}. Set resource option "immutable" to false first.`,
    ]);
    expect((await change(id, { options: { immutable: false } })).body.role.options).toEqual({
      immutable: false,
    });
    expect((await change(id, { name: "x", options: { immutable: null } })).body.role.options).toEqual({});
    expect((await fixture.ask("DELETE", `/v3/roles/${id}`)).status).toBe(204);
  });

  it("that don't exist are not found", async () => {
    const missing = [404, "Could not find role: nope."];
    expect(failureOf(await fixture.get("/roles/nope"))).toEqual(missing);
    expect(failureOf(await change("nope", { name: "x" }))).toEqual(missing);
    expect(failureOf(await fixture.ask("DELETE", "/v3/roles/nope"))).toEqual(missing);
  });

  it.each([
    ["a reader of the system", SYSTEM_READER],
    ["an administrator of a domain", inDomain("d1", "admin", "manager", "member", "reader")],
    ["a manager of a domain", inDomain("d1", "manager", "member", "reader")],
    ["a reader of a domain", inDomain("d1", "reader")],
    ["a manager of a project", inProject("p", "d1", "manager", "member", "reader")],
    ["a user without a scope", UNSCOPED],
  ])("that don't exist were 403 instead of 404 to %s", async (_, as) => {
    const body = { role: { description: "x" } };
    for (const method of ["GET", "PATCH", "DELETE"])
      expect(failureOf(await fixture.ask(method, "/v3/roles/nope", { as, body }))).toEqual([
        404,
        "Could not find role: nope.",
      ]);
    expect((await fixture.ask("GET", "/v3/roles/nope", { as: null })).status).toBe(401);
  });

  it("are there for the beginning, once", async () => {
    const admin = await fixture.roles.ensureRole({ name: "admin", options: { immutable: true } });
    const reader = await fixture.roles.ensureRole({ name: "reader" });
    expect((await fixture.roles.ensureRole({ name: "admin" })).id).toBe(admin.id);
    for (let time = 0; time < 2; time++) {
      await fixture.roles.ensureImplied(admin, reader);
      await fixture.roles.ensureGrant({
        actor: { userId: "alice" },
        target: { kind: "system" },
        roleId: admin.id,
        isInherited: false,
      });
    }
    const found = await fixture.roles.effectiveRoles({ userId: "alice", groupIds: [] }, { kind: "system" });
    expect(found.map(({ name, options }) => [name, options])).toEqual([
      ["admin", { immutable: true }],
      ["reader", {}],
    ]);
  });

  it("are administered by administrators, and seen by readers of the system and managers", async () => {
    const [member, secret] = [await fixture.role("member"), await fixture.role("secret")];
    const own = await fixture.role("own", { domain_id: "d1" });
    const status = async (method: string, path: string, as: AskedAs) =>
      (
        await fixture.ask(method, `/v3/roles${path}`, {
          as,
          body: { role: { name: "new", domain_id: "d1" } },
        })
      ).status;
    const manager = inDomain("d1", "manager", "member", "reader");

    expect(await status("GET", "", manager)).toBe(200);
    expect(await status("GET", "", inDomain("d1", "reader"))).toBe(403);
    expect(await status("GET", `/${member}`, manager)).toBe(200);
    expect(await status("GET", `/${secret}`, manager)).toBe(403);
    expect(await status("GET", `/${member}`, inProject("p", "d1", "manager"))).toBe(200);
    for (const path of [`/${own}`, "?domain_id=d1"]) {
      expect(await status("GET", path, SYSTEM_READER)).toBe(200);
      expect(await status("GET", path, manager)).toBe(403);
      expect(await status("GET", path, inDomain("d1", "admin"))).toBe(403);
    }
    for (const as of [manager, SYSTEM_READER, UNSCOPED, inDomain("d1", "admin")]) {
      expect(await status("POST", "", as)).toBe(403);
      expect(await status("PATCH", `/${own}`, as)).toBe(403);
      expect(await status("DELETE", `/${member}`, as)).toBe(403);
    }
    const admin = inProject("p", "d1", "admin");
    expect(await status("POST", "", admin)).toBe(201);
    expect(await status("DELETE", `/${own}`, admin)).toBe(204);
    expect(await status("GET", "", null)).toBe(401);
  });

  it("name the action that is refused: one of a domain's roles, or of all domains'", async () => {
    const [own, common] = [await fixture.role("own", { domain_id: "d1" }), await fixture.role("common")];
    const messageOf = async (method: string, path: string, role?: object) =>
      failureOf(await fixture.ask(method, `/v3/roles${path}`, { as: UNSCOPED, body: role && { role } }))[1];
    const refused = (action: string) =>
      `You are not authorized to perform the requested action: identity:${action}.`;
    expect(await messageOf("GET", "")).toBe(refused("list_roles"));
    expect(await messageOf("GET", "?domain_id=d1")).toBe(refused("list_domain_roles"));
    expect(await messageOf("POST", "", { domain_id: "d1" })).toBe(refused("create_domain_role"));
    expect(await messageOf("GET", `/${own}`)).toBe(refused("get_domain_role"));
    expect(await messageOf("GET", `/${common}`)).toBe(refused("get_role"));
  });
});

describe(`roles that imply others on ${databases.name}`, () => {
  it("imply another from creation to deletion of the implication", async () => {
    const [a, b] = [await fixture.role("a"), await fixture.role("b")];
    const path = `/roles/${a}/implies/${b}`;
    const refer = (id: string, name: string) => ({
      id,
      name,
      links: { self: `http://127.0.0.1:5900/v3/roles/${id}` },
    });
    const answer = {
      role_inference: { prior_role: refer(a, "a"), implies: refer(b, "b") },
      links: { self: `http://127.0.0.1:5900/v3${path}` },
    };
    expect(failureOf(await fixture.get(path))).toEqual([404, `${a} does not imply ${b}.`]);
    expect((await fixture.ask("HEAD", `/v3${path}`)).status).toBe(404);
    expect(await fixture.ask("PUT", `/v3${path}`)).toMatchObject({ status: 201, body: answer });
    expect(failureOf(await fixture.ask("PUT", `/v3${path}`))).toEqual([
      409,
      "Conflict occurred attempting to store implied_role - Duplicate entry.",
    ]);
    expect((await fixture.get(path)).body).toEqual(answer);
    expect((await fixture.ask("HEAD", `/v3${path}`)).status).toBe(204);
    expect((await fixture.get(`/roles/${a}/implies`)).body).toEqual({
      role_inference: { prior_role: refer(a, "a"), implies: [refer(b, "b")] },
      links: { self: `http://127.0.0.1:5900/v3/roles/${a}/implies` },
    });
    expect((await fixture.get("/role_inferences")).body).toEqual({
      role_inferences: [{ prior_role: refer(a, "a"), implies: [refer(b, "b")] }],
    });
    expect((await fixture.ask("DELETE", `/v3${path}`)).status).toBe(204);
    expect((await fixture.ask("DELETE", `/v3${path}`)).status).toBe(404);
    expect((await fixture.get("/role_inferences")).body).toEqual({ role_inferences: [] });
  });

  it("are roles that there are", async () => {
    const a = await fixture.role("a");
    for (const path of [`/roles/${a}/implies/nope`, `/roles/nope/implies/${a}`])
      for (const method of ["PUT", "GET", "DELETE"])
        expect(failureOf(await fixture.ask(method, `/v3${path}`))).toEqual([
          404,
          "Could not find role: nope.",
        ]);
    expect((await fixture.get("/roles/nope/implies")).status).toBe(404);
  });

  it("imply no administrators, and no roles of a domain unless they are of one", async () => {
    const [a, admin] = [await fixture.role("a"), await fixture.role("admin")];
    const [own, foreign] = [
      await fixture.role("own", { domain_id: "d1" }),
      await fixture.role("foreign", { domain_id: "d2" }),
    ];
    for (const implied of [admin, own])
      expect(failureOf(await fixture.ask("PUT", `/v3/roles/${a}/implies/${implied}`))).toEqual([
        403,
        `${implied} cannot be an implied roles.`,
      ]);
    await fixture.imply(own, foreign, a);
  });

  it("may form a ring, as in Keystone", async () => {
    const [a, b] = [await fixture.role("a"), await fixture.role("b")];
    await fixture.imply(a, b, a);
    await fixture.imply(b, a);
    await fixture.put(`/system/users/alice/roles/${b}`);
    const found = await fixture.roles.effectiveRoles({ userId: "alice", groupIds: [] }, { kind: "system" });
    expect(found.map(({ id }) => id).toSorted()).toEqual([a, b].toSorted());
  });

  it("stop with either role (implied-roles-end)", async () => {
    const [a, b, c] = [await fixture.role("a"), await fixture.role("b"), await fixture.role("c")];
    await fixture.imply(a, b);
    await fixture.imply(b, c);
    await fixture.ask("DELETE", `/v3/roles/${b}`);
    expect((await fixture.get("/role_inferences")).body.role_inferences).toEqual([]);
  });

  it("are created by administrators, and read by system readers", async () => {
    const [a, b] = [await fixture.role("a"), await fixture.role("b")];
    const path = `/v3/roles/${a}/implies/${b}`;
    await fixture.imply(a, b);
    for (const url of [path, `/v3/roles/${a}/implies`, "/v3/role_inferences"])
      for (const method of ["GET", "HEAD"]) {
        const status = async (as: AskedAs) => (await fixture.ask(method, url, { as })).status;
        expect(await status(SYSTEM_READER)).toBeLessThan(300);
        expect(await status(inDomain("d1", "manager", "reader"))).toBe(403);
        expect(await status(inProject("p", "d1", "reader"))).toBe(403);
      }
    for (const method of ["PUT", "DELETE"]) {
      expect((await fixture.ask(method, path, { as: SYSTEM_READER })).status).toBe(403);
      expect((await fixture.ask(method, path, { as: inDomain("d1", "admin") })).status).toBe(403);
    }
  });
});

type AskedAs = typeof UNSCOPED | null;
