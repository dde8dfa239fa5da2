/** The service catalog of tokens. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createCatalog, type Catalog } from "../../src/catalog/catalog.js";
import type { NewEndpoint } from "../../src/catalog/endpoint.js";
import { createEndpointService, type EndpointService } from "../../src/catalog/endpoint-service.js";
import type { NewService } from "../../src/catalog/service.js";
import { createServiceService, type ServiceService } from "../../src/catalog/service-service.js";
import type { Attributes } from "../../src/platform/attributes.js";
import type { Database, Queries } from "../../src/platform/database/database.js";
import { databases } from "../databases.js";
import { waitForStableRevision } from "../platform/database/stable-revision.js";
import { featureServer, type FeatureServer } from "../feature-server.js";

let server: FeatureServer;
let endpoints: EndpointService;
let services: ServiceService;
let catalog: Catalog;
let reads = 0;
beforeEach(async () => {
  server = await featureServer(databases, (_http, deps) => {
    endpoints = createEndpointService(deps);
    services = createServiceService(deps);
    const filter = { showsAllIfNone: true, isUsed: async () => false, endpointIdsOf: async () => undefined };
    catalog = createCatalog({ database: counted(deps.database), links: deps.links, filter });
  });
  reads = 0;
});
afterEach(() => server.close());

function counted(database: Database): Database {
  const tables: Queries["tables"] = () => {
    reads += 1;
    return database.tables();
  };
  return { ...database, tables };
}

const addService = (service: NewService & Attributes) => services.create(service);
const addEndpoint = (service_id: string, endpoint: Partial<NewEndpoint> & Attributes = {}) =>
  endpoints.create({ service_id, interface: "public", url: "http://h/", ...endpoint });
const urls = async (reader: Parameters<Catalog["of"]>[0]) =>
  (await catalog.of(reader)).flatMap((entry) => entry.endpoints.map(({ url }) => url));

describe(`the catalog on ${databases.name}`, () => {
  it("is written as JSON.stringify does, with URLs of the token, of the cloud, and characters that JSON escapes", async () => {
    const { id } = await addService({ type: "compute", name: 'no"va \u2028 \ud800 ü' });
    await addEndpoint(id, { url: "http://h/$(project_id)s", foo: { a: [1, null, "\n"] } });
    const shared = await addService({ type: "identity", name: '\\"\u001f' });
    await addEndpoint(shared.id, { region: "RegionOne", toJSON: "x" });
    await addEndpoint(shared.id, {
      url: "%(public_endpoint)s/$(user_id)s/$(tenant_id)s/$(compute_host)s/%%",
    });
    await addEndpoint(shared.id, { url: "$(user_id)s$(project_id)s%%$(user_id)s" });
    for (const userId of ["u", 'quoted " and ü'])
      for (const projectId of ["p", "q", 'quoted "', undefined])
        expect(await catalog.json({ userId, projectId })).toBe(
          JSON.stringify(await catalog.of({ userId, projectId })),
        );
  });

  it("without services is empty", async () => {
    expect(await catalog.json({ userId: "u" })).toBe("[]");
  });

  it("shows enabled services and endpoints, with all attributes of the endpoints", async () => {
    const { id } = await addService({ type: "identity", name: "keystone", description: "unseen" });
    const off = await services.create({ type: "image", enabled: false });
    await addEndpoint(off.id);
    await addEndpoint(id, { enabled: false });
    const shown = await addEndpoint(id, { region: "RegionOne", name: "nm", foo: { a: 1 } });
    expect(await catalog.of({ userId: "u", projectId: "p" })).toEqual([
      {
        endpoints: [
          {
            id: shown.id,
            interface: "public",
            region_id: "RegionOne",
            url: "http://h/",
            region: "RegionOne",
            name: "nm",
            foo: { a: 1 },
          },
        ],
        id,
        type: "identity",
        name: "keystone",
      },
    ]);
  });

  it("shows services without endpoints", async () => {
    const { id } = await services.create({ type: "compute" });
    expect(await catalog.of({ userId: "u" })).toEqual([{ endpoints: [], id, type: "compute", name: "" }]);
  });

  it.each([
    ["http://h/$(project_id)s/x", "http://h/P/x"],
    ["http://h/AUTH_%(tenant_id)s", "http://h/AUTH_P"],
    ["http://h/$(user_id)s", "http://h/U"],
    ["proxy:$(public_endpoint)s/v3", "proxy:http://127.0.0.1:5900/v3"],
    ["http://h/%%", "http://h/%"],
    ["http://h/%%(project_id)s", "http://h/%(project_id)s"],
    ["http://h/%%%(user_id)s", "http://h/%U"],
    ["http://h/$x", "http://h/$x"],
  ])("fills in %s", async (url, filled) => {
    await addEndpoint((await services.create({ type: "compute" })).id, { url });
    expect(await urls({ userId: "U", projectId: "P" })).toEqual([filled]);
  });

  it("leaves out endpoints whose placeholders have no value", async () => {
    const { id } = await services.create({ type: "compute" });
    await addEndpoint(id, { url: "http://h/$(project_id)s" });
    await addEndpoint(id, { url: "http://h/$(compute_host)s" });
    await addEndpoint(id, { url: "http://plain/" });
    expect(await urls({ userId: "u" })).toEqual(["http://plain/"]);
  });

  it("of a restricted project is not kept with endpoints that changed while it was read", async () => {
    const { id } = await services.create({ type: "compute" });
    const endpoint = await addEndpoint(id, { url: "http://old/" });
    let change = async () => {
      change = async () => {};
      await endpoints.update(endpoint.id, { url: "http://new/" });
    };
    const filter = {
      showsAllIfNone: true,
      async isUsed() {
        await change();
        return true;
      },
      endpointIdsOf: async () => new Set([endpoint.id]),
    };
    catalog = createCatalog({ database: server.database, links: server.links, filter });
    await catalog.of({ userId: "u", projectId: "p" });
    expect(await urls({ userId: "u", projectId: "p" })).toEqual(["http://new/"]);
  });

  it("is read from the database once, and again after a change", async () => {
    const { id } = await services.create({ type: "compute" });
    await addEndpoint(id);
    await waitForStableRevision(server.database);
    await Promise.all([catalog.of({ userId: "u" }), catalog.of({ userId: "v" })]);
    await catalog.of({ userId: "w" });
    expect(reads).toBe(1);
    await addEndpoint(id);
    expect(await urls({ userId: "u" })).toHaveLength(2);
    expect(reads).toBeGreaterThan(1);
    await services.delete(id);
    expect(await catalog.of({ userId: "u" })).toEqual([]);
  });
});
