/** Debian's SimpleSAMLphp in the console: made by the wizard in spite of mistakes, tested by good and bad logins, mapped by clicks, used to sign in. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newSigner } from "../../identity/test/federation/saml/test-provider.js";
import { createFakeClock, type FakeClock } from "../../identity/test-system/federation/fake-clock.js";
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
import { nameProvider, signInByProvider, stepItem, testInOtherTab, testInWizard } from "./provider-logins.js";

const OTHER_SERVICE = "https://other.example.org/sp";

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("Username").fill(USER.username);
  await page.getByLabel("Password").fill(USER.password);
  await page.getByRole("button", { name: "Login" }).click();
}

describe("SimpleSAMLphp in the console", () => {
  let running: ConsoleBrowser;
  let party: SimpleSamlPhp;
  /** Of the provider. */
  let clock: FakeClock;
  let opened: ConsolePage;
  let page: Page;
  /** Of this service. */
  let entityId: string;

  beforeAll(async () => {
    running = await startConsole({
      IDENTITY_ALLOW_HTTP_ISSUERS: "on",
      IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
    });
    clock = await createFakeClock();
    party = await startSimpleSamlPhp({ signer: newSigner(), clock });
    opened = await running.open({ reducedMotion: "reduce" });
    ({ page } = opened);
    page.setDefaultTimeout(25_000);
    await signIn(opened, running.service.url);
    await toSystem(page);
    entityId = `${running.service.url}/v3/OS-FEDERATION/saml2/idp`;
  }, 120_000);
  afterAll(async () => {
    await running?.close();
    await party?.close();
    await clock?.remove();
  });

  const auth = (protocol: string) =>
    `${running.service.url}/v3/OS-FEDERATION/identity_providers/campus/protocols/${protocol}/auth`;
  const at = (path: string) => `${running.service.url}/console${path}`;

  async function openTestLogin(): Promise<void> {
    await page.goto(at("/providers/campus/saml2/test-login"));
    await page.getByRole("button", { name: "Begin test login" }).waitFor();
  }

  /** Replaces the metadata in the settings of the protocol by a file. */
  async function changeMetadata(xml: string): Promise<void> {
    await page.goto(at("/providers/campus"));
    await page.getByRole("button", { name: "Change settings" }).click();
    const dialog = page.getByRole("dialog", { name: "Change settings of saml2" });
    await dialog.getByRole("textbox", { name: /^Metadata address/ }).fill("");
    const file = { name: "metadata.xml", mimeType: "text/xml", buffer: Buffer.from(xml) };
    await dialog.getByLabel("Metadata file").setInputFiles(file);
    await dialog.getByRole("row", { name: /^idp_metadata_xml/ }).waitFor();
    await dialog.getByRole("button", { name: "Save settings" }).click();
    // The checks beside it may be those of the settings before.
    await dialog.waitFor({ state: "hidden" });
  }

  /** PHP's own server may be slower than checks wait for it. */
  async function saveUntil(text: RegExp): Promise<void> {
    await expect
      .poll(
        async () => {
          await page.getByRole("button", { name: "Save and check settings" }).click();
          await settled(page);
          return (await page.getByRole("list", { name: "Checks" }).textContent()) ?? "";
        },
        { timeout: 40_000 },
      )
      .toMatch(text);
  }

  /** Begins a test login whose end the console doesn't see. @returns The provider's tab. */
  async function beginInWizard(): Promise<Page> {
    const other = page.context().waitForEvent("page");
    await page.getByRole("button", { name: /^Log in as a test/ }).click();
    return other;
  }

  it("is made by the wizard from the address of its metadata, by a stranger whose mistakes the page names", async () => {
    await page.goto(at("/providers/new?kind=simplesamlphp&step=names"));
    await nameProvider(page, "campus");
    await page.getByRole("button", { name: "Copy Entity ID" }).waitFor();
    const address = page.getByRole("textbox", { name: /^Metadata address/ });
    await address.fill("http://127.0.0.1:9/metadata");
    await page.getByRole("button", { name: "Save and check settings" }).click();
    await page.getByRole("list", { name: "Checks" }).getByText("ECONNREFUSED").waitFor();
    // Its certificate has expired: those of tests are of a past day.
    await address.fill(party.entityId);
    await saveUntil(/signing certificate sha256:\w+ .*expired at .*: have the provider renew it/);
    await checkEveryLook(page, "mistake-certificate");
    // The address of the metadata is enough: its entity ID is the remote id.
    expect(await running.api("GET", "/v3/OS-FEDERATION/identity_providers/campus")).toMatchObject({
      identity_provider: { enabled: false, remote_ids: [party.entityId] },
    });

    // Not registered at the provider yet, whose own page says so: what is to be registered stands beside it.
    await page.getByRole("button", { name: "Continue to test login" }).click();
    const unknown = await beginInWizard();
    await unknown
      .getByText(/Metadata not found|not found/i)
      .first()
      .waitFor();
    await unknown.close();
    for (const value of [entityId, auth("saml2")]) await page.getByText(value, { exact: true }).waitFor();
    await checkEveryLook(page, "mistake-unknown-service");

    // Registered with the address of another protocol: the provider sends the browser there.
    const metadata = await (await fetch(`${running.service.url}/v3/OS-FEDERATION/saml2/metadata`)).text();
    await party.trust({ metadata: metadata.replaceAll(auth("saml2"), auth("saml")), entityId });
    const elsewhere = await beginInWizard();
    await logIn(elsewhere);
    await elsewhere.waitForURL(auth("saml"));
    await elsewhere
      .getByText("Could not find federated protocol saml for Identity Provider: campus.")
      .waitFor();
    await elsewhere.close();
    await page.getByText("or the browser ends at another address").waitFor();
    await page.getByText(auth("saml2"), { exact: true }).waitFor();

    await party.trust({ metadata, entityId });
    await clock.set(3600);
    await testInWizard(page, logInIfAsked);
    await page.getByText("The login would fail: time").waitFor();
    await stepItem(page, "time")
      .getByText(/is in the future: .*, in 3[56]\d\d s \(leeway 60 s\); check the clocks of both/)
      .waitFor();
    await checkEveryLook(page, "mistake-clock");
    await clock.set(0);

    await testInWizard(page, logInIfAsked);
    await page.getByRole("button", { name: "Continue to mapping" }).click();
    await page.getByRole("button", { name: "Require staff in eduPersonAffiliation" }).click();
    await page.getByRole("button", { name: "Save mapping" }).click();
    await page.getByRole("button", { name: "Continue to enabling" }).click();
    await page.getByRole("button", { name: "Enable provider" }).click();
    await page.getByText("campus is enabled: its users can log in").waitFor();
    await openTestLogin();
    await testInOtherTab(page, logInIfAsked);
    await page.getByText("The login would succeed").waitFor();
    await stepItem(page, "audience").getByText(entityId).waitFor();
    await checkEveryLook(page, "simplesamlphp-test-login");
    expect(opened.faults).toEqual([]);
  }, 120_000);

  it("gets a mapping by clicks in the workbench, and logs in to the console itself", async () => {
    await page.getByRole("link", { name: "Open in workbench" }).click();
    await page.getByRole("button", { name: "Require member in eduPersonAffiliation" }).click();
    const rule = page.getByRole("region", { name: "Rule 1" });
    const name = rule.getByLabel("user name of rule 1 result 1");
    await name.fill("");
    await name.focus();
    await page.getByRole("button", { name: "Insert placeholder of uid" }).click();
    const outcome = page.getByRole("region", { name: "Outcome" });
    await expect.poll(() => name.inputValue()).toBe("{0}");
    await expect.poll(() => outcome.textContent()).toContain(USER.username);
    await checkEveryLook(page, "simplesamlphp-workbench");
    await page.getByRole("button", { name: "Save mapping" }).click();
    const dialog = page.getByRole("dialog", { name: "Save mapping campus" });
    await dialog.getByRole("button", { name: "Save mapping" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(await signInByProvider(running, "campus", logIn)).toBe(USER.username);
    expect(opened.faults).toEqual([]);
  }, 120_000);

  it("fails a test login without an attribute that the rules require: the page names it", async () => {
    await party.configure({ authproc: { 50: { class: "core:AttributeLimit", 0: "uid" } } });
    await openTestLogin();
    await testInOtherTab(page, logInIfAsked);
    await page.getByText("The login would fail: mapping").waitFor();
    await page.getByText('the assertion has no "eduPersonAffiliation"').first().waitFor();
    await party.configure({});
    expect(opened.faults).toEqual([]);
  }, 60_000);

  it("fails a test login whose provider has another entity ID than these settings: the page shows both", async () => {
    await changeMetadata(party.metadata.replace(/entityID="[^"]*"/, 'entityID="https://idp.example.org"'));
    await openTestLogin();
    await testInOtherTab(page, logInIfAsked);
    await page.getByText("The login would fail: issuer").waitFor();
    const issuer = stepItem(page, "issuer");
    await issuer.getByRole("definition").getByText(party.entityId, { exact: true }).waitFor();
    await issuer.getByRole("definition").getByText("https://idp.example.org", { exact: true }).waitFor();
    await changeMetadata(party.metadata);
    expect(opened.faults).toEqual([]);
  }, 60_000);

  it("fails a test login whose assertion is for another service: the page shows both audiences", async () => {
    const code = `$state["SPMetadata"]["entityid"] = "${OTHER_SERVICE}";`;
    await party.configure({ authproc: { 50: { class: "core:PHP", code } } });
    await openTestLogin();
    await testInOtherTab(page, logInIfAsked);
    await page.getByText("The login would fail: audience").waitFor();
    const audience = stepItem(page, "audience");
    await audience.getByRole("definition").getByText(OTHER_SERVICE, { exact: true }).waitFor();
    await audience.getByRole("definition").getByText(entityId, { exact: true }).waitFor();
    await checkEveryLook(page, "simplesamlphp-audience");
    expect(opened.faults).toEqual([]);
  }, 60_000);
});

/** The browser may still have its session at the provider. */
async function logInIfAsked(page: Page): Promise<void> {
  const done = page.getByRole("heading", { name: /The test login/ });
  await page.getByLabel("Username").or(done).waitFor();
  if ((await done.count()) === 0) await logIn(page);
}
