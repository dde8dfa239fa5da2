/** Logins through identity providers: test logins of the console, and into the console itself. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

import type { ConsoleBrowser } from "./console-browser.js";

/** What a provider asks of a user, done in its page. */
export type LogIn = (page: Page) => Promise<void>;

/** A step of the result of a test login. */
export const stepItem = (page: Page, step: string): Locator =>
  page
    .getByRole("list", { name: "Steps" })
    .getByRole("listitem")
    .filter({ has: page.getByText(step, { exact: true }) });

/** Fills the first step of the wizard: the users get a domain of their own. */
export async function nameProvider(page: Page, id: string): Promise<void> {
  await page.getByLabel("Provider id").fill(id);
  await page.getByLabel("Domain of its users").selectOption({ label: `A new domain ${id}` });
  await page.getByRole("button", { name: "Continue to settings" }).click();
}

/** Logs in as a test in the wizard, at the provider in the other tab. */
export async function testInWizard(page: Page, logIn: LogIn = async () => {}): Promise<void> {
  const other = page.context().waitForEvent("page");
  await page.getByRole("button", { name: /^Log in as a test/ }).click();
  const tab = await other;
  await logIn(tab);
  await tab.getByRole("heading", { name: /The test login/ }).waitFor();
  await tab.close();
}

/** Begins a test login, and logs in at the provider in the other tab. */
export async function testInOtherTab(page: Page, logIn: LogIn = async () => {}): Promise<void> {
  const other = page.context().waitForEvent("page");
  await page.getByRole("button", { name: /Begin (another )?test login/ }).click();
  const tab = await other;
  await logIn(tab);
  await tab.getByRole("heading", { name: /The test login/ }).waitFor();
  expect(await tab.getByText("No user was created, and no token issued.").count()).toBe(1);
  await tab.close();
  await page.getByText(/The login would/).waitFor();
}

/** Signs in to the console by a provider, in a browser of its own, which gets no token. @returns The name of the user. */
export async function signInByProvider(
  running: ConsoleBrowser,
  provider: string,
  logIn: LogIn,
): Promise<string> {
  const { page, faults } = await running.open();
  const account = `${running.service.url}/console/account`;
  await page.goto(account);
  await page.getByRole("link", { name: new RegExp(provider) }).click();
  await logIn(page);
  await page.waitForURL(account);
  // Those before are of the provider's page.
  const first = faults.length;
  const { session } = (await page.evaluate(
    'fetch("/console/api/session", { headers: { "X-Console": "1" } }).then((answer) => answer.json())',
  )) as { session: { user: { name: string } } };
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText(session.user.name).first().waitFor();
  const kept = await page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
  );
  expect(kept).not.toContain("gAAAA");
  expect(faults.slice(first)).toEqual([]);
  await page.context().close();
  return session.user.name;
}
