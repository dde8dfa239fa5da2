/** Regions: create, read, list, update, delete. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { addRegionRoutes } from "../../src/catalog/regions/region-routes.js";
import { createRegionService } from "../../src/catalog/regions/region-service.js";
import { databases } from "../databases.js";
import {
  featureServer,
  inDomain,
  inProject,
  SYSTEM_READER,
  UNSCOPED,
  type FeatureServer,
} from "../feature-server.js";

let service: FeatureServer;
beforeEach(async () => {
  service = await featureServer(databases, (server, deps) =>
    addRegionRoutes(server, { regions: createRegionService(deps), ...deps }),
  );
});
afterEach(() => service.close());

const create = (region: object) => service.ask("POST", "/v3/regions", { body: { region } });
const messageOf = ({ body }: { readonly body: { error: { message: string } } }) => body.error.message;

describe(`regions on ${databases.name}`, () => {
  it("are created with the given attributes, and returned with them", async () => {
    const region = { foo: { x: 1 }, id: "a", description: "", parent_region_id: null };
    const answer = { region: { ...region, links: { self: "http://127.0.0.1:5900/v3/regions/a" } } };
    expect(await create({ id: "a", description: null, foo: { x: 1 } })).toMatchObject({
      status: 201,
      body: answer,
    });
    expect(await service.ask("GET", "/v3/regions/a")).toMatchObject({ status: 200, body: answer });
  });

  it.each([undefined, null, ""])("get an id where %o is given", async (id) => {
    const { body } = await create({ id });
    expect(body.region.id).toMatch(/^[0-9a-f]{32}$/);
  });

  it("are created by PUT, with the id of the path", async () => {
    expect(await service.ask("PUT", "/v3/regions/c", { body: { region: {} } })).toMatchObject({
      status: 201,
      body: { region: { id: "c" } },
    });
    const other = await service.ask("PUT", "/v3/regions/c", { body: { region: { id: "d" } } });
    expect(other.status).toBe(400);
    expect(messageOf(other)).toBe('Conflicting region IDs specified: "c" != "d"');
  });

  it("have ids of their own", async () => {
    await create({ id: "a" });
    const again = await create({ id: "a" });
    expect(again.status).toBe(409);
    expect(messageOf(again)).toBe("Conflict occurred attempting to store region - Duplicate ID, a..");
  });

  it("lie within others, which end them", async () => {
    await create({ id: "a" });
    await create({ id: "b", parent_region_id: "a" });
    await create({ id: "c", parent_region_id: "b" });
    const within = await service.ask("GET", "/v3/regions?parent_region_id=a");
    expect(within.body.regions.map(({ id }: { id: string }) => id)).toEqual(["b"]);
    expect((await service.ask("DELETE", "/v3/regions/a")).status).toBe(204);
    expect((await service.ask("GET", "/v3/regions/c")).status).toBe(404);
  });

  it("don't lie within what is not there, or within themselves", async () => {
    await create({ id: "a" });
    await create({ id: "b", parent_region_id: "a" });
    const lost = await create({ parent_region_id: "nope" });
    expect(lost.status).toBe(404);
    expect(messageOf(lost)).toBe("Could not find region: nope.");
    for (const parent_region_id of ["a", "b"]) {
      const ring = await service.ask("PATCH", "/v3/regions/a", { body: { region: { parent_region_id } } });
      expect(ring.status).toBe(400);
      expect(messageOf(ring)).toBe("The specified parent region a would create a circular region hierarchy.");
    }
  });

  it("are changed in what is sent alone", async () => {
    await create({ id: "a", description: "x", foo: 1, bar: 2 });
    const { body } = await service.ask("PATCH", "/v3/regions/a", { body: { region: { id: "a", foo: 3 } } });
    expect(body.region).toMatchObject({ description: "x", foo: 3, bar: 2 });
    const other = await service.ask("PATCH", "/v3/regions/a", { body: { region: { id: "z" } } });
    expect([other.status, messageOf(other)]).toEqual([400, "Cannot change ID"]);
  });

  it.each([
    [{}, "'region' is a required property"],
    [
      { region: { id: 5 } },
      "Invalid input for field/attribute id. Value: 5. 5 is not of type 'string', 'null'",
    ],
    [
      { region: { description: 5 } },
      "Invalid input for field/attribute description. Value: 5. 5 is not of type 'string', 'null'",
    ],
  ])("are refused as %j", async (body, message) => {
    const answer = await service.ask("POST", "/v3/regions", { body });
    expect([answer.status, messageOf(answer)]).toEqual([400, message]);
  });

  it("come in pages", async () => {
    for (const id of ["a", "b", "c"]) await create({ id });
    const { body } = await service.ask("GET", "/v3/regions?limit=2");
    expect(body.regions).toHaveLength(2);
    expect(body.truncated).toBe(true);
    const next = await service.ask("GET", body.links.next.replace("http://127.0.0.1:5900", ""));
    expect(next.body.regions.map(({ id }: { id: string }) => id)).toEqual(["c"]);
    expect(next.body.links.next).toBeNull();
  });

  it("are read with any token, and changed by administrators only", async () => {
    await create({ id: "a" });
    const others = [SYSTEM_READER, UNSCOPED, inDomain("d", "admin"), inProject("p", "d", "member")];
    for (const as of others) {
      expect((await service.ask("GET", "/v3/regions", { as })).status).toBe(200);
      expect((await service.ask("GET", "/v3/regions/a", { as })).status).toBe(200);
      for (const [method, url] of [
        ["POST", "/v3/regions"],
        ["PUT", "/v3/regions/x"],
        ["PATCH", "/v3/regions/a"],
        ["DELETE", "/v3/regions/a"],
      ] as const)
        expect((await service.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    }
    expect((await service.ask("GET", "/v3/regions", { as: null })).status).toBe(401);
    const as = inProject("p", "d", "admin");
    expect((await service.ask("DELETE", "/v3/regions/a", { as })).status).toBe(204);
  });
});
