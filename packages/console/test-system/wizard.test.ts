/** The wizard of providers, when it is used for several of them, back and forth. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { CLIENT_ID } from "../../identity/test/federation/openid/test-provider.js";
import { metadata } from "../../identity/test/federation/saml/test-provider.js";
import { nameProvider } from "./provider-logins.js";
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

const stored = (id: string, protocol: string) =>
  running.api("GET", `/v3/OS-FEDERATION/identity_providers/${id}/protocols/${protocol}`);

it("begins anew in the wizard when another kind is chosen after a provider was stored", async () => {
  await page.goto(at("/providers/new?kind=openid&step=names"));
  await nameProvider(page, "first");
  await page.getByLabel("Issuer").fill("http://127.0.0.1:9");
  await page.getByLabel("Client id").fill(CLIENT_ID);
  await page.getByRole("button", { name: "Save and check settings" }).click();
  await page.getByRole("list", { name: "Checks" }).getByText("ECONNREFUSED").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("link", { name: /^Any SAML 2.0/ }).click();
  await nameProvider(page, "second");
  await page.getByText("/identity_providers/second/protocols/saml2/auth").waitFor();
  expect(await page.getByRole("list", { name: "Checks" }).count()).toBe(0);
  await page.getByRole("textbox", { name: /^Metadata one of these/ }).fill(metadata());
  await page.getByRole("button", { name: "Save and check settings" }).click();
  await page.getByRole("button", { name: "Continue to test login" }).waitFor();
  expect(await stored("second", "saml2")).toMatchObject({
    protocol: { mapping_id: "second", settings: { type: "saml2" } },
  });
  expect(opened.faults).toEqual([]);
}, 60_000);

it("asks for the domain of the users, and names the provider that has an id already", async () => {
  await page.goto(at("/providers/new?kind=openid&step=names"));
  await page.getByLabel("Provider id").fill("first");
  await page.getByRole("button", { name: "Continue to settings" }).click();
  await page.getByText("Choose the domain in which its users live.").waitFor();
  await page.getByLabel("Domain of its users").selectOption({ label: "Default" });
  await page.getByRole("button", { name: "Continue to settings" }).click();
  await page.getByText("There is already a provider first").waitFor();
  expect(opened.faults).toEqual([]);
});

/** Fills the settings of a provider that does not answer, and stores them. */
async function storeSettings(id: string, port: number): Promise<void> {
  await nameProvider(page, id);
  await page.getByLabel("Issuer").fill(`http://127.0.0.1:${port}`);
  await page.getByLabel("Client id").fill(CLIENT_ID);
  await page.getByRole("button", { name: "Save and check settings" }).click();
  await page.getByRole("list", { name: "Checks" }).getByText(`127.0.0.1:${port}`).first().waitFor();
}

const WAYS_BACK = {
  "to the kinds": async () => {
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("link", { name: /^Any OpenID Connect/ }).click();
  },
  "from its test login to its name": async () => {
    await page.getByRole("button", { name: "Continue to test login" }).click();
    await page.getByRole("button", { name: "Log in as a test" }).waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Back" }).click();
  },
  "by the browser to its name": async () => {
    await page.getByRole("button", { name: "Continue to test login" }).click();
    await page.getByRole("button", { name: "Log in as a test" }).waitFor();
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
    await storeSettings(`one-${index}`, 2 * index + 10);
    await goBack();
    const id = `two-${index}`;
    await storeSettings(id, 2 * index + 11);
    expect(await stored(id, "openid")).toMatchObject({ protocol: { mapping_id: id } });
    expect(opened.faults).toEqual([]);
  },
  60_000,
);

/** Has the console see a test login with these attributes. */
async function tested(attributes: Readonly<Record<string, string>>): Promise<void> {
  const result = {
    steps: [{ step: "signature", status: "passed", message: "verified" }],
    attributes,
    mapping: null,
    user: null,
    groups: [],
    projects: [],
    scopes: [],
    changes: [],
    truncated: false,
  };
  await page.route("**/test_logins/of-the-test", (route) =>
    route.fulfill({
      json: { test_login: { id: "of-the-test", status: "passed", login_url: null, result, links: {} } },
    }),
  );
}

/** Faults before the last test: the browser complains of the response 500. */
let refusals = 0;

const mappingOf = (id: string) =>
  at(`/providers/new?kind=openid&step=mapping&id=${id}&protocol=openid&test=of-the-test`);

it("asks once for a mapping that can't be read, and again when its step is opened again", async () => {
  await page.goto(at("/providers/new?kind=openid&step=names"));
  await storeSettings("unread", 30);
  await tested({ "OIDC-sub": "8c1", "OIDC-email": "kim@example.org" });
  let asked = 0;
  await page.route("**/OS-FEDERATION/mappings/unread", (route) => {
    asked += 1;
    return route.fulfill({ status: 500, json: { error: { message: "The database does not answer." } } });
  });
  await page.goto(mappingOf("unread"));
  await page.getByText("The database does not answer.").waitFor();
  await settled(page);
  expect(asked).toBe(1);
  refusals = opened.faults.length;
  await page.unroute("**/OS-FEDERATION/mappings/unread");
  await page.goto(mappingOf("unread"));
  await page.getByRole("table", { name: "Attributes" }).waitFor();
  expect(await page.getByText("The database does not answer.").count()).toBe(0);
}, 60_000);

it("has an attribute that may pass to another person confirmed before users are told apart by it", async () => {
  await page.getByRole("button", { name: "Use OIDC-sub as id" }).click();
  await page.getByRole("button", { name: "Use OIDC-email as name" }).click();
  const save = page.getByRole("button", { name: "Save mapping" });
  const confirmation = page.getByLabel("Use it to tell users apart nevertheless");
  await confirmation.waitFor();
  expect(await save.isDisabled()).toBe(true);
  await confirmation.check();
  expect(await save.isEnabled()).toBe(true);
  await page.getByRole("button", { name: "Use OIDC-sub as id" }).click();
  await confirmation.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Require kim@example.org in OIDC-email" }).click();
  await save.click();
  await page.getByRole("heading", { name: "What the user of the test login may do" }).waitFor();
  expect(await running.api("GET", "/v3/OS-FEDERATION/mappings/unread")).toMatchObject({
    mapping: {
      rules: [
        {
          remote: [
            { type: "OIDC-sub" },
            { type: "OIDC-email" },
            { type: "OIDC-email", any_one_of: ["kim@example.org"] },
          ],
          local: [{ user: { id: "{0}", name: "{1}" } }],
        },
      ],
    },
  });
  expect(opened.faults.slice(refusals)).toEqual([]);
}, 60_000);
