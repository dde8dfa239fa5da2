/** Download of SAML metadata: refresh, key rollover, rejected documents, and private addresses. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inflateRawSync } from "node:zlib";

import type { LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { App } from "../../../../src/app.js";
import { createLog } from "../../../../src/platform/log.js";
import { sqliteDatabases } from "../../../databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../../../test-app.js";
import { PUBLIC_URL } from "../../../test-server.js";
import {
  ISSUER,
  metadata,
  newSigner,
  NOW,
  signedResponse,
  type ResponseParts,
  type Signer,
} from "../test-provider.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/acme";
const PROTOCOL = `${PROVIDER}/protocols/saml2`;
const AUTH = `${PROTOCOL}/auth`;
const RULES = [{ remote: [{ type: "NAME_ID" }], local: [{ user: { name: "{0}" } }] }];
/** How long metadata is cached. */
const LIFE_MS = 300_000;
const FAILURE_MS = 5000;

type RequestHandler = (response: ServerResponse) => void;

describe(`metadata at an address, with ${sqliteDatabases.name}`, () => {
  const signers = { old: newSigner(), next: newSigner() };
  let publisher: Publisher;
  let replicas: TestReplicas;
  let careful: TestReplicas;
  const adminTokens = new Map<App, string>();
  let now = NOW;
  let log = "";
  let answers = 0;
  let addresses = 0;
  let address: string;

  beforeAll(async () => {
    publisher = await openPublisher();
    const deps = {
      clock: { now: () => now },
      log: createLog("info", { write: (line) => (log += line) }),
    };
    // Hours go by in this test.
    const env = { IDENTITY_TOKEN_LIFETIME: "86400" };
    const allowing = { ...env, IDENTITY_ALLOW_HTTP_ISSUERS: "on" };
    replicas = await testReplicas(sqliteDatabases, 2, { ...deps, env: allowing });
    careful = await testReplicas(sqliteDatabases, 1, { ...deps, env });
    for (const { apps } of [careful, replicas]) await setUp(apps[0] as App);
  });
  afterAll(async () => {
    await replicas.remove();
    await careful.remove();
    await publisher.close();
  });
  beforeEach(async () => {
    log = "";
    publisher.publish(signers.old);
    // An address is cached at its first login.
    address = `${publisher.url}?${++addresses}`;
    await use(address);
  });

  const one = () => replicas.apps[0] as App;
  const other = () => replicas.apps[1] as App;

  async function put(
    app: App,
    method: "PUT" | "PATCH" | "POST",
    url: string,
    payload: object,
  ): Promise<void> {
    const answer = await app.server.inject({
      method,
      url,
      headers: { "x-auth-token": adminTokens.get(app) },
      payload,
    });
    if (answer.statusCode >= 400) throw new Error(answer.body);
  }

  async function setUp(app: App): Promise<void> {
    const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    const identity = { methods: ["password"], password: { user } };
    const login = await app.server.inject({
      method: "POST",
      url: "/v3/auth/tokens",
      payload: { auth: { identity, scope: { system: { all: true } } } },
    });
    adminTokens.set(app, String(login.headers["x-subject-token"]));
    await put(app, "PUT", "/v3/OS-FEDERATION/mappings/acme", { mapping: { rules: RULES } });
    await put(app, "PUT", PROVIDER, { identity_provider: { enabled: true, remote_ids: [ISSUER] } });
    await put(app, "PUT", PROTOCOL, {
      protocol: { mapping_id: "acme", settings: { type: "saml2", idp_metadata_url: publisher.url } },
    });
  }

  const use = (url: string) => put(one(), "PATCH", PROTOCOL, protocolAt(url));

  /** The way of a browser, whose provider signs with a key. */
  async function logIn(app: App, signer: Signer, parts: ResponseParts = {}): Promise<LightMyRequestResponse> {
    const step = await app.server.inject({ method: "GET", url: AUTH });
    if (step.statusCode !== 302) return step;
    const asked = new URL(String(step.headers.location)).searchParams.get("SAMLRequest") ?? "";
    const recipient = PUBLIC_URL + AUTH;
    const xml = signedResponse(
      {
        inResponseTo: requestId(asked),
        assertionId: `_a${++answers}`,
        audience: `${PUBLIC_URL}/v3/OS-FEDERATION/saml2/idp`,
        recipient,
        destination: recipient,
        notBefore: new Date(now - 1000).toISOString(),
        notOnOrAfter: new Date(now + 60_000).toISOString(),
        ...parts,
      },
      { of: `_a${answers}`, signer },
    );
    return app.server.inject({
      method: "POST",
      url: AUTH,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        cookie: String(step.headers["set-cookie"]).split(";")[0] ?? "",
      },
      payload: new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString("base64") }).toString(),
    });
  }

  const statusOf = async (app: App, signer: Signer) => (await logIn(app, signer)).statusCode;

  it("is asked for once in five minutes by each replica", async () => {
    const asked = publisher.asked();
    for (const app of [one(), one(), other(), other()]) expect(await statusOf(app, signers.old)).toBe(201);
    expect(publisher.asked()).toBe(asked + 2);
    now += LIFE_MS - 1;
    expect(await statusOf(one(), signers.old)).toBe(201);
    expect(publisher.asked()).toBe(asked + 2);
    now += 1;
    expect(await statusOf(one(), signers.old)).toBe(201);
    expect(publisher.asked()).toBe(asked + 3);
  });

  it("is not sent again while its server says that it has not changed (ETag), and is after a refresh", async () => {
    let [bodies, version] = [0, '"v1"'];
    publisher.answerBy((headers, response) => {
      const isKnown = headers["if-none-match"] === version;
      if (!isKnown) bodies += 1;
      response.writeHead(isKnown ? 304 : 200, { etag: version });
      response.end(isKnown ? "" : metadataOf([version === '"v1"' ? signers.old : signers.next]));
    });
    await use(`${publisher.url}?versions`);
    bodies = 0;
    for (let count = 0; count < 3; count++, now += LIFE_MS)
      expect(await statusOf(one(), signers.old)).toBe(201);
    expect(bodies).toBe(1);
    version = '"v2"';
    expect(await statusOf(one(), signers.next)).toBe(201);
    expect(await statusOf(one(), signers.old)).toBe(401);
    expect(bodies).toBe(2);
    // The check reads it without a version, and so does the next login.
    await put(one(), "POST", `${PROTOCOL}/refresh`, {});
    expect(await statusOf(one(), signers.next)).toBe(201);
    expect(bodies).toBe(4);
  });

  it("adds a new certificate next to the old one, and then replaces it", async () => {
    expect(await statusOf(one(), signers.old)).toBe(201);
    publisher.publish(signers.old, signers.next);
    expect(await statusOf(one(), signers.next)).toBe(401);
    now += LIFE_MS;
    expect(await statusOf(one(), signers.next)).toBe(201);
    expect(await statusOf(one(), signers.old)).toBe(201);
    publisher.publish(signers.next);
    now += LIFE_MS;
    expect(await statusOf(one(), signers.next)).toBe(201);
    expect(await statusOf(one(), signers.old)).toBe(401);
    expect(log).toContain("signature does not verify with any trusted certificate");
  });

  it("is another one at once, on the other replica too, where the settings name another address", async () => {
    await expect.poll(() => statusOf(other(), signers.old)).toBe(201);
    publisher.publish(signers.next);
    await use(`${publisher.url}?renewed`);
    expect(await statusOf(one(), signers.next)).toBe(201);
    // PostgreSQL notifies the other replica.
    await expect.poll(() => statusOf(other(), signers.next)).toBe(201);
    expect(await statusOf(other(), signers.old)).toBe(401);
  });

  it("is downloaded again at once after a PATCH that changes nothing, on the other replica too", async () => {
    for (const app of [one(), other()]) await expect.poll(() => statusOf(app, signers.old)).toBe(201);
    publisher.publish(signers.next);
    expect(await statusOf(one(), signers.next)).toBe(401);
    await put(one(), "PATCH", PROTOCOL, { protocol: { mapping_id: "acme" } });
    expect(await statusOf(one(), signers.next)).toBe(201);
    await expect.poll(() => statusOf(other(), signers.next)).toBe(201);
  });

  it("does not count beside certificates that the settings name", async () => {
    const settings = { type: "saml2", idp_metadata_url: address };
    const pinned = { ...settings, idp_certificates: [signers.next.certificate] };
    await put(one(), "PATCH", PROTOCOL, { protocol: { mapping_id: "acme", settings: pinned } });
    await expect.poll(() => statusOf(other(), signers.next)).toBe(201);
    expect(await statusOf(other(), signers.old)).toBe(401);
  });

  const WRONG: readonly (readonly [string, RequestHandler, string])[] = [
    [
      "is not there",
      (response) => response.writeHead(404).end("gone"),
      'answered with status 404, expected 200: "http://127.0.0.1:',
    ],
    [
      "leads elsewhere",
      (response) => response.writeHead(302, { location: "http://169.254.169.254/latest/" }).end(),
      "answered with status 302",
    ],
    ["breaks off", (response) => response.writeHead(200, { "content-length": 9 }).destroy(), "no response"],
    ["is huge", (response) => response.end(" ".repeat(1 << 22)), "more than 1048576 characters"],
    ["never ends", (response) => void endless(response), "more than 1048576 characters"],
    ["is no XML", (response) => response.end("<html>"), "XML is not well-formed at line 1, column 1"],
    ["has a document type", (response) => response.end(`<!DOCTYPE x>${metadata()}`), "DOCTYPE"],
    [
      "is of a service provider",
      (response) => response.end(metadata().replaceAll("IDPSSO", "SPSSO")),
      "describes 0 identity providers",
    ],
  ];

  it.each(WRONG)("that %s rejects logins until it is valid again", async (_, answer, reason) => {
    publisher.answer(answer);
    const refused = await logIn(one(), signers.old);
    expect([refused.statusCode, refused.headers["set-cookie"]]).toEqual([401, undefined]);
    expect(refused.body).not.toMatch(/metadata|127\.0\.0\.1:\d+\/idp/);
    const line = refusal(log);
    expect(line).toMatchObject({ federation: { idpId: "acme", id: "saml2", step: "metadata" } });
    expect(line.federation.reason).toContain(reason);
    publisher.publish(signers.old);
    now += FAILURE_MS;
    expect(await statusOf(one(), signers.old)).toBe(201);
  });

  it("at an address where no server listens rejects logins, with the error of the network", async () => {
    const closed = await openPublisher();
    await closed.close();
    await use(closed.url);
    expect(await statusOf(one(), signers.old)).toBe(401);
    const { host, port } = new URL(closed.url);
    expect(refusal(log).federation.reason).toBe(
      `request to ${host}: no response (connect ECONNREFUSED 127.0.0.1:${port})`,
    );
  });

  it("is of a provider whose left out values are logged once, if a rule reads them", async () => {
    const attributes = `<saml:Attribute Name="groups"><saml:AttributeValue>a;b</saml:AttributeValue></saml:Attribute>`;
    for (let logins = 0; logins < 3; logins += 1)
      expect((await logIn(one(), signers.old, { nameId: "x;y", attributes })).statusCode).toBe(401);
    const lines = log.split("\n").filter((line) => line.includes("values with semicolons were left out"));
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ idpId: "acme", protocolId: "saml2", attributes: ["NAME_ID"] }),
    ]);
  });

  it("stays in use when a refresh fails, which is logged", async () => {
    expect(await statusOf(one(), signers.old)).toBe(201);
    publisher.answer((response) => response.writeHead(503).end());
    now += LIFE_MS;
    expect(await statusOf(one(), signers.old)).toBe(201);
    expect(await statusOf(one(), signers.next)).toBe(401);
    expect(log).toContain("metadata not renewed");
  });

  it("is asked for again soon where it could not be renewed", async () => {
    expect(await statusOf(one(), signers.old)).toBe(201);
    publisher.answer((response) => response.writeHead(503).end());
    now += LIFE_MS;
    expect(await statusOf(one(), signers.old)).toBe(201);
    publisher.publish(signers.next);
    now += FAILURE_MS;
    expect(await statusOf(one(), signers.next)).toBe(201);
    expect(await statusOf(one(), signers.old)).toBe(401);
  });

  it.each([
    ["http://idp.example.org/metadata", "http: is not allowed"],
    [
      "https://127.0.0.1/metadata",
      "its address is not public (private networks: IDENTITY_PROVIDER_NETWORKS)",
    ],
    [
      "https://localhost/metadata",
      "its address is not public (private networks: IDENTITY_PROVIDER_NETWORKS)",
    ],
    ["https://[::1]/metadata", "its address is not public (private networks: IDENTITY_PROVIDER_NETWORKS)"],
    [
      "https://169.254.169.254/latest/meta-data",
      "its address is not public (private networks: IDENTITY_PROVIDER_NETWORKS)",
    ],
    ["https://user@203.0.113.1/metadata", "credentials in the URL are not allowed"],
  ])("is not asked for at %s, unless the operator allows it", async (url, reason) => {
    const [app] = careful.apps as [App];
    await put(app, "PATCH", PROTOCOL, protocolAt(url));
    expect((await logIn(app, signers.old)).statusCode).toBe(401);
    expect(refusal(log).federation.reason).toContain(reason);
  });
});

function protocolAt(url: string): object {
  const settings = { type: "saml2", idp_metadata_url: url, idp_certificates: null };
  return { protocol: { mapping_id: "acme", settings } };
}

function requestId(encoded: string): string {
  const xml = inflateRawSync(Buffer.from(encoded, "base64")).toString();
  return / ID="([^"]+)"/.exec(xml)?.[1] ?? "";
}

interface Refusal {
  readonly federation: { readonly step: string; readonly reason: string };
}

/** The last one of a log. */
function refusal(log: string): Refusal {
  const lines = log.split("\n").filter((line) => line.includes("federated login refused"));
  return JSON.parse(lines.at(-1) ?? "{}") as Refusal;
}

interface Publisher {
  readonly url: string;
  /** Answers with the metadata of a provider that signs by these. */
  publish(...signers: readonly Signer[]): void;
  answer(answer: RequestHandler): void;
  answerBy(answer: (headers: IncomingHttpHeaders, response: ServerResponse) => void): void;
  /** How often it was asked. */
  asked(): number;
  close(): Promise<void>;
}

async function openPublisher(): Promise<Publisher> {
  let answer: (response: ServerResponse, headers: IncomingHttpHeaders) => void = (response) => response.end();
  let asked = 0;
  const server = createServer(({ headers }, response) => {
    asked += 1;
    answer(response, headers);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/idp`,
    publish: (...signers) => void (answer = (response) => response.end(metadataOf(signers))),
    answer: (next) => void (answer = next),
    answerBy: (next) => void (answer = (response, headers) => next(headers, response)),
    asked: () => asked,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function metadataOf([first, ...others]: readonly Signer[]): string {
  const descriptors = others.map(
    (signer) => /<md:KeyDescriptor.*<\/md:KeyDescriptor>/.exec(metadata(signer))?.[0] ?? "",
  );
  return metadata(first).replace("<md:SingleSignOn", () => `${descriptors.join("")}<md:SingleSignOn`);
}

/** Writes until the client disconnects. */
async function endless(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(" ".repeat(65_536));
    await new Promise((done) => setImmediate(done));
  }
}
