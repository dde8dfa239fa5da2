/** An operator's day by the console alone: who was refused and why, a provider's new certificate, export and apply. */
import { readFileSync } from "node:fs";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  AUDIENCE,
  CLIENT_ID,
  startProvider,
  type TestProvider,
} from "../../identity/test/federation/openid/test-provider.js";
import { metadata, newSigner } from "../../identity/test/federation/saml/test-provider.js";
import {
  checkEveryLook,
  signIn,
  startConsole,
  toSystem,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";

const PROVIDERS = "/v3/OS-FEDERATION/identity_providers";
let running: ConsoleBrowser;
let op: TestProvider;
let opened: ConsolePage;
let page: Page;
const at = (path: string) => `${running.service.url}/console${path}`;

beforeAll(async () => {
  running = await startConsole({
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
  });
  op = await startProvider();
  const put = (path: string, body: object) => running.api("PUT", `/v3/OS-FEDERATION/${path}`, body);
  const rules = [
    {
      remote: [
        { type: "OIDC-sub" },
        { type: "OIDC-preferred_username" },
        { type: "OIDC-groups", any_one_of: ["staff"] },
      ],
      local: [{ user: { id: "{0}", name: "{1}" } }],
    },
  ];
  await put("mappings/corp", { mapping: { rules } });
  await put("identity_providers/corp", {
    identity_provider: { enabled: true, domain_id: "default", remote_ids: [op.issuer] },
  });
  const openid = {
    type: "openid",
    issuer: op.issuer,
    client_id: CLIENT_ID,
    client_secret: "a client's secret",
    audiences: [AUDIENCE],
  };
  await put("identity_providers/corp/protocols/openid", {
    protocol: { mapping_id: "corp", settings: openid },
  });
  await put("identity_providers/campus", { identity_provider: { enabled: true, domain_id: "default" } });
  const saml = { type: "saml2", idp_metadata_xml: metadata(), idp_certificates: [newSigner().certificate] };
  await put("identity_providers/campus/protocols/saml2", {
    protocol: { mapping_id: "corp", settings: saml },
  });
  opened = await running.open({ reducedMotion: "reduce" });
  ({ page } = opened);
  await signIn(opened, running.service.url);
  await toSystem(page);
}, 60_000);
afterAll(async () => {
  await running?.close();
  await op?.close();
});

it("finds why a user was refused by the user's name alone, and what mends it", async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: op.issuer,
    sub: "8c1",
    aud: AUDIENCE,
    exp: now + 60,
    preferred_username: "kim.day",
    groups: ["guests"],
  };
  const refused = await fetch(`${running.service.url}${PROVIDERS}/corp/protocols/openid/auth`, {
    headers: { authorization: `Bearer ${await op.keys.sign(claims)}` },
  });
  expect(refused.status).toBe(401);
  await expect
    .poll(async () => JSON.stringify(await running.api("GET", "/v3/OS-FEDERATION/failed_logins")))
    .toContain("kim.day");
  await page.goto(at("/"));
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Failed logins" }).click();
  await page.getByLabel("Search by user name").fill("kim");
  await page.getByText("1 failed login", { exact: true }).waitFor();
  await page.getByRole("table", { name: "Failed logins" }).getByRole("link").first().click();
  const panel = page.getByRole("dialog", { name: "Failed login" });
  await panel.getByText("kim.day", { exact: true }).waitFor();
  await panel.getByText(/mapping "corp"/).waitFor();
  await checkEveryLook(page, "day-refused");
  expect(await panel.getByText("guests").count()).toBe(0);
}, 60_000);

it("moves a provider's certificate: both for a while, then the new one alone", async () => {
  const next = newSigner().certificate;
  await page.goto(at("/providers/campus"));
  await page.getByRole("button", { name: "Change settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Change settings of saml2" });
  await dialog.getByText("More settings").click();
  const field = dialog.getByLabel("Signing certificates");
  const before = await field.inputValue();
  await field.fill(`${before}\n${next}`);
  await dialog.getByRole("row", { name: /^idp_certificates/ }).waitFor();
  await checkEveryLook(page, "day-certificate");
  await dialog.getByRole("button", { name: "Save settings" }).click();
  await expect
    .poll(async () => page.getByRole("table", { name: "Keys and certificates" }).getByRole("row").count())
    .toBe(3);
  await page.getByRole("button", { name: "Change settings" }).click();
  await dialog.getByText("More settings").click();
  await field.fill(next);
  await dialog.getByRole("button", { name: "Save settings" }).click();
  await expect
    .poll(async () => page.getByRole("table", { name: "Keys and certificates" }).getByRole("row").count())
    .toBe(2);
  await checkEveryLook(page, "day-provider");
}, 60_000);

it("exports the federation, and applies it again with a change, after its plan", async () => {
  await page.goto(at("/providers"));
  await page.getByRole("link", { name: "As code" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download federation.yaml" }).click(),
  ]);
  const text = readFileSync(await download.path(), "utf8");
  expect(text).toContain("CORP_OPENID_CLIENT_SECRET");
  expect(text).not.toContain("a client's secret");
  const document = page.getByLabel("Document, as YAML or JSON");
  await document.fill(text);
  await page.getByRole("button", { name: "Preview plan" }).click();
  await page.getByText("The document is what is stored: nothing would change").waitFor();

  await document.fill(
    text.replace(
      "- id: corp\n    domain: Default\n    enabled: true",
      "- id: corp\n    domain: Default\n    enabled: false",
    ),
  );
  await page.getByLabel("CORP_OPENID_CLIENT_SECRET").fill("another secret of the client");
  await page.getByRole("button", { name: "Preview plan" }).click();
  const plan = page.getByLabel("Plan", { exact: true });
  await plan.getByText("enabled: true -> false").waitFor();
  await plan.getByText("settings.client_secret: a secret -> another secret").waitFor();
  await checkEveryLook(page, "day-plan");
  await page.getByRole("button", { name: "Apply document" }).click();
  await page
    .getByRole("dialog", { name: "Apply document" })
    .getByRole("button", { name: "Apply document" })
    .click();
  await page.getByText(/^The document is applied/).waitFor();
  expect(await running.api("GET", `${PROVIDERS}/corp`)).toMatchObject({
    identity_provider: { enabled: false },
  });
  await checkEveryLook(page, "day-applied");
  expect(opened.faults).toEqual([]);
}, 60_000);
