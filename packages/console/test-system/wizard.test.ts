/** The wizard of providers, when it is used for several of them, back and forth. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { CLIENT_ID } from "../../identity/test/federation/openid/test-provider.js";
import { metadata } from "../../identity/test/federation/saml/test-provider.js";
import { settled, signIn, startConsole, type ConsoleBrowser, type ConsolePage } from "./console-browser.js";

let running: ConsoleBrowser;
let opened: ConsolePage;
let page: Page;

beforeAll(async () => {
  running = await startConsole({
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
  });
  opened = await running.open({ reducedMotion: "reduce" });
  ({ page } = opened);
  await signIn(opened, running.service.url, { path: "/console/providers" });
  // Federation belongs to the whole cloud.
  await page.evaluate(`fetch("/console/api/session/scope", { method: "PUT", credentials: "same-origin",
    headers: { "X-Console": "1", "Content-Type": "application/json" },
    body: JSON.stringify({ scope: { system: { all: true } } }) })`);
}, 120_000);
afterAll(() => running?.close());

const at = (path: string) => `${running.service.url}/console${path}`;

it("begins anew in the wizard when another kind is chosen after a provider was stored", async () => {
  await page.goto(at("/providers/new?kind=openid&step=names"));
  await page.getByLabel("Provider id").fill("first");
  await page.getByRole("button", { name: "Continue to settings" }).click();
  await page.getByLabel("Issuer").fill("http://127.0.0.1:9");
  await page.getByLabel("Client id").fill(CLIENT_ID);
  await page.getByRole("button", { name: "Save and check settings" }).click();
  await page.getByRole("list", { name: "Checks" }).getByText("ECONNREFUSED").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("link", { name: /^Any SAML 2.0/ }).click();
  await page.getByLabel("Provider id").fill("second");
  await page.getByRole("button", { name: "Continue to settings" }).click();
  await page.getByText("/identity_providers/second/protocols/saml2/auth").waitFor();
  expect(await page.getByRole("list", { name: "Checks" }).count()).toBe(0);
  await page.getByRole("textbox", { name: /^Metadata optional/ }).fill(metadata());
  await page.getByRole("button", { name: "Save and check settings" }).click();
  await page.getByRole("button", { name: "Continue to mapping" }).click();
  await page.getByRole("button", { name: "Save mapping" }).click();
  await page.getByText("second is set up").waitFor();
  const stored = await running.api("GET", "/v3/OS-FEDERATION/identity_providers/second/protocols/saml2");
  expect(stored).toMatchObject({ protocol: { mapping_id: "second", settings: { type: "saml2" } } });
  expect(opened.faults).toEqual([]);
}, 60_000);

/** Fills the settings of a provider that does not answer, and stores them. */
async function storeSettings(port: number): Promise<void> {
  await page.getByRole("button", { name: "Continue to settings" }).click();
  await page.getByLabel("Issuer").fill(`http://127.0.0.1:${port}`);
  await page.getByLabel("Client id").fill(CLIENT_ID);
  await page.getByRole("button", { name: "Save and check settings" }).click();
  await page.getByRole("list", { name: "Checks" }).getByText(`127.0.0.1:${port}`).first().waitFor();
}

/** @returns What is stored then. */
async function saveMapping(id: string): Promise<object> {
  await page.getByRole("button", { name: "Continue to mapping" }).click();
  await page.getByRole("button", { name: "Save mapping" }).click();
  await page.getByText(`${id} is set up`).waitFor();
  return running.api("GET", `/v3/OS-FEDERATION/identity_providers/${id}/protocols/openid`);
}

const WAYS_BACK = {
  "to the kinds": async () => {
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("link", { name: /^Any OpenID Connect/ }).click();
  },
  "from its mapping to its name": async () => {
    await page.getByRole("button", { name: "Continue to mapping" }).click();
    await page.getByRole("textbox", { name: "Rules" }).waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Back" }).click();
  },
  "by the browser to its name, once it is set up": async () => {
    await page.getByRole("button", { name: "Continue to mapping" }).click();
    await page.getByRole("button", { name: "Save mapping" }).click();
    await page.getByText("is set up").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Save mapping" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Save and check settings" }).waitFor();
    await page.goBack();
  },
};

it.each(Object.entries(WAYS_BACK))(
  "stores a second provider of the same kind after going back %s",
  async (way, goBack) => {
    const index = Object.keys(WAYS_BACK).indexOf(way);
    await page.goto(at("/providers/new?kind=openid&step=names"));
    await page.getByLabel("Provider id").fill(`one-${index}`);
    await storeSettings(2 * index + 10);
    await goBack();
    await page.getByLabel("Provider id").fill(`two-${index}`);
    await storeSettings(2 * index + 11);
    const id = `two-${index}`;
    expect(await saveMapping(id)).toMatchObject({ protocol: { mapping_id: id } });
    expect(opened.faults).toEqual([]);
  },
  60_000,
);

it("asks once for a mapping that can't be read, and again when its step is opened again", async () => {
  await page.goto(at("/providers/new?kind=openid&step=names"));
  await page.getByLabel("Provider id").fill("unread");
  await storeSettings(30);
  let asked = 0;
  await page.route("**/OS-FEDERATION/mappings/unread", (route) => {
    asked += 1;
    return route.fulfill({ status: 500, json: { error: { message: "The database does not answer." } } });
  });
  await page.getByRole("button", { name: "Continue to mapping" }).click();
  await page.getByText("The database does not answer.").waitFor();
  await settled(page);
  expect(asked).toBe(1);
  await page.unroute("**/OS-FEDERATION/mappings/unread");
  await page.goBack();
  expect(await saveMapping("unread")).toMatchObject({ protocol: { mapping_id: "unread" } });
  expect(await page.getByText("The database does not answer.").count()).toBe(0);
}, 60_000);
