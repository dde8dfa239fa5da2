/** Registered limits. Expected responses are Keystone's, or named in docs/identity/differences.md. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED, type FeatureServer } from "../feature-server.js";
import { addProject, addRegion, addService, COMPUTE, limitServer, remove, VOLUME } from "./limit-server.js";

let service: FeatureServer;
beforeEach(async () => {
  service = await limitServer(databases);
  for (const id of [COMPUTE, VOLUME]) await addService(service.database, id);
  for (const id of ["one", "two"]) await addRegion(service.database, id);
});
afterEach(() => service.close());

const ask = (method: string, path = "", body?: object) =>
  service.ask(method, `/v3/registered_limits${path}`, { body });
const draft = (more: object = {}) => ({
  service_id: COMPUTE,
  resource_name: "vcpu",
  default_limit: 10,
  ...more,
});
const create = (...drafts: object[]) => ask("POST", "", { registered_limits: drafts });
const change = (id: string, registered_limit: object) => ask("PATCH", `/${id}`, { registered_limit });
const idOf = async (more?: object) => (await create(draft(more))).body.registered_limits[0].id as string;
const namesAt = async (path: string) =>
  (await ask("GET", path)).body.registered_limits
    .map(({ resource_name: name }: { resource_name: string }) => name)
    .toSorted();

describe(`registered limits on ${databases.name}`, () => {
  it("are created several at once, and come back so", async () => {
    const { status, body } = await create(draft(), draft({ region_id: "one", description: "x" }));
    expect(status).toBe(201);
    const [first, second] = body.registered_limits;
    const links = (id: string) => ({ self: `http://127.0.0.1:5900/v3/registered_limits/${id}` });
    expect(body).toEqual({
      registered_limits: [
        { ...draft({ region_id: null, description: null }), id: first.id, links: links(first.id) },
        { ...draft({ region_id: "one", description: "x" }), id: second.id, links: links(second.id) },
      ],
    });
    expect((await ask("GET", `/${second.id}`)).body).toEqual({ registered_limit: second });
  });

  it("have names, descriptions and regions of at most 255 characters, as in Keystone", async () => {
    const longest = "n".repeat(255);
    const cases: [object, number][] = [
      [{ resource_name: longest, description: longest }, 201],
      [{ resource_name: `${longest}n` }, 400],
      [{ resource_name: "" }, 400],
      [{ resource_name: "n" }, 201],
      [{ resource_name: "d", description: `${longest}n` }, 400],
      [{ resource_name: "e", description: "" }, 201],
      // Of this length, but it does not exist; and too long to be one.
      [{ region_id: longest }, 400],
      [{ region_id: `${longest}n` }, 400],
    ];
    for (const [values, status] of cases) expect((await create(draft(values))).status).toBe(status);
  });

  it("have defaults from -1, for no limit, to 2^31 - 1, as in Keystone", async () => {
    const statuses = [-2, -1, 0, 2_147_483_647, 2_147_483_648].map(
      async (default_limit, index) =>
        (await create(draft({ resource_name: `n${index}`, default_limit }))).status,
    );
    expect(await Promise.all(statuses)).toEqual([400, 201, 201, 201, 400]);
  });

  it("are filtered by regions with names of 1 to 255 characters", async () => {
    const statusOf = async (id: string) => (await ask("GET", `?region_id=${id}`)).status;
    expect(await Promise.all(["", "r", "r".repeat(255), "r".repeat(256)].map(statusOf))).toEqual([
      400, 200, 200, 400,
    ]);
  });

  it("are created all or none", async () => {
    expect((await create(draft(), draft())).status).toBe(409);
    expect((await create(draft(), draft({ service_id: "e".repeat(32) }))).status).toBe(400);
    expect(await namesAt("")).toEqual([]);
  });

  it("are unique for a service, region and name, and for those without a region", async () => {
    await create(draft(), draft({ region_id: "one" }));
    for (const twin of [draft(), draft({ region_id: null }), draft({ region_id: "one" })])
      expect(await create(twin)).toMatchObject({
        status: 409,
        body: {
          error: {
            message: expect.stringMatching(
              /^Conflict occurred attempting to store registered_limit - Duplicate entry\. registered_limits\[0\] is for resource "vcpu" of service "c{32}" .*, which has one\.$/,
            ) as string,
          },
        },
      });
    const id = await idOf({ region_id: "two" });
    expect((await change(id, { region_id: "one" })).status).toBe(409);
    expect((await change(id, { region_id: "two" })).status).toBe(200);
  });

  it("are found by service, region and name", async () => {
    await create(draft({ resource_name: "a" }), draft({ resource_name: "b", region_id: "one" }));
    await create(draft({ resource_name: "c", service_id: VOLUME }));
    expect(await namesAt(`?service_id=${COMPUTE}`)).toEqual(["a", "b"]);
    expect(await namesAt("?region_id=one")).toEqual(["b"]);
    expect(await namesAt("?region_id=null")).toEqual([]);
    expect(await namesAt("?region_id__isnull=true")).toEqual(["a", "c"]);
    expect(await namesAt("?region_id__isnull=false")).toEqual(["b"]);
    expect(await namesAt(`?region_id__isnull=true&service_id=${VOLUME}`)).toEqual(["c"]);
    expect(await namesAt("?resource_name__icontains=B")).toEqual(["b"]);
    expect((await ask("GET", "?region_id__isnull=x")).status).toBe(400);
  });

  it("come in pages", async () => {
    const names = ["a", "b", "c"];
    await create(...names.map((resource_name) => draft({ resource_name })));
    const seen = [];
    for (let path: string | undefined = "?limit=2"; path !== undefined;) {
      const { body } = await ask("GET", path);
      seen.push(...body.registered_limits.map((each: { resource_name: string }) => each.resource_name));
      path = body.links.next?.replace(/^.*registered_limits/, "");
    }
    expect(new Set(seen)).toEqual(new Set(names));
  });

  it("are listed and shown as they are after each change", async () => {
    const id = await idOf();
    for (const value of [11, 0, -1]) {
      expect((await change(id, { default_limit: value })).body.registered_limit.default_limit).toBe(value);
      expect((await ask("GET", `/${id}`)).body.registered_limit.default_limit).toBe(value);
      expect((await ask("GET")).body.registered_limits[0].default_limit).toBe(value);
    }
    expect((await ask("DELETE", `/${id}`)).status).toBe(204);
    expect((await ask("GET", `/${id}`)).status).toBe(404);
    expect(await namesAt("")).toEqual([]);
  });

  it("keep what they are of while limits rest on them, and may change otherwise", async () => {
    await addProject(service.database, { id: "dom" });
    await addProject(service.database, { id: "p", domainId: "dom" });
    const id = await idOf();
    const limits = [{ service_id: COMPUTE, resource_name: "vcpu", project_id: "p", resource_limit: 5 }];
    const made = await service.ask("POST", "/v3/limits", { body: { limits } });
    const refused = `Unable to update or delete registered limit ${id} because there are project limits associated with it. registered_limit is for resource "vcpu" of service "${COMPUTE}" without a region.`;
    for (const changed of [{ service_id: VOLUME }, { region_id: "one" }, { resource_name: "other" }])
      expect(await change(id, changed)).toMatchObject({
        status: 403,
        body: { error: { message: refused } },
      });
    expect((await ask("DELETE", `/${id}`)).body.error.message).toBe(refused);
    expect(await change(id, draft({ default_limit: 3, description: "k" }))).toMatchObject({
      status: 200,
      body: { registered_limit: { default_limit: 3, description: "k" } },
    });
    await service.ask("DELETE", `/v3/limits/${made.body.limits[0].id}`);
    expect((await change(id, { resource_name: "other" })).status).toBe(200);
    expect((await ask("DELETE", `/${id}`)).status).toBe(204);
  });

  it("end with their service and region", async () => {
    await create(draft(), draft({ region_id: "one" }), draft({ region_id: "two", service_id: VOLUME }));
    expect(await namesAt("")).toHaveLength(3);
    await remove(service.database, "region", "two");
    expect(await namesAt("")).toHaveLength(2);
    await remove(service.database, "service", COMPUTE);
    expect(await namesAt("")).toEqual([]);
  });

  it("are read with any token, and changed by administrators only", async () => {
    const id = await idOf();
    const others = [SYSTEM_READER, UNSCOPED, inDomain("d", "admin"), inProject("p", "d", "member")];
    for (const as of others) {
      for (const url of ["/v3/registered_limits", `/v3/registered_limits/${id}`])
        expect((await service.ask("GET", url, { as })).status).toBe(200);
      for (const [method, url] of [
        ["POST", "/v3/registered_limits"],
        ["PATCH", `/v3/registered_limits/${id}`],
        ["DELETE", `/v3/registered_limits/${id}`],
      ] as const)
        expect((await service.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    }
    expect((await service.ask("GET", "/v3/registered_limits", { as: null })).status).toBe(401);
    const as = inProject("p", "d", "admin");
    expect((await service.ask("DELETE", `/v3/registered_limits/${id}`, { as })).status).toBe(204);
  });
});
