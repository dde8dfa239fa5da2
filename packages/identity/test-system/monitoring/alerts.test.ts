/** The alerts of deploy/prometheus, in Prometheus: by series that are made up, and by faults of a service that runs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { selfSignedCertificate } from "../../src/saml/self-signed-certificate.js";
import { sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  KIM,
  startProvider,
  type TestProvider,
} from "../../test/federation/openid/test-provider.js";
import { ISSUER, metadata, PROVIDER } from "../../test/federation/saml/test-provider.js";
import { freePort } from "../free-port.js";
import { adminClient, type AdminClient } from "../reliability/admin-client.js";
import { runProgram } from "../run-program.js";
import { startService, type ServiceProcess } from "../service-process.js";
import { RULES, startPrometheus, type Prometheus } from "./prometheus.js";

it("fire by the faults they are for, and are silent without: in made-up series", async () => {
  const ok = { exit: 0, errors: "" };
  expect(await runProgram(["promtool", "check", "rules", RULES])).toMatchObject(ok);
  const tests = RULES.replace(".yml", ".test.yml");
  expect(await runProgram(["promtool", "test", "rules", tests])).toMatchObject(ok);
});

describe("in Prometheus, beside a service", () => {
  const providers = "/v3/OS-FEDERATION/identity_providers";
  let place: TestDatabase;
  let folder: string;
  let service: ServiceProcess;
  let op: TestProvider;
  let prometheus: Prometheus | undefined;

  beforeAll(async () => {
    place = await sqliteDatabases.create();
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    const port = await freePort();
    op = await startProvider(`http://127.0.0.1:${port}${providers}/op/protocols/openid/auth`);
    const env = { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8" };
    service = await startService({ databaseUrl: place.url, folder, port, env });
  });
  afterAll(async () => {
    await prometheus?.end();
    await op.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Two providers: one whose certificate ends in ten days, one whose keys can't be downloaded any more. */
  async function setUp(client: AdminClient): Promise<void> {
    const put = async (path: string, body: object) => {
      const answer = await client.ask("PUT", path, body);
      if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    };
    const rules = [{ remote: [{ type: "REMOTE_USER" }], local: [{ user: { name: "{0}" } }] }];
    const now = Date.now();
    const der = selfSignedCertificate(PROVIDER.privateKey, {
      commonName: "acme",
      from: now - 86_400_000,
      until: now + 10 * 86_400_000,
    });
    const certificate = `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
    await put("/v3/OS-FEDERATION/mappings/any", { mapping: { rules } });
    for (const [id, remoteId, protocol, settings] of [
      [
        "op",
        op.issuer,
        "openid",
        {
          type: "openid",
          issuer: op.issuer,
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          audiences: [AUDIENCE],
        },
      ],
      ["acme", ISSUER, "saml2", { type: "saml2", idp_metadata_xml: metadata({ ...PROVIDER, certificate }) }],
    ] as const) {
      await put(`${providers}/${id}`, {
        identity_provider: { enabled: true, domain_id: "default", remote_ids: [remoteId] },
      });
      await put(`${providers}/${id}/protocols/${protocol}`, { protocol: { mapping_id: "any", settings } });
    }
    expect(await logIn((claims) => op.keys.sign(claims))).toBe(201);
    op.answers.set("/.well-known/openid-configuration", (_, response) => response.writeHead(503).end());
    await client.ask("POST", `${providers}/op/protocols/openid/refresh`);
  }

  async function logIn(sign: (claims: Record<string, unknown>) => Promise<string> | string): Promise<number> {
    const exp = Math.floor(Date.now() / 1000) + 60;
    const token = await sign({ iss: op.issuer, sub: KIM.sub, aud: AUDIENCE, exp, preferred_username: "kim" });
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${service.url}${providers}/op/protocols/openid/auth`, { method: "POST", headers }))
      .status;
  }

  const firing = () => prometheus?.firing();
  const WAIT = { timeout: 30_000, interval: 300 };
  const LASTING = ["IdentityCertificateExpires acme", "IdentityProviderDownloadsFail op"];

  it("fire for a certificate that ends soon, keys that can't be read and failing logins, clear with a login, and fire for the end", async () => {
    const client = await adminClient(service.url);
    await setUp(client);
    // Recorded in the background; metrics read it every five minutes.
    const failing = async () => {
      // By the last good document; asks for another one.
      expect(await logIn((claims) => op.keys.sign(claims))).toBe(201);
      return (await client.ask("GET", `${providers}/op/health`)).body.health.protocols[0]
        .failures as unknown[];
    };
    await expect.poll(failing, WAIT).toHaveLength(1);
    prometheus = await startPrometheus(folder, [service.url]);
    await expect.poll(firing, WAIT).toEqual(LASTING);
    const wrong = () => "not.a.token";
    const failures = async () => {
      expect(await logIn(wrong)).toBe(401);
      return firing();
    };
    await expect.poll(failures, WAIT).toEqual([...LASTING, "IdentityProviderLoginsFail op"]);
    const successes = async () => {
      expect(await logIn((claims) => op.keys.sign(claims))).toBe(201);
      return firing();
    };
    await expect.poll(successes, WAIT).toEqual(LASTING);
    await service.stop();
    await expect.poll(firing, WAIT).toContain("IdentityDown");
  }, 120_000);
});
