import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { checkEveryLook, signIn, startConsole, toSystem, type ConsoleBrowser } from "./console-browser.js";

describe("failed logins in the console", () => {
  let running: ConsoleBrowser;
  beforeAll(async () => {
    running = await startConsole();
  }, 120_000);
  afterAll(() => running.close());

  it("include those by password: the user, the address and the reason, without links to a provider", async () => {
    const rejected = await fetch(`${running.service.url}/v3/auth/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        auth: {
          identity: {
            methods: ["password"],
            password: { user: { name: "admin", domain: { id: "default" }, password: "mistyped" } },
          },
        },
      }),
    });
    expect(rejected.status).toBe(401);
    // It is written within a second.
    await expect
      .poll(async () => (await running.api("GET", "/v3/OS-FEDERATION/failed_logins")) as object)
      .toMatchObject({ failed_logins: [{ code: "password-wrong", idp_id: null }] });

    const opened = await running.open();
    const { page } = opened;
    await signIn(opened, running.service.url);
    await toSystem(page);
    await page.goto(`${running.service.url}/console/failed-logins`);
    const row = page.getByRole("table", { name: "Failed logins" }).getByRole("row", { name: /password/ });
    await row.waitFor();
    await checkEveryLook(page, "failed-logins-by-password");
    await row.getByRole("link").click();
    const panel = page.getByRole("dialog", { name: "Failed login" });
    await panel.getByText("admin", { exact: true }).waitFor();
    await panel.getByText("127.0.0.1", { exact: true }).waitFor();
    expect(await panel.getByRole("link", { name: "Open provider" }).count()).toBe(0);
    await checkEveryLook(page, "failed-login-by-password");
    // The way of an operator who was called: the user, and why.
    await panel.getByRole("link", { name: "admin", exact: true }).click();
    await page.getByRole("link", { name: "Failed logins of this user" }).click();
    await page.getByText("1 failed login", { exact: true }).waitFor();
    await page.getByLabel("Search by user name").fill("kim");
    await page.getByText("No failed logins match these filters.").waitFor();
    expect(opened.faults).toEqual([]);
  }, 120_000);
});
