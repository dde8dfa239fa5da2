/** A change of endpoint filters shows in tokens at every replica. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../test-app.js";

let replicas: TestReplicas;
let token = "";
let project = "";
let endpoints: readonly string[];
beforeAll(async () => {
  replicas = await testReplicas(databases, 2);
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const scope = { project: { name: "admin", domain: { id: "default" } } };
  const auth = { identity: { methods: ["password"], password: { user } }, scope };
  token = String((await ask("POST", "/v3/auth/tokens", { auth })).headers["x-subject-token"]);
  project = (await ask("GET", "/v3/projects?name=admin")).json().projects[0].id as string;
  const service = (await ask("POST", "/v3/services", { service: { type: "compute" } })).json().service
    .id as string;
  endpoints = [await add(service, "http://a/"), await add(service, "http://b/")];
});
afterAll(() => replicas.remove());

async function add(service_id: string, url: string): Promise<string> {
  const endpoint = { service_id, interface: "public", url };
  return (await ask("POST", "/v3/endpoints", { endpoint })).json().endpoint.id as string;
}

function ask(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  url: string,
  payload?: object,
  replica = 0,
) {
  const headers = token === "" ? {} : { "x-auth-token": token, "x-subject-token": token };
  const app = replicas.apps[replica];
  if (app === undefined) throw new Error(`replica ${replica} does not exist`);
  return app.server.inject({ method, url, headers, ...(payload && { payload }) });
}

/** The ids of the endpoints in the token, as the other replica shows it. */
async function shown(): Promise<string[]> {
  const { catalog } = (await ask("GET", "/v3/auth/tokens", undefined, 1)).json().token;
  return catalog.flatMap((entry: { endpoints: { id: string }[] }) => entry.endpoints.map(({ id }) => id));
}

const TRIALS = 10;

describe(`endpoint filters on ${databases.name}`, () => {
  it("shape the catalogs of other replicas within a second", async () => {
    const [first = "", second = ""] = endpoints;
    const filters = {
      interface: "public",
      service_id: (await ask("GET", `/v3/endpoints/${first}`)).json().endpoint.service_id,
    };
    const group = (
      await ask("POST", "/v3/OS-EP-FILTER/endpoint_groups", { endpoint_group: { name: "g", filters } })
    ).json().endpoint_group.id as string;
    const ofEndpoint = `/v3/OS-EP-FILTER/projects/${project}/endpoints/${first}`;
    const ofGroup = `/v3/OS-EP-FILTER/endpoint_groups/${group}/projects/${project}`;
    const all = (await shown()).toSorted();
    expect(all).toEqual(expect.arrayContaining([first, second]));
    for (let trial = 0; trial < TRIALS; trial += 1)
      for (const [method, path, wanted] of [
        ["PUT", ofEndpoint, [first]],
        ["PUT", ofGroup, [first, second]],
        ["DELETE", ofEndpoint, [first, second]],
        ["DELETE", ofGroup, all],
      ] as const) {
        expect((await ask(method, path)).statusCode).toBe(204);
        await expect
          .poll(async () => (await shown()).toSorted(), { timeout: 1000, interval: 20 })
          .toEqual(wanted.toSorted());
      }
  }, 60_000);
});
