/** Single logout with SimpleSAMLphp, begun at either side. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { createFormBrowser, type FormBrowser, type Page } from "../form-browser.js";
import { openLeftDashboard, type LeftDashboard } from "../guide-logout.js";
import { USER, type ProviderParty } from "../saml/provider-party.js";
import { protocolPath, startSamlService, type SamlService } from "../saml/saml-service.js";
import { startSimpleSamlPhp } from "./simplesamlphp.js";

describe("single logout with SimpleSAMLphp", () => {
  let dashboard: LeftDashboard;
  let service: SamlService;
  const parties: ProviderParty[] = [];

  beforeAll(async () => {
    dashboard = await openLeftDashboard();
    service = await startSamlService(sqliteDatabases, {
      IDENTITY_TRUSTED_DASHBOARDS: dashboard.url,
      IDENTITY_LOG_LEVEL: "info",
    });
    await introduce("signing", {});
    await introduce("careless", { "sign.logout": false });
  });
  afterAll(async () => {
    await Promise.all(parties.map((party) => party.close()));
    await service.close();
    await dashboard.close();
  });

  async function introduce(id: string, settings: object): Promise<void> {
    const party = await startSimpleSamlPhp({ signer: newSigner(), settings: { ...settings } });
    parties.push(party);
    await service.introduce(id, party, { idp_metadata_xml: party.metadata, logout: true });
  }

  const authUrl = (id: string) => `${service.url}${protocolPath(id)}/auth`;

  const logIn = async (id: string, browser: FormBrowser) =>
    enter(browser, await browser.submit(await browser.open(authUrl(id)), USER));
  /** The provider asks for no password a second time. */
  const enterAgain = async (id: string, browser: FormBrowser) =>
    enter(browser, await browser.open(authUrl(id)));

  async function enter(browser: FormBrowser, page: Page): Promise<string> {
    const { headers, status } = await browser.submit(page, {});
    expect(status).toBe(201);
    return headers.get("x-subject-token") ?? "";
  }

  /** Whether the provider's session is there: then it asks for no password. */
  async function isLoggedInAtProvider(id: string, browser: FormBrowser): Promise<boolean> {
    const { text } = await browser.open(authUrl(id));
    expect(text).toMatch(/name="(?:SAMLResponse|username)"/);
    return text.includes('name="SAMLResponse"');
  }

  const isValid = async (token: string) => "token" in (await service.read(token));

  const logOutAtProvider = ({ url }: ProviderParty, browser: FormBrowser) => {
    const back = encodeURIComponent(`${url}/saml2/idp/metadata.php`);
    return browser.open(`${url}/saml2/idp/SingleLogoutService.php?ReturnTo=${back}`);
  };

  it("ends the service's token by a logout at the provider", async () => {
    const [party] = parties;
    const browser = createFormBrowser();
    const other = await logIn("signing", createFormBrowser());
    const token = await logIn("signing", browser);
    expect(await isValid(token)).toBe(true);
    const end = await logOutAtProvider(party as ProviderParty, browser);
    expect(end.url).toBe(party?.entityId);
    expect(await isValid(token)).toBe(false);
    expect(await isValid(other)).toBe(true);
    expect(await isLoggedInAtProvider("signing", browser)).toBe(false);
  });

  it("ends the provider's session by the guide's form, and goes on to the dashboard", async () => {
    const browser = createFormBrowser();
    await logIn("signing", browser);
    expect(await isLoggedInAtProvider("signing", browser)).toBe(true);
    const token = await enterAgain("signing", browser);
    const end = await dashboard.logOut(browser, `${service.url}${protocolPath("signing")}`, token);
    expect([end.url, end.text]).toEqual([dashboard.url, "You have left the dashboard"]);
    expect(await isValid(token)).toBe(false);
    expect(await isLoggedInAtProvider("signing", browser)).toBe(false);
  });

  it("is rejected with a request that is not signed", async () => {
    const browser = createFormBrowser();
    const token = await logIn("careless", browser);
    const before = service.output().length;
    const end = await logOutAtProvider(parties[1] as ProviderParty, browser);
    expect([end.status, end.url.startsWith(`${service.url}/v3/OS-FEDERATION/saml2/logout?`)]).toEqual([
      400,
      true,
    ]);
    await expect.poll(() => service.output().slice(before)).toMatch(/federated logout refused/);
    expect(await isValid(token)).toBe(true);
  });
});
