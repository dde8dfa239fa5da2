/** Passkeys with an authenticator of Chromium: adding one, signing in with it alone and as a further factor, removing and resetting it. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { codeAt, decodeTotpSecret } from "../../identity/src/auth/methods/totp.js";
import {
  axeFindings,
  cancelDialog,
  checkEveryLook,
  settled,
  signIn,
  startConsole,
  type ConsoleBrowser,
} from "./console-browser.js";
import { addPasskey, withAuthenticator, type Credential } from "./virtual-authenticator.js";

const PASSWORD = "first-secret";

let served: ConsoleBrowser;
let url: string;
beforeAll(async () => {
  served = await startConsole({}, { hostname: "localhost" });
  ({ url } = served.service);
});
afterAll(() => served.close());

async function createUser(name: string, options: object = {}): Promise<string> {
  const body = { user: { name, password: PASSWORD, domain_id: "default", options } };
  const { user } = (await served.api("POST", "/v3/users", body)) as unknown as { user: { id: string } };
  return user.id;
}

/** A page whose browser has an authenticator. */
const openWithAuthenticator = async (credential?: Credential) =>
  // Colors change at once, when looks are compared.
  withAuthenticator(await served.open({ reducedMotion: "reduce" }), credential);

/** Signs in by password, and adds a passkey. */
async function withPasskey(name: string) {
  const opened = await openWithAuthenticator();
  await signIn(opened, url, { path: "/console/account/passkeys", name, password: PASSWORD });
  await addPasskey(opened.page, `laptop of ${name}`);
  return opened;
}

const signedIn = (page: Page, name: string) => page.getByRole("link", { name }).waitFor();

describe("passkeys", () => {
  it("are added, renamed and removed on the account's page", async () => {
    await createUser("mona");
    const opened = await openWithAuthenticator();
    const { page, faults } = opened;
    await signIn(opened, url, { path: "/console/account/passkeys", name: "mona", password: PASSWORD });
    await page.getByText("You have no passkey.").waitFor();
    await checkEveryLook(page, "passkeys-none");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("dialog", { name: "Add passkey" }).waitFor();
    await checkEveryLook(page, "passkeys-add");
    await cancelDialog(page);
    await addPasskey(page, "laptop");
    await checkEveryLook(page, "passkeys-list");
    // The browser knows this one: the device does not get a second.
    await page.getByRole("button", { name: "Add passkey" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("again");
    await dialog.getByRole("button", { name: "Add passkey" }).click();
    await dialog.getByText("This device has a passkey of yours already.").waitFor();
    await cancelDialog(page);
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("old laptop");
    await page.getByRole("button", { name: "Rename passkey" }).click();
    await page.getByRole("listitem").filter({ hasText: "old laptop" }).waitFor();
    await page.getByRole("button", { name: "Remove passkey" }).click();
    await page.getByRole("dialog").getByText("It is your only one.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove passkey" }).click();
    await page.getByText("You have no passkey.").waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("sign in alone, in a browser that knows no name", async () => {
    await createUser("nina");
    const first = await withPasskey("nina");
    const next = await openWithAuthenticator(await first.credential());
    await next.page.goto(`${url}/console/account/passkeys`);
    await next.page.getByRole("button", { name: "Use a passkey" }).waitFor();
    await checkEveryLook(next.page, "passkeys-sign-in");
    await next.page.getByRole("button", { name: "Use a passkey" }).click();
    await signedIn(next.page, "nina");
    await expect.poll(() => next.page.getByText("never used").count()).toBe(0);
    expect(next.faults).toEqual([]);
    await first.page.context().close();
    await next.page.context().close();
  });

  it("don't sign in without a fingerprint, without a passkey, or once removed", async () => {
    await createUser("olga");
    const first = await withPasskey("olga");
    const credential = await first.credential();
    const next = await openWithAuthenticator(credential);
    await next.verifyUser(false);
    await next.page.goto(`${url}/console`);
    const use = next.page.getByRole("button", { name: "Use a passkey" });
    await use.click();
    await next.page.getByText("The browser got no answer").waitFor();
    expect(await axeFindings(next.page)).toEqual([]);
    await first.page.getByRole("button", { name: "Remove passkey" }).click();
    await first.page.getByRole("dialog").getByRole("button", { name: "Remove passkey" }).click();
    await first.page.getByText("You have no passkey.").waitFor();
    await next.verifyUser(true);
    await use.click();
    await next.page.getByText("No account accepts this passkey").waitFor();
    await first.page.context().close();
    await next.page.context().close();
  });

  it("are the factor after the password, beside one-time codes", async () => {
    const id = await createUser("pia");
    const first = await withPasskey("pia");
    const credential = await first.credential();
    const blob = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await served.api("POST", "/v3/credentials", { credential: { type: "totp", user_id: id, blob } });
    const rules = [
      ["password", "webauthn"],
      ["password", "totp"],
    ];
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: rules };
    await served.api("PATCH", `/v3/users/${id}`, { user: { options } });
    for (const factor of ["passkey", "code"]) {
      const next = await openWithAuthenticator(credential);
      const { page } = next;
      await page.goto(`${url}/console`);
      await page.getByLabel("User name").fill("pia");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "One more factor" }).waitFor();
      await page.getByText("The browser asks for one of your passkeys.").waitFor();
      if (factor === "passkey") {
        await checkEveryLook(page, "passkeys-factor");
        await page.getByRole("button", { name: "Use a passkey" }).click();
      } else {
        await page.getByRole("button", { name: "Use a one-time code" }).click();
        const code = codeAt(decodeTotpSecret(blob) as Buffer, Math.floor(Date.now() / 30_000));
        await page.getByLabel("One-time code").fill(code);
        await page.getByRole("button", { name: "Sign in" }).click();
      }
      await signedIn(page, "pia");
      expect(next.faults).toEqual([]);
      await page.context().close();
    }
    await first.page.context().close();
  });

  it("don't replace factors that the rules demand, and the page says so", async () => {
    const id = await createUser("quinn");
    const first = await withPasskey("quinn");
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [["password", "totp"]] };
    await served.api("PATCH", `/v3/users/${id}`, { user: { options } });
    const next = await openWithAuthenticator(await first.credential());
    await next.page.goto(`${url}/console`);
    await next.page.getByRole("button", { name: "Use a passkey" }).click();
    await next.page.getByText("don't accept a passkey").waitFor();
    await next.page.getByRole("button", { name: "Sign in differently" }).click();
    expect(await next.page.getByLabel("User name").inputValue()).toBe("");
    await first.page.context().close();
    await next.page.context().close();
  });

  it("are reset by an administrator, which ends the user's sessions", async () => {
    const id = await createUser("rosa");
    const user = await withPasskey("rosa");
    const admin = await served.open({ reducedMotion: "reduce" });
    await signIn(admin, url, { path: `/console/users?open=${id}` });
    await admin.page.getByRole("button", { name: "Reset passkeys" }).waitFor();
    await settled(admin.page);
    await checkEveryLook(admin.page, "passkeys-admin");
    await admin.page.getByRole("button", { name: "Reset passkeys" }).click();
    await admin.page
      .getByRole("dialog", { name: "Reset passkeys of rosa" })
      .getByRole("button")
      .first()
      .click();
    await expect.poll(() => admin.page.getByText("laptop of rosa").count()).toBe(0);
    await user.page.reload();
    await user.page.getByRole("button", { name: "Use a passkey" }).click();
    await user.page.getByText("No account accepts this passkey").waitFor();
    await admin.page.context().close();
    await user.page.context().close();
  });
});
