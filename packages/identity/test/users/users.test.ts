/** Users: create, read, list, update, delete. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED, type AskOptions } from "../feature-server.js";
import { ADDRESS, userServer, type UserServer } from "./user-server.js";

const BOOLEANS =
  "[True, 'True', 'TRUE', 'true', False, 'False', 'FALSE', 'false', '', '1', '0', 'y', 'Y', 'n', 'N', 'on', 'ON', 'off', 'OFF', 'yes', 'no']";

let service: UserServer;
beforeEach(async () => {
  service = await userServer(databases);
});
afterEach(() => service.close());

const create = (user: object) => service.ask("POST", "/v3/users", { body: { user } });
const change = (id: string, user: object) => service.ask("PATCH", `/v3/users/${id}`, { body: { user } });
const namesOf = async (query: string, options?: AskOptions) => {
  const { body } = await service.ask("GET", `/v3/users${query}`, options);
  return body.users.map(({ name }: { name: string }) => name).toSorted();
};

describe(`users on ${databases.name}`, () => {
  it("are created with the given attributes, and returned with them except the password", async () => {
    const attributes = { name: "  ann ", domain_id: "d1", email: "a@x", foo: { x: 1 }, description: null };
    const { status, body } = await create({
      ...attributes,
      password: "pw",
      default_project_id: "nope",
      options: { lock_password: false, ignore_password_expiry: null },
      id: "x",
      links: 5,
      tenants: 1,
      groups: [1],
      domains: 2,
      password_expires_at: "2020-01-01T00:00:00Z",
    });
    expect(status).toBe(201);
    const { id } = body.user;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(body.user).toEqual({
      email: "a@x",
      foo: { x: 1 },
      description: null,
      id,
      name: "ann",
      domain_id: "d1",
      enabled: true,
      default_project_id: "nope",
      password_expires_at: null,
      options: { lock_password: false },
      links: { self: `http://127.0.0.1:5900/v3/users/${id}` },
    });
    expect((await service.ask("GET", `/v3/users/${id}`)).body).toEqual(body);
    expect((await create({ name: "bob", default_project_id: null })).body.user).not.toHaveProperty(
      "default_project_id",
    );
  });

  it("belong to the domain of the token, or to the default domain, if domain_id is missing", async () => {
    const domainOf = async (as: AskOptions["as"] & object) =>
      (await service.ask("POST", "/v3/users", { as, body: { user: { name: "u" } } })).body.user.domain_id;
    expect(await domainOf(inDomain("d1", "admin"))).toBe("d1");
    expect(await domainOf(inProject("p1", "d1", "admin"))).toBe("default");
  });

  it("have names of their own within a domain", async () => {
    const id = await service.addUser("ann");
    await service.addUser("ann", { domain_id: "d2" });
    await service.addUser("bob");
    const taken = "Conflict occurred attempting to store user - Duplicate entry found with name";
    const again = { body: { user: { name: "ann", domain_id: "d1" } } };
    expect(await service.refusal("POST", "/v3/users", again)).toEqual([409, `${taken} ann at domain ID d1.`]);
    const rename = { body: { user: { name: "bob" } } };
    expect(await service.refusal("PATCH", `/v3/users/${id}`, rename)).toEqual([409, `${taken} bob.`]);
  });

  it.each([
    [{ name: " " }, "name. Value:  . ' ' does not match '[\\\\S]+'"],
    [{ name: "" }, "name. Value: . '' is too short"],
    [{ domain_id: "d1" }, "user. Value: {'domain_id': 'd1'}. 'name' is a required property"],
    [{ name: "u", enabled: null }, "enabled. Value: None. None is not of type 'boolean'"],
    [{ name: "u", enabled: 1 }, "enabled. Value: 1. 1 is not of type 'boolean'"],
    [{ name: "u", domain_id: "a b" }, "domain_id. Value: a b. 'a b' does not match '^[a-zA-Z0-9-]+$'"],
    [{ name: "u", default_project_id: 5 }, "default_project_id. Value: 5. 5 is not of type 'string', 'null'"],
    [
      { name: "u", options: { lock_password: true, bogus: 1 } },
      "options. Value: {'lock_password': True, 'bogus': 1}. Additional properties are not allowed ('bogus' was unexpected)",
    ],
    [
      { name: "u", options: { lock_password: "yes" } },
      "lock_password. Value: yes. 'yes' is not of type 'boolean', 'null'",
    ],
    [{ name: "u", options: null }, "options. Value: None. None is not of type 'object'"],
    [{ name: "u", options: { multi_factor_auth_rules: [[]] } }, "0. Value: []. [] is too short"],
    [{ name: "u", options: { multi_factor_auth_rules: [[5]] } }, "0. Value: 5. 5 is not of type 'string'"],
    [
      { name: "u", options: { multi_factor_auth_rules: [["a"], ["a"]] } },
      "multi_factor_auth_rules. Value: [['a'], ['a']]. [['a'], ['a']] has non-unique elements",
    ],
    [
      { name: "u", options: { multi_factor_auth_rules: "a" } },
      "multi_factor_auth_rules. Value: a. 'a' is not of type 'array', 'null'",
    ],
  ])("are refused as %j", async (user, message) => {
    expect(await service.refusal("POST", "/v3/users", { body: { user } })).toEqual([
      400,
      `Invalid input for field/attribute ${message}`,
    ]);
  });

  it.each([
    ["kim\u202Enimda", "bidirectional control character U+202E"],
    ["kim\nadmin", "control character U+000A"],
    ["kim\u200B", "format character U+200B"],
  ])("names-are-visible: are not called %j, where Keystone takes it", async (name, character) => {
    const refused = [400, `Invalid input for field/attribute name. The name contains the ${character}.`];
    expect(await service.refusal("POST", "/v3/users", { body: { user: { name } } })).toEqual(refused);
    const { id } = (await create({ name: "Zoë O'Neil <zoë@例え.jp>" })).body.user;
    const rename = { body: { user: { name } } };
    expect(await service.refusal("PATCH", `/v3/users/${id}`, rename)).toEqual(refused);
  });

  it("passwords-are-not-shown: not even where they are refused", async () => {
    const bodies = [
      { user: { password: "s3cret" } },
      { user: [{ password: "s3cret" }] },
      { user: { name: "u", password: 53 } },
    ];
    for (const body of bodies) {
      const [status, message] = await service.refusal("POST", "/v3/users", { body });
      expect(status).toBe(400);
      expect(message).not.toMatch(/s3cret|53/);
    }
  });

  it.each(["true", "", "no", 1, null])(
    "booleans-are-booleans: are not enabled by %j, which Keystone answers with 500, or 400 too",
    async (enabled) => {
      expect((await create({ name: "u", domain_id: "d1", enabled })).status).toBe(400);
      const id = await service.addUser("v");
      expect((await change(id, { enabled })).status).toBe(400);
    },
  );

  it("are of domains that are there, and have no domain as their project", async () => {
    const body = { user: { name: "u", domain_id: "nope" } };
    expect(await service.refusal("POST", "/v3/users", { body })).toEqual([
      404,
      "Could not find domain: nope.",
    ]);
    const message = "User's default project ID cannot be a domain ID: d2";
    const user = { name: "u", default_project_id: "d2" };
    expect(await service.refusal("POST", "/v3/users", { body: { user } })).toEqual([400, message]);
    const id = await service.addUser("u");
    expect(await service.refusal("PATCH", `/v3/users/${id}`, { body: { user } })).toEqual([400, message]);
  });

  it("are changed in what is sent alone, and stay in their domain", async () => {
    const id = await service.addUser("ann", { email: "a", foo: 1, options: { lock_password: true } });
    const changed = await change(id, { name: " bob ", email: "b", id, domain_id: "d1", options: {} });
    expect(changed.status).toBe(200);
    expect(changed.body.user).toMatchObject({
      name: "bob",
      email: "b",
      foo: 1,
      options: { lock_password: true },
    });
    // Keystone repeats the additional attributes in `extra`, in this response only.
    expect(changed.body.user.extra).toEqual({ email: "b", foo: 1 });
    const options = { lock_password: null, ignore_user_inactivity: false };
    expect((await change(id, { options, foo: null })).body.user).toMatchObject({
      foo: null,
      options: { ignore_user_inactivity: false },
    });
    const { body } = await service.ask("GET", `/v3/users/${id}`);
    expect(body.user).not.toHaveProperty("extra");
    expect(body.user.options).toEqual({ ignore_user_inactivity: false });
    const refusals = [
      [{ domain_id: "other" }, "Cannot change Domain ID"],
      [{ id: "x" }, "Cannot change ID"],
      [{}, "Invalid input for field/attribute user. Value: {}. {} does not have enough properties"],
    ] as const;
    for (const [user, message] of refusals)
      expect(await service.refusal("PATCH", `/v3/users/${id}`, { body: { user } })).toEqual([400, message]);
  });

  it("that don't exist are not found", async () => {
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { body: { user: { name: "x" } } } : {};
      expect(await service.refusal(method, "/v3/users/nope", body)).toEqual([
        404,
        "Could not find user: nope.",
      ]);
    }
  });

  it("lose their tokens when they are disabled, deleted, or get another password, and else keep them", async () => {
    const id = await service.addUser("ann");
    await change(id, { name: "bob", enabled: true });
    expect(service.ended).toEqual([]);
    await change(id, { enabled: false });
    await change(id, { enabled: false });
    expect(service.ended).toEqual([{ userId: id }]);
    await change(id, { password: "new" });
    expect(service.ended).toHaveLength(2);
    expect((await service.ask("DELETE", `/v3/users/${id}`)).status).toBe(204);
    expect(service.ended).toHaveLength(3);
    expect((await service.ask("GET", `/v3/users/${id}`)).status).toBe(404);
  });

  it("a-removed-password-ends-tokens: and nothing is the password any longer", async () => {
    const id = await service.addUser("ann");
    await change(id, { password: null });
    expect(service.ended).toEqual([{ userId: id }]);
    for (const password of ["", "pw", "null"])
      expect(await service.login.login({ user: { id }, password, address: ADDRESS })).toMatchObject({
        kind: "refused",
      });
  });

  it("lists-in-order: are sorted by name, and found by a part of name, e-mail or id, in pages", async () => {
    const facts = { email: "eve@example.org", nickname: "ann" };
    for (const name of ["bob", "Ann", "cid", "ann2"])
      await service.addUser(name, name === "cid" ? facts : {});
    async function pages(query: string): Promise<string[]> {
      const found: string[] = [];
      for (let next: string | null = `/v3/users?limit=2&${query}`; next !== null;) {
        const { body } = await service.ask("GET", next);
        found.push(...body.users.map(({ name }: { name: string }) => name));
        next = body.links.next?.replace("http://127.0.0.1:5900", "") ?? null;
      }
      return found;
    }
    const order = ["Ann", "ann2", "bob", "cid"];
    expect(await pages("sort_key=name")).toEqual(order);
    expect(await pages("sort_key=name&sort_dir=desc")).toEqual(order.toReversed());
    expect((await pages("sort_key=enabled")).toSorted()).toEqual(order);
    // As in Keystone, unknown parameters have no effect.
    expect((await pages("sort_key=password")).toSorted()).toEqual(order);
    expect(await pages("search=ANN&sort_key=name")).toEqual(["Ann", "ann2"]);
    expect(await pages("search=eve@example")).toEqual(["cid"]);
    expect(await pages("search=%25")).toEqual([]);
    const { body } = await service.ask("GET", "/v3/users?name=bob");
    expect(await pages(`search=${body.users[0].id.slice(3, 20)}`)).toEqual(["bob"]);
  });

  it("are listed with their total, source and last activity if a client asks for details", async () => {
    await service.addUser("kim");
    const { body: plain } = await service.ask("GET", "/v3/users?limit=1");
    expect([plain.total, plain.users[0].source]).toEqual([undefined, undefined]);
    await service.login.login({
      user: { name: "kim", domain: { id: "d1" } },
      password: "pw",
      address: ADDRESS,
    });
    await service.addUser("lou", { enabled: false });
    const { body } = await service.ask("GET", "/v3/users?limit=1&details=true&sort_key=name&search=k");
    expect(body.total).toBe(1);
    expect(body.users[0]).toMatchObject({
      name: "kim",
      source: "local",
      idp_ids: [],
      last_active_at: "2026-11-21",
    });
    const { body: off } = await service.ask("GET", "/v3/users?details=true&enabled=false");
    expect([off.total, off.users[0].last_active_at]).toEqual([1, null]);
    const { body: next } = await service.ask("GET", `/v3/users?details=true&marker=${body.users[0].id}`);
    expect(next.total).toBeUndefined();
  });

  it("are listed by domain, name and whether they are enabled, in pages", async () => {
    for (const name of ["a", "ab"]) await service.addUser(name);
    await service.addUser("c", { enabled: false });
    await service.addUser("a", { domain_id: "d2" });
    expect(await namesOf("?domain_id=d1&name=a")).toEqual(["a"]);
    expect(await namesOf("?domain_id=d1&name__icontains=B&email=x")).toEqual(["ab"]);
    for (const yes of ["", "1", "True", "yes"])
      expect(await namesOf(`?enabled=${yes}`)).toEqual(["a", "a", "ab"]);
    for (const no of ["0", "False", "no"]) expect(await namesOf(`?enabled=${no}`)).toEqual(["c"]);
    const { body } = await service.ask("GET", "/v3/users?limit=3");
    expect([body.users.length, body.truncated]).toEqual([3, true]);
    const next = await service.ask("GET", body.links.next.replace("http://127.0.0.1:5900", ""));
    expect([next.body.users.length, next.body.links.next]).toEqual([1, null]);
    expect(await service.refusal("GET", "/v3/users?enabled=bogus")).toEqual([
      400,
      `Invalid input for field/attribute enabled. Value: bogus. 'bogus' is not one of ${BOOLEANS}`,
    ]);
  });

  it("are found by id, and by name in a domain", async () => {
    const id = await service.addUser("ann");
    expect(await service.users.findUser({ name: "ann", domainId: "d1" })).toMatchObject({ id });
    expect(await service.users.findUser({ name: "ann", domainId: "d2" })).toBeUndefined();
    expect(await service.users.findUser({ id })).toMatchObject({ name: "ann", domainId: "d1" });
  });

  it("forget a default project that ends", async () => {
    const id = await service.addUser("ann", { default_project_id: "p1" });
    const other = await service.addUser("bob", { default_project_id: "p2" });
    await service.database.transaction((queries) => service.users.forgetDefaultProject(queries, "p1"));
    expect((await service.users.getUser(id)).defaultProjectId).toBeNull();
    expect((await service.users.getUser(other)).defaultProjectId).toBe("p2");
  });

  it("are seen to by ensureUser: made, enabled, and with the password that is asked for", async () => {
    const wanted = { name: "admin", domainId: "default", password: "one" };
    const { id } = await service.users.ensureUser(wanted);
    expect(await service.users.ensureUser(wanted)).toMatchObject({ id, enabled: true });
    expect(service.ended).toEqual([]);
    await change(id, { enabled: false });
    await service.users.ensureUser({ ...wanted, password: "two" });
    expect(await service.login.login({ user: { id }, password: "two", address: ADDRESS })).toMatchObject({
      kind: "ok",
    });
  });

  it("are read by readers and by themselves, and changed by managers of their domain", async () => {
    const id = await service.addUser("ann");
    const other = await service.addUser("bob", { domain_id: "d2" });
    const reader = inDomain("d1", "reader");
    const manager = inDomain("d1", "manager", "member", "reader");
    const herself = { ...UNSCOPED, userId: id };
    for (const as of [SYSTEM_READER, reader, manager, herself])
      expect((await service.ask("GET", `/v3/users/${id}`, { as })).status).toBe(200);
    for (const as of [reader, manager]) {
      expect(await namesOf("", { as })).toEqual(["ann"]);
      expect(await namesOf("?domain_id=d2", { as })).toEqual([]);
    }
    for (const as of [reader, manager, herself])
      for (const url of [`/v3/users/${other}`, "/v3/users/nope"])
        expect((await service.ask("GET", url, { as })).status).toBe(403);
    expect((await service.ask("GET", "/v3/users", { as: herself })).status).toBe(403);
    const changes = [
      ["POST", "/v3/users", { name: "new", domain_id: "d1" }, 201],
      ["PATCH", `/v3/users/${id}`, { email: "new" }, 200],
      ["DELETE", `/v3/users/${id}`, {}, 204],
    ] as const;
    for (const as of [SYSTEM_READER, reader, herself, inDomain("d2", "manager")])
      for (const [method, url] of changes)
        expect((await service.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    const unsaid = { as: manager, body: { user: { name: "x" } } };
    expect((await service.ask("POST", "/v3/users", unsaid)).status).toBe(403);
    for (const [method, url, user, status] of changes)
      expect((await service.ask(method, url, { as: manager, body: { user } })).status).toBe(status);
    expect((await service.ask("GET", "/v3/users", { as: null })).status).toBe(401);
    expect(await namesOf("", { as: inDomain("d2", "admin") })).toEqual(["bob"]);
  });
});
