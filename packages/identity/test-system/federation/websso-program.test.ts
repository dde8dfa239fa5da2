/** WebSSO for a program on the user's computer, in Chromium: from the browser that keystoneauth's `v3websso` opens to its listener. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../test/federation/openid/test-provider.js";
import { freePort } from "../free-port.js";
import { adminClient } from "../reliability/admin-client.js";
import { startService, type ServiceProcess } from "../service-process.js";
import { openDashboard, type Dashboard } from "./browser-dashboard.js";
import { openFront, type Front } from "./browser-front.js";
import { launchChromium } from "../headless-chromium.js";

describe("Chromium, opened by a program", () => {
  let folder: string;
  let database: TestDatabase;
  let front: Front;
  let service: ServiceProcess;
  let op: TestProvider;
  let program: Dashboard;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let admin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    database = await sqliteDatabases.create();
    front = await openFront("https", folder);
    service = await startService({
      databaseUrl: database.url,
      folder,
      port: await freePort(),
      env: { IDENTITY_PUBLIC_URL: front.url, IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_LOG_LEVEL: "info" },
    });
    front.leadTo(service.url);
    op = await startProvider(`${front.url}/v3/OS-FEDERATION/identity_providers/op/protocols/openid/auth`);
    ({ token: admin } = await adminClient(service.url));
    const rules = [{ remote: [{ type: "OIDC-email" }], local: [{ user: { name: "{0}" } }] }];
    await put("mappings/op", { mapping: { rules } });
    await put("identity_providers/op", { identity_provider: { enabled: true, remote_ids: [op.issuer] } });
    const client = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, audiences: [AUDIENCE] };
    const settings = { type: "openid", issuer: op.issuer, ...client, allow_loopback_websso: true };
    await put("identity_providers/op/protocols/openid", { protocol: { mapping_id: "op", settings } });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await Promise.all([front.close(), op.close()]);
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    page = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await program.close();
  });

  async function put(path: string, body: object): Promise<void> {
    const answer = await fetch(`${service.url}/v3/OS-FEDERATION/${path}`, {
      method: "PUT",
      headers: { "x-auth-token": admin, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  }

  /** As the plugin writes the URL. */
  const urlFor = (listener: Dashboard) =>
    `${front.url}/v3/auth/OS-FEDERATION/identity_providers/op/protocols/openid/websso?origin=${listener.url}`;

  async function userOf(token = ""): Promise<unknown> {
    const headers = { "x-auth-token": admin, "x-subject-token": token };
    const answer = await fetch(`${service.url}/v3/auth/tokens`, { headers });
    return ((await answer.json()) as { token: { user: { name: unknown } } }).token.user.name;
  }

  it.each(["localhost", "127.0.0.1", "[::1]"] as const)(
    "sends the token to %s when the user agrees",
    async (host) => {
      program = await openDashboard(host);
      await page.goto(urlFor(program));
      await page.getByRole("heading", { name: "Let a program log in as you?" }).waitFor();
      await page.getByText(program.url).waitFor();
      expect(program.tokens).toEqual([]);
      await page.getByRole("button", { name: "Log the program in" }).click();
      await page.getByText("Welcome to the dashboard").waitFor();
      expect(await userOf(program.tokens[0])).toBe("kim@example.org");
      await expect.poll(() => service.output()).toContain(`"origin":"${program.url}"`);
    },
  );

  it("ignores a click of the first second, such as the second one of a double click", async () => {
    program = await openDashboard("localhost");
    await page.goto(urlFor(program));
    const box = await page.getByRole("button").boundingBox();
    await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
    await page.waitForTimeout(300);
    expect([page.url().startsWith(front.url), program.tokens]).toEqual([true, []]);
  });

  it("sends nothing when the user closes the page", async () => {
    program = await openDashboard("localhost");
    await page.goto(urlFor(program));
    await page.getByRole("heading", { name: "Let a program log in as you?" }).waitFor();
    await page.close();
    expect(program.tokens).toEqual([]);
  });
});
