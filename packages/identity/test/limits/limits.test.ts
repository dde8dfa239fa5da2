/** Project limits. Expected responses are Keystone's, or named in docs/identity/differences.md. */
import { afterEach, describe, expect, it } from "vitest";

import type { EnforcementModel } from "../../src/limits/tree/enforcement.js";
import { databases } from "../databases.js";
import {
  inDomain,
  inProject,
  SYSTEM_READER,
  UNSCOPED,
  type AskOptions,
  type FeatureServer,
} from "../feature-server.js";
import { COMPUTE, VOLUME, addProject, addService, limitServer, remove } from "./limit-server.js";

let service: FeatureServer;
afterEach(() => service.close());

/** Two domains with two projects each, and defaults of 10. */
async function start(model: EnforcementModel): Promise<void> {
  service = await limitServer(databases, { model });
  for (const id of ["d1", "d2"]) {
    await addProject(service.database, { id, name: `domain ${id}` });
    for (const p of ["p1", "p2"])
      await addProject(service.database, { id: id + p, domainId: id, name: `project ${id + p}` });
  }
  for (const id of [COMPUTE, VOLUME]) await addService(service.database, id);
  const registered_limits = [COMPUTE, VOLUME].flatMap((service_id) =>
    ["a", "b"].map((resource_name) => ({ service_id, resource_name, default_limit: 10 })),
  );
  await service.ask("POST", "/v3/registered_limits", { body: { registered_limits } });
}

const of = (owner: object, resource_limit: number, more: object = {}) => ({
  service_id: COMPUTE,
  resource_name: "a",
  resource_limit,
  ...owner,
  ...more,
});
const project = (project_id: string) => ({ project_id });
const domain = (domain_id: string) => ({ domain_id });
const create = (...limits: object[]) => service.ask("POST", "/v3/limits", { body: { limits } });
const idOf = async (limit: object) => (await create(limit)).body.limits[0].id as string;
const change = (id: string, limit: object) => service.ask("PATCH", `/v3/limits/${id}`, { body: { limit } });
const ownersOf = async (query: string, options: AskOptions = {}) =>
  (await service.ask("GET", `/v3/limits${query}`, options)).body.limits
    .map(
      (limit: { project_id: string | null; domain_id: string | null }) => limit.project_id ?? limit.domain_id,
    )
    .toSorted();
const messageOf = ({ body }: { readonly body: { error: { message: string } } }) => body.error.message;

describe(`limits on ${databases.name}`, () => {
  it("are created for projects and domains, and come back so", async () => {
    await start("flat");
    const { status, body } = await create(of(project("d1p1"), 5), of(domain("d1"), 7, { description: "x" }));
    expect(status).toBe(201);
    expect(body.limits).toMatchObject([
      { project_id: "d1p1", domain_id: null, region_id: null, resource_limit: 5, description: null },
      { project_id: null, domain_id: "d1", resource_limit: 7, description: "x" },
    ]);
    const [first] = body.limits;
    expect(first.links).toEqual({ self: `http://127.0.0.1:5900/v3/limits/${first.id}` });
    expect((await service.ask("GET", `/v3/limits/${first.id}`)).body).toEqual({ limit: first });
  });

  it("are of a domain where a domain is given as a project", async () => {
    await start("flat");
    expect((await create(of(project("d1"), 5))).body.limits).toMatchObject([
      { project_id: null, domain_id: "d1" },
    ]);
    expect((await create(of(domain("d1"), 5))).status).toBe(409);
    expect((await create(of(domain("d1p1"), 5))).status).toBe(400);
  });

  it.each([
    [of({ project_id: "nope" }, 5), 400, /^Expecting to find project_id in limit\./],
    [of({ domain_id: "nope" }, 5), 400, /^Expecting to find domain_id in limit\./],
    [of({ project_id: null }, 5), 400, /^Expecting to find project_id in limit\./],
    [of(project("d1p1"), 5, { service_id: "e".repeat(32) }), 400, /^Expecting to find service_id in limit\./],
    [of(project("d1p1"), 5, { region_id: "nope" }), 400, /^Expecting to find region_id in limit\./],
    [of(project("d1p1"), 5, { resource_name: "c" }), 403, /no corresponding registered limit\./],
    [of(project("d1p1"), 5, { domain_id: "d1" }), 400, /is valid under each of/],
    [of({}, 5), 400, /is not valid under any of the given schemas$/],
  ])("are refused as %j", async (limit, status, message) => {
    await start("flat");
    const answer = await create(of(project("d1p2"), 1), limit);
    expect(answer.status).toBe(status);
    expect(messageOf(answer)).toMatch(message);
    expect(await ownersOf("")).toEqual([]);
  });

  it("change to any number, 0 among them, and lose their description", async () => {
    await start("flat");
    const id = await idOf(of(project("d1p1"), 5, { description: "x" }));
    for (const resource_limit of [0, -1, 2_147_483_647])
      expect((await change(id, { resource_limit })).body.limit).toMatchObject({
        resource_limit,
        description: "x",
      });
    expect((await change(id, { description: null })).body.limit.description).toBeNull();
    expect((await service.ask("GET", `/v3/limits/${id}`)).body.limit).toMatchObject({
      resource_limit: 2_147_483_647,
      description: null,
    });
    expect((await change("f".repeat(32), {})).status).toBe(404);
  });

  it("are seen with a token for their project or domain", async () => {
    await start("flat");
    const ids: Record<string, string> = {};
    for (const id of ["d1p1", "d1p2", "d2p1"]) ids[id] = await idOf(of(project(id), 5));
    ids["d1"] = await idOf(of(domain("d1"), 5));
    for (const [as, seen] of [
      [undefined, ["d1", "d1p1", "d1p2", "d2p1"]],
      [SYSTEM_READER, ["d1", "d1p1", "d1p2", "d2p1"]],
      [inProject("d2p1", "d2", "admin"), ["d1", "d1p1", "d1p2", "d2p1"]],
      [inDomain("d1", "member"), ["d1", "d1p1", "d1p2"]],
      [inDomain("d1", "service"), ["d1", "d1p1", "d1p2"]],
      [inProject("x", "d1", "service"), ["d1", "d1p1", "d1p2", "d2p1"]],
      // Keystone's keystone-tempest-plugin: "admin should see limit for other project".
      [inDomain("d1", "admin"), ["d1", "d1p1", "d1p2", "d2p1"]],
      [inProject("d1p1", "d1", "member"), ["d1p1"]],
      [UNSCOPED, []],
    ] as const) {
      expect(await ownersOf("", as && { as })).toEqual(seen);
      if (as === undefined || as.roles.includes("admin") || as.roles.includes("service")) continue;
      for (const [owner, id] of Object.entries(ids)) {
        const { status } = await service.ask("GET", `/v3/limits/${id}`, { as });
        expect([owner, status]).toEqual([owner, (seen as readonly string[]).includes(owner) ? 200 : 403]);
      }
    }
    expect((await service.ask("GET", "/v3/limits", { as: null })).status).toBe(401);
  });

  it("are found by whom and what they are of", async () => {
    await start("flat");
    await create(of(project("d1p1"), 5), of(project("d2p1"), 5, { service_id: VOLUME }), of(domain("d1"), 9));
    expect(await ownersOf("?project_id=d1p1")).toEqual(["d1p1"]);
    expect(await ownersOf("?domain_id=d1")).toEqual(["d1"]);
    expect(await ownersOf("?project_id=d1")).toEqual([]);
    expect(await ownersOf("?project_id=d1p1&domain_id=d1")).toEqual([]);
    expect(await ownersOf(`?service_id=${VOLUME}`)).toEqual(["d2p1"]);
    expect(await ownersOf("?resource_name=a&region_id__isnull=true")).toEqual(["d1", "d1p1", "d2p1"]);
    expect(await ownersOf("?region_id__isnull=false")).toEqual([]);
    expect(await ownersOf("?project_id=d1p1", { as: inProject("d2p1", "d2", "member") })).toEqual([]);
  });

  it("end with their service, project and domain", async () => {
    await start("flat");
    const limits = ["d1p1", "d1p2", "d2p1"].map((id) => of(project(id), 5));
    await create(...limits, of(domain("d1"), 5), of(project("d2p2"), 1, { service_id: VOLUME }));
    await remove(service.database, "project", "d1p1");
    expect(await ownersOf("")).toEqual(["d1", "d1p2", "d2p1", "d2p2"]);
    await remove(service.database, "project", "d1");
    expect(await ownersOf("")).toEqual(["d2p1", "d2p2"]);
    await remove(service.database, "service", VOLUME);
    expect(await ownersOf("")).toEqual(["d2p1"]);
  });

  it("are changed by administrators alone", async () => {
    await start("flat");
    const id = await idOf(of(project("d1p1"), 5));
    for (const as of [SYSTEM_READER, UNSCOPED, inDomain("d1", "admin"), inProject("d1p1", "d1", "manager")]) {
      for (const [method, url] of [
        ["POST", "/v3/limits"],
        ["PATCH", `/v3/limits/${id}`],
        ["DELETE", `/v3/limits/${id}`],
      ] as const)
        expect((await service.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
      expect((await service.ask("GET", "/v3/limits/model", { as })).status).toBe(200);
    }
    const as = inProject("x", "d1", "admin");
    expect((await service.ask("DELETE", `/v3/limits/${id}`, { as })).status).toBe(204);
    expect((await service.ask("DELETE", `/v3/limits/${id}`, { as })).status).toBe(404);
  });
});

describe(`limits of two levels on ${databases.name}`, () => {
  it("are refused with both numbers and the parent's name", async () => {
    await start("strict_two_level");
    const above = await create(of(project("d1p1"), 11));
    expect([above.status, messageOf(above)]).toEqual([
      403,
      'Invalid resource limit: a of project project d1p1 (d1p1) would be 11, above the 10 of its domain domain d1 (d1), which has the registered default. limits[0] of d1p1 is for resource "a" of service "cccccccccccccccccccccccccccccccc" without a region.',
    ]);
    await create(of(project("d1p1"), 8), of(project("d1p2"), 3));
    const below = await create(of(domain("d1"), 7));
    expect([below.status, messageOf(below)]).toEqual([
      403,
      'Invalid resource limit: a of project project d1p1 (d1p1) would be 8, above the 7 of its domain domain d1 (d1). limits[0] of d1 is for resource "a" of service "cccccccccccccccccccccccccccccccc" without a region.',
    ]);
    expect(await ownersOf("?domain_id=d1")).toEqual([]);
  });

  it("take -1 for no limit and 0 for nothing", async () => {
    await start("strict_two_level");
    expect((await create(of(project("d1p1"), -1))).status).toBe(403);
    expect((await create(of(domain("d1"), -1), of(project("d1p1"), -1))).status).toBe(201);
    expect((await create(of(project("d1p2"), 2_147_483_647))).status).toBe(201);
    expect((await create(of(domain("d2"), 0))).status).toBe(201);
    expect((await create(of(project("d2p1"), 1))).status).toBe(403);
    expect((await create(of(project("d2p1"), 0))).status).toBe(201);
  });

  it("are looked at together where they are sent together", async () => {
    await start("strict_two_level");
    expect((await create(of(project("d1p1"), 31), of(domain("d1"), 30))).status).toBe(403);
    expect((await create(of(project("d1p1"), 30), of(domain("d1"), 30))).status).toBe(201);
  });

  it("stay whole when a domain's limit is lowered or deleted, or the default lowered", async () => {
    await start("strict_two_level");
    const [top, child] = (await create(of(domain("d1"), 20), of(project("d1p1"), 15))).body.limits;
    await create(of(project("d2p1"), 9));
    expect((await change(top.id, { resource_limit: 14 })).status).toBe(403);
    expect((await change(top.id, { resource_limit: 15 })).status).toBe(200);
    expect((await service.ask("DELETE", `/v3/limits/${top.id}`)).status).toBe(403);
    const query = `service_id=${COMPUTE}&resource_name=a`;
    const { id } = (await service.ask("GET", `/v3/registered_limits?${query}`)).body.registered_limits[0];
    const lower = (default_limit: number) =>
      service.ask("PATCH", `/v3/registered_limits/${id}`, {
        body: { registered_limit: { default_limit } },
      });
    expect(messageOf(await lower(8))).toMatch(
      /project d2p1 .* would be 9, above the 8 of its domain domain d2/,
    );
    expect((await lower(9)).status).toBe(200);
    await service.ask("DELETE", `/v3/limits/${child.id}`);
    expect((await service.ask("DELETE", `/v3/limits/${top.id}`)).status).toBe(204);
  });
});
