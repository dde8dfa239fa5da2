/** Services of the catalog: create, read, list, update, delete. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { addServiceRoutes } from "../../src/catalog/service-routes.js";
import { createServiceService, type ServiceService } from "../../src/catalog/service-service.js";
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
let services: ServiceService;
beforeEach(async () => {
  server = await featureServer(databases, (http, deps) => {
    services = createServiceService(deps);
    addServiceRoutes(http, { services, ...deps });
  });
});
afterEach(() => server.close());

const create = (service: object) => server.ask("POST", "/v3/services", { body: { service } });
const change = (id: string, service: object) =>
  server.ask("PATCH", `/v3/services/${id}`, { body: { service } });
const namesAt = async (url: string) =>
  (await server.ask("GET", url)).body.services.map(({ name }: { name: string }) => name);

describe(`services on ${databases.name}`, () => {
  it("are created with the given attributes, and returned with them", async () => {
    const { status, body } = await create({
      id: "mine",
      type: "compute",
      name: "nova",
      description: null,
      foo: { a: 1 },
      links: { other: "x" },
    });
    const { id } = body.service;
    expect(status).toBe(201);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(body).toEqual({
      service: {
        id,
        type: "compute",
        name: "nova",
        description: null,
        foo: { a: 1 },
        enabled: true,
        links: { self: `http://127.0.0.1:5900/v3/services/${id}` },
      },
    });
    expect(await server.ask("GET", `/v3/services/${id}`)).toMatchObject({ status: 200, body });
  });

  it("have an empty name where none is given, and are enabled", async () => {
    const { body } = await create({ type: "compute" });
    expect(body.service).toMatchObject({ name: "", enabled: true });
  });

  it("are created with whatever stands beside them", async () => {
    const body = { service: { type: "compute" }, other: 1 };
    expect((await server.ask("POST", "/v3/services", { body })).status).toBe(201);
  });

  it("are changed in what is sent alone", async () => {
    const { id } = (await create({ type: "compute", name: "nova", foo: 1, bar: 2 })).body.service;
    const { body } = await change(id, { id, enabled: false, foo: null });
    expect(body.service).toMatchObject({
      type: "compute",
      name: "nova",
      enabled: false,
      foo: null,
      bar: 2,
    });
    expect((await change(id, { type: "image", name: "glance" })).body.service).toMatchObject({
      type: "image",
      name: "glance",
      enabled: false,
    });
    expect((await server.ask("GET", `/v3/services/${id}`)).body.service.name).toBe("glance");
  });

  it.each(["GET", "PATCH", "DELETE"])("are not found by %s where there is none", async (method) => {
    const body = method === "PATCH" ? { service: { name: "x" } } : undefined;
    const answer = await server.ask(method, "/v3/services/nope", { body });
    expect([answer.status, answer.body.error.message]).toEqual([404, "Could not find service: nope."]);
  });

  it.each([
    [{}, "'service' is a required property"],
    [{ service: 5 }, "Invalid input for field/attribute service. Value: 5. 5 is not of type 'object'"],
    [{ service: {} }, "Invalid input for field/attribute service. Value: {}. 'type' is a required property"],
    [{ service: { type: "" } }, "Invalid input for field/attribute type. Value: . '' is too short"],
    [
      { service: { type: "x", name: null } },
      "Invalid input for field/attribute name. Value: None. None is not of type 'string'",
    ],
    [
      { service: { type: "x", name: "" } },
      "Invalid input for field/attribute name. Value: . '' is too short",
    ],
    [
      { service: { type: "x", enabled: "true" } },
      "Invalid input for field/attribute enabled. Value: true. 'true' is not of type 'boolean'",
    ],
  ])("are refused as %j", async (body, message) => {
    const answer = await server.ask("POST", "/v3/services", { body });
    expect([answer.status, answer.body.error.message]).toEqual([400, message]);
  });

  it.each([
    [{}, "Invalid input for field/attribute service. Value: {}. {} does not have enough properties"],
    [{ id: "other" }, "Cannot change ID"],
    [{ type: "" }, "Invalid input for field/attribute type. Value: . '' is too short"],
    [{ name: "" }, "Invalid input for field/attribute name. Value: . '' is too short"],
  ])("are not changed by %j", async (service, message) => {
    const { id } = (await create({ type: "compute" })).body.service;
    const answer = await change(id, service);
    expect([answer.status, answer.body.error.message]).toEqual([400, message]);
  });

  it("are listed by type and by name, in pages", async () => {
    await create({ type: "compute", name: "nova" });
    await create({ type: "compute", name: "nova-old" });
    await create({ type: "image", name: "glance" });
    expect(await namesAt("/v3/services?type=image")).toEqual(["glance"]);
    expect(await namesAt("/v3/services?type=compute&name=nova")).toEqual(["nova"]);
    expect((await namesAt("/v3/services?name__contains=nova")).toSorted()).toEqual(["nova", "nova-old"]);
    expect(await namesAt("/v3/services?type=")).toEqual([]);
    const { body } = await server.ask("GET", "/v3/services?limit=2");
    expect(body).toMatchObject({ truncated: true });
    expect(body.services).toHaveLength(2);
    expect(await namesAt(body.links.next.replace("http://127.0.0.1:5900", ""))).toHaveLength(1);
  });

  it("are read by administrators and readers of the system, and changed by administrators", async () => {
    const { id } = (await create({ type: "compute" })).body.service;
    const reads = ["/v3/services", `/v3/services/${id}`];
    const changes = [
      ["POST", "/v3/services"],
      ["PATCH", `/v3/services/${id}`],
      ["DELETE", `/v3/services/${id}`],
    ] as const;
    for (const as of [SYSTEM_READER, inProject("p", "d", "admin")])
      for (const url of reads) expect((await server.ask("GET", url, { as })).status).toBe(200);
    for (const as of [UNSCOPED, inDomain("d", "admin"), inProject("p", "d", "member", "reader")])
      for (const url of reads) expect((await server.ask("GET", url, { as })).status).toBe(403);
    for (const as of [SYSTEM_READER, UNSCOPED, inDomain("d", "admin"), inProject("p", "d", "member")]) {
      for (const [method, url] of changes)
        expect((await server.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    }
    expect((await server.ask("GET", "/v3/services", { as: null })).status).toBe(401);
    const as = inProject("p", "d", "admin");
    expect((await server.ask("DELETE", `/v3/services/${id}`, { as })).status).toBe(204);
  });

  it("are made at the start where there is none of their type", async () => {
    const made = await services.ensureService({ type: "identity", name: "keystone" });
    expect(made).toMatchObject({ type: "identity", name: "keystone", enabled: true });
    expect(await services.ensureService({ type: "identity", name: "other" })).toEqual(made);
  });
});
