/** Logins through one life of the metadata, five minutes, while its address answers slowly: only the first one waits. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { ISSUER, metadata } from "../../test/federation/saml/test-provider.js";
import { adminClient } from "../../test-system/reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../test-system/service-process.js";

const ANSWER_MS = 3000;
const LOGINS_MS = 330_000;

let place: TestDatabase;
let folder: string;
let service: ServiceProcess;
let publisher: Server;
/** When the metadata was asked for, since the first login. */
const asked: number[] = [];
let start = 0;

beforeAll(async () => {
  place = await sqliteDatabases.create();
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  publisher = createServer((_, answer) => {
    asked.push(Math.round(performance.now() - start));
    setTimeout(() => answer.end(metadata()), ANSWER_MS);
  });
  await new Promise<void>((done) => publisher.listen(0, "127.0.0.1", done));
  const env = { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_RATE_LIMIT: "off" };
  service = await startService({ databaseUrl: place.url, folder, env });
  const admin = await adminClient(service.url);
  const put = async (path: string, body: object) => {
    const { status } = await admin.ask("PUT", `/v3/OS-FEDERATION/${path}`, body);
    expect(status).toBe(201);
  };
  await put("mappings/users", {
    mapping: { rules: [{ remote: [{ type: "NAME_ID" }], local: [{ user: { name: "{0}" } }] }] },
  });
  const { port } = publisher.address() as AddressInfo;
  await put("identity_providers/acme", { identity_provider: { enabled: true, remote_ids: [ISSUER] } });
  await put("identity_providers/acme/protocols/saml2", {
    protocol: {
      mapping_id: "users",
      settings: { type: "saml2", idp_metadata_url: `http://127.0.0.1:${port}/metadata` },
    },
  });
  // Storing the protocol may read it.
  await delay(ANSWER_MS);
  asked.length = 0;
});
afterAll(async () => {
  publisher.closeAllConnections();
  publisher.close();
  await service.stop();
  await place.remove();
  await rm(folder, { recursive: true });
});

/** Has the service send a browser to the provider. @returns How long that took. */
async function beginMs(): Promise<number> {
  const began = performance.now();
  const url = `${service.url}/v3/OS-FEDERATION/identity_providers/acme/protocols/saml2/auth`;
  const answer = await fetch(url, { redirect: "manual" });
  expect(answer.status).toBe(302);
  return Math.round(performance.now() - began);
}

it("wait for no renewal", async () => {
  start = performance.now();
  const first = await beginMs();
  expect(first).toBeGreaterThanOrEqual(ANSWER_MS);
  const times: number[] = [];
  while (performance.now() - start < LOGINS_MS) {
    times.push(await beginMs());
    await delay(250);
  }
  process.stdout.write(
    `${JSON.stringify({ first, logins: times.length, slowest: Math.max(...times), asked })}\n`,
  );
  expect(Math.max(...times)).toBeLessThan(ANSWER_MS / 2);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toBeGreaterThan(240_000);
  expect(asked[1]).toBeLessThan(295_000);
});
