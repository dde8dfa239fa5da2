/** Debian's Horizon with the scopes of the guide "Connecting services": tokens for a domain, and for the system. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { administratorOf } from "../../clients/openstack-shell.js";
import { freePort } from "../../free-port.js";
import { ADMIN_PASSWORD, runService, type ReachableService } from "../../service-process.js";
import { fileOf, linesFor, readGuide, runLines, type Block } from "../keystone/guide.js";
import { startHorizon, type Horizon } from "./horizon.js";
import { launchChromium } from "../../headless-chromium.js";

describe("Horizon, for an administrator with a role on a domain", { timeout: 120_000 }, () => {
  let folder: string;
  let service: ReachableService;
  let guide: readonly Block[];
  let domains: Horizon;
  let system: Horizon;
  const urls = { domains: "", system: "" };
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-horizon-"));
    service = await runService(sqliteDatabases);
    guide = readGuide("connecting-services.md", { "https://id.example.org": service.url });
    const start = async (name: keyof typeof urls) => {
      const port = await freePort();
      urls[name] = `http://127.0.0.1:${port}`;
      const lines = fileOf(guide, `horizon-${name}`);
      return startHorizon({ port, serviceUrl: service.url, guide: { lines } });
    };
    [domains, system] = await Promise.all([start("domains"), start("system"), type("horizon")]);
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await domains.close();
    await system.close();
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(() => page.close());

  /** Commands of the guide. */
  function type(place: string): Promise<string> {
    return runLines(linesFor(guide, place), { env: administratorOf(service.url), folder });
  }

  async function logIn(url: string, domain?: string): Promise<void> {
    await page.goto(`${url}/auth/login/`);
    if (domain !== undefined) await page.locator("#id_domain").fill(domain);
    await page.locator("#id_username").fill("admin");
    await page.locator("#id_password").fill(ADMIN_PASSWORD);
    await page.locator("#loginBtn").click();
    await page.waitForURL(`${url}/project/`);
  }

  /** The messages of a panel, and the text of its rows. */
  async function open(panel: string): Promise<{ alerts: string[]; rows: string[] }> {
    await page.goto(panel);
    const [alerts, rows] = [".alert", "tbody tr"].map((place) => page.locator(place).allTextContents());
    return { alerts: (await alerts) ?? [], rows: (await rows) ?? [] };
  }

  /** As the panel of roles does. @returns The status. */
  async function createRole(url: string, name: string): Promise<number> {
    const cookies = await page.context().cookies();
    const token = cookies.find((cookie) => cookie.name === "csrftoken")?.value ?? "";
    const headers = { "X-Requested-With": "XMLHttpRequest", "X-CSRFToken": token };
    const answer = await page.request.post(`${url}/api/keystone/roles/`, { headers, data: { name } });
    return answer.status();
  }

  it("has the users of the domain, and neither mappings nor new roles, with a token for the domain", async () => {
    const url = urls.domains;
    await logIn(url, "Default");
    expect(await open(`${url}/identity/users/`)).toEqual({
      alerts: [],
      rows: [expect.stringMatching(/admin/)],
    });
    expect((await open(`${url}/identity/`)).rows).toEqual([expect.stringMatching(/admin/)]);
    const refused = expect.stringMatching(/identity:list_mappings\. \(HTTP 403\)/);
    expect((await open(`${url}/identity/mappings/`)).alerts).toEqual([refused]);
    expect(await createRole(url, "for-the-domain")).toBe(403);
  });

  it("has mappings and new roles with the system scope", async () => {
    const url = urls.system;
    await logIn(url);
    // In the menu of scopes.
    const link = await page.locator("a[href*=switch_system_scope]").first().getAttribute("href");
    await page.goto(new URL(link ?? "", url).href);
    expect(await page.locator(".context-overview").first().textContent()).toMatch(/system scope/);
    expect((await open(`${url}/identity/mappings/`)).alerts).toEqual([]);
    expect(await createRole(url, "for-the-system")).toBe(201);
  });

  it("has mappings and new roles with a command for the system", async () => {
    expect(await type("horizon-system-login")).toMatch(/\| name +\| auditor +\|/);
  });
});
