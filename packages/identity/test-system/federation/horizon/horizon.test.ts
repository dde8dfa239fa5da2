/** WebSSO of Debian's Horizon in Chromium: from its login page to an OpenID provider, and back to a project's page; and its logout. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../../test/federation/openid/test-provider.js";
import { freePort } from "../../free-port.js";
import { startSamlService, type SamlService } from "../saml/saml-service.js";
import { startHorizon, type Horizon } from "./horizon.js";
import { launchChromium } from "../../headless-chromium.js";

/** Called `keycloak` in the guide's lines for Horizon. */
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/keycloak";

const RULES = [
  {
    remote: [{ type: "OIDC-preferred_username" }],
    local: [{ user: { name: "{0}" }, group: { name: "staff", domain: { name: "Default" } } }],
  },
];

interface Created {
  readonly id: string;
}

describe("Horizon", () => {
  let service: SamlService;
  let provider: TestProvider;
  let horizon: Horizon;
  let leaving: Horizon;
  let port: number;
  let leavingPort: number;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    port = await freePort();
    leavingPort = await freePort();
    service = await startSamlService(sqliteDatabases, {
      IDENTITY_ALLOW_HTTP_ISSUERS: "on",
      IDENTITY_TRUSTED_DASHBOARDS: [port, leavingPort]
        .map((each) => `http://127.0.0.1:${each}/auth/websso/`)
        .join(),
      IDENTITY_LOG_LEVEL: "info",
    });
    provider = await startProvider(`${service.url}${PROVIDER}/protocols/openid/auth`, {
      client: {
        backchannel_logout_uri: `${service.url}${PROVIDER}/protocols/openid/logout`,
        backchannel_logout_session_required: true,
      },
      features: { backchannelLogout: { enabled: true } },
    });
    await setUp();
    const guide = { logoutUrl: `${provider.issuer}/session/end` };
    [horizon, leaving] = await Promise.all([
      startHorizon({ port, serviceUrl: service.url }),
      startHorizon({ port: leavingPort, serviceUrl: service.url, guide }),
    ]);
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await horizon.close();
    await leaving.close();
    await provider.close();
    await service.close();
  });
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(() => page.close());

  async function setUp(): Promise<void> {
    const { ask } = service;
    const inDefault = { domain_id: "default" };
    const { project } = await ask<{ project: Created }>("POST", "/v3/projects", {
      project: { name: "atelier", ...inDefault },
    });
    const { group } = await ask<{ group: Created }>("POST", "/v3/groups", {
      group: { name: "staff", ...inDefault },
    });
    const { roles } = await ask<{ roles: Created[] }>("GET", "/v3/roles?name=member");
    await ask("PUT", `/v3/projects/${project.id}/groups/${group.id}/roles/${roles[0]?.id}`);
    await ask("PUT", "/v3/OS-FEDERATION/mappings/openid", { mapping: { rules: RULES } });
    await ask("PUT", PROVIDER, {
      identity_provider: { enabled: true, domain_id: "default", remote_ids: [provider.issuer] },
    });
    const { issuer } = provider;
    const settings = {
      type: "openid",
      issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      logout: true,
    };
    await ask("PUT", `${PROVIDER}/protocols/openid`, { protocol: { mapping_id: "openid", settings } });
  }

  async function chooseKeycloak(horizonUrl: string): Promise<void> {
    await page.goto(`${horizonUrl}/auth/login/`);
    await page.locator("select[name=auth_type]").selectOption({ label: "Keycloak" });
    await page.locator("#loginBtn").click();
  }

  it("logs in a user of the provider, with a project of the user's groups", async () => {
    await chooseKeycloak(`http://127.0.0.1:${port}`);
    await page.waitForURL(`http://127.0.0.1:${port}/project/**`);
    expect(await page.locator("nav").first().textContent()).toMatch(/atelier[^]*kim\.example/);
  });

  it("is refused under an address that the service does not trust", async () => {
    await chooseKeycloak(`http://localhost:${port}`);
    await page.getByText("The request you have made requires authentication.").waitFor();
    expect(page.url().startsWith(service.url)).toBe(true);
  });

  it("logs out at the provider, which ends the token here, with the guide's lines for logout", async () => {
    const home = `http://127.0.0.1:${leavingPort}`;
    await page.goto(`${home}/auth/login/`);
    await page.waitForURL(`${home}/project/**`);
    const before = service.output().length;
    await page.goto(`${home}/auth/logout/`);
    expect(page.url()).toMatch(`${provider.issuer}/session/end`);
    expect(service.output().slice(before)).not.toMatch(/"action":"logout"/);
    await page.locator("button[value=yes]").click();
    const written = () => service.output().slice(before);
    await expect.poll(written).toMatch(/"action":"logout".*"sessions":"1".*"outcome":"done"/);
  });
});
