/** Mistakes of a stranger who sets up a SAML provider, SimpleSAMLphp: each page leads to what mends them. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { newSigner } from "../../identity/test/federation/saml/test-provider.js";
import { USER } from "../../identity/test-system/federation/saml/provider-party.js";
import {
  startSimpleSamlPhp,
  type SimpleSamlPhp,
} from "../../identity/test-system/federation/simplesamlphp/simplesamlphp.js";
import {
  checkEveryLook,
  settled,
  signIn,
  startConsole,
  toSystem,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";
import { nameProvider, testInWizard } from "./provider-logins.js";

let running: ConsoleBrowser;
let party: SimpleSamlPhp;
let opened: ConsolePage;
let page: Page;

beforeAll(async () => {
  running = await startConsole({
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
  });
  // Its certificate has expired: those of tests are of a past day.
  party = await startSimpleSamlPhp({ signer: newSigner() });
  opened = await running.open({ reducedMotion: "reduce" });
  ({ page } = opened);
  page.setDefaultTimeout(25_000);
  await signIn(opened, running.service.url);
  await toSystem(page);
}, 120_000);
afterAll(async () => {
  await running?.close();
  await party?.close();
});

async function logIn(tab: Page): Promise<void> {
  await tab.getByLabel("Username").fill(USER.username);
  await tab.getByLabel("Password").fill(USER.password);
  await tab.getByRole("button", { name: "Login" }).click();
}

const auth = (protocol: string) =>
  `${running.service.url}/v3/OS-FEDERATION/identity_providers/campus/protocols/${protocol}/auth`;
const serviceMetadata = async () =>
  (await fetch(`${running.service.url}/v3/OS-FEDERATION/saml2/metadata`)).text();
const checks = () => page.getByRole("list", { name: "Checks" });

/** PHP's own server may be slower than checks wait for it. */
async function saveUntil(text: RegExp): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.getByRole("button", { name: "Save and check settings" }).click();
        await settled(page);
        return (await checks().textContent()) ?? "";
      },
      { timeout: 40_000 },
    )
    .toMatch(text);
}

it("an unknown service, another ACS URL, an expired certificate: the page alone leads to the fix", async () => {
  await page.goto(`${running.service.url}/console/providers/new?kind=simplesamlphp&step=names`);
  await nameProvider(page, "campus");
  await page.getByRole("textbox", { name: /^Metadata address/ }).fill(party.entityId);
  await saveUntil(/signing certificate sha256:\w+ .*expired at .*: have the provider renew it/);
  await checkEveryLook(page, "mistake-certificate");

  // Not registered at the provider yet, whose own page says so: what is to be registered stands beside it.
  await page.getByRole("button", { name: "Continue to test login" }).click();
  const first = page.context().waitForEvent("page");
  await page.getByRole("button", { name: /^Log in as a test/ }).click();
  const unknown = await first;
  await unknown
    .getByText(/Metadata not found|not found/i)
    .first()
    .waitFor();
  await unknown.close();
  const entityId = `${running.service.url}/v3/OS-FEDERATION/saml2/idp`;
  for (const value of [entityId, auth("saml2")]) await page.getByText(value, { exact: true }).waitFor();
  await checkEveryLook(page, "mistake-unknown-service");

  // Registered with the address of another protocol: the provider sends the browser there.
  const metadata = await serviceMetadata();
  await party.trust({ metadata: metadata.replaceAll(auth("saml2"), auth("saml")), entityId });
  const second = page.context().waitForEvent("page");
  await page.getByRole("button", { name: /^Log in as a test/ }).click();
  const elsewhere = await second;
  await logIn(elsewhere);
  await elsewhere.waitForURL(auth("saml"));
  await elsewhere
    .getByText("Could not find federated protocol saml for Identity Provider: campus.")
    .waitFor();
  await elsewhere.close();
  await page.getByText("or the browser ends at another address").waitFor();
  await page.getByText(auth("saml2"), { exact: true }).waitFor();
  await checkEveryLook(page, "mistake-acs");

  await party.trust({ metadata, entityId });
  await testInWizard(page, async (tab) => {
    const done = tab.getByRole("heading", { name: /The test login/ });
    await tab.getByLabel("Username").or(done).waitFor();
    if ((await done.count()) === 0) await logIn(tab);
  });
  await page.getByRole("button", { name: "Continue to mapping" }).waitFor();
  expect(opened.faults).toEqual([]);
}, 120_000);
