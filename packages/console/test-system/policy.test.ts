/** The policy in the console: rules in force, and what a policy file opens. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import {
  axeFindings,
  checkEveryLook,
  screenshot,
  signIn,
  startConsole,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";

const folder = mkdtempSync(join(tmpdir(), "policy-"));
const file = join(folder, "policy.yaml");
let served: ConsoleBrowser;
let opened: ConsolePage;

beforeAll(async () => {
  writeFileSync(
    file,
    '"identity:list_users": "rule:admin_required or role:auditor"\n"identity:list_regions": "rule:admin_required"\n',
  );
  served = await startConsole({ IDENTITY_POLICY_FILE: file });
  opened = await served.open();
});
afterAll(async () => {
  await opened?.page.context().close();
  await served?.close();
  rmSync(folder, { recursive: true });
});

it("shows which rules files change, and what they open and close", async () => {
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: "/console/policy" });
  await page.getByLabel("Show").selectOption({ label: "Changed by files (2)" });
  const table = page.getByRole("table", { name: "Policy rules" });
  await table.getByText("reaches other domains").waitFor();
  await checkEveryLook(page, "policy");
  await table.getByRole("link", { name: "identity:list_users" }).click();
  const panel = page.getByRole("dialog", { name: "identity:list_users" });
  await panel
    .getByText("users with the role auditor with a token for a project may now list users of any domain")
    .waitFor();
  await panel.getByText(`${file}:1`).waitFor();
  await panel.getByLabel("rule in force").getByText("rule:admin_required or role:auditor").waitFor();
  await screenshot(page, "policy rule");
  expect(await axeFindings(page)).toEqual([]);
  await panel.getByRole("link", { name: "admin_required" }).click();
  await page.getByRole("dialog", { name: "admin_required" }).getByText("built in", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Search rules by name or text").fill("list_regions");
  await table.getByText("closed").waitFor();
  expect(faults).toEqual([]);
});

it("says when the files on the disk are refused, and which rules are still in force", async () => {
  const { page } = opened;
  writeFileSync(file, '"identity:list_users": no\n');
  await expect
    .poll(async () => (await (await fetch(`${served.service.url}/readyz`)).text()).includes("policy"), {
      timeout: 10_000,
    })
    .toBe(true);
  await page.goto(`${served.service.url}/console/policy?show=changed`);
  await page.getByText("Not what the files say").waitFor();
  await page.getByRole("link", { name: "identity:list_users" }).waitFor();
  await screenshot(page, "policy refused");
});
