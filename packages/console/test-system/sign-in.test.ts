/** Signing in: refused, with further factors, with a password that has to be changed; scopes; signing out. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { codeAt } from "../../identity/src/auth/methods/totp.js";
import {
  axeFindings,
  checkEveryLook,
  screenshot,
  settled,
  signIn,
  startConsole,
  type ConsoleBrowser,
} from "./console-browser.js";

let served: ConsoleBrowser;
let url: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "logo-"));
  const logo = join(folder, "logo.svg");
  await writeFile(
    logo,
    `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="32"><rect width="96" height="32" fill="#3b6fd4"/></svg>`,
  );
  served = await startConsole({
    IDENTITY_CONSOLE_NAME: "Zug Cloud",
    IDENTITY_CONSOLE_LOGO: logo,
    IDENTITY_CONSOLE_CONTACT: "cloud-support@example.org",
  });
  await rm(folder, { recursive: true });
  url = served.service.url;
});
afterAll(() => served.close());

async function createUser(name: string): Promise<string> {
  const body = { user: { name, password: "first-secret", domain_id: "default" } };
  const { user } = (await served.api("POST", "/v3/users", body)) as unknown as { user: { id: string } };
  return user.id;
}

describe("signing in", () => {
  it("says that it failed, keeps the name, and works with the right password", async () => {
    const { page, faults } = await served.open();
    await page.goto(`${url}/console/roles`);
    await page.getByText("Zug Cloud").waitFor();
    expect(await page.evaluate("document.querySelector('img.logo').naturalWidth")).toBe(96);
    await screenshot(page, "sign-in-with-logo");
    expect(await page.evaluate("document.activeElement.autocomplete")).toBe("username");
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: "Sign-in failed" })
      .getByText("The user name, password or domain is wrong")
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.getByLabel("User name").inputValue()).toBe("admin");
    await page.getByLabel("Password").fill("adminpw");
    await page.keyboard.press("Enter");
    // The page of the address, not always the same one.
    await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("has a password changed that an administrator set", async () => {
    const strict = await startConsole({ IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE: "on" }, served);
    const { page } = await strict.open();
    await page.goto(`${strict.service.url}/console`);
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Password").fill("adminpw");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel("New password", { exact: true }).fill("second-secret");
    await page.getByLabel("New password again").fill("another");
    await page.getByRole("button", { name: "Change password and sign in" }).click();
    await page.getByText("differs from the new password above").waitFor();
    await page.getByLabel("New password again").fill("second-secret");
    await page.getByRole("button", { name: "Change password and sign in" }).click();
    await page.getByRole("link", { name: "admin" }).waitFor();
    await strict.close();
  });

  it("enrols an authenticator, whose codes are then required", async () => {
    const id = await createUser("linus");
    const opened = await served.open();
    const { page } = opened;
    await signIn(opened, url, {
      path: "/console/account/one-time-codes",
      name: "linus",
      password: "first-secret",
    });
    await page.getByRole("button", { name: "Add authenticator" }).click();
    const secret = (await page.getByRole("dialog").locator(".id .mono").textContent()) ?? "";
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    await page.getByRole("img", { name: /QR code/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel("Code that the app shows").fill("000000");
    await page.getByRole("dialog").getByRole("button", { name: "Add authenticator" }).click();
    await page.getByText("is not the current code").waitFor();
    const codeNow = () => codeAt(fromBase32(secret), Math.floor(Date.now() / 30_000));
    await page.getByLabel("Code that the app shows").fill(codeNow());
    await page.getByRole("dialog").getByRole("button", { name: "Add authenticator" }).click();
    await page.getByRole("button", { name: "Remove authenticator" }).waitFor();
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [["password", "totp"]] };
    await served.api("PATCH", `/v3/users/${id}`, { user: { options } });

    const next = (await served.open()).page;
    await next.goto(`${url}/console`);
    await next.getByLabel("User name").fill("linus");
    await next.getByLabel("Password").fill("first-secret");
    await next.getByRole("button", { name: "Sign in" }).click();
    await next.getByRole("heading", { name: "One more factor" }).waitFor();
    expect(await axeFindings(next)).toEqual([]);
    // A reload keeps the pending login.
    await next.reload();
    await next.getByLabel("One-time code").fill(codeNow());
    await next.getByRole("button", { name: "Sign in" }).click();
    await next.getByRole("link", { name: "linus" }).waitFor();
    await next.context().close();
    await page.context().close();
  });
});

describe("a session", () => {
  it("changes its scope without a new login, and shows what the caller may do there", async () => {
    const opened = await served.open();
    const { page } = opened;
    await signIn(opened, url);
    await page.getByRole("link", { name: "Users" }).waitFor();
    await page.getByTitle("Change the scope").click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^admin/ })
      .click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.getByTitle("Change the scope").textContent()).toContain("project admin");
    await page.reload();
    await settled(page);
    expect(await page.getByTitle("Change the scope").textContent()).toContain("project admin");
    await page.context().close();
  });

  it("hides what a user without roles may not do, and explains pages that are opened by address", async () => {
    await createUser("ken");
    const opened = await served.open();
    const { page } = opened;
    await signIn(opened, url, { name: "ken", password: "first-secret" });
    await page.getByText("The state of the service is shown to administrators.").waitFor();
    await page.getByText("Ask cloud-support@example.org for a role").waitFor();
    await checkEveryLook(page, "no-role");
    await settled(page);
    const pages = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    for (const name of ["Users", "Groups", "Projects", "Roles", "Audit"])
      expect(await pages.filter({ hasText: name }).count()).toBe(0);
    await page.goto(`${url}/console/users`);
    await page.getByRole("alert").filter({ hasText: "Could not list users" }).waitFor();
    expect(await page.getByText("Create user").count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });

  it("ends without losing what is typed: its user signs in over the page, and the request goes on", async () => {
    await createUser("barbara");
    const opened = await served.open();
    const { page } = opened;
    await signIn(opened, url, { path: "/console/users?new=1" });
    const form = page.getByRole("dialog", { name: "Create user" });
    const over = page.getByRole("dialog", { name: "Sign in" });
    const typeAndEnd = async (name: string) => {
      await form.getByLabel("User name").fill(name);
      await settled(page);
      await page.evaluate(END_SESSION);
      await form.getByRole("button", { name: "Create user" }).click();
      await over.getByText("Your session ended. Sign in again; this page stays open.").waitFor();
    };
    await typeAndEnd("frances");
    expect(await axeFindings(page)).toEqual([]);
    expect(await over.getByLabel("User name").inputValue()).toBe("admin");
    await page.keyboard.press("Escape");
    await over.getByLabel("Password").fill("adminpw");
    expect(await form.getByLabel("User name").inputValue()).toBe("frances");
    await over.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("dialog", { name: "frances" }).getByText("enabled").waitFor();

    await page.goto(`${url}/console/users?new=1`);
    await typeAndEnd("jean");
    await over.getByLabel("User name").fill("barbara");
    await over.getByLabel("Password").fill("first-secret");
    await over.getByRole("button", { name: "Sign in" }).click();
    // Another user's page begins anew, and nothing is created in that name.
    await page.getByRole("link", { name: "barbara" }).waitFor({ state: "attached" });
    await over.waitFor({ state: "detached" });
    await expect.poll(() => form.getByLabel("User name").inputValue()).toBe("");
    const { users } = (await served.api("GET", "/v3/users?name=jean")) as unknown as { users: object[] };
    expect(users).toEqual([]);
    await page.context().close();
  });

  it("outlasts a mistyped password; a changed one is reported as that, also if the new sign-in fails", async () => {
    await createUser("mary");
    const opened = await served.open();
    const { page } = opened;
    const account = { path: "/console/account/password", name: "mary", password: "first-secret" };
    await signIn(opened, url, account);
    const change = async (old: string, next: string) => {
      await page.getByLabel("Current password").fill(old);
      await page.getByLabel("New password", { exact: true }).fill(next);
      await page.getByLabel("New password again").fill(next);
      await page.getByRole("button", { name: "Change password" }).click();
    };
    const isChanged = page.getByText("The password is changed", { exact: true });
    const isNot = page.getByText("The password was not changed");
    await change("mistyped", "second-secret");
    await isNot.waitFor();
    expect(await page.getByLabel("New password again").inputValue()).toBe("second-secret");
    await change("first-secret", "second-secret");
    await isChanged.waitFor();
    expect(await isNot.count()).toBe(0);
    // The new sign-in is done.
    await expect.poll(() => page.getByLabel("Current password").inputValue()).toBe("");

    await page.route("**/console/api/session", (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: 409, json: {} }) : route.continue(),
    );
    await change("second-secret", "third-secret");
    const over = page.getByRole("dialog", { name: "Sign in" });
    await over.getByText("The password is changed. Sign in with the new one").waitFor();
    expect(await isNot.count()).toBe(0);
    await page.unroute("**/console/api/session");
    await over.getByLabel("Password").fill("third-secret");
    await over.getByRole("button", { name: "Sign in" }).click();
    await over.waitFor({ state: "detached" });
    expect(await isChanged.isVisible()).toBe(true);
    await page.context().close();
  });

  it("ends at sign-out, also in another tab", async () => {
    const opened = await served.open();
    const { page } = opened;
    await signIn(opened, url, { path: "/console/account" });
    const other = await page.context().newPage();
    await other.goto(`${url}/console/roles`);
    await other.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
    // A request that is under way at sign-out ends this tab's session before the click.
    await settled(other);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You signed out.").waitFor();
    await other.getByRole("link", { name: "Groups" }).click();
    const notice = other.getByText("Your session ended.");
    await notice.waitFor();
    expect(await notice.isVisible()).toBe(true);
    await page.context().close();
  });
});

/** As another tab does it. */
const END_SESSION = `fetch("/console/api/session", { method: "DELETE", headers: { "X-Console": "1" } })`;

/** The tests' own: RFC 4648. */
function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  ).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
