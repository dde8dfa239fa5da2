/** A PATCH or a refresh has every replica read the provider again; nothing else does. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { loginServer, type LoginServer } from "../login-server.js";
import {
  AUDIENCE,
  AUTH_URL,
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../openid/test-provider.js";

const FEDERATION = "/v3/OS-FEDERATION";
const PROVIDER = `${FEDERATION}/identity_providers/op`;
const PROTOCOL = `${PROVIDER}/protocols/openid`;
const DISCOVERY = "/.well-known/openid-configuration";

describe(`refreshing a provider, with two replicas on ${sqliteDatabases.name}`, () => {
  let op: TestProvider;
  let service: LoginServer;
  beforeAll(async () => {
    op = await startProvider();
    service = await loginServer(sqliteDatabases, { IDENTITY_ALLOW_HTTP_ISSUERS: "on" }, { replicas: 2 });
    const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "OIDC-sub" }] }];
    await put("mappings/op", { mapping: { rules } });
    await put("identity_providers/op", { identity_provider: { enabled: true, remote_ids: [op.issuer] } });
    const settings = {
      type: "openid",
      issuer: op.issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      audiences: [AUDIENCE],
    };
    await put("identity_providers/op/protocols/openid", { protocol: { mapping_id: "op", settings } });
  });
  afterAll(async () => {
    await service.close();
    await op.close();
  });
  afterEach(() => op.answers.clear());

  /** Notices of PostgreSQL reach the other replica within a second. */
  async function expectReadAtBoth(): Promise<void> {
    let reads = 0;
    await expect.poll(async () => (reads += await readsByLogins()), { timeout: 5000 }).toBe(2);
    expect(await readsByLogins()).toBe(0);
  }

  async function put(path: string, body: object): Promise<void> {
    expect((await service.ask("PUT", `${FEDERATION}/${path}`, { body })).status).toBe(201);
  }

  async function login(replica: number): Promise<number> {
    const exp = Math.floor(service.time.now / 1000) + 300;
    const token = await op.keys.sign({ iss: op.issuer, sub: "kim", aud: AUDIENCE, scope: "a", exp });
    const headers = { authorization: `Bearer ${token}` };
    return (await service.ask("GET", `${PROTOCOL}/auth`, { headers, replica })).status;
  }

  /** How often logins at both replicas have read the discovery document. */
  async function readsByLogins(): Promise<number> {
    const before = op.asked.length;
    for (const replica of [0, 1, 0, 1]) expect(await login(replica)).toBe(201);
    return op.asked.slice(before).filter((path) => path === DISCOVERY).length;
  }

  it("happens at each replica after a PATCH with unchanged settings, and after a refresh", async () => {
    await readsByLogins();
    expect(await readsByLogins()).toBe(0);
    const settings = { client_secret: CLIENT_SECRET };
    expect((await service.ask("PATCH", PROTOCOL, { body: { protocol: { settings } } })).status).toBe(200);
    await expectReadAtBoth();
    expect((await service.ask("POST", `${PROTOCOL}/refresh`)).status).toBe(200);
    await expectReadAtBoth();
  });

  it("answers with the checks under each prefix", async () => {
    for (const prefix of ["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"]) {
      const self = `${prefix}/identity_providers/op/protocols/openid`;
      const { status, body } = await service.ask("POST", `${self}/refresh`);
      expect(status).toBe(200);
      expect(body.protocol).toMatchObject({ id: "openid", mapping_id: "op" });
      expect(body.protocol.links.self).toMatch(new RegExp(`${self}$`));
      const statuses = body.protocol.checks.map(({ status: found }: { status: string }) => found);
      expect(new Set(statuses)).toEqual(new Set(["ok"]));
      expect(body.protocol.register).toEqual({ redirect_uri: AUTH_URL });
    }
    await expectReadAtBoth();
  });

  it("does not happen after changes of other resources: a provider that is down stops no logins", async () => {
    op.answers.set(DISCOVERY, (_, response) => response.writeHead(503).end());
    const body = { mapping: { rules: [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "X" }] }] } };
    expect((await service.ask("PUT", `${FEDERATION}/mappings/other`, { body })).status).toBe(201);
    const provider = { identity_provider: { description: "changed" } };
    expect((await service.ask("PATCH", PROVIDER, { body: provider })).status).toBe(200);
    expect(await readsByLogins()).toBe(0);
  });

  it("needs a valid token and an existing protocol", async () => {
    expect((await service.ask("POST", `${PROTOCOL}/refresh`, { token: "none" })).status).toBe(401);
    expect((await service.ask("POST", `${PROVIDER}/protocols/gone/refresh`)).status).toBe(404);
  });
});
