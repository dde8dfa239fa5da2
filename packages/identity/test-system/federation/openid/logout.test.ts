/** oidc-provider's back-channel and RP-initiated logout, in Chromium, with two processes of the service on PostgreSQL. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, type TestDatabase } from "../../../test/databases.js";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../../test/federation/openid/test-provider.js";
import { freePort } from "../../free-port.js";
import { adminClient } from "../../reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../service-process.js";
import { launchChromium } from "../../headless-chromium.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/op";
const PROTOCOL = `${PROVIDER}/protocols/openid`;

describe("logout with oidc-provider", () => {
  let place: TestDatabase;
  let folder: string;
  let services: ServiceProcess[];
  let op: TestProvider;
  let dashboard: Dashboard;
  let admin: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    place = await postgresDatabases.create();
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    dashboard = await openDashboard();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      IDENTITY_ALLOW_HTTP_ISSUERS: "on",
      IDENTITY_TRUSTED_DASHBOARDS: dashboard.url,
      IDENTITY_PUBLIC_URL: url,
      IDENTITY_LOG_LEVEL: "info",
    };
    const options = { databaseUrl: place.url, folder, env };
    services = [await startService({ ...options, port }), await startService(options)];
    op = await startProvider(`${url}${PROTOCOL}/auth`, {
      client: {
        backchannel_logout_uri: `${url}${PROTOCOL}/logout`,
        backchannel_logout_session_required: true,
        post_logout_redirect_uris: [`${url}${PROTOCOL}/logout`],
      },
      features: { backchannelLogout: { enabled: true } },
    });
    ({ token: admin } = await adminClient(url));
    const rules = [{ remote: [{ type: "REMOTE_USER" }], local: [{ user: { name: "{0}" } }] }];
    await put("/v3/OS-FEDERATION/mappings/op", { mapping: { rules } });
    await put(PROVIDER, { identity_provider: { enabled: true, remote_ids: [op.issuer] } });
    const settings = {
      type: "openid",
      issuer: op.issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
    };
    await put(PROTOCOL, { protocol: { mapping_id: "op", settings: { ...settings, logout: true } } });
    browser = await launchChromium();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser.close();
    for (const service of services) await service.stop();
    await op.close();
    dashboard.server.closeAllConnections();
    dashboard.server.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (replica: number) => services[replica]?.url ?? "";

  async function put(path: string, body: object): Promise<void> {
    const answer = await fetch(urlOf(0) + path, {
      method: "PUT",
      headers: { "x-auth-token": admin, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** The status of a token at both processes. */
  const check = (token: string) =>
    Promise.all(
      [0, 1].map(async (replica) => {
        const headers = { "x-auth-token": admin, "x-subject-token": token };
        return (await fetch(`${urlOf(replica)}/v3/auth/tokens`, { headers })).status;
      }),
    );

  async function logIn(): Promise<string> {
    const origin = encodeURIComponent(dashboard.url);
    await page.goto(`${urlOf(0)}/v3/auth/OS-FEDERATION/websso/openid?origin=${origin}`);
    await page.getByText("Welcome to the dashboard").waitFor();
    const token = dashboard.tokens.at(-1) ?? "";
    expect(await check(token)).toEqual([200, 200]);
    return token;
  }

  it("at the provider ends the session's tokens at both processes", async () => {
    const token = await logIn();
    await page.goto(`${op.issuer}/session/end`);
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.waitForURL(`${op.issuer}/session/end/success*`);
    await expect.poll(() => check(token), { timeout: 5000 }).toEqual([404, 404]);
    expect(services[0]?.output()).toMatch(/"action":"logout".*"sessions":"1"/);
  });

  it("at a dashboard ends the tokens, and the session at the provider", async () => {
    const token = await logIn();
    const origin = new URL("/auth/login/", dashboard.url).href;
    await page.setContent(
      `<form method="post" action="${urlOf(0)}${PROTOCOL}/logout"><input name="token" value="${token}"><input name="origin" value="${origin}"><button>Log out</button></form>`,
    );
    await page.getByRole("button", { name: "Log out" }).click();
    // By the ID token the provider knows the session.
    await page.waitForURL(`${op.issuer}/session/end?*id_token_hint=*`);
    await expect.poll(() => check(token), { timeout: 5000 }).toEqual([404, 404]);
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.waitForURL(origin);
    expect(op.asked.filter((path) => path === "/session/end/confirm").length).toBeGreaterThan(0);
  });
});

interface Dashboard {
  readonly url: string;
  readonly server: Server;
  readonly tokens: string[];
}

/** A page that takes a token from a form, as Horizon does. */
async function openDashboard(): Promise<Dashboard> {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      const token = new URLSearchParams(body).get("token");
      if (token !== null) tokens.push(token);
      response.setHeader("content-type", "text/html").end("<p>Welcome to the dashboard</p>");
    });
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${port}/auth/websso/`, server, tokens };
}
