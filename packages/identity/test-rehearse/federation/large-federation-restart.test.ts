/** The first login after a restart, by a provider with the 6,000 entities of a federation: it does not wait for all of the metadata again. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { aggregateXml, entityXml } from "../../test/federation/saml/metadata/test-aggregate.js";
import { adminClient } from "../../test-system/reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../test-system/service-process.js";

const COUNT = 6000;
/** With it an entity has some 8 KB, as in eduGAIN. */
const DESCRIPTION = `<mdui:Description xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui" xml:lang="en">${"about us ".repeat(700)}</mdui:Description>`;
/** Until the last byte of the metadata comes: federations' servers are far away. */
const ANSWER_MS = 15_000;
const ENV = {
  IDENTITY_ALLOW_HTTP_ISSUERS: "on",
  IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
  IDENTITY_RATE_LIMIT: "off",
};

const entityId = (index: number): string => `https://idp${index}.example/idp`;

let place: TestDatabase;
let folder: string;
let publisher: Server;
let service: ServiceProcess;

const start = () => startService({ databaseUrl: place.url, folder, env: ENV });

beforeAll(async () => {
  place = await sqliteDatabases.create();
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const ids = Array.from({ length: COUNT }, (_, index) => entityId(index));
  const entities = ids.map((id, index) =>
    entityXml({ entityId: id, names: { en: `School ${index}` }, extension: DESCRIPTION }),
  );
  const text = aggregateXml(entities.join("\n"), ' cacheDuration="PT6H"');
  publisher = createServer((_, answer) => {
    answer.write(text.slice(0, -10));
    setTimeout(() => answer.end(text.slice(-10)), ANSWER_MS);
  });
  await new Promise<void>((done) => publisher.listen(0, "127.0.0.1", done));
  service = await start();
  const admin = await adminClient(service.url);
  const put = async (path: string, body: object) =>
    expect((await admin.ask("PUT", `/v3/OS-FEDERATION/${path}`, body)).status).toBe(201);
  await put("mappings/users", {
    mapping: { rules: [{ remote: [{ type: "NAME_ID" }], local: [{ user: { name: "{0}" } }] }] },
  });
  const { port } = publisher.address() as AddressInfo;
  await put("identity_providers/federation", { identity_provider: { enabled: true, remote_ids: ids } });
  await put("identity_providers/federation/protocols/saml2", {
    protocol: {
      mapping_id: "users",
      settings: { type: "saml2", idp_metadata_url: `http://127.0.0.1:${port}/aggregate` },
    },
  });
});
afterAll(async () => {
  await service.stop();
  publisher.closeAllConnections();
  publisher.close();
  await place.remove();
  await rm(folder, { recursive: true });
});

/** Has the service send a browser to a provider. @returns How long that took. */
async function beginMs(): Promise<number> {
  const began = performance.now();
  const url = `${service.url}/v3/OS-FEDERATION/identity_providers/federation/protocols/saml2/auth`;
  const answer = await fetch(`${url}?entityID=${encodeURIComponent(entityId(17))}`, { redirect: "manual" });
  expect(answer.headers.get("location")).toContain("https://idp17.example/idp/sso?");
  return Math.round(performance.now() - began);
}

it("waits for 2 s and for what is kept to be read", async () => {
  const first = await beginMs();
  await service.stop();
  service = await start();
  const [afterRestart, next] = [await beginMs(), await beginMs()];
  process.stdout.write(`${JSON.stringify({ first, afterRestart, next })}\n`);
  expect(first).toBeGreaterThan(ANSWER_MS);
  expect(afterRestart).toBeLessThan(ANSWER_MS / 2);
  expect(next).toBeLessThan(1000);
});
