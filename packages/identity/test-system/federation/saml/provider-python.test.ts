/** The service's SAML messages, as xmlsec1, the schemas and pysaml2 validate them. */
import { X509Certificate } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import {
  alice,
  adminService,
  assertionFor,
  type AdminService,
} from "../../../test/federation/saml/admin-service.js";
import { askPython } from "../../python.js";

const SP_URL = "https://sp.example.com/Shibboleth.sso/SAML2/ECP";

describe("metadata and assertions of the service", () => {
  let service: AdminService;
  beforeAll(async () => {
    service = await adminService(sqliteDatabases, {
      IDENTITY_SAML_ORGANIZATION_NAME: 'Grün & "Söhne"',
      IDENTITY_SAML_ORGANIZATION_URL: "https://example.com/",
      IDENTITY_SAML_CONTACT_EMAIL: "support@example.com",
    });
  });
  afterAll(() => service.remove());

  it("are valid against the schemas, signed as xmlsec1 has it, and read by pysaml2", async () => {
    const { member } = await alice(service);
    await service.admin("PUT", "/v3/OS-FEDERATION/service_providers/k2k", {
      service_provider: { auth_url: SP_URL, sp_url: SP_URL, enabled: true },
    });
    const metadata = await service.ask("GET", "/v3/OS-FEDERATION/saml2/metadata");
    const response = await service.ask("POST", "/v3/auth/OS-FEDERATION/saml2", assertionFor(member, "k2k"));
    expect(response.statusCode).toBe(200);
    const [, certificate = ""] = /<ds:X509Certificate>([^<]+)</.exec(response.body) ?? [];

    const found = askPython("federation/saml/service-provider.py", {
      metadata: metadata.body,
      response: response.body,
      certificate: new X509Certificate(Buffer.from(certificate, "base64")).toString(),
      recipient: SP_URL,
    });
    expect(found).toEqual({
      metadata: true,
      assertion: true,
      issuer: expect.stringMatching(/\/v3\/OS-FEDERATION\/saml2\/idp$/) as string,
      subject: "alice",
      certificates: 2,
      attributes: {
        openstack_user: ["alice"],
        openstack_roles: expect.arrayContaining(["member", "reader"]) as string[],
        openstack_project: ["p1"],
        openstack_project_domain: ["Default"],
        openstack_user_domain: ["Default"],
        openstack_groups: ['JSON:{"name": "galice", "domain": {"name": "Default"}}'],
      },
    });
  });
});
