/** The providers that a protocol's metadata describes: found by name, domain and id; health and checks of all that are chosen. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import {
  OPENID,
  testLoginServer,
  type TestLoginServer,
} from "../../workbench/test-login/test-login-service.js";
import { newSigner } from "../saml/test-provider.js";
import { aggregateXml, entityXml } from "../saml/metadata/test-aggregate.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/federation";
const PROTOCOL = `${PROVIDER}/protocols/saml2`;
const ids = (names: readonly string[]) => names.map((name) => `https://${name}.example/idp`);
const XML = aggregateXml(
  [
    entityXml({
      entityId: "https://a.example/idp",
      names: { en: "University of A", de: "Universität A" },
      scope: "a.example",
    }),
    entityXml({
      entityId: "https://b.example/idp",
      names: { en: "École B" },
      scope: "uni-b.example",
      signer: newSigner(),
    }),
    entityXml({ entityId: "https://c.example/idp" }),
  ].join(""),
);

describe(`entities of a federation, with ${sqliteDatabases.name}`, () => {
  let server: TestLoginServer;
  beforeAll(async () => {
    server = await testLoginServer(sqliteDatabases);
    await server.ask("PUT", PROVIDER, { body: { identity_provider: { enabled: true } } });
  });
  afterAll(() => server.close());

  const find = async (search: string, headers: Record<string, string> = {}) =>
    server.ask("GET", `${PROTOCOL}/entities?search=${encodeURIComponent(search)}`, { headers });
  const checksOf = async (name: string) => {
    const { body } = await server.ask("POST", `${PROTOCOL}/refresh`);
    return body.protocol.checks
      .filter(({ check }: { check: string }) => check === name)
      .map(({ status, message }: { status: string; message: string }) => `${status}: ${message}`);
  };

  it("are found by words of their names in any language, their domains and ids", async () => {
    const settings = { type: "saml2", idp_metadata_xml: XML };
    const { status, text } = await server.ask("PUT", PROTOCOL, {
      body: { protocol: { mapping_id: "acme", settings } },
    });
    expect([status, text]).toEqual([201, expect.stringContaining("choose entities by name in the console")]);
    expect((await find("")).body).toMatchObject({ found: 3, total: 3, chosen: [] });
    for (const [search, found] of [
      ["universitat", ["a"]],
      ["ecole", ["b"]],
      ["uni-b.example", ["b"]],
      ["c.example/idp", ["c"]],
      ["nowhere", []],
    ] as const)
      expect((await find(search)).body.entities.map(({ id }: { id: string }) => id)).toEqual(ids(found));
    const [german] = (await find("a.example", { "accept-language": "de" })).body.entities;
    expect(german).toEqual({ id: "https://a.example/idp", name: "Universität A", scopes: ["a.example"] });
  });

  it("are listed for administrators alone, and for no protocol of one provider", async () => {
    const token = await server.tokenOf("auditor", "reader");
    expect((await server.ask("GET", `${PROTOCOL}/entities`, { token })).status).toBe(403);
    const one = await server.ask("GET", `${OPENID}/entities`);
    expect([one.status, one.text]).toEqual([400, expect.stringContaining("those of one provider")]);
  });

  it("are all checked, and all have their keys in the provider's health", async () => {
    const remote_ids = [...ids(["a", "b"]), "https://gone.example/idp"];
    await server.ask("PATCH", PROVIDER, { body: { identity_provider: { remote_ids } } });
    expect((await find("")).body.chosen.map(({ id }: { id: string }) => id)).toEqual(ids(["a", "b"]));
    expect(await checksOf("metadata")).toEqual([
      'ok: the metadata describes "https://a.example/idp" and 1 more',
    ]);
    expect(await checksOf("remote-ids")).toEqual([
      expect.stringMatching(
        /^warning: remote_ids has "https:\/\/gone\.example\/idp", which the metadata does not describe/,
      ),
      "ok: entities among the provider's remote_ids: 2",
    ]);
    // Certificates of these tests are valid for a day.
    expect(await checksOf("certificates")).toEqual([
      expect.stringMatching(/^warning: "https:\/\/a\.example\/idp": signing certificate/),
      expect.stringMatching(/^warning: "https:\/\/b\.example\/idp": signing certificate/),
    ]);
    const { health } = (await server.ask("GET", `${PROVIDER}/health`)).body;
    expect(health.protocols[0].keys.map(({ entity }: { entity: string }) => entity).toSorted()).toEqual(
      ids(["a", "b"]),
    );
    expect(health.protocols[0].problems.join()).toMatch(
      /certificate of key sha256:\w+ of https:\/\/b\.example/,
    );
  });
});
