/** Lists that are longer than one page, sorted and searched by the service; users created whole, and changed by the selection. */
import { readFileSync } from "node:fs";

import { afterAll, beforeAll, expect, it } from "vitest";

import { axeFindings, checkEveryLook, signIn, startConsole, type ConsoleBrowser } from "./console-browser.js";

let served: ConsoleBrowser;
const COUNT = 205;

beforeAll(async () => {
  served = await startConsole();
  for (let index = 0; index < COUNT; index++)
    await served.api("POST", "/v3/groups", {
      group: {
        name: `Group ${String(index).padStart(3, "0")}`,
        domain_id: "default",
        description: index === 0 ? "zz last" : "",
      },
    });
  await served.api("POST", "/v3/users", {
    user: { name: "ada", domain_id: "default", email: "lovelace@example.org" },
  });
}, 120_000);
afterAll(() => served.close());

it("are sorted by name, by a click on a heading by another column, and the address keeps it", async () => {
  const opened = await served.open();
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: "/console/groups" });
  await page.getByText("205 groups, 200 loaded").waitFor();
  const first = page.locator("tr[data-index='0'] a.open");
  expect(await first.textContent()).toContain("Group 000");
  const heading = page.getByRole("columnheader", { name: "Name" });
  expect(await heading.getAttribute("aria-sort")).toBe("ascending");
  await heading.getByRole("link").click();
  await first.filter({ hasText: "Group 204" }).waitFor();
  expect(await heading.getAttribute("aria-sort")).toBe("descending");
  await page.reload();
  await first.filter({ hasText: "Group 204" }).waitFor();
  await page.getByRole("columnheader", { name: "Description" }).getByRole("link").click();
  await page.getByRole("columnheader", { name: "Description" }).getByRole("link").click();
  await first.filter({ hasText: "Group 000" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

it("find users by a part of their e-mail address", async () => {
  const opened = await served.open();
  const { page } = opened;
  await signIn(opened, served.service.url, { path: "/console/users" });
  await page.getByLabel("Search users by name, e-mail or id").fill("LOVELACE@");
  await page.getByText("1 user", { exact: true }).waitFor();
  expect(await page.locator("tr[data-index='0']").textContent()).toContain("ada");
  await page.context().close();
});

it("create a user with default project, role and groups, and say which part failed", async () => {
  await served.api("POST", "/v3/projects", { project: { name: "observatory", domain_id: "default" } });
  const opened = await served.open();
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: "/console/users?new=1" });
  const dialog = page.getByRole("dialog", { name: "Create user" });
  await dialog.getByLabel("User name").fill("grace");
  for (const [label, name] of [
    ["Default project", "observatory"],
    ["Roles on the default project", "member"],
    ["Groups", "Group 007"],
    ["Groups", "Group 008"],
  ] as const) {
    await dialog.getByRole("combobox", { name: label, exact: true }).fill(name);
    await page.getByRole("option", { name }).click();
  }
  await dialog.getByLabel("May not change the password").check();
  await page.route(
    "**/v3/groups/*/users/*",
    (route) => route.fulfill({ status: 409, json: { error: { message: "the group is full" } } }),
    { times: 1 },
  );
  await dialog.getByRole("button", { name: "Create user" }).click();
  const panel = page.getByRole("dialog", { name: "grace" });
  await panel.getByText("Add to group Group 007: the group is full").waitFor();
  await panel.getByRole("link", { name: "Group 008" }).waitFor();
  await panel.getByRole("link", { name: "observatory" }).first().waitFor();
  await panel.getByText("may not change the password").waitFor();
  await panel.getByRole("heading", { name: "Application credentials" }).waitFor();
  await checkEveryLook(page, "user-panel");
  expect(faults).toEqual([]);
  await page.context().close();
});

it("disable and delete all selected users but the own account, and export the list as CSV", async () => {
  for (const name of ["=cmd()", "bulk 1", "bulk 2"])
    await served.api("POST", "/v3/users", { user: { name, domain_id: "default" } });
  const opened = await served.open();
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: "/console/users" });
  await page.getByLabel("Select all users").check();
  const bulk = page.getByRole("region", { name: "Selected users" });
  await bulk.getByText(/^\d+ users selected$/).waitFor();
  await checkEveryLook(page, "users-selected");
  await bulk.getByRole("button", { name: "Disable" }).click();
  await bulk.getByText("admin: your own account is left out").waitFor();
  await bulk.getByText("1 user selected").waitFor();
  await bulk.getByRole("button", { name: "Clear selection" }).click();
  for (const name of ["bulk 1", "bulk 2"]) await page.getByLabel(`Select ${name}`).check();
  await bulk.getByRole("button", { name: "Delete" }).click();
  await page.getByLabel("Type 2 users to confirm").fill("2 users");
  await page.getByRole("button", { name: "Delete 2 users" }).click();
  await bulk.getByText("Deleted 2 users").waitFor();
  await page.getByRole("link", { name: "bulk 1" }).waitFor({ state: "detached" });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8").split("\r\n");
  expect(lines[0]).toBe("Name,E-mail,Domain,State,Source,Last active");
  expect(lines).toContain("'=cmd(),,Default,disabled,local,");
  expect(lines).toContain("ada,lovelace@example.org,Default,disabled,local,");
  expect(faults).toEqual([]);
  await page.context().close();
});
