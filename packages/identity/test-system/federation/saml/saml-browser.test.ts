/** WebSSO in Chromium: from a dashboard to a provider on another site and back. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { freePort } from "../../free-port.js";
import { closed, openFront, type Front } from "../browser-front.js";
import { USER, type ProviderParty } from "./provider-party.js";
import { startPysaml2 } from "./pysaml2-provider.js";
import { protocolPath, startSamlService, type SamlService } from "./saml-service.js";
import { startSamlify } from "./samlify-provider.js";
import { launchChromium } from "../../headless-chromium.js";

const PROVIDERS = [
  { id: "pysaml2", start: startPysaml2, post: false },
  { id: "pysaml2-forms", start: startPysaml2, post: true },
  { id: "samlify", start: startSamlify, post: false },
  { id: "samlify-forms", start: startSamlify, post: true },
] as const;

/** Over HTTP, as in a local trial, only the cookie differs. */
const SCENES = [
  { scheme: "https", providers: PROVIDERS },
  { scheme: "http", providers: PROVIDERS.filter(({ id }) => id === "samlify") },
] as const;

describe.each(SCENES)("Chromium, and a service over $scheme", ({ scheme, providers }) => {
  let folder: string;
  let front: Front;
  let service: SamlService;
  let dashboard: Dashboard;
  let parties: ProviderParty[];
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    front = await openFront(scheme, folder);
    dashboard = await openDashboard(`${front.url}/v3/auth/OS-FEDERATION`);
    service = await startSamlService(sqliteDatabases, {
      IDENTITY_PUBLIC_URL: front.url,
      IDENTITY_TRUSTED_DASHBOARDS: dashboard.url,
      IDENTITY_LOG_LEVEL: "info",
    });
    front.leadTo(service.url);
    parties = await Promise.all(
      providers.map(({ start, post }) => start({ signer: newSigner(), post, host: "localhost" })),
    );
    for (const [index, { id }] of providers.entries())
      await service.introduce(id, parties[index] as ProviderParty);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
    await Promise.all([...parties, front, dashboard].map((each) => each.close()));
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    dashboard.tokens.length = 0;
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    page = await context.newPage();
  });
  afterEach(() => context.close());

  /** From the dashboard to the page of a provider that asks for the password. */
  async function toProvider(on: Page, id: string): Promise<void> {
    await on.goto(dashboard.url);
    await on.getByRole("link", { name: `Log in by ${id}`, exact: true }).click();
    await on.getByRole("heading", { name: "Log in at" }).waitFor();
    expect(new URL(on.url()).hostname).toBe("localhost");
  }

  async function logIn(on: Page): Promise<void> {
    await on.getByLabel("User").fill(USER.username);
    await on.getByLabel("Password").fill(USER.password);
    await on.getByRole("button", { name: "Log in" }).click();
  }

  async function isWelcome(on: Page): Promise<void> {
    await on.getByText("Welcome to the dashboard").waitFor();
    expect(on.url()).toBe(dashboard.url);
  }

  /** The users that logins have created, and the reasons of failed logins. */
  const users = async () => (await service.ask<{ users: unknown[] }>("GET", "/v3/users")).users.length;
  const refusals = (reason: string) => service.output().split(reason).length - 1;

  it.each(providers)("goes to $id and back to the dashboard, with a token that is good", async ({ id }) => {
    await toProvider(page, id);
    await logIn(page);
    await isWelcome(page);
    expect(dashboard.tokens).toHaveLength(1);
    expect(await service.read(dashboard.tokens[0] ?? "")).toMatchObject({
      token: {
        methods: ["saml2"],
        user: { name: "alice", "OS-FEDERATION": { identity_provider: { id }, protocol: { id: "saml2" } } },
      },
    });
  });

  it(`${scheme === "https" ? "needs" : "has"} no leniency of the browser's with cookies that are some minutes old`, async () => {
    const strict = await launchChromium("--enable-features=SameSiteDefaultChecksMethodRigorously");
    try {
      const tab = await strict.newPage({ ignoreHTTPSErrors: true });
      await toProvider(tab, "samlify");
      await logIn(tab);
      await (scheme === "https" ? isWelcome(tab) : isRefused(tab));
      expect(dashboard.tokens).toHaveLength(scheme === "https" ? 1 : 0);
    } finally {
      await strict.close();
    }
  });

  if (scheme === "http") return;
  it("chooses a provider by the keyboard alone", async () => {
    await page.goto(dashboard.url);
    const pressTab = async () => {
      await page.keyboard.press("Tab");
      return page.evaluate("document.activeElement.textContent");
    };
    expect(await pressTab()).toBe("Log in");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Choose how to log in" }).waitFor();
    const names = [];
    for (const _ of PROVIDERS) names.push(await pressTab());
    expect(names).toEqual(PROVIDERS.map(({ id }) => id));
    const isSeen = await page.evaluate(
      "getComputedStyle(document.activeElement).outlineStyle !== 'none' && document.activeElement.matches(':focus-visible')",
    );
    expect(isSeen).toBe(true);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Log in at samlify" }).waitFor();
    // The provider's own page has the field for the user in focus.
    await page.keyboard.type(USER.username);
    await page.keyboard.press("Tab");
    await page.keyboard.type(USER.password);
    await page.keyboard.press("Enter");
    await isWelcome(page);
  });

  it("logs in twice at a time, in two tabs", async () => {
    const other = await context.newPage();
    await toProvider(page, "pysaml2");
    await toProvider(other, "samlify");
    await logIn(page);
    await isWelcome(page);
    await logIn(other);
    await isWelcome(other);
    expect(new Set(dashboard.tokens).size).toBe(2);
  });

  it("is rejected when the user goes back and posts again, and each time the page is reloaded, and nothing is stored", async () => {
    await toProvider(page, "samlify");
    await logIn(page);
    await isWelcome(page);
    const before = await users();
    await page.goBack();
    await page.getByRole("heading", { name: "Log in at samlify" }).waitFor();
    await logIn(page);
    await isRefused(page);
    expect(page.url()).toBe(`${front.url}${protocolPath("samlify")}/auth`);
    expect((await page.reload())?.status()).toBe(401);
    await isRefused(page);
    await expect.poll(() => refusals("the login was finished before")).toBe(2);
    expect([await users(), dashboard.tokens.length]).toEqual([before, 1]);
  });

  it("is refused in a browser that has not begun the login, and nothing is stored", async () => {
    await toProvider(page, "pysaml2");
    const elsewhere = await browser.newContext({ ignoreHTTPSErrors: true });
    const victim = await elsewhere.newPage();
    const before = await users();
    await victim.goto(page.url());
    await logIn(victim);
    await isRefused(victim);
    await expect
      .poll(() => refusals("the login is unknown, began in another browser, or too long ago"))
      .toBe(1);
    expect([await users(), dashboard.tokens]).toEqual([before, []]);
    await elsewhere.close();
  });
});

async function isRefused(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "You are not logged in" }).waitFor();
  await page.getByText("The request you have made requires authentication.").waitFor();
}

interface Dashboard {
  readonly url: string;
  /** Forms that browsers have posted. */
  readonly tokens: string[];
  close(): Promise<void>;
}

/** A page with links to log in, that takes a token from a form, as Horizon does. */
async function openDashboard(webSso: string): Promise<Dashboard> {
  const tokens: string[] = [];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/auth/websso/`;
  const query = `?origin=${encodeURIComponent(url)}`;
  const links = PROVIDERS.map(
    ({ id }) =>
      `<a href="${webSso}/identity_providers/${id}/protocols/saml2/websso${query}">Log in by ${id}</a>`,
  );
  const start = `<a href="${webSso}/websso/saml2${query}">Log in</a> ${links.join(" ")}`;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      const token = new URLSearchParams(body).get("token");
      if (token !== null) tokens.push(token);
      response.setHeader("content-type", "text/html");
      response.end(token === null ? start : "<p>Welcome to the dashboard</p>");
    });
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return { url, tokens, close: () => closed(server) };
}
