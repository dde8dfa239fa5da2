/** Messages about limits name the entry of the request, its resource, service and region. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import type { FeatureServer } from "../feature-server.js";
import { addProject, addRegion, addService, COMPUTE, limitServer } from "./limit-server.js";

let service: FeatureServer;
beforeEach(async () => {
  service = await limitServer(sqliteDatabases, { model: "strict_two_level" });
  const { database } = service;
  await addProject(database, { id: "d1", name: "Domain" });
  await addProject(database, { id: "p1", domainId: "d1", name: "Project" });
  await addService(database, COMPUTE);
  await addRegion(database, "r1");
  const registered = [
    { service_id: COMPUTE, resource_name: "volumes", default_limit: 10 },
    { service_id: COMPUTE, resource_name: "volumes", region_id: "r1", default_limit: 10 },
  ];
  await service.ask("POST", "/v3/registered_limits", { body: { registered_limits: registered } });
});
afterEach(() => service.close());

const UNKNOWN = "e".repeat(32);
const good = { service_id: COMPUTE, resource_name: "volumes", project_id: "p1", resource_limit: 5 };
const other = { ...good, region_id: "r1" };

describe(`refusals-name-the-entry: a refused list of limits on ${sqliteDatabases.name}`, () => {
  it.each([
    [
      "a resource that is not registered",
      { ...good, resource_name: "image_count" },
      403,
      'limits[1] of p1 is for resource "image_count" of service "cccccccccccccccccccccccccccccccc" without a region, which has none.',
    ],
    [
      "a region in which it is not registered",
      { ...good, resource_name: "image_count", region_id: "r1" },
      403,
      'limits[1] of p1 is for resource "image_count" of service "cccccccccccccccccccccccccccccccc" in region "r1", which has none.',
    ],
    [
      "an unknown service",
      { ...good, service_id: UNKNOWN },
      400,
      'limits[1].service_id is "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", expected the id of a service.',
    ],
    [
      "an unknown region",
      { ...good, region_id: "none" },
      400,
      'limits[1].region_id is "none", expected the id of a region.',
    ],
    [
      "an unknown project",
      { ...good, project_id: "none" },
      400,
      'limits[1].project_id is "none", expected the id of a project.',
    ],
    [
      "a project as a domain",
      { service_id: COMPUTE, resource_name: "volumes", domain_id: "p1", resource_limit: 5 },
      400,
      'limits[1].domain_id is "p1", expected the id of a domain.',
    ],
    [
      "no project",
      { ...good, project_id: null },
      400,
      "limits[1].project_id is missing, expected the id of a project.",
    ],
    [
      "the same twice",
      other,
      409,
      'Duplicate entry. limits[1] of p1 is for resource "volumes" of service "cccccccccccccccccccccccccccccccc" in region "r1", which has one.',
    ],
    [
      "more than the domain has",
      { ...good, resource_limit: 11 },
      403,
      'limits[1] of p1 is for resource "volumes" of service "cccccccccccccccccccccccccccccccc" without a region.',
    ],
  ])("says which is for %s", async (_, limit, status, end) => {
    const { status: answered, body } = await service.ask("POST", "/v3/limits", {
      body: { limits: [other, limit] },
    });
    expect([answered, body.error.message]).toEqual([status, expect.stringContaining(end)]);
  });

  it("says which exists", async () => {
    await service.ask("POST", "/v3/limits", { body: { limits: [good] } });
    const { status, body } = await service.ask("POST", "/v3/limits", { body: { limits: [other, good] } });
    expect([status, body.error.message]).toEqual([
      409,
      'Conflict occurred attempting to store limit - Duplicate entry. limits[1] of p1 is for resource "volumes" of service "cccccccccccccccccccccccccccccccc" without a region, which has one.',
    ]);
  });

  it("is named in the document of all limits too", async () => {
    const document = (limits: object[], registered: object[] = []) =>
      service.ask("POST", "/v3/limits/document/plan", {
        body: { document: { registered_limits: registered, limits } },
      });
    const { body } = await document([good]);
    expect(body.error?.message).toContain("limits[0]");
  });
});

describe(`refusals-name-the-entry: a refused list of registered limits on ${sqliteDatabases.name}`, () => {
  const images = { service_id: COMPUTE, resource_name: "images", default_limit: 1 };
  it.each([
    [
      { ...images, service_id: UNKNOWN },
      400,
      'registered_limits[1].service_id is "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", expected the id of a service.',
    ],
    [
      { ...images, region_id: "none" },
      400,
      'registered_limits[1].region_id is "none", expected the id of a region.',
    ],
    [
      images,
      409,
      'registered_limits[1] is for resource "images" of service "cccccccccccccccccccccccccccccccc" without a region, which has one.',
    ],
    [
      { ...images, resource_name: "volumes", region_id: "r1" },
      409,
      'registered_limits[1] is for resource "volumes" of service "cccccccccccccccccccccccccccccccc" in region "r1", which has one.',
    ],
  ])("says which it is: %j", async (limit, status, end) => {
    const answer = await service.ask("POST", "/v3/registered_limits", {
      body: { registered_limits: [images, limit] },
    });
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(end)]);
  });

  it("says what is in use, and what a change refers to", async () => {
    await service.ask("POST", "/v3/limits", { body: { limits: [other] } });
    const { body } = await service.ask("GET", "/v3/registered_limits?region_id=r1");
    const [{ id }] = body.registered_limits as [{ id: string }];
    const refused = await service.ask("DELETE", `/v3/registered_limits/${id}`);
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      `Unable to update or delete registered limit ${id} because there are project limits associated with it. registered_limit is for resource "volumes" of service "cccccccccccccccccccccccccccccccc" in region "r1".`,
    ]);
    const change = { registered_limit: { service_id: UNKNOWN } };
    const changed = await service.ask("PATCH", `/v3/registered_limits/${id}`, { body: change });
    expect([changed.status, changed.body.error.message]).toEqual([
      400,
      expect.stringContaining(
        'registered_limit.service_id is "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", expected the id of a service.',
      ),
    ]);
  });
});
