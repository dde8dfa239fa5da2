/** The tree of a domain's limits, and the document of all limits with the plan of its import. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";

import { databases } from "../../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED, type FeatureServer } from "../../feature-server.js";
import { addProject, addService, COMPUTE, limitServer } from "../limit-server.js";

let service: FeatureServer;
let registeredId: string;
beforeEach(async () => {
  service = await limitServer(databases);
  await addService(service.database, COMPUTE);
  for (const id of ["acme", "other"]) await addProject(service.database, { id });
  for (const id of ["web", "lab"]) await addProject(service.database, { id, domainId: "acme" });
  const registered_limits = [{ service_id: COMPUTE, resource_name: "cores", default_limit: 20 }];
  const { body } = await service.ask("POST", "/v3/registered_limits", { body: { registered_limits } });
  registeredId = body.registered_limits[0].id;
  const of = (limit: object) => ({ service_id: COMPUTE, resource_name: "cores", ...limit });
  const limits = [
    of({ domain_id: "acme", resource_limit: 100 }),
    of({ project_id: "web", resource_limit: 90 }),
  ];
  await service.ask("POST", "/v3/limits", { body: { limits } });
});
afterEach(() => service.close());

const tree = (domain = "acme", as?: Parameters<FeatureServer["ask"]>[2]) =>
  service.ask("GET", `/v3/limits/tree?domain_id=${domain}&registered_limit_id=${registeredId}`, as);

describe(`the tree of limits on ${databases.name}`, () => {
  it("has the domain first, own and effective values, and what is over-committed", async () => {
    const { status, body } = await tree();
    expect(status).toBe(200);
    expect(body.tree).toMatchObject({
      domain_id: "acme",
      registered_limit_id: registeredId,
      resource_name: "cores",
      default_limit: 20,
      model: "flat",
      truncated: false,
    });
    expect(
      body.tree.nodes.map(({ limit_id, ...node }: { limit_id: string | null }) =>
        Object.assign(node, { has: limit_id !== null }),
      ),
    ).toEqual([
      {
        id: "acme",
        name: "acme",
        parent_id: null,
        own: 100,
        effective: 100,
        source: "own",
        children: 110,
        over: 10,
        has: true,
      },
      {
        id: "lab",
        name: "lab",
        parent_id: "acme",
        own: null,
        effective: 20,
        source: "registered_default",
        children: null,
        over: 0,
        has: false,
      },
      {
        id: "web",
        name: "web",
        parent_id: "acme",
        own: 90,
        effective: 90,
        source: "own",
        children: null,
        over: 0,
        has: true,
      },
    ]);
    expect((await tree("other")).body.tree.nodes).toMatchObject([{ id: "other", own: null, effective: 20 }]);
  });

  it("is of a domain and a registered limit that exist", async () => {
    expect((await tree("nowhere")).status).toBe(404);
    expect((await tree("web")).status).toBe(404);
    const url = "/v3/limits/tree?domain_id=acme&registered_limit_id=none";
    expect((await service.ask("GET", url)).status).toBe(404);
    expect((await service.ask("GET", "/v3/limits/tree?domain_id=acme")).status).toBe(400);
  });

  it("is for those who may read the limits of the domain", async () => {
    for (const as of [SYSTEM_READER, inDomain("acme", "reader")])
      expect((await tree("acme", { as })).status).toBe(200);
    for (const as of [UNSCOPED, inDomain("other", "reader"), inProject("web", "acme", "reader")])
      expect((await tree("acme", { as })).status).toBe(403);
    expect((await tree("acme", { as: null })).status).toBe(401);
  });
});

describe(`the document of limits on ${databases.name}`, () => {
  const PATH = "/v3/limits/document";
  const document = () => ({
    registered_limits: [{ service_id: COMPUTE, resource_name: "cores", default_limit: 30 }],
    limits: [
      { domain_id: "acme", service_id: COMPUTE, resource_name: "cores", resource_limit: 120 },
      { project_id: "lab", service_id: COMPUTE, resource_name: "cores", resource_limit: 5 },
    ],
  });

  it("comes as JSON and as YAML", async () => {
    const { body } = await service.ask("GET", PATH);
    expect(body).toEqual({
      registered_limits: [{ service_id: COMPUTE, resource_name: "cores", default_limit: 20 }],
      limits: expect.arrayContaining([
        { domain_id: "acme", service_id: COMPUTE, resource_name: "cores", resource_limit: 100 },
        { project_id: "web", service_id: COMPUTE, resource_name: "cores", resource_limit: 90 },
      ]),
    });
    const yaml = await service.server.inject({
      url: `${PATH}?format=yaml`,
      headers: { "x-auth-token": JSON.stringify(SYSTEM_READER) },
    });
    expect(yaml.headers["content-type"]).toContain("yaml");
    expect(parse(yaml.body)).toEqual(body);
  });

  it("has a plan, which changes nothing, and an import, which does", async () => {
    const before = (await service.ask("GET", PATH)).body;
    const plan = await service.ask("POST", `${PATH}/plan`, { body: { document: document() } });
    expect(plan.status).toBe(200);
    const resource = { service_id: COMPUTE, region_id: null, resource_name: "cores" };
    expect(plan.body.changes).toEqual([
      {
        change: "update",
        kind: "registered_limit",
        ...resource,
        project_id: null,
        domain_id: null,
        from: 20,
        to: 30,
      },
      {
        change: "delete",
        kind: "limit",
        ...resource,
        project_id: "web",
        domain_id: "acme",
        from: 90,
        to: null,
      },
      {
        change: "update",
        kind: "limit",
        ...resource,
        project_id: null,
        domain_id: "acme",
        from: 100,
        to: 120,
      },
      {
        change: "create",
        kind: "limit",
        ...resource,
        project_id: "lab",
        domain_id: "acme",
        from: null,
        to: 5,
      },
    ]);
    expect(plan.body.lines[0]).toBe(`~ registered limit cores of service ${COMPUTE}: 20 -> 30`);
    expect((await service.ask("GET", PATH)).body).toEqual(before);
    const text = JSON.stringify(document());
    const done = await service.ask("PUT", PATH, { body: { document: text } });
    expect(done.body).toEqual(plan.body);
    expect((await tree()).body.tree.nodes).toMatchObject([
      { own: 120 },
      { id: "lab", own: 5 },
      { own: null, effective: 30 },
    ]);
    const again = await service.ask("POST", `${PATH}/plan`, { body: { document: text } });
    expect(again.body).toEqual({ changes: [], lines: [] });
  });

  it.each([
    ["a: [", 400, /flow|collection|indent/i],
    ["registered_limits: 1\nlimits: []", 400, /At registered_limits/],
    [
      { registered_limits: [], limits: document().limits },
      403,
      /No registered limit|not registered|registered limit/i,
    ],
  ])("is rejected with its fault: %j", async (given, status, message) => {
    const answer = await service.ask("POST", `${PATH}/plan`, { body: { document: given } });
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toMatch(message);
  });

  it("is read by those who see all limits, and imported by administrators", async () => {
    expect((await service.ask("GET", PATH, { as: SYSTEM_READER })).status).toBe(200);
    for (const as of [UNSCOPED, inDomain("acme", "reader"), inProject("web", "acme", "reader")])
      expect((await service.ask("GET", PATH, { as })).status).toBe(403);
    for (const as of [SYSTEM_READER, UNSCOPED, inDomain("acme", "admin")]) {
      expect((await service.ask("POST", `${PATH}/plan`, { as, body: { document: document() } })).status).toBe(
        403,
      );
      expect((await service.ask("PUT", PATH, { as, body: { document: document() } })).status).toBe(403);
    }
    expect((await service.ask("GET", PATH, { as: null })).status).toBe(401);
  });
});
