import { describe, expect, it, vi } from "vitest";

import { addDiscoveryRoutes } from "../../../src/platform/discovery/discovery-routes.js";
import {
  coreRelation,
  extensionParameter,
  extensionRelation,
  type HomeRelation,
} from "../../../src/platform/discovery/json-home.js";
import { createLinks } from "../../../src/platform/http/links.js";
import { goldenRows, hasGolden, type GoldenRow } from "../../golden.js";
import { PUBLIC_URL, testServer } from "../../test-server.js";

const FEDERATION = "OS-FEDERATION";
const ofFederation = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, extensionParameter(FEDERATION, name)]));

/** Routes as features will declare them. */
const ROUTES: Readonly<Record<string, readonly HomeRelation[]>> = {
  "/v3/regions": [{ relation: coreRelation("regions") }],
  "/v3/regions/:region_id": [{ relation: coreRelation("region") }],
  "/v3/domains/:domain_id/users/:user_id/roles": [{ relation: coreRelation("domain_user_roles") }],
  "/v3/limits/:limit_id": [{ relation: coreRelation("limit"), status: "experimental" }],
  "/v3/limits/model": [{ relation: coreRelation("limit_model"), status: "experimental" }],
  "/v3/auth/projects": [
    { relation: coreRelation("auth_projects") },
    { relation: extensionRelation(FEDERATION, "projects") },
  ],
  "/v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id": [
    {
      relation: extensionRelation(FEDERATION, "identity_provider_protocol"),
      parameters: ofFederation("idp_id", "protocol_id"),
    },
  ],
};

function discoveryServer() {
  const { server } = testServer();
  addDiscoveryRoutes(server, { links: createLinks(PUBLIC_URL) });
  for (const [url, home] of Object.entries(ROUTES)) server.get(url, { config: { home } }, () => ({}));
  server.get("/v3/unnamed", () => ({}));
  return server;
}

async function homeAt(url: string): Promise<Record<string, unknown>> {
  const answer = await discoveryServer().inject({ url, headers: { accept: "application/json-home" } });
  expect(answer.headers["content-type"]).toBe("application/json-home");
  return answer.json<{ resources: Record<string, unknown> }>().resources;
}

describe("the home document", () => {
  it.each(["/", "/v3"])("is made once at %s, and not for each who asks", async (url) => {
    const server = discoveryServer();
    const read = async () =>
      (await server.inject({ url, headers: { accept: "application/json-home" } })).body;
    const first = await read();
    const writes = vi.spyOn(JSON, "stringify");
    for (let times = 0; times < 100; times++) expect(await read()).toBe(first);
    const documents = writes.mock.calls.filter(
      ([value]) => value !== null && Object.hasOwn(Object(value), "resources"),
    );
    writes.mockRestore();
    expect(documents).toEqual([]);
  });

  it("lists the routes that have a name, and only these", async () => {
    const resources = await homeAt("/v3");
    expect(Object.keys(resources)).toHaveLength(8);
    expect(resources["https://docs.openstack.org/api/openstack-identity/3/rel/region"]).toEqual({
      "href-template": "/regions/{region_id}",
      "href-vars": {
        region_id: "https://docs.openstack.org/api/openstack-identity/3/param/region_id",
      },
    });
    expect(resources["https://docs.openstack.org/api/openstack-identity/3/rel/limit_model"]).toEqual({
      href: "/limits/model",
      hints: { status: "experimental" },
    });
  });

  it.runIf(hasGolden).each(["/", "/v3"])("at %s describes them as Keystone does", async (url) => {
    const answer = goldenRows("head", "01_discovery").find(({ name }) => name === `GET ${url} json-home`);
    const wanted = homeIn(answer);
    const ours = await homeAt(url);
    expect(ours).toEqual(
      Object.fromEntries(Object.keys(ours).map((relation) => [relation, wanted[relation]])),
    );
  });
});

function homeIn(answer: GoldenRow | undefined): Record<string, unknown> {
  return (answer?.response_body as { resources?: Record<string, unknown> } | undefined)?.resources ?? {};
}

describe("the version", () => {
  it.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/xml", "application/json"],
    ["application/json-home", "application/json-home"],
    ["application/json-home;q=0.5, application/json;q=0.9", "application/json"],
    ["application/json;q=0.5, application/json-home", "application/json-home"],
    ["application/json-home, */*", "application/json"],
    ["application/json-home, */*;q=0.1", "application/json-home"],
    ["APPLICATION/JSON-HOME;Q=1", "application/json-home"],
    ["application/json-home;q=nonsense", "application/json"],
    [",;,=", "application/json"],
  ])("gives way to the home document for those who like that better: %s", async (accept, type) => {
    const headers = accept === undefined ? {} : { accept };
    const answer = await discoveryServer().inject({ url: "/v3", headers });
    expect(answer.headers["content-type"]).toBe(type);
  });
});
