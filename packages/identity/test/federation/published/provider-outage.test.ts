/**
 * A provider that does not answer while the service restarts: users log in by what it published last, for as long as that is valid.
 *
 * Another replica, which has read nothing yet, stands for the service after its restart.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { loginServer, type LoginServer } from "../login-server.js";
import { ISSUER, metadata, newSigner, NOW, signedMetadata } from "../saml/test-provider.js";
import { AUDIENCE, createIssuer, GITHUB_JOB, jobAt } from "../workload/issuer.js";

const FEDERATION = "/v3/OS-FEDERATION";
const DISCOVERY = "/.well-known/openid-configuration";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [BEFORE, AFTER, LATER] = [0, 1, 2];
const SIGNER = newSigner();

let service: LoginServer;
let publisher: Server;
let address: string;
/** What the provider publishes, by path; it answers 503 otherwise. */
let published: Map<string, () => string>;
let isSilent: boolean;
beforeEach(async () => {
  published = new Map();
  isSilent = false;
  publisher = createServer(({ url = "" }, response) => {
    if (isSilent) return;
    const text = published.get(url)?.();
    response.writeHead(text === undefined ? 503 : 200).end(text);
  });
  await new Promise<void>((done) => publisher.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  const options = { replicas: 3, now: NOW };
  service = await loginServer(sqliteDatabases, { IDENTITY_ALLOW_HTTP_ISSUERS: "on" }, options);
});
afterEach(async () => {
  await service.close();
  publisher.closeAllConnections();
  await new Promise((done) => publisher.close(done));
});

async function ask(method: string, path: string, body?: object): Promise<void> {
  const url = `${FEDERATION}/identity_providers/${path}`;
  const { status, text } = await service.ask(method, url, body && { body });
  if (status >= 300) throw new Error(text);
}

async function setUp(id: string, settings: object, remoteIds: readonly string[]): Promise<void> {
  await ask("PUT", id, { identity_provider: { enabled: true, domain_id: "default", remote_ids: remoteIds } });
  await ask("PUT", `${id}/protocols/p`, { protocol: { mapping_id: "people", settings } });
}

/** The kinds of documents that are kept. */
async function kinds(): Promise<string[]> {
  const rows = await service.database
    .tables<{ provider_document: { kind: string } }>()
    .selectFrom("provider_document")
    .select("kind")
    .orderBy("kind")
    .execute();
  return rows.map(({ kind }) => kind);
}

async function keptKinds(expected: readonly string[]): Promise<void> {
  await expect.poll(kinds).toEqual(expected);
}

const lastReason = () => service.refusals.at(-1)?.["reason"];

describe(`SAML metadata of a provider that is down, on ${sqliteDatabases.name}`, () => {
  /** A browser is sent to the provider: its metadata was read. */
  async function login(replica: number): Promise<number> {
    const url = `${FEDERATION}/identity_providers/saml/protocols/p/auth`;
    const options = { token: "", replica, headers: { accept: "text/html" } };
    const { status, headers } = await service.ask("GET", url, options);
    const location = String(headers["location"]);
    if (status === 302 && !location.startsWith("https://idp.example.org/sso?")) throw new Error(location);
    return status;
  }

  const validFor = (ms: number, xml = metadata()) =>
    xml.replace("entityID=", `validUntil="${new Date(service.time.now + ms).toISOString()}" entityID=`);

  async function publish(xml: string, settings = {}): Promise<void> {
    published.set("/metadata", () => xml);
    await setUp("saml", { type: "saml2", idp_metadata_url: `${address}/metadata`, ...settings }, [ISSUER]);
    expect(await login(BEFORE)).toBe(302);
    await keptKinds(["metadata"]);
    published.clear();
  }

  it("logs users in after a restart, for a day where it names no end", async () => {
    await publish(metadata());
    service.time.now += DAY - 1;
    expect(await login(AFTER)).toBe(302);
    service.time.now += 1;
    expect(await login(AFTER)).toBe(401);
    expect(lastReason()).toMatch(/^metadata is answered with status 503/);
  });

  it.each([2 * HOUR, 9 * DAY])("is used until its validUntil and no longer: %i ms", async (ms) => {
    await publish(validFor(ms));
    service.time.now += ms + 59_999;
    expect(await login(AFTER)).toBe(302);
    service.time.now += 60_001;
    expect(await login(AFTER)).toBe(401);
  });

  it("does not keep the first login after a restart waiting while it is slow to come, as long as it is fresh", async () => {
    await publish(metadata());
    isSilent = true;
    const start = performance.now();
    expect(await login(AFTER)).toBe(302);
    expect(performance.now() - start).toBeGreaterThan(1900);
    service.time.now += 300_000;
    const late = login(LATER);
    expect(await Promise.race([late, delay(3000, "waits")])).toBe("waits");
    publisher.closeAllConnections();
    // That is an outage.
    expect(await late).toBe(302);
  });

  it("is verified again: only a trusted signer's counts", async () => {
    const settings = { idp_metadata_certificates: [SIGNER.certificate] };
    await publish(signedMetadata(metadata(), { signer: SIGNER }), settings);
    expect(await login(AFTER)).toBe(302);
    await service.database
      .tables<{ provider_document: { content: string } }>()
      .updateTable("provider_document")
      .set({ content: metadata() })
      .execute();
    expect(await login(LATER)).toBe(401);
  });

  it.each<[string, () => Promise<void>]>([
    [
      "another address",
      () => ask("PATCH", "saml/protocols/p", patched({ idp_metadata_url: `${address}/b` })),
    ],
    ["a PATCH without changes", () => ask("PATCH", "saml/protocols/p", patched({}))],
    ["a refresh", () => ask("POST", "saml/protocols/p/refresh")],
    [
      "other remote ids",
      () => ask("PATCH", "saml", { identity_provider: { remote_ids: [ISSUER, "https://b.example.org"] } }),
    ],
    [
      "another provider of the same name",
      async () => {
        await ask("DELETE", "saml");
        const settings = { type: "saml2", idp_metadata_url: `${address}/metadata` };
        await setUp("saml", settings, [ISSUER]);
      },
    ],
  ])("does not outlast %s", async (_, change) => {
    await publish(metadata());
    service.time.now += 1000;
    await change();
    // Notices of PostgreSQL reach the other replica within a second.
    await expect.poll(() => login(AFTER), { timeout: 5000 }).toBe(401);
    expect(lastReason()).toMatch(/^metadata is answered with status 503/);
  });

  const patched = (settings: object) => ({ protocol: { mapping_id: "people", settings } });

  it("is replaced as soon as the provider answers again", async () => {
    await publish(metadata());
    expect(await login(AFTER)).toBe(302);
    published.set("/metadata", () =>
      metadata().replaceAll("https://idp.example.org/sso", "https://new.example.org/sso"),
    );
    service.time.now += 60_000;
    const url = `${FEDERATION}/identity_providers/saml/protocols/p/auth`;
    const { headers } = await service.ask("GET", url, { token: "", replica: AFTER });
    expect(headers["location"]).toMatch(/^https:\/\/new\.example\.org\/sso/);
  });
});

describe(`keys of an OpenID provider that is down, on ${sqliteDatabases.name}`, () => {
  const issuer = createIssuer();

  async function login(replica: number, by = issuer): Promise<number> {
    const token = await by.sign(jobAt(service.time.now, { iss: address }));
    const url = `${FEDERATION}/identity_providers/ci/protocols/p/auth`;
    const headers = { authorization: `Bearer ${token}` };
    return (await service.ask("POST", url, { token: "", replica, headers })).status;
  }

  async function publish(settings = {}): Promise<void> {
    const document = { issuer: address, jwks_uri: `${address}/jwks` };
    published.set(DISCOVERY, () => JSON.stringify(document));
    published.set("/jwks", () => JSON.stringify({ keys: [issuer.jwk] }));
    const rules = [{ remote: [{ type: "OIDC-sub" }], local: [{ user: { name: "{0}" } }] }];
    await service.ask("PATCH", `${FEDERATION}/mappings/people`, { body: { mapping: { rules } } });
    const workloads = {
      type: "openid",
      issuer: address,
      token_kinds: ["workload"],
      audiences: [AUDIENCE],
      conditions: [{ claim: "sub", values: [GITHUB_JOB.sub] }],
      ...settings,
    };
    await setUp("ci", workloads, [address]);
    expect(await login(BEFORE)).toBe(201);
  }

  it.each([
    ["by discovery", {}, ["discovery", "jwks"]],
    ["at the setting's address", { jwks_uri: "" }, ["workload-jwks"]],
  ])("log workloads in after a restart, for an hour: %s", async (_, settings, expected) => {
    await publish("jwks_uri" in settings ? { jwks_uri: `${address}/jwks` } : {});
    await keptKinds(expected);
    published.clear();
    service.time.now += HOUR - 1;
    expect(await login(AFTER)).toBe(201);
    service.time.now += 1;
    expect(await login(AFTER)).toBe(401);
    expect(lastReason()).toMatch(/503|200 OK/);
  });

  it("are those of the issuer alone: a token by another key is rejected with the cause", async () => {
    await publish();
    await keptKinds(["discovery", "jwks"]);
    published.clear();
    expect(await login(AFTER, createIssuer("other"))).toBe(401);
    expect(await login(AFTER, createIssuer())).toBe(401);
    expect(lastReason()).toMatch(/signature verification failed/);
    expect(await login(AFTER)).toBe(201);
  });

  it("do not outlast a refresh of the protocol", async () => {
    await publish();
    await keptKinds(["discovery", "jwks"]);
    published.clear();
    service.time.now += 1000;
    await ask("POST", "ci/protocols/p/refresh");
    await expect.poll(() => login(AFTER), { timeout: 5000 }).toBe(401);
  });

  it("are replaced by those of the provider when it answers again: a withdrawn key ends", async () => {
    await publish();
    await keptKinds(["discovery", "jwks"]);
    published.clear();
    expect(await login(AFTER)).toBe(201);
    const second = createIssuer("second");
    published.set(DISCOVERY, () => JSON.stringify({ issuer: address, jwks_uri: `${address}/jwks` }));
    published.set("/jwks", () => JSON.stringify({ keys: [second.jwk] }));
    service.time.now += 60_000;
    expect(await login(AFTER, second)).toBe(201);
    expect(await login(AFTER)).toBe(401);
  });

  it.each([
    ["another issuer", () => ({ issuer: "https://other.example.org", jwks_uri: `${address}/jwks` })],
    ["keys at an address inside", () => ({ issuer: address, jwks_uri: "http://169.254.169.254/jwks" })],
  ])("do not replace those of a document that is rejected: %s", async (_, document) => {
    await publish();
    await keptKinds(["discovery", "jwks"]);
    published.set(DISCOVERY, () => JSON.stringify(document()));
    expect(await login(AFTER)).toBe(401);
    // The process that has read the good document uses it for five minutes.
    service.time.now += 299_999;
    expect(await login(BEFORE)).toBe(201);
    service.time.now += 60_000;
    expect(await login(BEFORE)).toBe(401);
  });

  it("are asked for once in half a minute while they are not there, however many log in", async () => {
    await publish();
    await keptKinds(["discovery", "jwks"]);
    published.delete("/jwks");
    let asked = 0;
    publisher.on("request", ({ url }) => (asked += Number(url === "/jwks")));
    for (let logins = 0; logins < 10; logins += 1) expect(await login(AFTER)).toBe(201);
    expect(asked).toBe(1);
    service.time.now += 30_000;
    expect(await login(AFTER)).toBe(201);
    expect(asked).toBe(2);
  });
});
