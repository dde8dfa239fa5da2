/** Mistakes of a stranger who sets up a provider: each page leads to what mends them. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../identity/test/federation/openid/test-provider.js";
import {
  checkEveryLook,
  signIn,
  startConsole,
  toSystem,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";
import { nameProvider, stepItem, testInOtherTab, testInWizard } from "./provider-logins.js";

let running: ConsoleBrowser;
let op: TestProvider;
/** Knows another redirect URI than that of the wizard. */
let strict: TestProvider;
let opened: ConsolePage;
let page: Page;
const authOf = (id: string) =>
  `${running.service.url}/v3/OS-FEDERATION/identity_providers/${id}/protocols/openid/auth`;

beforeAll(async () => {
  running = await startConsole({
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
  });
  [op, strict] = [await startProvider(authOf("acme")), await startProvider(authOf("other"))];
  opened = await running.open({ reducedMotion: "reduce" });
  ({ page } = opened);
  await signIn(opened, running.service.url);
  await toSystem(page);
}, 60_000);
afterAll(async () => {
  await running?.close();
  await op?.close();
  await strict?.close();
});

/** Has the provider's ID tokens have these claims instead of its own. */
function answerWith(claims: Readonly<Record<string, unknown>>): void {
  op.answers.set("/token", async (_, response) => {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: op.issuer, sub: "kim", aud: CLIENT_ID, nonce: op.nonce, iat: now, exp: now + 60 };
    response.setHeader("content-type", "application/json");
    const idToken = await op.keys.sign({ ...usual, ...claims }, { typ: "JWT" });
    response.end(JSON.stringify({ access_token: "opaque", token_type: "Bearer", id_token: idToken }));
  });
}

const save = () => page.getByRole("button", { name: "Save and check settings" }).click();
const toTest = () => page.getByRole("button", { name: "Continue to test login" }).click();
const checks = () => page.getByRole("list", { name: "Checks" });

it("in OpenID Connect: a slash too many, a wrong secret, another redirect URI, no groups", async () => {
  await page.goto(`${running.service.url}/console/providers/new?kind=openid&step=names`);
  await nameProvider(page, "acme");
  await page.getByLabel("Issuer").fill(`${op.issuer}/`);
  await page.getByLabel("Client id").fill(CLIENT_ID);
  await page.getByLabel("Client secret").fill("of another client");
  await save();
  // The issuer as the provider spells it, by a click.
  await page.getByRole("button", { name: `Set issuer to ${op.issuer}`, exact: true }).click();
  await checks().getByText(`the discovery document names issuer "${op.issuer}"`).waitFor();
  expect(await page.getByLabel("Issuer").inputValue()).toBe(op.issuer);
  expect(await checks().getByText("failed", { exact: true }).count()).toBe(0);

  await toTest();
  await testInWizard(page);
  await page.getByText("The login would fail: code").waitFor();
  await page.getByText("the client id or secret is wrong, or sent in another way").waitFor();
  await checkEveryLook(page, "mistake-secret");
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByLabel("Client secret").fill(CLIENT_SECRET);
  await page.getByLabel("Issuer").fill(strict.issuer);
  await save();
  await checks().getByText(`the discovery document names issuer "${strict.issuer}"`).waitFor();

  await toTest();
  const other = page.context().waitForEvent("page");
  await page.getByRole("button", { name: /^Log in as a test/ }).click();
  const tab = await other;
  await tab.getByText("redirect_uri did not match").waitFor();
  await tab.close();
  // What is to be registered stands where the provider's page sends the eye.
  await page.getByText(authOf("acme"), { exact: true }).waitFor();
  await checkEveryLook(page, "mistake-redirect");
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByLabel("Issuer").fill(op.issuer);
  await save();
  await checks().getByText(`the discovery document names issuer "${op.issuer}"`).waitFor();

  answerWith({});
  await toTest();
  await testInWizard(page);
  await page.getByRole("button", { name: "Continue to mapping" }).click();
  await page.getByText("No groups came back").waitFor();
  await checkEveryLook(page, "mistake-groups");
  await page.getByRole("button", { name: "Save mapping" }).click();
  await page.getByText("This user would have no role").waitFor();
  await page.getByRole("button", { name: "Continue to enabling" }).click();
  await page.getByText("The user of the test login would have no role").waitFor();
  expect(opened.faults).toEqual([]);
}, 60_000);

it("in OpenID Connect: another audience, another issuer, clocks that differ, a claim that is missing", async () => {
  const now = Math.floor(Date.now() / 1000);
  const step = `${running.service.url}/console/providers/new?kind=openid&step=test&id=acme&protocol=openid`;
  for (const [failed, claims, received, remedy] of [
    ["audience", { aud: "another-client" }, "another-client", "enter the client id that the provider's page"],
    [
      "issuer",
      { iss: "https://elsewhere.example" },
      "https://elsewhere.example",
      "enter the issuer as the tokens",
    ],
    ["time", { iat: now - 7200, exp: now - 3600 }, undefined, "synchronize the clocks"],
  ] as const) {
    answerWith(claims);
    await page.goto(step);
    await testInWizard(page);
    await page.getByText(`The login would fail: ${failed}`).waitFor();
    if (received !== undefined)
      await stepItem(page, failed).getByRole("definition").getByText(received, { exact: true }).waitFor();
    await stepItem(page, failed).getByText(remedy).waitFor();
    await checkEveryLook(page, `mistake-${failed}`);
  }
  // A claim that the rules require: its value of the test login is what is clicked, so that none is required in vain.
  answerWith({ groups: ["guests"] });
  await page.goto(step);
  await testInWizard(page);
  await page.getByRole("button", { name: "Continue to mapping" }).click();
  await page.getByRole("button", { name: "Require guests in OIDC-groups" }).click();
  await page.getByRole("button", { name: "Save mapping" }).click();
  // The page does not know any more that it has made the mapping itself.
  await page.getByRole("button", { name: "Replace rules" }).click();
  await page.getByRole("button", { name: "Continue to enabling" }).waitFor();
  answerWith({});
  await page.goto(`${running.service.url}/console/providers/acme/openid/test-login`);
  await testInOtherTab(page);
  await page.getByText("The login would fail: mapping").waitFor();
  await page.getByText('the assertion has no "OIDC-groups"').first().waitFor();
  await checkEveryLook(page, "mistake-claim");
  expect(opened.faults).toEqual([]);
}, 120_000);
