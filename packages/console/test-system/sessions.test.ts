/** Sessions in the console: seeing them, ending one and all, as their user and as an administrator; resets by administrators. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { checkEveryLook, settled, signIn, startConsole, type ConsoleBrowser } from "./console-browser.js";

const PASSWORD = "first-secret";

let served: ConsoleBrowser;
let url: string;
beforeAll(async () => {
  served = await startConsole();
  ({ url } = served.service);
});
afterAll(() => served.close());

async function createUser(name: string): Promise<string> {
  const body = { user: { name, password: PASSWORD, domain_id: "default" } };
  const { user } = (await served.api("POST", "/v3/users", body)) as unknown as { user: { id: string } };
  return user.id;
}

const open = () => served.open({ reducedMotion: "reduce" });

describe("sessions", () => {
  it("are listed by device, and ended one by one or all at once by their user", async () => {
    await createUser("sara");
    const [here, there] = [await open(), await open()];
    await signIn(there, url, { path: "/console/account", name: "sara", password: PASSWORD });
    await signIn(here, url, { path: "/console/account/sessions", name: "sara", password: PASSWORD });
    const { page } = here;
    await page.getByText("this browser").waitFor();
    await checkEveryLook(page, "sessions-own");
    expect(await page.getByText(/^(Headless)?Chrome on Linux/).count()).toBe(2);
    await page.getByRole("button", { name: "End session" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
    await expect.poll(() => page.getByText(/^(Headless)?Chrome on Linux/).count()).toBe(1);
    await there.page.reload();
    await there.page.getByLabel("User name").waitFor();
    await page.getByRole("button", { name: "End all sessions and tokens" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End all sessions and tokens" }).click();
    await page.getByText("You ended all your sessions.").waitFor();
    expect([...here.faults, ...there.faults]).toEqual([]);
    await page.context().close();
    await there.page.context().close();
  });

  it("are ended by an administrator, who resets one-time codes and has a password changed", async () => {
    const id = await createUser("tove");
    const blob = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await served.api("POST", "/v3/credentials", { credential: { type: "totp", user_id: id, blob } });
    const user = await open();
    await signIn(user, url, { path: "/console/account", name: "tove", password: PASSWORD });
    const admin = await open();
    await signIn(admin, url, { path: `/console/users?open=${id}` });
    const { page } = admin;
    await page.getByRole("button", { name: /^Remove authenticator/ }).waitFor();
    await settled(page);
    await checkEveryLook(page, "sessions-admin");
    await page.getByRole("button", { name: "Reset one-time codes" }).click();
    await page
      .getByRole("dialog", { name: "Reset one-time codes of tove" })
      .getByRole("button")
      .first()
      .click();
    await page.getByText("No authenticator.").waitFor();
    await user.page.reload();
    await user.page.getByLabel("User name").waitFor();

    await signIn(user, url, { path: "/console/account", name: "tove", password: PASSWORD });
    await page.getByRole("button", { name: "End all sessions and tokens" }).click();
    await page
      .getByRole("dialog", { name: "End all sessions and tokens of tove" })
      .getByRole("button")
      .first()
      .click();
    await user.page.reload();
    await user.page.getByLabel("User name").waitFor();

    await page.getByRole("button", { name: "Set password" }).click();
    const dialog = page.getByRole("dialog", { name: "Set the password of tove" });
    await dialog.getByLabel("New password").fill("temporary");
    expect(await dialog.getByLabel("has to change it at the next login").isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Set password" }).click();
    await dialog.waitFor({ state: "detached" });
    await user.page.getByLabel("User name").fill("tove");
    await user.page.getByLabel("Password").fill("temporary");
    await user.page.getByRole("button", { name: "Sign in" }).click();
    await user.page.getByRole("heading", { name: "Choose a new password" }).waitFor();
    expect(admin.faults).toEqual([]);
    await page.context().close();
    await user.page.context().close();
  });
});
