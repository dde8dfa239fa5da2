/** Policies, and the endpoints they apply to. Expected responses are Keystone's unless a test states otherwise. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createEndpointService } from "../../src/catalog/endpoint-service.js";
import { createRegionService } from "../../src/catalog/regions/region-service.js";
import { createServiceService } from "../../src/catalog/service-service.js";
import { addEndpointPolicyRoutes } from "../../src/stored-policies/endpoint-policy-routes.js";
import { createEndpointPolicyService } from "../../src/stored-policies/endpoint-policy-service.js";
import { addPolicyRoutes } from "../../src/stored-policies/policy-routes.js";
import { createPolicyService } from "../../src/stored-policies/policy-service.js";
import { databases } from "../databases.js";
import {
  featureServer,
  inDomain,
  inProject,
  SYSTEM_READER,
  UNSCOPED,
  type FeatureServer,
} from "../feature-server.js";

const POLICIES = "/v3/policies";

let server: FeatureServer;
let endpoints: ReturnType<typeof createEndpointService>;
let regions: ReturnType<typeof createRegionService>;
/** The region `inner` is within `outer`. */
let [compute, inner, outer, anywhere] = ["", "", "", ""];
beforeEach(async () => {
  server = await featureServer(databases, async (http, deps) => {
    endpoints = createEndpointService(deps);
    regions = createRegionService(deps);
    addPolicyRoutes(http, { ...deps, policies: createPolicyService(deps) });
    addEndpointPolicyRoutes(http, { ...deps, endpointPolicies: createEndpointPolicyService(deps) });
    await regions.create({ id: "outer" });
    await regions.create({ id: "inner", parent_region_id: "outer" });
    compute = (await createServiceService(deps).create({ type: "compute" })).id;
    const add = async (place: object) =>
      (await endpoints.create({ service_id: compute, interface: "public", url: "http://h/", ...place })).id;
    [inner, outer, anywhere] = [
      await add({ region_id: "inner" }),
      await add({ region_id: "outer" }),
      await add({}),
    ];
  });
});
afterEach(() => server.close());

const ask = (method: string, path: string, policy?: unknown) =>
  server.ask(method, path, { body: policy === undefined ? undefined : { policy } });
const create = async (blob: string) =>
  (await ask("POST", POLICIES, { blob, type: "text/plain" })).body.policy.id as string;
const associate = async (id: string, target: string) =>
  expect((await ask("PUT", `${POLICIES}/${id}/OS-ENDPOINT-POLICY/${target}`)).status).toBe(204);
/** The blob of the policy that applies; the status, if none does. */
const policyOf = async (endpoint: string) => {
  const { status, body } = await ask("GET", `/v3/endpoints/${endpoint}/OS-ENDPOINT-POLICY/policy`);
  return status === 200 ? (body.policy.blob as string) : status;
};
const endpointsOf = async (id: string) =>
  (
    (await ask("GET", `${POLICIES}/${id}/OS-ENDPOINT-POLICY/endpoints`)).body.endpoints as { id: string }[]
  ).map((endpoint) => endpoint.id);

describe(`policies on ${databases.name}`, () => {
  it("attributes-keep-their-names: are created with any attributes, and changed", async () => {
    const { status, body } = await ask("POST", POLICIES, { blob: "{}", type: "t", id: "mine", "a-b": 1 });
    const { id } = body.policy;
    expect([status, body]).toEqual([
      201,
      {
        policy: {
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          blob: "{}",
          type: "t",
          "a-b": 1,
          links: { self: `http://127.0.0.1:5900/v3/policies/${id}` },
        },
      },
    ]);
    const changed = await ask("PATCH", `${POLICIES}/${id}`, { blob: "new", foo: null });
    expect(changed.body.policy).toMatchObject({ blob: "new", type: "t", "a-b": 1, foo: null });
    expect((await ask("GET", `${POLICIES}/${id}`)).body).toEqual(changed.body);
    const other = await ask("PATCH", `${POLICIES}/${id}`, { id: "other" });
    expect([other.status, other.body.error.message]).toEqual([400, "Cannot change policy ID"]);
  });

  it.each([
    [{ type: "t" }],
    [{ blob: "b" }],
    [{ blob: {}, type: "t" }],
    [{ blob: "b", type: "t".repeat(256) }],
  ])("are rejected as %j", async (policy) => expect((await ask("POST", POLICIES, policy)).status).toBe(400));

  it("policies-have-no-collection-methods", async () => {
    for (const method of ["PUT", "PATCH", "DELETE"])
      expect((await ask(method, POLICIES, {})).status).toBe(405);
    expect((await ask("POST", `${POLICIES}/${await create("a")}`, {})).status).toBe(405);
  });

  it("are listed by type", async () => {
    const id = await create("a");
    await ask("POST", POLICIES, { blob: "b", type: "other" });
    const { body } = await ask("GET", `${POLICIES}?type=text/plain`);
    expect(body.policies.map((policy: { id: string }) => policy.id)).toEqual([id]);
  });

  it("apply by endpoint, then by region from the inside out, then by service", async () => {
    expect(await policyOf(inner)).toBe(404);
    await associate(await create("service"), `services/${compute}`);
    await associate(await create("outer"), `services/${compute}/regions/outer`);
    expect([await policyOf(inner), await policyOf(outer), await policyOf(anywhere)]).toEqual([
      "outer",
      "outer",
      "service",
    ]);
    await associate(await create("inner"), `services/${compute}/regions/inner`);
    expect([await policyOf(inner), await policyOf(outer)]).toEqual(["inner", "outer"]);
    const own = await create("own");
    await associate(own, `endpoints/${inner}`);
    expect(await policyOf(inner)).toBe("own");
    const { body } = await ask("GET", `/v3/endpoints/${inner}/OS-ENDPOINT-POLICY/policy`);
    expect(body.policy.links.self).toBe(`http://127.0.0.1:5900/v3/endpoints/${own}`);
  });

  it("replace the policy of a target, which has one at most", async () => {
    const [first, second] = [await create("first"), await create("second")];
    const statusOf = async (id: string, method = "GET") =>
      (await ask(method, `${POLICIES}/${id}/OS-ENDPOINT-POLICY/services/${compute}`)).status;
    await associate(first, `services/${compute}`);
    await associate(second, `services/${compute}`);
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 204]);
    // Taking the former one away changes nothing.
    expect(await statusOf(first, "DELETE")).toBe(204);
    expect(await policyOf(outer)).toBe("second");
    expect(await statusOf(second, "DELETE")).toBe(204);
    expect(await policyOf(outer)).toBe(404);
  });

  it("endpoints-of-policies-are-listed-once", async () => {
    const id = await create("a");
    expect(await endpointsOf(id)).toEqual([]);
    await associate(id, `services/${compute}/regions/inner`);
    expect(await endpointsOf(id)).toEqual([inner]);
    await associate(id, `services/${compute}/regions/outer`);
    await associate(id, `endpoints/${inner}`);
    expect(await endpointsOf(id)).toEqual([inner, outer].toSorted());
    await associate(id, `services/${compute}`);
    expect(await endpointsOf(id)).toEqual([inner, outer, anywhere].toSorted());
  });

  it("leave nothing when they, or their targets, are deleted", async () => {
    const [service, own] = [await create("service"), await create("own")];
    await associate(service, `services/${compute}`);
    await associate(own, `endpoints/${inner}`);
    await ask("DELETE", `${POLICIES}/${own}`);
    expect(await policyOf(inner)).toBe("service");
    await endpoints.delete(inner);
    expect(await endpointsOf(service)).toEqual([outer, anywhere].toSorted());
  });

  it("are not found without policy, endpoint, service or region", async () => {
    const id = await create("a");
    for (const [path, message] of [
      [`${POLICIES}/x`, "Could not find policy: x."],
      [`${POLICIES}/x/OS-ENDPOINT-POLICY/endpoints`, "Could not find policy: x."],
      [`${POLICIES}/x/OS-ENDPOINT-POLICY/endpoints/${inner}`, "Could not find policy: x."],
      [`${POLICIES}/${id}/OS-ENDPOINT-POLICY/endpoints/x`, "Could not find endpoint: x."],
      [`${POLICIES}/${id}/OS-ENDPOINT-POLICY/services/x`, "Could not find service: x."],
      [`${POLICIES}/${id}/OS-ENDPOINT-POLICY/services/${compute}/regions/x`, "Could not find region: x."],
      [`${POLICIES}/${id}/OS-ENDPOINT-POLICY/endpoints/${inner}`, "Could not find policy association."],
      [`/v3/endpoints/x/OS-ENDPOINT-POLICY/policy`, "Could not find endpoint: x."],
      [`/v3/endpoints/${inner}/OS-ENDPOINT-POLICY/policy`, `No policy is associated with endpoint ${inner}.`],
    ] as const) {
      const { status, body } = await ask("GET", path);
      expect([path, status, body.error.message]).toEqual([path, 404, message]);
    }
  });

  it("are read by administrators and readers of the system, and changed by administrators", async () => {
    const id = await create("a");
    const targets = [`endpoints/${inner}`, `services/${compute}`, `services/${compute}/regions/inner`].map(
      (target) => `${POLICIES}/${id}/OS-ENDPOINT-POLICY/${target}`,
    );
    for (const target of targets) await ask("PUT", target);
    const reads = [
      POLICIES,
      `${POLICIES}/${id}`,
      `${POLICIES}/${id}/OS-ENDPOINT-POLICY/endpoints`,
      `/v3/endpoints/${inner}/OS-ENDPOINT-POLICY/policy`,
      ...targets,
    ];
    const changes = [
      ["POST", POLICIES],
      ["PATCH", `${POLICIES}/${id}`],
      ...targets.map((target) => ["PUT", target] as const),
      ...targets.map((target) => ["DELETE", target] as const),
      ["DELETE", `${POLICIES}/${id}`],
    ] as const;
    const others = [UNSCOPED, inDomain("default", "admin"), inProject("p", "d", "manager", "member")];
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
    for (const [method, url] of changes.slice(2))
      expect((await server.ask(method, url, { as })).status).toBe(204);
  });
});
