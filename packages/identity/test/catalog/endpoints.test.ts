/** Endpoints: create, read, list, update, delete. Expected responses are Keystone's unless a test states otherwise. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { addEndpointRoutes } from "../../src/catalog/endpoint-routes.js";
import { createEndpointService, type EndpointService } from "../../src/catalog/endpoint-service.js";
import { addRegionRoutes } from "../../src/catalog/regions/region-routes.js";
import { createRegionService, type RegionService } from "../../src/catalog/regions/region-service.js";
import { addServiceRoutes } from "../../src/catalog/service-routes.js";
import { createServiceService } from "../../src/catalog/service-service.js";
import { databases } from "../databases.js";
import {
  featureServer,
  inDomain,
  inProject,
  SYSTEM_READER,
  UNSCOPED,
  type FeatureServer,
} from "../feature-server.js";

let server: FeatureServer;
let endpoints: EndpointService;
let regions: RegionService;
let serviceId: string;
beforeEach(async () => {
  server = await featureServer(databases, async (http, deps) => {
    endpoints = createEndpointService(deps);
    regions = createRegionService(deps);
    const services = createServiceService(deps);
    addEndpointRoutes(http, { endpoints, ...deps });
    addRegionRoutes(http, { regions, ...deps });
    addServiceRoutes(http, { services, ...deps });
    await regions.ensureRegion("north");
    serviceId = (await services.create({ type: "compute" })).id;
  });
});
afterEach(() => server.close());

const create = (endpoint: object) =>
  server.ask("POST", "/v3/endpoints", {
    body: { endpoint: { service_id: serviceId, interface: "public", url: "http://h/", ...endpoint } },
  });
const idOf = async (endpoint: object) => (await create(endpoint)).body.endpoint.id as string;
const change = (id: string, endpoint: object) =>
  server.ask("PATCH", `/v3/endpoints/${id}`, { body: { endpoint } });
const statusOf = async (url: string) => (await server.ask("GET", url)).status;
const countAt = async (url: string) => (await server.ask("GET", url)).body.endpoints.length;

const LOST_REGION =
  "Expecting to find endpoint region_id in region table. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";
const LOST_SERVICE = LOST_REGION.replace("region_id in region", "service_id in service");

describe(`endpoints on ${databases.name}`, () => {
  it("are created with the given attributes, and returned with them", async () => {
    const { status, body } = await create({
      id: "mine",
      region_id: "north",
      name: "nm",
      description: "d",
      foo: { a: 1 },
    });
    const { id } = body.endpoint;
    expect(status).toBe(201);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(body).toEqual({
      endpoint: {
        id,
        service_id: serviceId,
        region_id: "north",
        region: "north",
        interface: "public",
        url: "http://h/",
        enabled: true,
        name: "nm",
        description: "d",
        foo: { a: 1 },
        links: { self: `http://127.0.0.1:5900/v3/endpoints/${id}` },
      },
    });
    expect(await server.ask("GET", `/v3/endpoints/${id}`)).toMatchObject({ status: 200, body });
  });

  it.each([
    [{}, null],
    [{ region: null }, null],
    [{ region: "south" }, "south"],
    [{ region: "north" }, "north"],
    [{ region: "south", region_id: null }, "south"],
    [{ region: "south", region_id: "north" }, "north"],
  ])("are in the region that %j says", async (endpoint, region) => {
    const { body } = await create(endpoint);
    expect(body.endpoint).toMatchObject({ region_id: region, region });
  });

  it("refused-endpoints-leave-no-region: make the region of the old name if they are made themselves", async () => {
    expect((await create({ region: "south", service_id: "nope" })).status).toBe(400);
    expect((await change("nope", { region: "south" })).status).toBe(404);
    expect(await statusOf("/v3/regions/south")).toBe(404);
    const id = await idOf({ region: "south" });
    expect((await server.ask("GET", "/v3/regions/south")).body.region.description).toBe("");
    expect((await change(id, { region: "east" })).body.endpoint.region_id).toBe("east");
    expect(await statusOf("/v3/regions/east")).toBe(200);
  });

  it("keep their region from being deleted", async () => {
    await create({ region: "north" });
    const { status, body } = await server.ask("DELETE", "/v3/regions/north");
    expect([status, body.error.message]).toEqual([
      403,
      "Unable to delete region north because it or its child regions have associated endpoints.",
    ]);
  });

  it("end with their service", async () => {
    const id = await idOf({});
    expect((await server.ask("DELETE", `/v3/services/${serviceId}`)).status).toBe(204);
    expect(await statusOf(`/v3/endpoints/${id}`)).toBe(404);
  });

  it.each([
    [{ region_id: "nope" }, LOST_REGION],
    [{ region_id: "" }, LOST_REGION],
    [{ service_id: "nope" }, LOST_SERVICE],
    [{ region_id: "nope", service_id: "nope" }, LOST_REGION],
    [
      { interface: "PUBLIC" },
      "Invalid input for field/attribute interface. Value: PUBLIC. 'PUBLIC' is not one of ['admin', 'internal', 'public']",
    ],
    [
      { interface: null },
      "Invalid input for field/attribute interface. Value: None. None is not of type 'string'",
    ],
    [
      { enabled: "True" },
      "Invalid input for field/attribute enabled. Value: True. 'True' is not of type 'boolean'",
    ],
    [{ region: 5 }, "Invalid input for field/attribute region. Value: 5. 5 is not of type 'string', 'null'"],
    // Differs from Keystone: legacy-regions-have-names.
    [{ region: "" }, "Invalid input for field/attribute region. Value: . '' is too short"],
    [{ name: null }, "Invalid input for field/attribute name. Value: None. None is not of type 'string'"],
    [
      { description: 5 },
      "Invalid input for field/attribute description. Value: 5. 5 is not of type 'string', 'null'",
    ],
    [
      { url: "x" },
      "Invalid input for field/attribute url. Value: x. 'x' does not match '^[a-zA-Z0-9+.-]+:.+'",
    ],
    [{ url: "http://h/%(nope)s" }, "Cannot create an endpoint with an invalid URL: http://h/%(nope)s."],
  ])("are refused with %j", async (endpoint, message) => {
    const made = await create(endpoint);
    expect([made.status, made.body.error.message]).toEqual([400, message]);
    const changed = await change(await idOf({}), endpoint);
    expect([changed.status, changed.body.error.message]).toEqual([400, message]);
  });

  it("addresses-are-checked-on-change: are not given an address that could not be created", async () => {
    const answer = await change(await idOf({}), { url: "http://h/%(nope)s" });
    expect([answer.status, answer.body.error.message]).toEqual([
      400,
      "Cannot create an endpoint with an invalid URL: http://h/%(nope)s.",
    ]);
  });

  it("attributes-keep-their-names", async () => {
    expect((await create({ "a-b": 1, "c:d": 2 })).body.endpoint).toMatchObject({ "a-b": 1, "c:d": 2 });
  });

  it.each([
    [{}, "'endpoint' is a required property"],
    [
      { endpoint: {} },
      "Invalid input for field/attribute endpoint. Value: {}. 'interface' is a required property",
    ],
    [
      { endpoint: { interface: "admin", service_id: "x" } },
      "Invalid input for field/attribute endpoint. Value: {'interface': 'admin', 'service_id': 'x'}. 'url' is a required property",
    ],
    [
      { endpoint: { interface: "admin", service_id: "x", url: "http://h/" }, x: 1 },
      "Additional properties are not allowed ('x' was unexpected)",
    ],
  ])("are refused as %j", async (body, message) => {
    const answer = await server.ask("POST", "/v3/endpoints", { body });
    expect([answer.status, answer.body.error.message]).toEqual([400, message]);
  });

  it("are changed in what is sent alone", async () => {
    const id = await idOf({ region: "north", name: "nm", foo: 1 });
    expect((await change(id, { id: null, interface: "admin", bar: null })).body.endpoint).toMatchObject({
      interface: "admin",
      region_id: "north",
      name: "nm",
      foo: 1,
      bar: null,
      url: "http://h/",
      enabled: true,
    });
    expect((await change(id, { region: null })).body.endpoint.region_id).toBe("north");
    expect((await change(id, { region_id: null })).body.endpoint.region_id).toBeNull();
    const { body } = await change(id, { enabled: false, url: "http://h/$(user_id)s" });
    expect(body.endpoint).toMatchObject({ enabled: false, url: "http://h/$(user_id)s" });
    expect((await server.ask("GET", `/v3/endpoints/${id}`)).body).toEqual(body);
    const other = await change(id, { id: "other" });
    expect([other.status, other.body.error.message]).toEqual([400, "Cannot change ID"]);
  });

  it.each(["GET", "PATCH", "DELETE"])("are not found by %s where there is none", async (method) => {
    const body = method === "PATCH" ? { endpoint: { name: "x" } } : undefined;
    const answer = await server.ask(method, "/v3/endpoints/nope", { body });
    expect([answer.status, answer.body.error.message]).toEqual([404, "Could not find endpoint: nope."]);
  });

  it("are listed by interface, service and region, in pages", async () => {
    await create({ interface: "admin", region: "north" });
    await create({ interface: "public", region: "north" });
    await create({ interface: "public" });
    expect(await countAt("/v3/endpoints?interface=public")).toBe(2);
    expect(await countAt("/v3/endpoints?interface__contains=adm")).toBe(1);
    expect(await countAt("/v3/endpoints?region_id=north")).toBe(2);
    expect(await countAt(`/v3/endpoints?service_id=${serviceId}&region_id=north&interface=admin`)).toBe(1);
    expect(await countAt("/v3/endpoints?service_id=nope")).toBe(0);
    expect(await countAt("/v3/endpoints?interface=public&interface=admin")).toBe(0);
    const bad = await server.ask("GET", "/v3/endpoints?interface=");
    expect([bad.status, bad.body.error.message]).toEqual([
      400,
      "Invalid input for field/attribute interface. Value: . '' is not one of ['admin', 'internal', 'public']",
    ]);
    const { body } = await server.ask("GET", "/v3/endpoints?limit=2");
    expect(body).toMatchObject({ truncated: true });
    expect(await countAt(body.links.next.replace("http://127.0.0.1:5900", ""))).toBe(1);
  });

  it("are read by administrators and readers of the system, and changed by administrators", async () => {
    const id = await idOf({});
    const reads = ["/v3/endpoints", `/v3/endpoints/${id}`];
    const changes = [
      ["POST", "/v3/endpoints"],
      ["PATCH", `/v3/endpoints/${id}`],
      ["DELETE", `/v3/endpoints/${id}`],
    ] as const;
    for (const as of [SYSTEM_READER, inProject("p", "d", "admin")])
      for (const url of reads) expect((await server.ask("GET", url, { as })).status).toBe(200);
    for (const as of [UNSCOPED, inDomain("d", "admin"), inProject("p", "d", "member", "reader")])
      for (const url of reads) expect((await server.ask("GET", url, { as })).status).toBe(403);
    for (const as of [SYSTEM_READER, UNSCOPED, inDomain("d", "admin"), inProject("p", "d", "member")]) {
      for (const [method, url] of changes)
        expect((await server.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    }
    expect((await server.ask("GET", "/v3/endpoints", { as: null })).status).toBe(401);
    const as = inProject("p", "d", "admin");
    expect((await server.ask("DELETE", `/v3/endpoints/${id}`, { as })).status).toBe(204);
  });

  it("are made at the start, or get the address that they are to have", async () => {
    const place = { serviceId, regionId: "north", interface: "public" } as const;
    const made = await endpoints.ensureEndpoint({ ...place, url: "http://one/" });
    expect(made).toMatchObject({ ...place, url: "http://one/", enabled: true });
    expect(await endpoints.ensureEndpoint({ ...place, url: "http://two/" })).toEqual({
      ...made,
      url: "http://two/",
    });
    await endpoints.ensureEndpoint({ ...place, regionId: null, url: "http://two/" });
    await regions.ensureRegion("north");
    expect(await countAt("/v3/endpoints")).toBe(2);
    expect((await endpoints.get(made.id)).url).toBe("http://two/");
  });
});
