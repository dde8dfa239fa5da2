/** A provider with many entities of a federation: what is kept of them for an outage, and what the health of the provider shows. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../../../databases.js";
import { ENV, loginServer, type LoginServer } from "../../login-server.js";
import { NOW, PROVIDER, signedMetadata } from "../test-provider.js";
import { aggregateXml, entityXml } from "./test-aggregate.js";

/** Of 2.5 MB: more than 500 used to be refused, and more than 1 MB not kept. */
const COUNT = 600;
const entityId = (index: number): string => `https://idp${index}.example/idp`;
const IDS = Array.from({ length: COUNT }, (_, index) => entityId(index));
const PROVIDER_PATH = "/v3/OS-FEDERATION/identity_providers/federation";
const AUTH = `${PROVIDER_PATH}/protocols/saml2/auth`;

describe(`a provider with ${COUNT} entities, on ${databases.name}`, () => {
  let server: LoginServer;
  let publisher: Server;
  let isDown = false;
  /** How often the whole document was sent. */
  let sent = 0;

  beforeAll(async () => {
    const description = `<mdui:Description xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui" xml:lang="en">${"about us ".repeat(200)}</mdui:Description>`;
    const entities = IDS.map((id, index) =>
      entityXml({ entityId: id, names: { en: `School ${index}` }, extension: description }),
    );
    const text = signedMetadata(aggregateXml(entities.join("\n"), ' cacheDuration="PT6H"'));
    publisher = createServer(({ headers }, response) => {
      if (isDown) response.destroy();
      else if (headers["if-none-match"] === '"1"') response.writeHead(304).end();
      else {
        sent += 1;
        response.setHeader("etag", '"1"').end(text);
      }
    }).listen(0, "127.0.0.1");
    await new Promise((done) => publisher.once("listening", done));
    const { port } = publisher.address() as AddressInfo;
    const env = { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8" };
    server = await loginServer(databases, { ...ENV, ...env }, { now: NOW, replicas: 2 });
    const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "NAME_ID" }] }];
    await put("/v3/OS-FEDERATION/mappings/names", { mapping: { rules } });
    await put(PROVIDER_PATH, { identity_provider: { enabled: true, remote_ids: IDS } });
    const settings = {
      type: "saml2",
      idp_metadata_url: `http://127.0.0.1:${port}/aggregate`,
      idp_metadata_certificates: [PROVIDER.certificate],
    };
    await put(`${PROVIDER_PATH}/protocols/saml2`, { protocol: { mapping_id: "names", settings } });
  });
  afterAll(async () => {
    await server.close();
    publisher.close();
  });

  async function put(url: string, body: object): Promise<void> {
    const { status, text } = await server.ask("PUT", url, { body });
    if (status >= 300) throw new Error(text);
  }

  const begin = (replica: number) =>
    server.ask("GET", `${AUTH}?entityID=${encodeURIComponent(entityId(COUNT - 1))}`, {
      token: "",
      replica,
      headers: { accept: "text/html" },
    });

  it("logs in also by a replica that starts while the federation's server does not answer", async () => {
    expect(String((await begin(0)).headers["location"])).toContain(`${entityId(COUNT - 1)}/sso`);
    const rows = server.database.tables<{ provider_document: { content: string } }>();
    await expect.poll(() => rows.selectFrom("provider_document").select("content").execute()).toHaveLength(1);
    isDown = true;
    try {
      const { status, headers } = await begin(1);
      expect([status, String(headers["location"])]).toEqual([
        302,
        expect.stringContaining(`${entityId(COUNT - 1)}/sso?a=1&b=2&SAMLRequest=`),
      ]);
      expect(server.warnings.at(-1)).toMatchObject({ msg: "metadata not renewed" });
    } finally {
      isDown = false;
    }
  });

  it("is checked again without reading what has not changed", async () => {
    const refresh = async (): Promise<{ readonly check: string; readonly message: string }[]> =>
      (await server.ask("POST", `${PROVIDER_PATH}/protocols/saml2/refresh`)).body.protocol.checks;
    const messageOf = async () => (await refresh()).find(({ check }) => check === "remote-ids")?.message;
    const entities = `entities among the provider's remote_ids: ${COUNT}`;
    await expect.poll(messageOf, { timeout: 60_000 }).toBe(entities);
    const before = sent;
    expect(await messageOf()).toBe(entities);
    expect(sent).toBe(before);
  }, 60_000);

  it("shows the certificates of its entities that end first", async () => {
    const { body } = await server.ask("GET", `${PROVIDER_PATH}/health`);
    const [protocol] = body.health.protocols;
    expect(protocol.keys).toHaveLength(50);
    expect(protocol.keys[0]).toMatchObject({
      entity: entityId(0),
      algorithm: "rsa",
      expires_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/) as string,
    });
  });
});
