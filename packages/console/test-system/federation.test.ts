/** A federation in the console: its entities chosen by name, the page on which users choose one, and what is stored as YAML. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { aggregateXml, entityXml } from "../../identity/test/federation/saml/metadata/test-aggregate.js";
import {
  checkAxe,
  checkEveryLook,
  NARROW,
  screenshot,
  signIn,
  startConsole,
  toSystem,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";
import { nameProvider } from "./provider-logins.js";

let running: ConsoleBrowser;
let publisher: Server;
let opened: ConsolePage;
let page: Page;
const OTHERS = Array.from({ length: 60 }, (_, index) =>
  entityXml({ entityId: `https://idp${index}.example/idp`, names: { en: `Institute ${index}` } }),
);
const AGGREGATE = aggregateXml(
  [
    entityXml({
      entityId: "https://a.example/idp",
      names: { en: "University of A", de: "Universität A" },
      scope: "a.example",
    }),
    entityXml({ entityId: "https://b.example/idp", names: { fr: "École B" }, scope: "uni-b.example" }),
    ...OTHERS,
  ].join(""),
);

beforeAll(async () => {
  running = await startConsole({
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
  });
  publisher = createServer((_, response) => response.end(AGGREGATE));
  await new Promise<void>((done) => publisher.listen(0, "127.0.0.1", done));
  opened = await running.open({ reducedMotion: "reduce" });
  ({ page } = opened);
  await signIn(opened, running.service.url);
  await toSystem(page);
}, 60_000);
afterAll(async () => {
  await running?.close();
  publisher?.close();
});

it("has entities that are chosen by name, all of which are checked, and a page on which users choose", async () => {
  await page.goto(`${running.service.url}/console/providers/new?kind=saml2&step=names`);
  await nameProvider(page, "federation");
  const { port } = publisher.address() as AddressInfo;
  await page.getByRole("textbox", { name: /^Metadata address/ }).fill(`http://127.0.0.1:${port}/metadata`);
  await page.getByRole("button", { name: "Save and check settings" }).click();
  const checks = page.getByRole("list", { name: "Checks" });
  await checks.getByText("choose entities by name in the console").waitFor();
  await page.getByRole("button", { name: "Choose entities by name" }).click();
  const dialog = page.getByRole("dialog", { name: "Choose entities of saml2" });
  await dialog.getByText("62 identity providers in the metadata").waitFor();
  for (const [search, name] of [
    ["universitat", "University of A"],
    ["uni-b.example", "École B"],
  ] as const) {
    await dialog.getByLabel("Entities", { exact: true }).last().fill(search);
    await page.getByRole("option", { name }).click();
  }
  await checkEveryLook(page, "choose-entities");
  await dialog.getByRole("button", { name: "Save remote ids" }).click();
  await checks.getByText("entities among the provider's remote_ids: 2").waitFor();
  expect(await running.api("GET", "/v3/OS-FEDERATION/identity_providers/federation")).toMatchObject({
    identity_provider: { remote_ids: ["https://a.example/idp", "https://b.example/idp"] },
  });
  await checkEveryLook(page, "federation-settings");
  await page.getByText("As YAML", { exact: true }).click();
  await page.getByLabel("federation.yaml", { exact: true }).getByText("- https://b.example/idp").waitFor();
  await checkEveryLook(page, "as-yaml");

  await running.api("PATCH", "/v3/OS-FEDERATION/identity_providers/federation", {
    identity_provider: {
      enabled: true,
      remote_ids: OTHERS.map((_, index) => `https://idp${index}.example/idp`),
    },
  });
  const login = `${running.service.url}/v3/OS-FEDERATION/identity_providers/federation/protocols/saml2/auth`;
  for (const colorScheme of ["light", "dark"] as const) {
    const user = await running.open({ viewport: NARROW, colorScheme });
    await user.page.goto(login);
    await user.page.getByText("50 of 60 are shown. Search for others.").waitFor();
    expect(await user.page.getByRole("listitem").nth(10).textContent()).toBe("Institute 10");
    await checkAxe(user.page);
    await screenshot(user.page, `discovery-${colorScheme}-390`);
    await user.page.getByLabel("Search").fill("institute 59");
    await user.page.getByRole("button", { name: "Search" }).click();
    await user.page.getByRole("link", { name: "Institute 59" }).waitFor();
    await screenshot(user.page, `discovery-search-${colorScheme}-390`);
    await user.page.context().close();
  }
  await page.goto(`${running.service.url}/console/providers/federation`);
  await page.getByRole("button", { name: "Check protocol" }).click();
  await page.getByText("entities among the provider's remote_ids: 60").waitFor();
  await page.getByText("45 more certificates expired").waitFor();
  await page.getByText("and 55 more").waitFor();
  await checkEveryLook(page, "federation-provider");
  expect(opened.faults).toEqual([]);
}, 120_000);

it("has the other clouds that accept its users, each as YAML, and the change of a mapping", async () => {
  await page.goto(`${running.service.url}/console/providers`);
  await page.getByRole("link", { name: "Service providers" }).click();
  await page
    .getByRole("button", { name: "Create service provider" })
    .or(page.getByRole("link", { name: "Create service provider" }))
    .first()
    .click();
  const form = page.getByRole("dialog", { name: "Create service provider" });
  await form.getByLabel("Service provider id").fill("partner");
  await form.getByRole("textbox", { name: /^Login address/ }).fill("not an address");
  await form
    .getByRole("textbox", { name: /^Address for assertions/ })
    .fill("https://partner.example/v3/OS-FEDERATION/saml2/ecp");
  await form.getByRole("button", { name: "Create service provider" }).click();
  await form.getByText("auth_url").first().waitFor();
  await form
    .getByRole("textbox", { name: /^Login address/ })
    .fill("https://partner.example/v3/OS-FEDERATION/identity_providers/ours/protocols/saml2/auth");
  await form.getByRole("button", { name: "Create service provider" }).click();
  const panel = page.getByRole("dialog", { name: "partner" });
  await panel.getByText("As YAML", { exact: true }).click();
  await panel
    .getByLabel("partner.yaml", { exact: true })
    .getByText("sp_url: https://partner.example")
    .waitFor();
  await checkEveryLook(page, "service-provider");
  await panel.getByRole("button", { name: "Change service provider" }).click();
  const change = page.getByRole("dialog", { name: "Change service provider partner" });
  await change.getByLabel("Description").fill("The partner's cloud");
  await change.getByRole("button", { name: "Save service provider" }).click();
  // The text follows the change.
  await panel
    .getByLabel("partner.yaml", { exact: true })
    .getByText("description: The partner's cloud")
    .waitFor();
  const text = await panel.getByLabel("partner.yaml", { exact: true }).textContent();
  expect(
    await running.api("POST", "/v3/OS-FEDERATION/document/plan", { document: text ?? "" }),
  ).toMatchObject({ lines: [] });

  await page.goto(`${running.service.url}/console/mappings/federation`);
  await page.getByText("As YAML", { exact: true }).click();
  await page.getByLabel("federation.yaml", { exact: true }).getByText("- type: NAME_ID").first().waitFor();
  await checkEveryLook(page, "mapping-yaml");
  expect(opened.faults).toEqual([]);
}, 120_000);

it("has no YAML for readers of a domain, whom the service lets export nothing", async () => {
  const { user } = (await running.api("POST", "/v3/users", {
    user: { name: "local", password: "secretpw", domain_id: "default" },
  })) as unknown as { user: { id: string } };
  const { roles } = (await running.api("GET", "/v3/roles?name=reader")) as unknown as {
    roles: { id: string }[];
  };
  await running.api("PUT", `/v3/domains/default/users/${user.id}/roles/${roles[0]?.id}`);
  const limited = await running.open();
  await signIn(limited, running.service.url, {
    path: "/console/mappings/federation",
    name: "local",
    password: "secretpw",
  });
  await limited.page.getByRole("heading", { level: 1, name: "federation" }).waitFor();
  await checkAxe(limited.page);
  expect(await limited.page.getByText("As YAML", { exact: true }).count()).toBe(0);
}, 60_000);
