/** Providers in the console: made by the wizard against real ones, tested by logins that create nothing, changed and deleted. */
import { X509Certificate } from "node:crypto";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../identity/test/federation/openid/test-provider.js";
import { newSigner } from "../../identity/test/federation/saml/test-provider.js";
import { USER, type ProviderParty } from "../../identity/test-system/federation/saml/provider-party.js";
import { createFakeClock, type FakeClock } from "../../identity/test-system/federation/fake-clock.js";
import { startPysaml2 } from "../../identity/test-system/federation/saml/pysaml2-provider.js";
import {
  checkAxe,
  checkEveryLook,
  settled,
  signIn,
  startConsole,
  toSystem,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";
import { nameProvider, signInByProvider, stepItem, testInOtherTab, testInWizard } from "./provider-logins.js";

const ENV = { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8" };

describe("providers in the console", () => {
  let running: ConsoleBrowser;
  let op: TestProvider;
  let saml: ProviderParty;
  /** Of the provider of SAML. */
  let clock: FakeClock;
  let opened: ConsolePage;
  let page: Page;

  beforeAll(async () => {
    running = await startConsole(ENV);
    op = await startProvider(
      `${running.service.url}/v3/OS-FEDERATION/identity_providers/keycloak/protocols/openid/auth`,
    );
    clock = await createFakeClock();
    saml = await startPysaml2({ signer: newSigner(), host: "127.0.0.1", clock });
    opened = await running.open({ reducedMotion: "reduce" });
    ({ page } = opened);
    page.setDefaultTimeout(25_000);
    await signIn(opened, running.service.url, { path: "/console/providers" });
    await toSystem(page);
    await page.goto(at("/providers"));
  }, 120_000);
  afterAll(async () => {
    await running?.close();
    await op?.close();
    await saml?.close();
    await clock?.remove();
  });

  const at = (path: string) => `${running.service.url}/console${path}`;
  const checkLooks = (name: string) => checkEveryLook(page, name);
  const stepText = (step: string) => stepItem(page, step);
  const testLogin = (inTab?: (tab: Page) => Promise<void>) => testInOtherTab(page, inTab);

  it("begins with an empty list and its next step", async () => {
    await page.getByText("No identity provider yet").waitFor();
    await checkLooks("providers-empty");
    await page.getByRole("link", { name: "Create provider" }).first().click();
    await page.getByRole("link", { name: /^Keycloak/ }).waitFor();
    await checkLooks("wizard-kinds");
    expect(opened.faults).toEqual([]);
  });

  it("makes a provider of OpenID Connect by the wizard, which checks it at once", async () => {
    await page.getByRole("link", { name: /^Keycloak/ }).click();
    await page.getByLabel("Provider id").waitFor();
    await checkLooks("wizard-names");
    await nameProvider(page, "keycloak");
    await page.getByText("/identity_providers/keycloak/protocols/openid/auth").waitFor();
    await page.getByRole("button", { name: "Copy Redirect URI" }).waitFor();
    await page.getByRole("button", { name: "Save and check settings" }).click();
    await page.getByText("Expected an address such as").waitFor();
    // An issuer that does not answer: saved, and told in words.
    await page.getByLabel("Issuer").fill("http://127.0.0.1:9");
    await page.getByLabel("Client id").fill(CLIENT_ID);
    await page.getByLabel("Client secret").fill(CLIENT_SECRET);
    await page.getByRole("button", { name: "Save and check settings" }).click();
    const checks = page.getByRole("list", { name: "Checks" });
    await checks.getByText("ECONNREFUSED").waitFor();
    await checkLooks("wizard-settings-failed");
    await page.getByLabel("Issuer").fill(op.issuer);
    await page.getByRole("button", { name: "Save and check settings" }).click();
    await checks.getByText(`the discovery document of "${op.issuer}" can be read`).waitFor();
    expect(await checks.getByText("failed", { exact: true }).count()).toBe(0);
    await checkLooks("wizard-settings");
    expect(await running.api("GET", "/v3/OS-FEDERATION/identity_providers/keycloak")).toMatchObject({
      identity_provider: { enabled: false, remote_ids: [op.issuer] },
    });
  }, 120_000);

  it("logs in as a test while the provider is disabled, and makes the rules by clicks on what came", async () => {
    await page.getByRole("button", { name: "Continue to test login" }).click();
    await page.getByRole("button", { name: "Log in as a test" }).waitFor();
    await testInWizard(page);
    await page.getByText("The provider's answer is accepted").waitFor();
    await checkLooks("wizard-tested");
    await page.getByRole("button", { name: "Continue to mapping" }).click();
    await page.getByRole("table", { name: "Attributes" }).waitFor();
    // What a Keycloak usually sends, as far as it came.
    const use = (attribute: string, as: string) =>
      page.getByRole("button", { name: `Use ${attribute} as ${as}`, exact: true });
    expect(await use("OIDC-sub", "id").getAttribute("aria-pressed")).toBe("true");
    await page.getByText("kim.example").last().waitFor();
    await page.getByText("does not exist in domain").first().waitFor();
    await checkLooks("wizard-mapping");
    await page.getByRole("button", { name: "Save mapping" }).click();
    await page.getByText("This user would have no role").waitFor();
    await page.getByRole("button", { name: "Create group staff" }).click();
    await page.getByRole("button", { name: "Grant role to staff" }).click();
    const dialog = page.getByRole("dialog", { name: "Grant role to staff" });
    await dialog.getByLabel("On").selectOption("domain");
    await dialog.getByLabel("Domain", { exact: true }).selectOption({ label: "keycloak" });
    await dialog.getByLabel("Role").selectOption({ label: "member" });
    await dialog.getByRole("button", { name: "Grant role" }).click();
    await page.getByText("member on domain keycloak").waitFor();
    await checkLooks("wizard-roles");
    await page.getByRole("button", { name: "Continue to enabling" }).click();
    await page.getByRole("button", { name: "Enable provider" }).waitFor();
    await checkLooks("wizard-enable");
    await page.getByRole("button", { name: "Enable provider" }).click();
    await page.getByText("keycloak is enabled: its users can log in").waitFor();
    expect(await running.api("GET", "/v3/OS-FEDERATION/identity_providers/keycloak")).toMatchObject({
      identity_provider: { enabled: true },
    });
    expect(opened.faults).toEqual([]);
    await page.goto(at("/guides?page=providers/keycloak"));
    await page.getByRole("heading", { name: "Keycloak", level: 1 }).waitFor();
    await checkAxe(page);
    await page.goto(at("/providers/keycloak/openid/test-login"));
    await page.getByRole("button", { name: "Begin test login" }).waitFor();
    await checkLooks("test-login-begin");
  }, 120_000);

  it("tests a good login in another tab: each step, the user, and nothing created", async () => {
    const before = await running.api("GET", "/v3/users");
    await testLogin();
    await page.getByText("The login would succeed").waitFor();
    await stepText("signature").getByText("passed").waitFor();
    await stepText("signature").getByText('RS256, by key "first" of the provider').waitFor();
    await page.getByText("kim.example").first().waitFor();
    await page.getByText("create user").waitFor();
    expect(await running.api("GET", "/v3/users")).toEqual(before);
    await checkLooks("test-login-passed");
    const back = page.url();
    await page.getByRole("link", { name: "Open in workbench" }).click();
    // The attributes of this login, and the rules that it went through.
    await page.getByRole("button", { name: "Require kim.example in OIDC-preferred_username" }).waitFor();
    await page.getByRole("region", { name: "Outcome" }).getByText("accepted").waitFor();
    await page.goto(back);
    expect(opened.faults).toEqual([]);
  }, 120_000);

  /** Has the provider answer with an ID token of the test's own. */
  function answerWith(claims: (nonce: string) => Record<string, unknown>): void {
    op.answers.set("/token", async (_, response) => {
      const idToken = await op.keys.sign(claims(op.nonce), { typ: "JWT" });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ access_token: "opaque", token_type: "Bearer", id_token: idToken }));
    });
    op.answers.set("/me", (_, response) => {
      response.statusCode = 401;
      response.end();
    });
  }

  const seconds = () => Math.floor(Date.now() / 1000);
  const idClaims = (nonce: string, others: object = {}) => ({
    iss: op.issuer,
    sub: "kim",
    aud: CLIENT_ID,
    nonce,
    iat: seconds(),
    exp: seconds() + 60,
    preferred_username: "kim.example",
    ...others,
  });

  it.each([
    ["a wrong audience", { aud: "account" }, "audience", '"account"'],
    ["an expired token", { exp: 1_700_000_000, iat: 1_699_999_000 }, "time", "2023-11-14"],
    ["a missing attribute", { preferred_username: undefined }, "mapping", "no-rule-matched"],
  ])(
    "says which step fails: %s",
    async (what, changes, step, text) => {
      answerWith((nonce) => idClaims(nonce, changes));
      try {
        await testLogin();
        await page.getByText(`The login would fail: ${step}`).waitFor();
        await stepText(step).getByText("failed").first().waitFor();
        await stepText(step).getByText(text).first().waitFor();
        for (const before of ["signature", "issuer"])
          await stepText(before).getByText("passed", { exact: true }).waitFor();
        if (step === "mapping")
          await page.getByText('the assertion has no "OIDC-preferred_username"').waitFor();
        await checkLooks(`test-login-${step}`);
        await page.reload();
        await page.getByText(`The login would fail: ${step}`).waitFor();
      } finally {
        op.answers.clear();
      }
      expect(what).toBeTruthy();
    },
    120_000,
  );

  it("adds the audience of an access token to those that are accepted", async () => {
    const token = await op.keys.sign(
      idClaims("", {
        aud: "account",
        client_id: CLIENT_ID,
        jti: "of-the-test",
        nonce: undefined,
        // The mapping reads it too.
        email: "kim@example.org",
      }),
      { typ: "at+jwt" },
    );
    const test = async () => {
      await page.getByLabel("Token or Response").fill(token);
      await page.getByRole("button", { name: "Test message" }).click();
    };
    await page.goto(at("/providers/keycloak/openid/test-login"));
    await test();
    await page.getByText("The login would fail: audience").waitFor();
    await page.getByRole("button", { name: 'Add "account" to audiences' }).click();
    await test();
    await page.getByText("The login would succeed").waitFor();
    const path = "/v3/OS-FEDERATION/identity_providers/keycloak/protocols/openid";
    expect(await running.api("GET", path)).toMatchObject({
      protocol: { settings: { audiences: ["account"] } },
    });
  }, 60_000);

  it("makes a provider of SAML from its metadata, and tests a login there", async () => {
    await page.goto(at("/providers/new?kind=saml2&step=names"));
    await nameProvider(page, "uni");
    await page.getByText("/identity_providers/uni/protocols/saml2/auth").waitFor();
    const ownMetadata = page.getByRole("textbox", { name: /^Metadata one of these/ });
    const save = () => page.getByRole("button", { name: "Save and check settings" }).click();
    // From before the provider's key was replaced.
    const { raw } = new X509Certificate(newSigner().certificate);
    await ownMetadata.fill(saml.metadata.replaceAll(/MII[\w+/=\s]+/g, raw.toString("base64")));
    await save();
    await page.getByRole("list", { name: "Checks" }).waitFor();
    await page.getByText(`${running.service.url}/v3/OS-FEDERATION/saml2/idp`).waitFor();
    await checkLooks("wizard-saml");
    const metadata = await fetch(`${running.service.url}/v3/OS-FEDERATION/saml2/metadata`);
    const entityId = `${running.service.url}/v3/OS-FEDERATION/saml2/idp`;
    await saml.trust({ metadata: await metadata.text(), entityId });
    await page.getByRole("button", { name: "Continue to test login" }).click();
    await testInWizard(page, logInAtSaml);
    await page.getByText("The login would fail: signature").waitFor();
    await page
      .getByText("signature does not verify with any trusted certificate of this provider")
      .first()
      .waitFor();
    await checkLooks("mistake-saml-key");
    await page.getByRole("button", { name: "Back" }).click();
    await ownMetadata.fill(saml.metadata);
    await save();
    // The page already has the button that goes on.
    await settled(page);
    await page.getByRole("button", { name: "Continue to test login" }).click();
    await clock.set(-3600);
    await testInWizard(page, logInAtSaml);
    await page.getByText("The login would fail: time").waitFor();
    await stepText("time")
      .getByText(/expired: NotOnOrAfter is .*, 3\d\d\d s ago \(leeway 60 s\); check the clocks of both/)
      .waitFor();
    await clock.set(0);
    await testInWizard(page, logInAtSaml);
    await stepText("recipient").getByText("passed").waitFor();
    await page.getByRole("button", { name: "Continue to mapping" }).click();
    // pysaml2's NameID is transient: nobody is told apart by it without a word.
    await page.getByText("is a transient NameID").waitFor();
    expect(await page.getByRole("button", { name: "Save mapping" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Use uid as id", exact: true }).click();
    await page.getByRole("button", { name: "Use uid as name", exact: true }).click();
    await page.getByRole("button", { name: "Save mapping" }).click();
    await page.getByRole("button", { name: "Continue to enabling" }).click();
    await page.getByRole("button", { name: "Enable provider" }).click();
    await page.getByText("uni is enabled: its users can log in").waitFor();
    expect(opened.faults).toEqual([]);
  }, 120_000);

  it.each([
    ["OpenID Connect", "keycloak", async () => {}],
    ["SAML", "uni", logInAtSaml],
  ] as const)(
    "logs its users in to the console itself, by %s, and keeps the token from the browser",
    async (_, provider, logIn) => {
      expect(await signInByProvider(running, provider, logIn)).not.toBe("");
    },
    60_000,
  );

  it("lists failed logins by provider and request id", async () => {
    const rejected = await fetch(
      `${running.service.url}/v3/OS-FEDERATION/identity_providers/keycloak/protocols/openid/auth`,
      { method: "POST", headers: { authorization: "Bearer <img src=x onerror=alert(1)>" } },
    );
    expect(rejected.status).toBe(401);
    const requestId = rejected.headers.get("x-openstack-request-id") ?? "";
    const path = `/v3/OS-FEDERATION/failed_logins?request_id=${requestId}`;
    // It is written within a second.
    await expect
      .poll(async () => (await running.api("GET", path)) as object)
      .toMatchObject({ failed_logins: [{ request_id: requestId }] });
    await page.goto(at("/failed-logins"));
    await page
      .getByRole("table", { name: "Failed logins" })
      .getByText("keycloak / openid", { exact: true })
      .waitFor();
    await checkLooks("failed-logins");
    await page.getByLabel("Search by", { exact: true }).selectOption("request");
    await page.getByLabel("Search by request id").fill(requestId);
    await page
      .getByRole("row", { name: /keycloak/ })
      .getByRole("link")
      .click();
    await page.getByRole("dialog", { name: "Failed login" }).getByText(requestId).waitFor();
    await checkLooks("failed-login");
    await page.keyboard.press("Escape");
    await page.getByLabel("Search by request id").fill("req-unknown");
    await page.getByText("No failed logins match these filters.").waitFor();
  }, 120_000);

  it("lists providers with their health, and shows what a change of settings changes", async () => {
    await page.goto(at("/providers"));
    await page
      .getByRole("row", { name: /keycloak/ })
      .getByText(/healthy|attention/)
      .waitFor();
    await checkLooks("providers");
    await page.getByRole("link", { name: /keycloak/ }).click();
    await page.getByRole("heading", { name: "keycloak", exact: true }).waitFor();
    await page.getByText("Last failed login").waitFor();
    await checkLooks("provider");
    await page.getByRole("button", { name: "Change settings" }).click();
    const dialog = page.getByRole("dialog", { name: /Change settings/ });
    await dialog.getByLabel("Audiences").fill("https://api.example.org");
    await dialog.getByRole("row", { name: 'audiences ["account"]' }).waitFor();
    await checkLooks("provider-change");
    await dialog.getByRole("button", { name: "Save settings" }).click();
    await page.getByRole("list", { name: "Checks" }).waitFor();
    const { protocol } = (await running.api(
      "GET",
      "/v3/OS-FEDERATION/identity_providers/keycloak/protocols/openid",
    )) as Record<string, { settings: object }>;
    expect(protocol?.settings).toMatchObject({
      audiences: ["https://api.example.org"],
      secrets_set: ["client_secret"],
    });
  }, 120_000);

  it("deletes a provider once its name is typed, and says how many users that ends", async () => {
    await page.getByRole("button", { name: "Delete provider" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete provider keycloak?" });
    await dialog.getByText("1 user", { exact: true }).waitFor();
    const button = dialog.getByRole("button", { name: "Delete provider" });
    expect(await button.isDisabled()).toBe(true);
    await checkLooks("provider-delete");
    await dialog.getByLabel("Type keycloak to confirm").fill("keycloak");
    await button.click();
    await page.getByRole("heading", { name: "Providers" }).waitFor();
    await settled(page);
    expect(await page.getByRole("row", { name: /keycloak/ }).count()).toBe(0);
    expect(opened.faults).toEqual([]);
  }, 120_000);
});

async function logInAtSaml(page: Page): Promise<void> {
  await page.getByLabel("User").fill(USER.username);
  await page.getByLabel("Password").fill(USER.password);
  await page.getByRole("button", { name: "Log in" }).click();
}
