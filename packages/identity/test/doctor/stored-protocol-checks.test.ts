/** The doctor runs the checks of protocols with settings, of enabled providers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../src/config.js";
import { examineProtocols } from "../../src/doctor/stored-protocol-checks.js";
import { sqliteDatabases } from "../databases.js";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../federation/openid/test-provider.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

/** No service listens there. */
const DOWN = "http://127.0.0.1:1";

describe(`the doctor's checks of protocols on ${sqliteDatabases.name}`, () => {
  let op: TestProvider;
  let service: TestApp;
  let token = "";
  beforeAll(async () => {
    op = await startProvider();
    service = await testApp(sqliteDatabases);
    const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    const identity = { methods: ["password"], password: { user } };
    const auth = { identity, scope: { system: { all: true } } };
    const { headers } = await service.app.server.inject({
      method: "POST",
      url: "/v3/auth/tokens",
      payload: { auth },
    });
    token = String(headers["x-subject-token"]);
  });
  afterAll(async () => {
    await service.remove();
    await op.close();
  });

  async function put(path: string, payload: object): Promise<void> {
    const url = `/v3/OS-FEDERATION/${path}`;
    const answer = await service.app.server.inject({
      method: "PUT",
      url,
      payload,
      headers: { "x-auth-token": token },
    });
    expect(answer.statusCode).toBe(201);
  }

  async function putProvider(id: string, issuer: string, enabled = true): Promise<void> {
    const remote_ids = [id === "off" ? "other" : issuer];
    await put(`identity_providers/${id}`, { identity_provider: { enabled, remote_ids } });
    const settings = { type: "openid", issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
    const protocol = { mapping_id: "m", settings };
    await put(`identity_providers/${id}/protocols/openid`, { protocol });
  }

  const examine = (env: Record<string, string> = {}) => {
    const config = readConfig({
      IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      IDENTITY_ALLOW_HTTP_ISSUERS: "on",
      IDENTITY_PUBLIC_URL: "https://id.example.org",
      ...env,
    });
    return examineProtocols(service.app.database, config, { now: Date.now });
  };

  it("find nothing without protocols with settings", async () => {
    expect(await examine()).toEqual([]);
  });

  it("report warnings and failures line by line, and what passed in one line", async () => {
    const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "OIDC-sub" }] }];
    await put("mappings/m", { mapping: { rules } });
    await putProvider("down", DOWN);
    await putProvider("off", op.issuer, false);
    await putProvider("up", op.issuer);
    const name = (id: string) => `identity provider "${id}", protocol "openid"`;
    expect(await examine()).toEqual([
      {
        state: "failure",
        subject: "providers",
        text:
          `${name("down")}: discovery: request to 127.0.0.1:1: no response (ECONNREFUSED): check "issuer" of the settings, ` +
          `"${DOWN}"`,
      },
      {
        state: "ok",
        subject: "providers",
        text: `${name("down")}: passed: mapping, references, remote-ids, client-authentication`,
      },
      {
        state: "ok",
        subject: "providers",
        text:
          `${name("up")}: passed: mapping, references, discovery, issuer, remote-ids, jwks, introspection, userinfo, id-token, ` +
          "client-authentication",
      },
    ]);
  });

  it("name a master key that does not unseal the secrets", async () => {
    const findings = await examine({ IDENTITY_MASTER_KEY: Buffer.alloc(32, 8).toString("base64") });
    const texts = findings.filter(({ state }) => state === "failure").map(({ text }) => text);
    expect(texts).toContainEqual(
      expect.stringMatching(
        /^identity provider "up", protocol "openid": client-authentication: The service can't use stored secrets/,
      ),
    );
  });
});
