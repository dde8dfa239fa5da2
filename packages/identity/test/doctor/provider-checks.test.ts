import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { examineProviders } from "../../src/doctor/provider-checks.js";
import { sqliteDatabases } from "../databases.js";
import { federationServer, type FederationServer } from "../federation/federation-server.js";

const FEDERATION = "/v3/OS-FEDERATION";
const remote = [{ type: "UID" }, { type: "GROUPS" }];

describe(`the doctor's look at identity providers on ${sqliteDatabases.name}`, () => {
  let service: FederationServer;
  beforeAll(async () => {
    service = await federationServer(sqliteDatabases);
  });
  afterAll(() => service.close());

  const put = async (path: string, kind: string, attributes: object) => {
    const body = { [kind]: attributes };
    expect((await service.ask("PUT", `${FEDERATION}/${path}`, { body })).status).toBe(201);
  };

  it("reports nothing without providers", async () => {
    expect(await examineProviders(service.database)).toEqual([]);
  });

  it("is content where rules name domains, or providers are held to some", async () => {
    const bound = [{ local: [{ groups: "{1}", domain: { id: "default" } }], remote }];
    await put("mappings/bound", "mapping", { rules: bound });
    await put("mappings/free", "mapping", { rules: [{ local: [{ groups: "{1}" }], remote }] });
    await put("identity_providers/a", "identity_provider", {});
    await put("identity_providers/a/protocols/saml2", "protocol", { mapping_id: "bound" });
    await put("identity_providers/b", "identity_provider", { authorized_domains: ["default"] });
    await put("identity_providers/b/protocols/saml2", "protocol", { mapping_id: "free" });
    expect(await examineProviders(service.database)).toEqual([
      { state: "ok", subject: "providers", text: "none of 2 chooses among all domains" },
    ]);
  });

  it("warns of those that are trusted with every domain, and names the mapping", async () => {
    await put("identity_providers/a/protocols/openid", "protocol", { mapping_id: "free" });
    expect(await examineProviders(service.database)).toEqual([
      {
        state: "warning",
        subject: "providers",
        text:
          'identity provider "a", protocol "openid", mapping "free": trusted with every domain, because assertions ' +
          'choose it at rules[0].local[0].groups. Write a "domain" there, or set authorized_domains of the provider',
      },
    ]);
  });

  it("warns of protocols of other clouds whose assertions are rejected for their missing Audience", async () => {
    const cloud = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "openstack_user" }] }];
    await put("mappings/cloud", "mapping", { rules: cloud });
    await put("identity_providers/c", "identity_provider", {});
    const settings = { type: "saml2", idp_metadata_url: "https://cloud.example.org/saml2/metadata" };
    const allowed = { ...settings, allow_missing_audience: true };
    const refused = { ...settings, allow_missing_audience: false };
    for (const [id, given] of Object.entries({ k2k: settings, allowed, refused }))
      await put(`identity_providers/c/protocols/${id}`, "protocol", {
        mapping_id: "cloud",
        settings: given,
      });
    const texts = (await examineProviders(service.database)).map(({ text }) => text);
    expect(texts.filter((text) => text.startsWith('identity provider "c"'))).toEqual([
      'identity provider "c", protocol "k2k", mapping "cloud": the mapping reads attributes of another cloud, whose ' +
        "assertions have no Audience and are rejected: set allow_missing_audience in the protocol's settings",
    ]);
  });
});
