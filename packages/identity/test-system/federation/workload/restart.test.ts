/** The service loses its power while the issuer is down: workloads log in by the issuer's last keys as soon as it is back. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openDatabase } from "../../../src/platform/database/open-database.js";
import { postgresDatabases, sqliteDatabases, type TestDatabase } from "../../../test/databases.js";
import { createIssuer, jobAt } from "../../../test/federation/workload/issuer.js";
import { SETTINGS } from "../../../test/federation/workload/workload-server.js";
import { adminClient } from "../../reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../service-process.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/ci";

describe.each([sqliteDatabases, postgresDatabases])("a restart while an issuer is down, on $name", (kind) => {
  const issuer = createIssuer();
  let place: TestDatabase;
  let folder: string;
  let publisher: Server;
  let address: string;
  let service: ServiceProcess;

  const start = async () => {
    const env = { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_LOG_LEVEL: "info" };
    service = await startService({ databaseUrl: place.url, folder, env });
  };

  beforeAll(async () => {
    place = await kind.create();
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    publisher = createServer(({ url }, response) => {
      const keys = { keys: [issuer.jwk] };
      const document = { issuer: address, jwks_uri: `${address}/keys` };
      response.end(JSON.stringify(url === "/keys" ? keys : document));
    });
    await new Promise<void>((done) => publisher.listen(0, "127.0.0.1", done));
    address = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
    await start();
    const { token } = await adminClient(service.url);
    const put = async (path: string, body: object) => {
      const headers = { "x-auth-token": token, "content-type": "application/json" };
      const answer = await fetch(service.url + path, { method: "PUT", headers, body: JSON.stringify(body) });
      expect(answer.status).toBe(201);
    };
    const rules = [{ remote: [{ type: "OIDC-sub" }], local: [{ user: { name: "{0}" } }] }];
    await put("/v3/OS-FEDERATION/mappings/jobs", { mapping: { rules } });
    await put(PROVIDER, { identity_provider: { enabled: true, remote_ids: [address] } });
    const settings = { ...SETTINGS, issuer: address };
    await put(`${PROVIDER}/protocols/jobs`, { protocol: { mapping_id: "jobs", settings } });
  });
  afterAll(async () => {
    await service.stop();
    publisher.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function login(by = issuer): Promise<number> {
    const token = await by.sign(jobAt(Date.now(), { iss: address }));
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${service.url}${PROVIDER}/protocols/jobs/auth`, { method: "POST", headers })).status;
  }

  /** They are kept in the background: no login waits for that. */
  async function keptDocuments(count: number): Promise<void> {
    const database = openDatabase(place.url);
    const rows = () =>
      database
        .tables<{ provider_document: { kind: string } }>()
        .selectFrom("provider_document")
        .select("kind")
        .execute();
    await expect.poll(rows).toHaveLength(count);
    await database.close();
  }

  it("logs workloads in, by the issuer's keys alone, and says so in the log", async () => {
    expect(await login()).toBe(201);
    await keptDocuments(2);
    publisher.closeAllConnections();
    await new Promise((done) => publisher.close(done));
    await service.kill();
    await start();
    expect(await login()).toBe(201);
    expect(await login(createIssuer())).toBe(401);
    await expect
      .poll(() => service.output())
      .toMatch(/"usedUntil":"[^"]*Z","msg":"discovery document not renewed"/);
    await expect
      .poll(() => service.output())
      .toMatch(/"usedUntil":"[^"]*Z","msg":"keys of the issuer not renewed"/);
  });
});
