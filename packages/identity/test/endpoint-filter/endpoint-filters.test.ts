/** Endpoint groups, and projects that are restricted to endpoints. Expected responses are Keystone's unless a test states otherwise. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createCatalog, type Catalog } from "../../src/catalog/catalog.js";
import { createEndpointService } from "../../src/catalog/endpoint-service.js";
import { createRegionService } from "../../src/catalog/regions/region-service.js";
import { createServiceService } from "../../src/catalog/service-service.js";
import { addEndpointFilterRoutes } from "../../src/endpoint-filter/endpoint-filter-routes.js";
import {
  createCatalogFilter,
  createEndpointFilterService,
} from "../../src/endpoint-filter/endpoint-filter-service.js";
import {
  addEndpointGroupRoutes,
  createEndpointGroupService,
} from "../../src/endpoint-filter/endpoint-groups.js";
import { createProjectService } from "../../src/projects/project-service.js";
import { databases } from "../databases.js";
import {
  featureServer,
  inDomain,
  inProject,
  SYSTEM_READER,
  UNSCOPED,
  type FeatureServer,
} from "../feature-server.js";

const FILTERS = "/v3/OS-EP-FILTER";
const GROUPS = `${FILTERS}/endpoint_groups`;

let server: FeatureServer;
let catalog: Catalog;
/** With `[endpoint_filter] return_all_endpoints_if_no_filter = false`. */
let emptyCatalog: Catalog;
let projects: ReturnType<typeof createProjectService>;
let endpoints: ReturnType<typeof createEndpointService>;
/** The ids of two projects; of two services; of two endpoints of the first service, in two regions. */
let [p1, p2, compute, image, north, south] = ["", "", "", "", "", ""];
beforeEach(async () => {
  server = await featureServer(databases, async (http, deps) => {
    const { database } = deps;
    const unused = async () => {};
    projects = createProjectService({
      ...deps,
      revokeTokens: unused,
      onProjectDeleted: unused,
      emptyDomain: unused,
    });
    endpoints = createEndpointService(deps);
    const filteredCatalog = (showsAllIfNone: boolean) =>
      createCatalog({ ...deps, filter: createCatalogFilter({ database, showsAllIfNone }) });
    catalog = filteredCatalog(true);
    emptyCatalog = filteredCatalog(false);
    addEndpointGroupRoutes(http, { ...deps, endpointGroups: createEndpointGroupService(deps) });
    addEndpointFilterRoutes(http, {
      ...deps,
      endpointFilters: createEndpointFilterService({ database, projects }),
    });
    await projects.ensureDomain({ name: "Default" });
    p1 = (await projects.ensureProject({ name: "p1" })).id;
    p2 = (await projects.ensureProject({ name: "p2" })).id;
    const regions = createRegionService(deps);
    await regions.ensureRegion("north");
    await regions.ensureRegion("south");
    const services = createServiceService(deps);
    compute = (await services.create({ type: "compute" })).id;
    image = (await services.create({ type: "image" })).id;
    north = await addEndpoint(compute, "north");
    south = await addEndpoint(compute, "south");
    await addEndpoint(image, "north");
  });
});
afterEach(() => server.close());

async function addEndpoint(service_id: string, region_id: string): Promise<string> {
  return (await endpoints.create({ service_id, region_id, interface: "public", url: "http://h/" })).id;
}
const ask = (method: string, path: string, endpoint_group?: unknown) =>
  server.ask(method, path, { body: endpoint_group === undefined ? undefined : { endpoint_group } });
const addGroup = async (filters: object, name = "g") =>
  (await ask("POST", GROUPS, { name, filters })).body.endpoint_group.id as string;
const shown = async (projectId: string | undefined) =>
  (await catalog.of({ userId: "u", projectId })).map(({ type, endpoints: offered }) => [
    type,
    new Set(offered.map(({ id }) => id)),
  ]);
const idsAt = async (path: string, key: string) =>
  ((await ask("GET", path)).body[key] as { id: string }[]).map(({ id }) => id);

describe(`endpoint filters on ${databases.name}`, () => {
  it("leave all endpoints to projects without any, and to tokens without a project", async () => {
    await ask("PUT", `${FILTERS}/projects/${p1}/endpoints/${north}`);
    for (const reader of [p2, undefined])
      expect(new Set((await shown(reader)).map(([type]) => type))).toEqual(new Set(["compute", "image"]));
  });

  it("leave none, not even to tokens without a project, if return_all_endpoints_if_no_filter is off", async () => {
    const read = async (projectId: string | undefined) =>
      (await emptyCatalog.of({ userId: "u", projectId })).map(({ endpoints: offered }) =>
        offered.map(({ id }) => id),
      );
    for (const reader of [p1, p2, undefined]) expect(await read(reader)).toEqual([]);
    await ask("PUT", `${FILTERS}/projects/${p1}/endpoints/${north}`);
    expect(await read(p1)).toEqual([[north]]);
    for (const reader of [p2, undefined]) expect(await read(reader)).toEqual([]);
  });

  it("show a project its endpoints and those of its groups alone, and all again without any", async () => {
    const group = await addGroup({ region_id: "south" });
    const steps: [string, string, unknown][] = [
      ["PUT", `projects/${p1}/endpoints/${north}`, [["compute", new Set([north])]]],
      ["PUT", `endpoint_groups/${group}/projects/${p1}`, [["compute", new Set([north, south])]]],
      ["DELETE", `projects/${p1}/endpoints/${north}`, [["compute", new Set([south])]]],
    ];
    for (const [method, path, expected] of steps) {
      expect((await ask(method, `${FILTERS}/${path}`)).status).toBe(204);
      expect(await shown(p1)).toEqual(expected);
    }
    // Endpoints that are added later belong to the group too.
    const later = await addEndpoint(image, "south");
    expect(new Set(await shown(p1))).toEqual(
      new Set([
        ["compute", new Set([south])],
        ["image", new Set([later])],
      ]),
    );
    await ask("DELETE", `${GROUPS}/${group}`);
    expect(await shown(p1)).toHaveLength(2);
  });

  it("show nothing where no endpoint has the attributes of the group, and no disabled endpoint", async () => {
    await ask("PUT", `${GROUPS}/${await addGroup({ region_id: "nowhere" })}/projects/${p1}`);
    expect(await shown(p1)).toEqual([]);
    await ask("PUT", `${FILTERS}/projects/${p2}/endpoints/${north}`);
    await endpoints.update(north, { enabled: false });
    expect(await shown(p2)).toEqual([]);
  });

  it("select endpoints that have all attributes; null is no region", async () => {
    const both = await addGroup({ service_id: compute, region_id: "south" });
    expect(await idsAt(`${GROUPS}/${both}/endpoints`, "endpoints")).toEqual([south]);
    const everywhere = await endpoints.create({ service_id: image, interface: "admin", url: "http://h/" });
    const none = await addGroup({ region_id: null });
    expect(await idsAt(`${GROUPS}/${none}/endpoints`, "endpoints")).toEqual([everywhere.id]);
  });

  it("list projects, endpoints and groups of each other, in pages", async () => {
    const group = await addGroup({ service_id: compute });
    for (const id of [p1, p2]) {
      await ask("PUT", `${FILTERS}/projects/${id}/endpoints/${north}`);
      await ask("PUT", `${GROUPS}/${group}/projects/${id}`);
    }
    expect(await idsAt(`${FILTERS}/projects/${p1}/endpoints`, "endpoints")).toEqual(
      [north, south].toSorted(),
    );
    expect(await idsAt(`${FILTERS}/projects/${p1}/endpoint_groups`, "endpoint_groups")).toEqual([group]);
    const both = [p1, p2].toSorted();
    for (const path of [`${FILTERS}/endpoints/${north}/projects`, `${GROUPS}/${group}/projects`]) {
      expect(await idsAt(path, "projects")).toEqual(both);
      const { body } = await ask("GET", `${path}?limit=1`);
      expect(body.projects.map(({ id }: { id: string }) => id)).toEqual([both[0]]);
      const next = body.links.next.replace("http://127.0.0.1:5900", "");
      expect(await idsAt(next, "projects")).toEqual([both[1]]);
    }
    expect(await idsAt(`${FILTERS}/endpoints/${south}/projects`, "projects")).toEqual([]);
  });

  it("show that a project has a group", async () => {
    const group = await addGroup({ service_id: compute });
    const path = `${GROUPS}/${group}/projects/${p1}`;
    const missing = await ask("GET", path);
    expect([missing.status, missing.body.error.message]).toEqual([
      404,
      "Endpoint Group Project Association not found",
    ]);
    await ask("PUT", path);
    expect((await ask("GET", path)).body).toEqual({
      project_endpoint_group: {
        endpoint_group_id: group,
        project_id: p1,
        links: { self: path.replace(/^\/v3/, "") },
      },
    });
  });

  it("are added once, and removed once", async () => {
    const group = await addGroup({ service_id: compute });
    for (const path of [
      `${FILTERS}/projects/${p1}/endpoints/${north}`,
      `${GROUPS}/${group}/projects/${p1}`,
    ]) {
      const statuses = [];
      for (const method of ["GET", "PUT", "PUT", "HEAD", "DELETE", "DELETE"])
        statuses.push((await ask(method, path)).status);
      expect(statuses).toEqual([404, 204, 409, path.startsWith(GROUPS) ? 200 : 204, 204, 404]);
    }
  });

  it("unknown-endpoint-groups-are-missing, as are unknown projects and endpoints", async () => {
    const group = await addGroup({ service_id: compute });
    for (const [path, message] of [
      [`${FILTERS}/projects/x/endpoints/${north}`, "Could not find project: x."],
      [`${FILTERS}/projects/${p1}/endpoints/x`, "Could not find endpoint: x."],
      [`${FILTERS}/projects/x/endpoints`, "Could not find project: x."],
      [`${FILTERS}/endpoints/x/projects`, "Could not find endpoint: x."],
      [`${GROUPS}/x`, "Could not find Endpoint Group: x."],
      [`${GROUPS}/x/endpoints`, "Could not find Endpoint Group: x."],
      [`${GROUPS}/x/projects`, "Could not find Endpoint Group: x."],
      [`${GROUPS}/${group}/projects/x`, "Could not find project: x."],
    ] as const) {
      const { status, body } = await ask("GET", path);
      expect([path, status, body.error.message]).toEqual([path, 404, message]);
    }
  });

  it("are deleted with the project, the endpoint and the group", async () => {
    await ask("PUT", `${FILTERS}/projects/${p1}/endpoints/${north}`);
    await ask("PUT", `${FILTERS}/projects/${p2}/endpoints/${south}`);
    await projects.delete(p1);
    expect(await idsAt(`${FILTERS}/endpoints/${north}/projects`, "projects")).toEqual([]);
    await endpoints.delete(south);
    expect(await idsAt(`${FILTERS}/projects/${p2}/endpoints`, "endpoints")).toEqual([]);
  });

  it.each([
    [{ name: "g", filters: {} }, "filters field is required and cannot be empty"],
    [
      { name: "g", filters: { enabled: true } },
      "Expecting to find service_id or region_id or interface in endpoint_group. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.",
    ],
    [
      { name: "g", filters: { interface: "nope" } },
      "Invalid input for field/attribute interface. Value: nope. 'nope' is not one of ['admin', 'internal', 'public']",
    ],
    [
      { name: "g", filters: { service_id: 5 } },
      "Invalid input for field/attribute service_id. Value: 5. 5 is not of type 'string'",
    ],
    [
      { name: "", filters: { region_id: null } },
      "Invalid input for field/attribute name. Value: . '' is too short",
    ],
  ])("reject the group %j", async (group, message) => {
    const { status, body } = await ask("POST", GROUPS, group);
    expect([status, body.error.message]).toEqual([400, message]);
  });

  it("change the name, description and attributes of a group", async () => {
    const id = await addGroup({ service_id: compute });
    expect((await ask("PATCH", `${GROUPS}/${id}`, { name: "new", description: "d" })).body).toMatchObject({
      endpoint_group: { name: "new", description: "d", filters: { service_id: compute } },
    });
    await ask("PATCH", `${GROUPS}/${id}`, { filters: { region_id: "south" } });
    expect((await ask("GET", `${GROUPS}/${id}`)).body.endpoint_group.filters).toEqual({ region_id: "south" });
    for (const change of [{}, { id }, { filters: { foo: 1 } }, { name: null }])
      expect((await ask("PATCH", `${GROUPS}/${id}`, change)).status).toBe(400);
  });

  it("list groups by name, and reject unknown parameters", async () => {
    const id = await addGroup({ service_id: compute }, "one");
    await addGroup({ service_id: compute }, "two");
    expect(await idsAt(`${GROUPS}?name=one`, "endpoint_groups")).toEqual([id]);
    for (const query of ["name=", "bogus=1", "name__contains=o"])
      expect((await ask("GET", `${GROUPS}?${query}`)).status).toBe(400);
  });

  it("are read by administrators and readers of the system, and changed by administrators", async () => {
    const group = await addGroup({ service_id: compute });
    const pair = `${FILTERS}/projects/${p1}/endpoints/${north}`;
    const inProjectPath = `${GROUPS}/${group}/projects/${p1}`;
    await ask("PUT", pair);
    await ask("PUT", inProjectPath);
    const reads = [
      GROUPS,
      `${GROUPS}/${group}`,
      `${GROUPS}/${group}/endpoints`,
      `${GROUPS}/${group}/projects`,
      inProjectPath,
      pair,
      `${FILTERS}/projects/${p1}/endpoints`,
      `${FILTERS}/projects/${p1}/endpoint_groups`,
      `${FILTERS}/endpoints/${north}/projects`,
    ];
    const changes = [
      ["POST", GROUPS],
      ["PATCH", `${GROUPS}/${group}`],
      ["PUT", pair],
      ["PUT", inProjectPath],
      ["DELETE", pair],
      ["DELETE", inProjectPath],
      ["DELETE", `${GROUPS}/${group}`],
    ] as const;
    const others = [UNSCOPED, inDomain("default", "admin"), inProject(p1, "default", "manager", "member")];
    for (const url of reads) {
      for (const as of [SYSTEM_READER, inProject("p", "d", "admin")])
        expect([url, Math.floor((await server.ask("GET", url, { as })).status / 100)]).toEqual([url, 2]);
      for (const as of others) expect((await server.ask("GET", url, { as })).status).toBe(403);
      expect((await server.ask("GET", url, { as: null })).status).toBe(401);
    }
    for (const [method, url] of changes)
      for (const as of [SYSTEM_READER, ...others])
        expect((await server.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    const as = inProject("p", "d", "admin");
    for (const [method, url] of changes.slice(4))
      expect((await server.ask(method, url, { as })).status).toBe(204);
  });
});
