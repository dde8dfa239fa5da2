/** Lists that are longer than one page, sorted and searched by the service. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { axeFindings, signIn, startConsole, type ConsoleBrowser } from "./console-browser.js";

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
  await page.getByText("200 loaded, more follow").waitFor();
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
