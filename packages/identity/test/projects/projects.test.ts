/** Projects: create, read, update, delete, and their tree. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import { goldenRows, hasGolden } from "../golden.js";
import { loginServer } from "../federation/login-server.js";
import { projectServer, refusal, type ProjectServer } from "./project-server.js";

describe(`projects on ${databases.name}`, () => {
  let service: ProjectServer;
  beforeEach(async () => {
    service = await projectServer(databases);
  });
  afterEach(() => service.close());

  const create = (project: unknown, options: object = {}) =>
    service.ask("POST", "/v3/projects", { body: { project }, ...options });
  const change = (id: string, project: object, options: object = {}) =>
    service.ask("PATCH", `/v3/projects/${id}`, { body: { project }, ...options });
  const get = (id: string, query = "") => service.ask("GET", `/v3/projects/${id}${query}`);
  const remove = (id: string) => service.ask("DELETE", `/v3/projects/${id}`);

  it.skipIf(!hasGolden)("and domains are created as Keystone was seen to create them", async () => {
    const rows = goldenRows("head", "00_setup").filter(
      ({ method, path }) => method === "POST" && /^\/v3\/(?:domains|projects)$/.test(path),
    );
    expect(rows).toHaveLength(7);
    for (const { path, request_body, status, response_body } of rows) {
      const [recorded] = Object.values(response_body as Record<string, { readonly id: string }>);
      service.nextIds.push(recorded?.id ?? "");
      expect(await service.ask("POST", path, { body: request_body })).toMatchObject({
        status,
        body: response_body,
      });
    }
  });

  it("are created with the given attributes, and returned with them", async () => {
    const domain = await service.domain({ name: "one" });
    service.nextIds.push("e1");
    const project = {
      id: "e1",
      name: "p",
      domain_id: domain,
      parent_id: domain,
      is_domain: false,
      description: "",
      enabled: true,
      tags: ["b", "a", " c "],
      options: { immutable: true },
      foo: 1,
      links: { self: "http://127.0.0.1:5900/v3/projects/e1" },
    };
    const { name: _name, parent_id: _parent, description: _description, links: _links, ...sent } = project;
    expect(await create({ ...sent, name: " p ", id: "zz" })).toMatchObject({
      status: 201,
      body: { project },
    });
    expect((await get("e1")).body).toEqual({ project: { ...project, tags: [" c ", "a", "b"] } });
  });

  it("are in the domain of the token, or in the default domain, if domain_id is missing", async () => {
    const domain = await service.domain({ name: "one" });
    const as = inDomain(domain, "admin");
    expect((await create({ name: "p" })).body.project).toMatchObject({
      domain_id: "default",
      parent_id: "default",
    });
    expect((await create({ name: "p", domain_id: null }, { as })).body.project).toMatchObject({
      domain_id: domain,
      parent_id: domain,
    });
  });

  it("have a name of their own in their domain", async () => {
    const domain = await service.domain({ name: "one" });
    await service.project({ name: "p", domain_id: domain });
    await service.project({ name: "p" });
    const id = await service.project({ name: "q", domain_id: domain });
    const message = (of: string) =>
      `Conflict occurred attempting to store project - it is not permitted to have two projects with either the same name or same id in the same domain: name is p, project id ${of}.`;
    service.nextIds.push("e2");
    expect(refusal(await create({ name: "p", domain_id: domain }))).toEqual([409, message("e2")]);
    // Keystone answers 500.
    expect(refusal(await change(id, { name: "p" }))).toEqual([409, message(id)]);
  });

  it("have a name of their own even if several are created at once", async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => create({ name: "p" })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
  });

  it("are where there is a domain and a parent, and both are the same domain's", async () => {
    const [one, two] = [await service.domain({ name: "one" }), await service.domain({ name: "two" })];
    const parent = await service.project({ name: "r", domain_id: two });
    const refused = async (place: object) => refusal(await create({ name: "p", ...place }));
    expect(await refused({ domain_id: "nope" })).toEqual([400, "Could not find domain: nope."]);
    expect(await refused({ domain_id: parent })).toEqual([400, `Could not find domain: ${parent}.`]);
    expect(await refused({ domain_id: one, parent_id: "nope" })).toEqual([
      400,
      "Could not find project: nope.",
    ]);
    expect(await refused({ parent_id: one, domain_id: two })).toEqual([
      400,
      `Cannot create project, the parent (${one}) is acting as a domain, but this project's domain id (${two}) does not match the parent's id.`,
    ]);
    expect(await refused({ parent_id: parent, domain_id: one })).toEqual([
      400,
      `Cannot create project, since it specifies its domain_id ${one}, but specifies a parent in a different domain (${two}).`,
    ]);
  });

  it("are domains with is_domain, and then have no parent", async () => {
    const { body } = await create({ name: "d", is_domain: true });
    expect(body.project).toMatchObject({ domain_id: null, parent_id: null, is_domain: true });
    const { id } = body.project;
    expect((await service.ask("GET", `/v3/domains/${id}`)).body.domain).not.toHaveProperty("is_domain");
    expect(refusal(await create({ name: "d", is_domain: true }))[0]).toBe(409);
    for (const place of [{ domain_id: id }, { parent_id: id }, { parent_id: "nope" }])
      expect(refusal(await create({ name: "e", is_domain: true, ...place }))).toEqual([
        400,
        "only root projects are allowed to act as domains.",
      ]);
    expect(refusal(await remove(id))).toEqual([
      403,
      "Cannot delete a domain that is enabled, please disable it first.",
    ]);
    await change(id, { enabled: false });
    expect((await remove(id)).status).toBe(204);
  });

  it("stand in trees of five", async () => {
    let parent_id = "default";
    for (let depth = 1; depth <= 5; depth++)
      parent_id = await service.project({ name: `p${depth}`, parent_id });
    expect(refusal(await create({ name: "p6", parent_id }))).toEqual([
      403,
      `Max hierarchy depth reached for ${parent_id} branch.`,
    ]);
  });

  it("are enabled from the top, and disabled from the bottom", async () => {
    const top = await service.project({ name: "top" });
    const middle = await service.project({ name: "middle", parent_id: top });
    const low = await service.project({ name: "low", parent_id: middle });
    expect(refusal(await change(top, { enabled: false }))).toEqual([
      403,
      `Cannot disable project ${top} since its subtree contains enabled projects.`,
    ]);
    for (const id of [low, middle]) expect((await change(id, { enabled: false })).status).toBe(200);
    expect(service.ends).toEqual([{ projectId: low }, { projectId: middle }]);
    for (const parent_id of [middle, low])
      expect(refusal(await create({ name: "new", parent_id }))).toEqual([
        400,
        `cannot create a project in a branch containing a disabled project: ${middle}`,
      ]);
    expect(refusal(await change(low, { enabled: true }))).toEqual([
      403,
      `Cannot enable project ${low} since it has disabled parents`,
    ]);
    // Keystone takes any change for an attempt to enable it.
    expect((await change(low, { foo: 1 })).body.project).toMatchObject({ enabled: false, foo: 1 });
    for (const id of [middle, low]) expect((await change(id, { enabled: true })).status).toBe(200);
  });

  it("keep their state when their domain is disabled, and get none below or beside them", async () => {
    const domain_id = await service.domain({ name: "one" });
    const id = await service.project({ name: "p", domain_id });
    await change(domain_id, { enabled: false });
    expect((await get(id)).body.project.enabled).toBe(true);
    expect(refusal(await create({ name: "q", domain_id }))).toEqual([
      400,
      `cannot create a project in a branch containing a disabled project: ${domain_id}`,
    ]);
    await change(id, { enabled: false });
    expect((await change(id, { enabled: true })).status).toBe(403);
  });

  it("are changed in what is sent alone", async () => {
    const id = await service.project({ name: "p", description: "x", foo: 1, bar: 2, tags: ["t"] });
    const { body } = await change(id, { name: " q ", foo: null, extra: { a: 1 }, links: {} });
    expect(body.project).toMatchObject({ name: "q", description: "x", foo: null, bar: 2, tags: ["t"] });
    expect(body.project.extra).toEqual({ foo: null, bar: 2 });
    const { extra: _extra, ...shown } = body.project;
    expect((await get(id)).body.project).toEqual(shown);
    expect(
      (await change(id, { tags: ["z", "a"], options: { immutable: false } })).body.project,
    ).toMatchObject({
      tags: ["z", "a"],
      options: { immutable: false },
    });
    expect((await change(id, { options: {} })).body.project.options).toEqual({ immutable: false });
    expect((await change(id, {})).status).toBe(200);
  });

  it("stay where they are", async () => {
    const id = await service.project({ name: "p" });
    const same = { id, domain_id: "default", parent_id: "default", is_domain: false };
    expect((await change(id, same)).status).toBe(200);
    expect(refusal(await change(id, { id: "x" }))).toEqual([400, "Cannot change ID"]);
    for (const domain_id of ["other", null])
      expect(refusal(await change(id, { domain_id }))).toEqual([400, "Cannot change Domain ID"]);
    for (const parent_id of ["other", null])
      expect(refusal(await change(id, { parent_id }))).toEqual([
        403,
        "Update of `parent_id` is not allowed.",
      ]);
    expect(refusal(await change(id, { is_domain: true }))).toEqual([
      400,
      "Update of `is_domain` is not allowed.",
    ]);
  });

  it("are kept from changes by being immutable", async () => {
    const id = await service.project({ name: "p", options: { immutable: true } });
    const message = (verb: string) =>
      `Unable to ${verb} immutable project resource: \`${id}. Set resource option "immutable" to false first.`;
    expect(refusal(await change(id, { name: "q" }))).toEqual([403, message("update")]);
    expect(refusal(await change(id, { tags: [] }))).toEqual([403, message("update")]);
    expect(refusal(await remove(id))).toEqual([403, message("delete")]);
    expect((await change(id, { options: { immutable: false } })).status).toBe(200);
    expect((await remove(id)).status).toBe(204);
  });

  it("are deleted when nothing is below them, and end what rests on them", async () => {
    const top = await service.project({ name: "top" });
    const low = await service.project({ name: "low", parent_id: top });
    expect(refusal(await remove(top))).toEqual([
      403,
      `Cannot delete the project ${top} since it is not a leaf in the hierarchy. Use the cascade option if you want to delete a whole subtree.`,
    ]);
    expect((await remove(low)).status).toBe(204);
    expect(service.ends).toEqual([{ projectId: low }]);
    expect(service.gone).toEqual([low]);
    expect((await remove(top)).status).toBe(204);
    expect(refusal(await remove(top))).toEqual([404, `Could not find project: ${top}.`]);
  });

  it("show what is above and below them as ids", async () => {
    const top = await service.project({ name: "top" });
    const low = await service.project({ name: "low", parent_id: top });
    const side = await service.project({ name: "side", parent_id: top });
    expect((await get(low, "?parents_as_ids&subtree_as_ids=1")).body.project).toMatchObject({
      parents: { [top]: { default: null } },
      subtree: null,
    });
    expect((await get("default", "?parents_as_ids&subtree_as_ids")).body.project).toMatchObject({
      parents: null,
      subtree: { [top]: { [low]: null, [side]: null } },
    });
    expect((await get(low, "?parents_as_ids=0")).body.project).not.toHaveProperty("parents");
    for (const direction of ["parents", "subtree"])
      expect(refusal(await get(low, `?${direction}_as_list&${direction}_as_ids`))).toEqual([
        400,
        `Cannot use ${direction}_as_list and ${direction}_as_ids query params at the same time.`,
      ]);
  });

  it("show those above and below them that the caller has a role on", async () => {
    const top = await service.project({ name: "top" });
    const low = await service.project({ name: "low", parent_id: top, tags: ["t"] });
    await service.project({ name: "side", parent_id: top });
    const lists = "?parents_as_list&subtree_as_list";
    expect((await get(top, lists)).body.project).toMatchObject({ parents: [], subtree: [] });
    service.visible.add(top).add(low);
    expect((await get(top, lists)).body.project).toMatchObject({
      parents: [],
      subtree: [{ project: { id: low, tags: ["t"], links: {} } }],
    });
    expect((await get(low, lists)).body.project).toMatchObject({
      parents: [{ project: { id: top } }],
      subtree: [],
    });
  });

  it.each([
    [{}, "'project' is a required property"],
    [{ project: {} }, "Invalid input for field/attribute project. Value: {}. 'name' is a required property"],
    [{ project: { name: "u" }, x: 1 }, "Additional properties are not allowed ('x' was unexpected)"],
    [
      { project: { name: "x".repeat(65) } },
      `Invalid input for field/attribute name. Value: ${"x".repeat(65)}. '${"x".repeat(65)}' is too long`,
    ],
    [
      { project: { name: "q", description: 5 } },
      "Invalid input for field/attribute description. Value: 5. 5 is not of type 'string', 'null'",
    ],
    [
      { project: { name: "q", domain_id: "a b" } },
      "Invalid input for field/attribute domain_id. Value: a b. 'a b' does not match '^[a-zA-Z0-9-]+$'",
    ],
    [
      { project: { name: "q", tags: [5] } },
      "Invalid input for field/attribute 0. Value: 5. 5 is not of type 'string'",
    ],
    [
      { project: { name: "q", options: null } },
      "Invalid input for field/attribute options. Value: None. None is not of type 'object'",
    ],
  ])("are refused as %j", async (body, message) => {
    expect(refusal(await service.ask("POST", "/v3/projects", { body }))).toEqual([400, message]);
  });

  it("are read in themselves and in their domain, and changed by managers of the domain", async () => {
    const domain_id = await service.domain({ name: "one" });
    const id = await service.project({ name: "p", domain_id });
    const url = `/v3/projects/${id}`;
    for (const as of [SYSTEM_READER, inDomain(domain_id, "reader"), inProject(id, domain_id, "member")]) {
      expect((await service.ask("GET", url, { as })).status).toBe(200);
      for (const [method, path] of [
        ["POST", "/v3/projects"],
        ["PATCH", url],
        ["DELETE", url],
      ] as const)
        expect((await service.ask(method, path, { as, body: { not: "valid" } })).status).toBe(403);
    }
    const strangers = [UNSCOPED, inDomain("default", "manager"), inProject("q", domain_id, "manager")];
    for (const as of strangers) expect((await service.ask("GET", url, { as })).status).toBe(403);
    const as = inDomain(domain_id, "manager", "reader");
    for (const path of ["/v3/projects/nope", `/v3/projects/${domain_id}`])
      expect((await service.ask("GET", path, { as })).status).toBe(403);
    expect((await change(domain_id, { foo: 1 }, { as })).status).toBe(403);
    expect((await create({ name: "q" }, { as })).status).toBe(403);
    expect((await create({ name: "q", domain_id: "default" }, { as })).status).toBe(403);
    expect((await create({ name: "q", domain_id }, { as })).status).toBe(201);
    expect((await change(id, { foo: 1 }, { as })).status).toBe(200);
    expect((await service.ask("DELETE", url, { as })).status).toBe(204);
    expect((await service.ask("GET", "/v3/projects/nope", { as: inProject("p", "d", "admin") })).status).toBe(
      404,
    );
    expect((await service.ask("GET", url, { as: null })).status).toBe(401);
  });

  it("are found by id, and by name and domain", async () => {
    const { projects } = service;
    const domain_id = await service.domain({ name: "one" });
    const id = await service.project({ name: "p", domain_id });
    const found = await projects.getProject(id);
    expect(found).toMatchObject({ id, name: "p", domainId: domain_id, isDomain: false });
    for (const domain of [{ id: domain_id }, { name: "one" }])
      expect(await projects.findProject({ name: "p", domain })).toEqual(found);
    expect(await projects.findProject({ name: "p", domain: { id: "default" } })).toBeUndefined();
    expect(await projects.findProject({ name: "p", domain: { name: "nope" } })).toBeUndefined();
    expect(await projects.findDomain({ id })).toBeUndefined();
    expect(await projects.findDomain({ name: "one" })).toEqual(await projects.getDomain(domain_id));
    await expect(projects.getDomain(id)).rejects.toThrow(`Could not find domain: ${id}.`);
    expect(await projects.listProjectsById([id, domain_id, "nope"])).toHaveLength(2);
    expect(await projects.listProjectsById([])).toEqual([]);
    // More parameters than either database accepts in one statement.
    const many = Array.from({ length: 70_000 }, (_, number) => `id-${number}`);
    expect(await projects.listProjectsById([...many, id])).toHaveLength(1);
  });

  it("stand in trees up to the configured depth", async () => {
    const flat = await loginServer(databases, { IDENTITY_MAX_PROJECT_TREE_DEPTH: "2" });
    const add = async (attributes: object) =>
      (await flat.ask("POST", "/v3/projects", { body: { project: { name: "p", ...attributes } } })).body;
    const first = await add({ domain_id: "default" });
    const second = await add({ name: "q", parent_id: first.project.id });
    expect(await add({ name: "r", parent_id: second.project.id })).toMatchObject({
      error: { code: 403, message: expect.stringContaining("Max hierarchy depth reached") },
    });
    await flat.close();
  });
});
