/** Users of one cloud log in to another by Keystone-to-Keystone federation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { PUBLIC_URL } from "../test-server.js";
import { alice, adminService, assertionFor, type AdminService } from "../federation/saml/admin-service.js";

const ENTITY = "https://first.example.org/idp";
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/first";
const AUTH = `${PROVIDER}/protocols/saml2/auth`;

const RULES = [
  {
    remote: [
      { type: "openstack_user" },
      { type: "openstack_project", any_one_of: ["p1"] },
      { type: "openstack_roles", any_one_of: ["member"] },
      { type: "openstack_groups" },
    ],
    local: [{ user: { name: "{0} of the first" } }],
  },
];

describe("a second cloud", () => {
  let first: AdminService;
  let second: AdminService;
  let token: string;
  beforeAll(async () => {
    first = await adminService(sqliteDatabases, { IDENTITY_SAML_ENTITY_ID: ENTITY });
    second = await adminService(sqliteDatabases);
    ({ member: token } = await alice(first));
    const url = PUBLIC_URL + AUTH;
    await first.admin("PUT", "/v3/OS-FEDERATION/service_providers/second", {
      service_provider: { auth_url: url, sp_url: url, enabled: true },
    });
    await second.admin("PUT", "/v3/OS-FEDERATION/mappings/first", { mapping: { rules: RULES } });
    await second.admin("PUT", PROVIDER, {
      identity_provider: { enabled: true, domain_id: "default", remote_ids: [ENTITY] },
    });
    const metadata = await first.ask("GET", "/v3/OS-FEDERATION/saml2/metadata");
    const settings = {
      type: "saml2",
      idp_metadata_xml: metadata.body,
      // As Keystone's, these assertions name no audience.
      allow_missing_audience: true,
    };
    await second.admin("PUT", `${PROVIDER}/protocols/saml2`, {
      protocol: { mapping_id: "first", settings },
    });
  });
  afterAll(async () => {
    await first.remove();
    await second.remove();
  });

  async function envelope(): Promise<string> {
    const answer = await first.ask("POST", "/v3/auth/OS-FEDERATION/saml2/ecp", assertionFor(token, "second"));
    return answer.body;
  }
  const carry = (payload: string) =>
    second.app.server.inject({
      method: "POST",
      url: AUTH,
      headers: { "content-type": "application/vnd.paos+xml" },
      payload,
    });

  it("logs in a user of the first cloud, once", async () => {
    const message = await envelope();
    const answer = await carry(message);
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      token: { user: { name: "alice of the first" }, methods: ["saml2"] },
    });
    expect((await carry(message)).statusCode).toBe(401);
  });

  it("has its login endpoint in the metadata", async () => {
    const { body } = await second.ask("GET", "/v3/OS-FEDERATION/saml2/metadata");
    expect(body).toContain(`Location="${PUBLIC_URL}${AUTH}"`);
  });

  it.each(["https://sp.example.com/\r\nx-injected: 1", "https://sp.exämple.com/"])(
    "refuses with 403, not 500, where a service provider's address was stored before it was checked: %j",
    async (address) => {
      const { database } = first.app;
      const row = { id: "old", enabled: true, description: null, relay_state_prefix: "ss:mem:" };
      await database
        .tables<{ service_provider: Record<string, unknown> }>()
        .insertInto("service_provider")
        .values({ ...row, auth_url: "https://sp.example.com/", sp_url: address })
        .execute();
      const answer = await first.ask("POST", "/v3/auth/OS-FEDERATION/saml2", assertionFor(token, "old"));
      expect(answer.statusCode).toBe(403);
      expect(answer.body).toContain("sp_url of service provider old");
      await first.admin("DELETE", "/v3/OS-FEDERATION/service_providers/old");
    },
  );

  it("rejects a message that was changed in transit", async () => {
    expect((await carry((await envelope()).replace(">alice<", ">admin<"))).statusCode).toBe(401);
  });
});
