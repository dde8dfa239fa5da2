/** Many parallel logins in Chromium over HTTPS, with ids that contain characters which end a cookie's path. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { createLinks } from "../../src/platform/http/links.js";
import { sqliteDatabases } from "../../test/databases.js";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../test/federation/openid/test-provider.js";
import { newSigner } from "../../test/federation/saml/test-provider.js";
import { freePort } from "../free-port.js";
import { closed, openFront, type Front } from "./browser-front.js";
import { USER, type ProviderParty } from "./saml/provider-party.js";
import { startSamlify } from "./saml/samlify-provider.js";
import { startSamlService, type SamlService } from "./saml/saml-service.js";
import { launchChromium } from "../headless-chromium.js";

const OPENID = { idp: "corp; Path=/ 1", protocol: "open id;x" };
const SAML = { idp: "corp; Path=/ 2", protocol: "saml 2;x" };
const BEGUN = 80;
const RULES = [{ remote: [{ type: "REMOTE_USER" }], local: [{ user: { name: "{0}" } }] }];

describe("Chromium, with ids that contain semicolons and spaces", { timeout: 180_000 }, () => {
  let folder: string;
  let front: Front;
  let service: SamlService;
  let dashboard: Dashboard;
  let op: TestProvider;
  let party: ProviderParty;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    front = await openFront("https", folder);
    dashboard = await openDashboard();
    service = await startSamlService(sqliteDatabases, {
      IDENTITY_PUBLIC_URL: front.url,
      IDENTITY_TRUSTED_DASHBOARDS: dashboard.url,
      IDENTITY_ALLOW_HTTP_ISSUERS: "on",
      IDENTITY_LOG_LEVEL: "info",
    });
    front.leadTo(service.url);
    op = await startProvider(callbackOf(OPENID));
    party = await startSamlify({ signer: newSigner(), host: "localhost" });
    await service.ask("PUT", "/v3/OS-FEDERATION/mappings/people", { mapping: { rules: RULES } });
    await introduce(OPENID, {
      type: "openid",
      issuer: op.issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
    });
    await introduce(SAML, { type: "saml2", idp_metadata_xml: party.metadata });
    const metadata = await (await fetch(`${service.url}/v3/OS-FEDERATION/saml2/metadata`)).text();
    await party.trust({ metadata, entityId: `${front.url}/v3/OS-FEDERATION/saml2/idp` });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
    await Promise.all([op, party, front, dashboard].map((each) => each.close()));
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    dashboard.tokens.length = 0;
    context = await browser.newContext({ ignoreHTTPSErrors: true, bypassCSP: true });
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const pathOf = (prefix: string, { idp, protocol }: typeof SAML, last: string) =>
    createLinks(front.url).self(`${prefix}/identity_providers`, idp, "protocols", protocol, last);
  const callbackOf = (protocol: typeof SAML) => pathOf("/v3/OS-FEDERATION", protocol, "auth");
  const websso = (protocol: typeof SAML) =>
    `${pathOf("/v3/auth/OS-FEDERATION", protocol, "websso")}?origin=${encodeURIComponent(dashboard.url)}`;

  async function introduce({ idp, protocol }: typeof SAML, settings: object): Promise<void> {
    const provider = `/v3/OS-FEDERATION/identity_providers/${encodeURIComponent(idp)}`;
    await service.ask("PUT", provider, { identity_provider: { enabled: true } });
    await service.ask("PUT", `${provider}/protocols/${encodeURIComponent(protocol)}`, {
      protocol: { mapping_id: "people", settings },
    });
  }

  /**
   * Begins eighty logins one after another, all but the last six without a look at the provider's page.
   *
   * @returns The addresses at the provider that the browser was sent to by the last six.
   */
  async function beginEighty(protocol: typeof SAML): Promise<string[]> {
    await page.goto(`${front.url}/v3`);
    await page.evaluate(
      `(async () => { for (let i = 0; i < ${BEGUN - 6}; i++) await ${fetchOf(protocol)} })()`,
    );
    const found: string[] = [];
    for (let logins = 0; logins < 6; logins++) {
      await page.goto(websso(protocol));
      found.push(page.url());
    }
    return found;
  }

  const fetchOf = (protocol: typeof SAML) =>
    `fetch(${JSON.stringify(websso(protocol))}, { redirect: "manual" })`;

  /** As the browser sends them to the callback. */
  async function cookieHeader(protocol: typeof SAML): Promise<string> {
    const cookies = await context.cookies(callbackOf(protocol));
    return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  }

  const isWelcome = async () => {
    await page.getByText("Welcome to the dashboard").waitFor();
    expect(page.url()).toBe(dashboard.url);
  };
  const isRefused = () => page.getByRole("heading", { name: "You are not logged in" }).waitFor();
  const nameOf = async () => (await service.read(dashboard.tokens.at(-1) ?? "")).token.user.name;

  /** Has the provider of OpenID Connect let users wait, or go on. */
  function holdUsers(): void {
    op.answers.set("/auth", (_, response) => response.end("the provider"));
  }

  async function logInAtSamlify(): Promise<void> {
    await page.getByLabel("User").fill(USER.username);
    await page.getByLabel("Password").fill(USER.password);
    await page.getByRole("button", { name: "Log in" }).click();
  }

  it("logs in with OpenID Connect after 80 pending logins: the five newest are good, older ones refused", async () => {
    holdUsers();
    const begun = await beginEighty(OPENID);
    op.answers.clear();
    const cookies = await context.cookies(callbackOf(OPENID));
    expect(cookies.map(({ name }) => name.replace(/\d+$/, "")).toSorted()).toEqual([
      "__Secure-identity-begun",
      ...Array<string>(5).fill("__Secure-identity-login-"),
    ]);
    expect((await cookieHeader(OPENID)).length).toBeLessThan(4096);
    const answer = await page.goto(begun[0] ?? "");
    expect([answer?.status(), new URL(page.url()).origin]).toEqual([401, front.url]);
    await isRefused();
    for (const url of begun.slice(-5)) {
      await page.goto(url);
      await isWelcome();
    }
    expect(dashboard.tokens).toHaveLength(5);
    expect(await nameOf()).toBe("kim");
  });

  it("logs in with SAML after 80 pending logins: the five newest are good, older ones refused", async () => {
    const begun = await beginEighty(SAML);
    expect((await cookieHeader(SAML)).length).toBeLessThan(4096);
    await page.goto(begun[0] ?? "");
    await logInAtSamlify();
    await isRefused();
    for (const url of begun.slice(-5)) {
      await page.goto(url);
      await logInAtSamlify();
      await isWelcome();
    }
    expect(dashboard.tokens).toHaveLength(5);
    expect(await nameOf()).toBe("alice");
  });

  it("logs in after 80 logins that tabs have begun at the same time", async () => {
    holdUsers();
    await page.goto(`${front.url}/v3`);
    await page.evaluate(`Promise.all(Array.from({ length: ${BEGUN} }, () => ${fetchOf(OPENID)}))`);
    expect((await cookieHeader(OPENID)).length).toBeLessThan(8192);
    op.answers.clear();
    await page.goto(websso(OPENID));
    await isWelcome();
  });

  it("has cookies of both protocols that neither the other's callback nor the rest of the host is sent", async () => {
    holdUsers();
    for (const protocol of [OPENID, SAML]) await page.goto(websso(protocol));
    op.answers.clear();
    const namesAt = async (url: string) =>
      (await context.cookies(url)).map(({ name, path }) => [name.replace(/\d+$/, ""), path]);
    const list = ["__Secure-identity-begun", "/v3"];
    for (const protocol of [OPENID, SAML])
      expect(await namesAt(callbackOf(protocol))).toEqual(
        expect.arrayContaining([list, ["__Secure-identity-login-", new URL(callbackOf(protocol)).pathname]]),
      );
    expect(await namesAt(callbackOf(OPENID))).toHaveLength(2);
    expect(await namesAt(`${front.url}/v3/auth/OS-FEDERATION/websso/x`)).toEqual([list]);
    expect(await namesAt(`${front.url}/`)).toEqual([]);
  });
});

interface Dashboard {
  readonly url: string;
  /** Forms that browsers have posted. */
  readonly tokens: string[];
  close(): Promise<void>;
}

/** A page that takes a token from a form, as Horizon does. */
async function openDashboard(): Promise<Dashboard> {
  const tokens: string[] = [];
  const server: Server = createServer((request, response) => {
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
  return { url: `http://127.0.0.1:${port}/auth/websso/`, tokens, close: () => closed(server) };
}
