/** The pictures of the documentation, into the folder of `CONSOLE_PICTURES`: see "Renew the pictures of the console" in CONTRIBUTING.md. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../identity/test/federation/openid/test-provider.js";
import { settled } from "../test-system/console-browser.js";
import { nameProvider, testInOtherTab } from "../test-system/provider-logins.js";
import { startRecordedCloud, type RecordedCloud } from "../test-system/recorded-cloud.js";

const FOLDER = process.env["CONSOLE_PICTURES"] ?? mkdtempSync(join(tmpdir(), "console-pictures-"));
const FEDERATION = "/v3/OS-FEDERATION";

let cloud: RecordedCloud;
let op: TestProvider;
let page: Page;
let faults: readonly string[];
/** The ids of projects, groups, roles and users, by name. */
const ids = new Map<string, string>();

beforeAll(async () => {
  cloud = await startRecordedCloud({
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
  });
  op = await startProvider(
    `${cloud.service.url}${FEDERATION}/identity_providers/keycloak/protocols/openid/auth`,
  );
  for (const name of ["barbara", "dennis", "grace", "hedy", "ken", "linus", "margaret"])
    await cloud.ask("POST", "/v3/users", {
      user: {
        name,
        domain_id: cloud.domainId,
        email: `${name}@example.org`,
        enabled: name !== "ken",
        ...(name === "grace" ? { description: "Compilers and standards" } : {}),
      },
    });
  for (const kind of ["user", "group", "role", "project"]) {
    const found = await cloud.ask<Record<string, { id: string; name: string }[]>>("GET", `/v3/${kind}s`);
    for (const { id, name } of found[`${kind}s`] ?? []) ids.set(`${kind} ${name}`, id);
  }
  const id = (name: string) => ids.get(name) ?? "";
  for (const name of ["grace", "barbara"])
    await cloud.ask("PUT", `/v3/groups/${id("group staff")}/users/${id(`user ${name}`)}`);
  for (const [project, name] of [
    ["lab", "grace"],
    ["web", "hedy"],
  ])
    await cloud.ask(
      "PUT",
      `/v3/projects/${id(`project ${project}`)}/users/${id(`user ${name}`)}/roles/${id("role reader")}`,
    );
  ({ page, faults } = await cloud.signedIn({ reducedMotion: "reduce" }));
}, 120_000);
afterAll(async () => {
  await cloud?.close();
  await op?.close();
});

const at = (path: string) => `${cloud.service.url}/console${path}`;

/** @param height Of the window. */
async function picture(name: string, height: number): Promise<void> {
  await page.setViewportSize({ width: 1440, height });
  await settled(page);
  await page.evaluate("scrollTo(0, 0)");
  await page.screenshot({ path: join(FOLDER, `console-${name}.png`) });
}

it("shows users, a project, limits and the workbench", async () => {
  await page.goto(at(`/users?domain=${cloud.domainId}&open=${ids.get("user grace")}`));
  await page.getByText("reader on project lab").first().waitFor();
  await picture("user", 1000);
  await page.goto(at(`/projects/${ids.get("project web")}`));
  await page.getByRole("link", { name: "barbara" }).first().waitFor();
  await picture("project", 900);
  await page.goto(at(`/limits?domain=${cloud.domainId}`));
  await page.getByText("30 over").first().waitFor();
  await picture("limits", 560);
  await page.goto(at("/mappings/people"));
  await page.getByLabel("Recorded login").selectOption({ index: 3 });
  await page
    .getByRole("region", { name: "Outcome" })
    .getByText(/accepted|rejected/)
    .waitFor();
  await picture("workbench", 900);
  expect(faults).toEqual([]);
});

it("shows the wizard of a provider, and a test login", async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(at("/providers/new?kind=keycloak&step=names"));
  await nameProvider(page, "keycloak");
  await page.getByLabel("Issuer").fill(op.issuer);
  await page.getByLabel("Client id").fill(CLIENT_ID);
  await page.getByLabel("Client secret").fill(CLIENT_SECRET);
  await page.getByRole("button", { name: "Save and check settings" }).click();
  await page.getByText("can be read").waitFor();
  await picture("wizard", 1100);
  const rules = [
    {
      remote: [
        { type: "OIDC-sub" },
        { type: "OIDC-preferred_username" },
        { type: "OIDC-groups", whitelist: ["staff"] },
      ],
      local: [{ user: { id: "{0}", name: "{1}" } }, { groups: "{2}", domain: { name: "acme" } }],
    },
  ];
  await cloud.ask("PATCH", `${FEDERATION}/mappings/keycloak`, { mapping: { rules } });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(at("/providers/keycloak/openid/test-login"));
  await testInOtherTab(page);
  await page.getByText("The login would succeed").waitFor();
  await picture("test-login", 900);
  expect(faults).toEqual([]);
});
