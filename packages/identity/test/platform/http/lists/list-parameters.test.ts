/** `limit` and `marker` of every list in pages that the API document has, with the ids of one resource of each kind in its path. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  credentialServer,
  type CredentialServer,
} from "../../../application-credentials/application-credential-server.js";
import { databases } from "../../../databases.js";

/** Parameters of lists that need another query. */
const QUERIES: Readonly<Record<string, string>> = { "/v3/limits/effective": "project_id=" };
/** Their items come from logins of providers and of consumers; audit events have pages of their own, of 500 at most (audit-api.test.ts). */
const LEFT_OUT = /\/recording\/logins$|\/access_tokens|^\/v3\/audit_events/;

let server: CredentialServer;
let lists: string[];
let ids: Record<string, string>;
beforeAll(async () => {
  server = await credentialServer(databases);
  ids = await madeIds();
  lists = (await pagedLists()).filter((path) => !LEFT_OUT.test(path));
}, 60_000);
afterAll(() => server.close());

interface ListOperation {
  readonly get?: { readonly parameters?: readonly { readonly name: string }[] };
}

async function pagedLists(): Promise<string[]> {
  const { paths } = (await server.inject({ url: "/openapi.json" })).json<{
    paths: Record<string, ListOperation>;
  }>();
  return Object.keys(paths).filter((path) =>
    paths[path]?.get?.parameters?.some(({ name }) => name === "marker"),
  );
}

async function madeIds(): Promise<Record<string, string>> {
  const { create, ask } = server;
  const user = await server.member();
  const service_id = await create("service", { type: "compute", name: "nova" });
  const group_id = await create("group", { name: "g", domain_id: "default" });
  const endpoint = { service_id, interface: "public", url: "http://127.0.0.1:8774" };
  const { body: filter } = await ask("POST", "/v3/OS-EP-FILTER/endpoint_groups", {
    body: { endpoint_group: { name: "e", filters: { interface: "public" } } },
  });
  const { body: policy } = await ask("POST", "/v3/policies", { body: { policy: { type: "t", blob: "{}" } } });
  await ask(
    "PUT",
    `/v3/projects/${user.projectId}/groups/${group_id}/roles/${await server.roleId("reader")}`,
  );
  await ask("PUT", "/v3/OS-FEDERATION/identity_providers/idp", {
    body: { identity_provider: { enabled: true } },
  });
  const trust = {
    trustor_user_id: user.id,
    trustee_user_id: user.id,
    impersonation: false,
    project_id: user.projectId,
    roles: [{ name: "member" }],
  };
  const { body: trusted } = await server.send("POST", "/v3/OS-TRUST/trusts", {
    token: user.token,
    body: { trust },
  });
  return {
    user_id: user.id,
    project_id: user.projectId,
    domain_id: "default",
    group_id,
    endpoint_group_id: filter.endpoint_group.id,
    endpoint_id: await create("endpoint", endpoint),
    policy_id: policy.policy.id,
    idp_id: "idp",
    trust_id: trusted.trust.id,
  };
}

/** The answers of all lists to a query. */
async function answers(query: string) {
  const id = ids["user_id"] ?? "";
  const own = await server.byPassword({ id }, { project: { id: ids["project_id"] ?? "" } });
  const found: { path: string; status: number; body: Record<string, unknown> }[] = [];
  for (const template of lists) {
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
    const needed = QUERIES[template] === undefined ? "" : `${QUERIES[template]}${ids["project_id"]}&`;
    // Trusts are listed by their trustor; the roles of a trust by trustor or trustee.
    const by = template.includes("/trusts") ? { token: own.token } : {};
    const trustor = template === "/v3/OS-TRUST/trusts" ? `trustor_user_id=${id}&` : "";
    const { status, body } = await server.ask("GET", `${path}?${needed}${trustor}${query}`, by);
    found.push({ path, status, body: body as Record<string, unknown> });
  }
  return found;
}

const expectAll = (found: Awaited<ReturnType<typeof answers>>, status: number) => {
  expect(found.filter((each) => each.status !== status)).toEqual([]);
  expect(found.length).toBeGreaterThan(50);
};
const listIn = (body: Record<string, unknown>) => Object.values(body).find((value) => Array.isArray(value));

describe(`every list in pages on ${databases.name}`, () => {
  it.each([
    "",
    "limit=1",
    "limit=%2B1",
    "limit=9007199254740993",
    "limit=99999999999999999999",
    "limit=1&limit=-1",
  ])(
    "has a page for %j",
    async (query) => {
      const found = await answers(query);
      expectAll(found, 200);
      expect(found).toHaveLength(lists.length);
    },
    60_000,
  );

  it("is empty with the limit 0", async () => {
    const found = await answers("limit=0");
    expectAll(found, 200);
    expect(found.filter(({ body }) => listIn(body)?.length !== 0)).toEqual([]);
  });

  it.each([
    ["-1", "-1 is less than the minimum of 0"],
    ["-99999999999999999999", "-99999999999999999999 is less than the minimum of 0"],
    ["abc", "'abc' is not of type 'integer'"],
    ["1.5", "'1.5' is not of type 'integer'"],
    ["1e3", "'1e3' is not of type 'integer'"],
    ["0x10", "'0x10' is not of type 'integer'"],
    ["", "'' is not of type 'integer'"],
  ])(
    "refuses the limit %j",
    async (limit, reason) => {
      const found = await answers(`limit=${limit}`);
      expectAll(found, 400);
      for (const { body } of found)
        expect(body["error"]).toMatchObject({
          message: `Invalid input for field/attribute limit. Value: ${limit}. ${reason}`,
        });
    },
    60_000,
  );

  // As Keystone's lists of users and projects: GET /v3/users?limit=2&marker=zzz.
  it.each(["zzz", "", "ffffffffffffffffffffffffffffffff", "%F0%9F%92%A9"])(
    "does not go on after the unknown marker %j",
    async (marker) => {
      const found = await answers(`limit=2&marker=${marker}`);
      expectAll(found, 404);
      for (const { body } of found)
        expect(body["error"]).toMatchObject({
          message: `Marker ${decodeURIComponent(marker)} could not be found.`,
        });
    },
    60_000,
  );

  it("goes on after each of its items", async () => {
    for (const { path, body } of await answers("")) {
      const items = (listIn(body) ?? []) as { readonly id?: string }[];
      const marker = items[0]?.id;
      if (marker === undefined || path.includes("trusts")) continue;
      const query = path === "/v3/limits/effective" ? `project_id=${ids["project_id"]}&` : "";
      const { status, body: rest } = await server.ask(
        "GET",
        `${path}?${query}marker=${encodeURIComponent(marker)}`,
      );
      if (
        path.startsWith("/v3/auth/") ||
        /\/OS-FEDERATION\/(?:projects|domains)$|^\/EXT|^\/v3\/EXT/.test(path)
      )
        continue;
      expect({ path, status, items: listIn(rest as Record<string, unknown>) }).toEqual({
        path,
        status: 200,
        items: items.slice(1),
      });
    }
  });

  it("goes on after an item that its filter leaves out", async () => {
    const [first, last] = [
      await server.create("region", { id: "r1" }),
      await server.create("region", { id: "r2" }),
    ];
    await server.ask("PATCH", `/v3/regions/${last}`, { body: { region: { parent_region_id: first } } });
    const { status, body } = await server.ask("GET", `/v3/regions?parent_region_id=${first}&marker=${first}`);
    expect([status, body.regions.map(({ id }: { id: string }) => id)]).toEqual([200, [last]]);
  });
});
