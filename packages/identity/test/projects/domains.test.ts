/** Domains: create, read, list, update, delete. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import { namesIn, projectServer, refusal, type ProjectServer } from "./project-server.js";

describe(`domains on ${databases.name}`, () => {
  let service: ProjectServer;
  beforeEach(async () => {
    service = await projectServer(databases);
  });
  afterEach(() => service.close());

  const create = (domain: unknown) => service.ask("POST", "/v3/domains", { body: { domain } });
  const change = (id: string, domain: object) =>
    service.ask("PATCH", `/v3/domains/${id}`, { body: { domain } });
  const show = async (id: string) => (await service.ask("GET", `/v3/domains/${id}`)).body.domain;

  it("are created with the given attributes, and returned with them", async () => {
    service.nextIds.push("e0");
    const answer = {
      domain: {
        id: "e0",
        name: "one",
        description: null,
        enabled: true,
        tags: ["a"],
        options: { immutable: false },
        foo: 1,
        links: { self: "http://127.0.0.1:5900/v3/domains/e0" },
      },
    };
    const sent = { name: " one ", foo: 1, description: null, tags: ["a"], options: { immutable: false } };
    expect(await create(sent)).toMatchObject({ status: 201, body: answer });
    expect((await service.ask("GET", "/v3/domains/e0")).body).toEqual(answer);
  });

  it("overlook what a domain does not have", async () => {
    const others = {
      id: "abc",
      is_domain: false,
      domain_id: "default",
      parent_id: "x",
      extra: {},
      links: 5,
    };
    const { body } = await create({ name: "one", ...others, options: { immutable: null } });
    expect(body.domain).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: "one",
      description: "",
      enabled: true,
      tags: [],
      options: {},
      links: { self: expect.any(String) },
    });
  });

  it("have a name of their own", async () => {
    await service.domain({ name: "one" });
    const id = await service.domain({ name: "two" });
    const message =
      "Conflict occurred attempting to store project - it is not permitted to have two projects acting as domains with the same name: one.";
    expect(refusal(await create({ name: "one" }))).toEqual([409, message]);
    expect(refusal(await change(id, { name: "one" }))).toEqual([409, message]);
  });

  it("take an id that looks like one", async () => {
    const explicit_domain_id = "0000000000000000000000000000000a";
    const { body } = await create({ name: "one", explicit_domain_id });
    expect(body.domain).toMatchObject({ id: explicit_domain_id });
    expect(body.domain).not.toHaveProperty("explicit_domain_id");
    expect((await create({ name: "two", explicit_domain_id })).status).toBe(409);
    expect(refusal(await create({ name: "two", explicit_domain_id: "abc" }))).toEqual([
      400,
      "Domain ID does not conform to required UUID format.",
    ]);
  });

  // domain-names-are-checked
  it("are not called what stands for all identity providers", async () => {
    expect(refusal(await create({ name: "Federated" }))).toEqual([400, "Domain cannot be named Federated"]);
    const id = await service.domain({ name: "one" });
    expect((await change(id, { name: "federated" })).status).toBe(400);
  });

  it("are changed in what is sent alone", async () => {
    const id = await service.domain({ name: "one", description: "x", foo: 1, bar: 2, tags: ["t"] });
    const { body } = await change(id, { foo: 3, name: " uno ", is_domain: false, id: "x", domain_id: "y" });
    expect(body.domain).toMatchObject({ id, name: "uno", description: "x", foo: 3, bar: 2, tags: ["t"] });
    expect(await show(id)).toEqual(body.domain);
    expect((await change(id, { tags: ["x", " y"], description: null })).body.domain).toMatchObject({
      tags: ["x", " y"],
      description: null,
    });
  });

  it("are kept from changes by being immutable", async () => {
    const id = await service.domain({ name: "one", enabled: false, options: { immutable: true } });
    const message = `Unable to update immutable domain resource: \`${id}. Set resource option "immutable" to false first.`;
    expect(refusal(await change(id, { name: "two" }))).toEqual([403, message]);
    expect(refusal(await change(id, { name: "two", options: { immutable: false } }))).toEqual([403, message]);
    expect((await service.ask("DELETE", `/v3/domains/${id}`)).status).toBe(403);
    expect((await change(id, { options: { immutable: null } })).body.domain.options).toEqual({});
    expect((await service.ask("DELETE", `/v3/domains/${id}`)).status).toBe(204);
  });

  it("are deleted once they are disabled, with everything in them", async () => {
    const id = await service.domain({ name: "one" });
    const top = await service.project({ name: "p", domain_id: id });
    const below = await service.project({ name: "q", domain_id: id, parent_id: top });
    const remove = () => service.ask("DELETE", `/v3/domains/${id}`);
    expect(refusal(await remove())).toEqual([
      403,
      "Cannot delete a domain that is enabled, please disable it first.",
    ]);
    expect((await change(id, { enabled: false })).status).toBe(200);
    expect(service.ends.splice(0)).toEqual([{ projectId: id }, { domainId: id }]);
    const revision = service.database.revision("revocations");
    expect((await remove()).status).toBe(204);
    expect(service.ends).toEqual([{ projectId: id }, { domainId: id }]);
    expect(service.database.revision("revocations")).not.toBe(revision);
    expect(service.gone.toSorted()).toEqual([id, top, below].toSorted());
    for (const url of [`/v3/domains/${id}`, `/v3/projects/${top}`, `/v3/projects/${below}`])
      expect((await service.ask("GET", url)).status).toBe(404);
  });

  it("stay whole if something in them is immutable", async () => {
    const id = await service.domain({ name: "one" });
    const top = await service.project({ name: "p", domain_id: id });
    const below = await service.project({ name: "q", domain_id: id, options: { immutable: true } });
    await change(id, { enabled: false });
    expect(refusal(await service.ask("DELETE", `/v3/domains/${id}`))).toEqual([
      403,
      `Unable to delete immutable project resource: \`${below}. Set resource option "immutable" to false first.`,
    ]);
    expect((await service.ask("GET", `/v3/projects/${top}`)).status).toBe(200);
  });

  it("are not found where there is none, or a project", async () => {
    const id = await service.project({ name: "p" });
    for (const missing of ["nope", id]) {
      const message = `Could not find domain: ${missing}.`;
      expect(refusal(await service.ask("GET", `/v3/domains/${missing}`))).toEqual([404, message]);
      expect(refusal(await change(missing, { foo: 1 }))).toEqual([404, message]);
      expect(refusal(await service.ask("DELETE", `/v3/domains/${missing}`))).toEqual([404, message]);
    }
  });

  it.each([
    ["a reader of the system", SYSTEM_READER],
    ["an administrator of a domain", inDomain("d1", "admin", "manager", "member", "reader")],
    ["a reader of a domain", inDomain("d1", "reader")],
    ["a manager of a project", inProject("p", "d1", "manager", "member", "reader")],
    ["a user without a scope", UNSCOPED],
  ])("that don't exist were 403 instead of 404 to a change by %s", async (_, as) => {
    const body = { domain: { description: "x" } };
    for (const method of ["PATCH", "DELETE"])
      expect(refusal(await service.ask(method, "/v3/domains/nope", { as, body }))).toEqual([
        404,
        "Could not find domain: nope.",
      ]);
    expect((await service.ask("PATCH", "/v3/domains/nope", { as: null, body })).status).toBe(401);
  });

  it.each([
    [{}, "'domain' is a required property"],
    [{ domain: null }, "Invalid input for field/attribute domain. Value: None. None is not of type 'object'"],
    [{ domain: { name: "q" }, x: 1 }, "Additional properties are not allowed ('x' was unexpected)"],
    [{ domain: { name: "" } }, "Invalid input for field/attribute name. Value: . '' is too short"],
    [
      { domain: { name: "   " } },
      String.raw`Invalid input for field/attribute name. Value:    . '   ' does not match '[\\S]+'`,
    ],
    [
      { domain: { name: "q", options: { foo: 1 } } },
      "Invalid input for field/attribute options. Value: {'foo': 1}. Additional properties are not allowed ('foo' was unexpected)",
    ],
    [
      { domain: { name: "q", options: { immutable: "x" } } },
      "Invalid input for field/attribute immutable. Value: x. 'x' is not of type 'boolean', 'null'",
    ],
    [
      { domain: { name: "q", tags: ["a", "a"] } },
      "Invalid input for field/attribute tags. Value: ['a', 'a']. ['a', 'a'] has non-unique elements",
    ],
    [
      { domain: { name: "q", tags: ["a,b"] } },
      "Invalid input for field/attribute 0. Value: a,b. 'a,b' does not match '^[^,/]*$'",
    ],
  ])("are refused as %j", async (body, message) => {
    expect(refusal(await service.ask("POST", "/v3/domains", { body }))).toEqual([400, message]);
  });

  // booleans-are-booleans
  it.each(["true", null, 1])("are not enabled by %j", async (enabled) => {
    expect((await create({ name: "q", enabled })).status).toBe(400);
  });

  it("are listed by name and by whether they are enabled", async () => {
    await service.domain({ name: "one" });
    await service.domain({ name: "two", enabled: false });
    const list = async (query: string) =>
      namesIn((await service.ask("GET", `/v3/domains${query}`)).body.domains);
    expect(await list("")).toEqual(["Default", "one", "two"]);
    expect(await list("?name=one")).toEqual(["one"]);
    expect(await list("?name__contains=o")).toEqual(["one", "two"]);
    expect(await list("?enabled=False")).toEqual(["two"]);
    expect(await list("?enabled")).toEqual(["Default", "one"]);
    expect(await list("?domain_id=x&tags=y")).toEqual(["Default", "one", "two"]);
  });

  it("come in pages", async () => {
    for (const name of ["a", "b", "c"]) await service.domain({ name });
    const { body } = await service.ask("GET", "/v3/domains?limit=3");
    expect(body.domains).toHaveLength(3);
    const next = await service.ask("GET", body.links.next.replace("http://127.0.0.1:5900", ""));
    expect(next.body.domains).toHaveLength(1);
  });

  it("are seen by those who are in them, and changed by administrators of more than a domain", async () => {
    const id = await service.domain({ name: "one" });
    const other = await service.domain({ name: "two" });
    const as = inDomain(id, "reader");
    expect(namesIn((await service.ask("GET", "/v3/domains", { as })).body.domains)).toEqual(["one"]);
    const reading = [
      [SYSTEM_READER, 200, 200],
      [inDomain(id), 403, 200],
      [inDomain(other, "reader"), 200, 403],
      [inDomain(other, "admin"), 200, 200],
      [inProject("p", id, "reader"), 403, 200],
      [inProject("p", other, "reader"), 403, 403],
      [UNSCOPED, 403, 403],
    ] as const;
    for (const [who, list, get] of reading) {
      expect((await service.ask("GET", "/v3/domains", { as: who })).status).toBe(list);
      expect((await service.ask("GET", `/v3/domains/${id}`, { as: who })).status).toBe(get);
    }
    const url = `/v3/domains/${id}`;
    for (const who of [SYSTEM_READER, inDomain(id, "admin"), inProject("p", id, "manager"), UNSCOPED])
      for (const [method, path] of [
        ["POST", "/v3/domains"],
        ["PATCH", url],
        ["DELETE", url],
      ] as const)
        expect((await service.ask(method, path, { as: who, body: { not: "valid" } })).status).toBe(403);
    const admin = inProject("p", "d", "admin");
    const disabled = await service.ask("PATCH", url, { as: admin, body: { domain: { enabled: false } } });
    expect(disabled.status).toBe(200);
    expect((await service.ask("DELETE", url, { as: admin })).status).toBe(204);
    expect((await service.ask("GET", "/v3/domains", { as: null })).status).toBe(401);
  });

  it("are there from the start, and left alone at the next", async () => {
    await service.projects.ensureDomain({ name: "Other" });
    expect(await show("default")).toMatchObject({ name: "Default", description: "The default domain" });
    const first = await service.projects.ensureProject({ name: "admin", description: "x" });
    expect(first).toMatchObject({ name: "admin", domainId: "default", parentId: "default" });
    expect(await service.projects.ensureProject({ name: "admin" })).toEqual(first);
  });
});
