/** The audit trail in the console: what was done, and by whom. */
import { readFileSync } from "node:fs";

import { afterAll, beforeAll, expect, it } from "vitest";

import {
  axeFindings,
  checkEveryLook,
  NARROW,
  screenshot,
  signIn,
  startConsole,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";

let served: ConsoleBrowser;
let opened: ConsolePage;

beforeAll(async () => {
  served = await startConsole();
  await served.api("POST", "/v3/users", { user: { name: "ada", domain_id: "default" } });
  opened = await served.open();
});
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/research-center";
afterAll(async () => {
  await opened?.page.context().close();
  await served?.close();
});

it("finds who did something, by action and outcome", async () => {
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: "/console/audit" });
  await page.getByLabel("Search by action").fill("identity:create_user");
  await page.getByRole("link", { name: "identity:create_user" }).first().click();
  const panel = page.getByRole("dialog", { name: "identity:create_user" });
  await panel.getByText("127.0.0.1").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await panel.getByText("admin of domain Default").waitFor();
  await panel.getByRole("button", { name: "Copy user id" }).waitFor();
  await panel.getByText("ada", { exact: false }).first().waitFor();
  await screenshot(page, "audit event");
  await page.keyboard.press("Escape");
  await page.getByRole("cell", { name: "admin Default" }).first().waitFor();
  await page.getByRole("cell", { name: "user ada" }).waitFor();
  await checkEveryLook(page, "audit");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export JSON lines" }).click(),
  ]);
  expect(
    readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n"),
  ).toHaveLength(1);
  await page.getByLabel("Outcome").selectOption("refused");
  await page.getByText("No audit events match these filters.").waitFor();
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page.getByRole("table", { name: "Audit events" }).waitFor();
  expect(await page.getByLabel("Search by action").inputValue()).toBe("");
  expect(faults).toEqual([]);
});

it("shows a long action and target in two lines, in the width of a small laptop", async () => {
  const { page } = opened;
  await served.api("PUT", PROVIDER, { identity_provider: { enabled: true } });
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.reload();
  const row = page.locator("tr", { hasText: "identity:create_identity_provider" });
  await row.getByRole("cell", { name: "provider research-center" }).waitFor();
  const cut = await row
    .locator(".cell")
    .evaluateAll((cells) =>
      cells
        .filter((cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight)
        .map((cell) => cell.textContent),
    );
  expect(cut).toEqual([]);
  expect((await row.boundingBox())?.height).toBe(44);
  await page.setViewportSize(NARROW);
  expect((await row.boundingBox())?.height).toBe(44);
  // A phone has no room for the service, which is that of all changes: the rest is whole.
  const link = row.locator("td:first-child a");
  expect(await link.innerText()).toBe("create_identity_provider");
  const [action, cell] = [await link.boundingBox(), await row.locator("td:first-child .cell").boundingBox()];
  expect(action?.width).toBeLessThanOrEqual(cell?.width ?? 0);
  await screenshot(page, "audit-long-390");
});
