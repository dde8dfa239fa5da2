/** Latency of logins by one provider while another publishes metadata that is slow to parse. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { inEnvelope, metadata, response, sign } from "../../test/federation/saml/test-provider.js";
import { adminClient } from "../../test-system/reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../test-system/service-process.js";

const QUIET_MS = 4000;
const ATTACK_MS = 15_000;
const ASKING = 8;

/** As much as may be downloaded, and the slowest that is read at all; neither describes a provider. */
const WIDE = [`<a>${"<b/>".repeat(240_000)}</a>`, slowMetadata()];

function slowMetadata(): string {
  const names = Array.from({ length: 18_000 }, (_, index) => ` xmlns:n${index}="u"`).join("");
  return `<a${names}>${'<b xmlns:b="x"/>'.repeat(19_000)}</a>`;
}

let place: TestDatabase;
let folder: string;
let service: ServiceProcess;
let publisher: Server;
let asked = 0;
let logins = 0;

beforeAll(async () => {
  place = await sqliteDatabases.create();
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  publisher = createServer((_, answer) => answer.end(WIDE[asked++ % WIDE.length]));
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
  const sources = {
    good: { idp_metadata_xml: metadata() },
    evil: { idp_metadata_url: `http://127.0.0.1:${port}/metadata` },
  };
  for (const [id, source] of Object.entries(sources)) {
    const remoteIds = id === "good" ? ["https://idp.example.org/metadata"] : [];
    await put(`identity_providers/${id}`, {
      identity_provider: { enabled: true, remote_ids: remoteIds },
    });
    await put(`identity_providers/${id}/protocols/saml2`, {
      protocol: { mapping_id: "users", settings: { type: "saml2", ...source } },
    });
  }
});
afterAll(async () => {
  publisher.closeAllConnections();
  publisher.close();
  await service.stop();
  await place.remove();
  await rm(folder, { recursive: true });
});

const authUrl = (id: string) =>
  `${service.url}/v3/OS-FEDERATION/identity_providers/${id}/protocols/saml2/auth`;

/** A login with an unsolicited Response, as a second cloud sends it. @returns Its duration. */
async function logInMs(): Promise<number> {
  const now = Date.now();
  const at = (ms: number) => new Date(now + ms).toISOString();
  const assertionId = `_a${++logins}`;
  const issued = `IssueInstant="${at(0)}"`;
  const plain = response({
    assertionId,
    audience: `${service.url}/v3/OS-FEDERATION/saml2/idp`,
    recipient: authUrl("good"),
    destination: authUrl("good"),
    issued,
    responseIssued: issued,
    notBefore: at(-1000),
    notOnOrAfter: at(60_000),
  }).replace(/SessionNotOnOrAfter="[^"]*"/, `SessionNotOnOrAfter="${at(3_600_000)}"`);
  const body = inEnvelope(sign(plain, assertionId));
  const start = performance.now();
  const headers = { "content-type": "application/vnd.paos+xml" };
  const answer = await fetch(authUrl("good"), { method: "POST", headers, body });
  await answer.text();
  expect(answer.status).toBe(201);
  return performance.now() - start;
}

async function measure(forMs: number) {
  const times: number[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; await delay(20))
    times.push(await logInMs());
  times.sort((one, other) => one - other);
  const at = (part: number) => Math.round(times[Math.floor(part * (times.length - 1))] ?? 0);
  return { logins: times.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}

it("keep their latency", async () => {
  // Threads are started, the user is known.
  for (let times = 0; times < 20; times++) await logInMs();
  const quiet = await measure(QUIET_MS);
  const end = new AbortController();
  let refused = 0;
  const attack = Array.from({ length: ASKING }, async () => {
    while (!end.signal.aborted) {
      const answer = await fetch(authUrl("evil"), { redirect: "manual" });
      await answer.text();
      expect(answer.status).toBe(401);
      refused += 1;
      await delay(50);
    }
  });
  const attacked = await measure(ATTACK_MS);
  end.abort();
  await Promise.all(attack);
  process.stdout.write(`${JSON.stringify({ quiet, attacked, refused, asked })}\n`);
  expect(asked).toBeGreaterThan(1);
  expect(attacked.p95).toBeLessThan(3 * quiet.p95 + 50);
  expect(attacked.max).toBeLessThan(quiet.max + 1000);
});
