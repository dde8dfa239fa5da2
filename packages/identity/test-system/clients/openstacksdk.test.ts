/** openstacksdk next to federation documents: what scripts change is seen by a plan, and mended by an apply. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { askClient } from "../run-program.js";
import { ADMIN_PASSWORD, runService, type ReachableService } from "../service-process.js";

/** In a repository, with what it does not name deleted from these sections. */
const DOCUMENT = `version: 1
prune: [grants, protocols]
domains:
  - { name: Lab, description: The laboratory }
projects:
  - { domain: Lab, name: web }
groups:
  - { domain: Lab, name: readers }
  - { domain: Lab, name: staff }
grants:
  - { group: { name: staff, domain: Lab }, role: member, project: { name: web, domain: Lab } }
  - { group: { name: readers, domain: Lab }, role: reader, project: { name: web, domain: Lab } }
mappings:
  - id: corp
    rules:
      - local: [{ user: { id: "{0}", name: "{0}" } }]
        remote: [{ type: OIDC-sub }]
identity_providers:
  - id: corp
    domain: Lab
    enabled: true
    description: The company's provider
    protocols:
      - { id: openid, mapping: corp }
`;

const AS_WRITTEN = {
  enabled: true,
  description: "The company's provider",
  types: ["OIDC-sub"],
  protocols: ["openid"],
  domain: "The laboratory",
  groups: ["readers", "staff"],
  grants: ["readers:reader", "staff:member"],
};

let service: ReachableService;
let token: string;
beforeAll(async () => {
  service = await runService(sqliteDatabases);
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const login = await fetch(`${service.url}/v3/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      auth: { identity: { methods: ["password"], password: { user } }, scope: { system: { all: true } } },
    }),
  });
  token = login.headers.get("x-subject-token") ?? "";
}, 60_000);
afterAll(() => service.close());

async function document(method: "PUT" | "POST", path = ""): Promise<readonly string[]> {
  const response = await fetch(`${service.url}/v3/OS-FEDERATION/document${path}`, {
    method,
    headers: { "content-type": "application/json", "x-auth-token": token },
    body: JSON.stringify({ document: DOCUMENT }),
  });
  const body = (await response.json()) as { readonly lines: readonly string[] };
  expect([response.status, body]).toEqual([200, expect.anything()]);
  return body.lines;
}

const sdk = async (step: "read" | "drift") =>
  (await askClient("openstacksdk.py", { step, url: service.url, password: ADMIN_PASSWORD }))[0];

it("reads what a document has applied; a plan names each change of a script, and an apply takes it back", async () => {
  expect(await document("PUT")).toHaveLength(9);
  expect(await sdk("read")).toEqual(AS_WRITTEN);
  expect(await document("POST", "/plan")).toEqual([]);

  expect(await sdk("drift")).toEqual({
    enabled: false,
    description: "by a script",
    types: ["OIDC-email"],
    protocols: ["extra", "openid"],
    domain: "by a script",
    groups: ["staff"],
    grants: ["staff:admin", "staff:member"],
  });
  const seen = await document("POST", "/plan");
  expect(seen).toEqual([
    "~ domain Lab",
    '    description: "by a script" -> "The laboratory"',
    "+ group Lab/readers",
    "+ grant reader to Lab/readers on project Lab/web",
    "~ mapping corp",
    '    rules[0].local[0].user.id: none -> "{0}"',
    '    rules[0].remote[0].type: "OIDC-email" -> "OIDC-sub"',
    "~ identity provider corp",
    "    enabled: false -> true",
    `    description: "by a script" -> "The company's provider"`,
    "- protocol corp/extra",
    "- grant admin to Lab/staff on project Lab/web",
  ]);

  expect(await document("PUT")).toEqual(seen);
  expect(await sdk("read")).toEqual(AS_WRITTEN);
  expect(await document("POST", "/plan")).toEqual([]);
}, 60_000);
