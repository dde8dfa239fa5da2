/** Login with a code on another device (RFC 8628) at oidc-provider, with the requests of keystoneauth's `v3oidcdeviceauthz`. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../../test/databases.js";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  DEVICE_CLIENT_ID,
  startProvider,
  type TestProvider,
} from "../../../test/federation/openid/test-provider.js";
import { adminClient } from "../../reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../service-process.js";
import { launchChromium } from "../../headless-chromium.js";

const GUIDE = readFileSync(
  new URL("../../../../../docs/identity/openid-connect-programs.md", import.meta.url),
  "utf8",
);
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

describe("login on another device", () => {
  let folder: string;
  let database: TestDatabase;
  let service: ServiceProcess;
  let op: TestProvider;
  let admin: string;
  let auth: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    database = await sqliteDatabases.create();
    const env = { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_LOG_LEVEL: "info" };
    service = await startService({ databaseUrl: database.url, folder, env });
    auth = `${service.url}/v3/OS-FEDERATION/identity_providers/op/protocols/openid/auth`;
    op = await startProvider(auth);
    ({ token: admin } = await adminClient(service.url));
    const rules = [{ remote: [{ type: "OIDC-email" }], local: [{ user: { name: "{0}" } }] }];
    await put("mappings/op", { mapping: { rules } });
    await put("identity_providers/op", { identity_provider: { enabled: true, remote_ids: [op.issuer] } });
    const client = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, audiences: [DEVICE_CLIENT_ID] };
    const settings = { type: "openid", issuer: op.issuer, ...client };
    await put("identity_providers/op/protocols/openid", { protocol: { mapping_id: "op", settings } });
  });
  afterAll(async () => {
    await service.stop();
    await op.close();
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function put(path: string, body: object): Promise<void> {
    const answer = await fetch(`${service.url}/v3/OS-FEDERATION/${path}`, {
      method: "PUT",
      headers: { "x-auth-token": admin, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  }

  async function post(path: string, form: Record<string, string>): Promise<Record<string, unknown>> {
    const answer = await fetch(op.issuer + path, { method: "POST", body: new URLSearchParams(form) });
    return (await answer.json()) as Record<string, unknown>;
  }

  /** The user's browser on the other device. */
  async function approve(url: string): Promise<void> {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(url);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Sign-in Success").waitFor();
    } finally {
      await browser.close();
    }
  }

  async function logIn(): Promise<Response> {
    const asked = await post("/device/auth", { client_id: DEVICE_CLIENT_ID, scope: "openid profile email" });
    expect(asked).toMatchObject({ device_code: expect.any(String), user_code: expect.any(String) });
    const form = {
      grant_type: GRANT,
      device_code: String(asked["device_code"]),
      client_id: DEVICE_CLIENT_ID,
    };
    expect(await post("/token", form)).toMatchObject({ error: "authorization_pending" });
    await approve(String(asked["verification_uri_complete"]));
    const { access_token: token } = await post("/token", form);
    return fetch(auth, { method: "POST", headers: { authorization: `Bearer ${String(token)}` } });
  }

  it("lacks what keystoneauth needs, until the guide's lines add it", async () => {
    const form = { client_id: DEVICE_CLIENT_ID, scope: "openid" };
    expect(await post("/device/auth", form)).not.toHaveProperty("interval");
    const lines = /^```js interval\n([\s\S]*?)^```$/m.exec(GUIDE)?.[1] ?? "";
    // oxlint-disable-next-line typescript/no-implied-eval
    new Function("provider", lines)(op.provider);
    op.answers.set("/device/auth", op.provider.callback());
    expect(await post("/device/auth", form)).toMatchObject({
      interval: 5,
      expires_in: expect.any(Number),
      verification_uri: `${op.issuer}/device`,
    });
  });

  it("logs in", async () => {
    const answer = await logIn();
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({
      token: { user: { name: "kim@example.org" }, methods: ["openid"] },
    });
  });
});
