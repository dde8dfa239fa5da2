/** An authenticator of Chromium, and what tests of passkeys do with it. */
import type { CDPSession, Page } from "playwright-core";

import type { ConsolePage } from "./console-browser.js";

/** A key of an authenticator. */
export interface Credential {
  readonly credentialId: string;
}

/** Gives the browser of a page an authenticator with a fingerprint reader. */
export async function withAuthenticator(opened: ConsolePage, credential?: Credential) {
  const cdp: CDPSession = await opened.page.context().newCDPSession(opened.page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  if (credential !== undefined)
    await cdp.send("WebAuthn.addCredential", { authenticatorId, credential: credential as never });
  return {
    ...opened,
    /** The keys of the authenticator, for another browser: as a synced passkey has them. */
    async credential(): Promise<Credential> {
      const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
      return credentials[0] as Credential;
    },
    async verifyUser(isUserVerified: boolean): Promise<void> {
      await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
  };
}

/** Adds a passkey on the account's page. */
export async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Add passkey" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Add passkey" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("listitem").filter({ hasText: name }).waitFor();
}
