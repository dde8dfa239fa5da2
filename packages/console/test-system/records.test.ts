/** Users, groups, projects, roles, the catalog and credentials, as an administrator works with them. */
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";

import {
  axeFindings,
  settled,
  signIn,
  startConsole,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";

let served: ConsoleBrowser;
let url: string;
let opened: ConsolePage;

beforeAll(async () => {
  served = await startConsole();
  url = served.service.url;
});
afterAll(() => served.close());
beforeEach(async () => {
  opened = await served.open();
  await opened.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
});
afterEach(async () => {
  await opened.page.context().close();
  if (opened.faults.length > 0) throw new Error(opened.faults.join("\n"));
});

describe("users", () => {
  it("are created, found, changed, put into a group, disabled and deleted", async () => {
    const { page } = opened;
    await served.api("POST", "/v3/groups", { group: { name: "staff", domain_id: "default" } });
    await signIn(opened, url, { path: "/console/users" });
    await page.getByRole("link", { name: "Create user" }).click();
    const dialog = page.getByRole("dialog", { name: "Create user" });
    await dialog.getByRole("button", { name: "Create user" }).click();
    await dialog.getByText("User name is empty; it is required").waitFor();
    // The first field with an error has the focus.
    await page.keyboard.type("ada");
    await dialog.getByRole("textbox", { name: "Password" }).fill("secretpw");
    await dialog.getByRole("button", { name: "Create user" }).click();

    const panel = page.getByRole("dialog", { name: "ada" });
    await panel.getByText("enabled").waitFor();
    await panel.getByText("None since the audit trail begins.").waitFor();
    await panel.getByText("No roles: this user can log in, and do nothing.").waitFor();
    await panel.getByLabel("Add to group").fill("sta");
    await page.getByRole("option", { name: "staff" }).click();
    await panel.getByRole("link", { name: "staff" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);

    await panel.getByRole("button", { name: "Change user" }).click();
    const edit = page.getByRole("dialog", { name: "Change user ada" });
    await edit.getByLabel("Description").fill("Analyst");
    await edit.getByLabel("E-mail").fill("ada@example.org");
    await edit.getByRole("button", { name: "Save user" }).click();
    await panel.getByText("Analyst").waitFor();
    await panel.getByText("ada@example.org").waitFor();
    await panel.getByRole("button", { name: "Disable user" }).click();
    await panel.getByText("disabled").waitFor();

    // Escape closes, and the focus returns to the row.
    await panel.getByRole("button", { name: "Close ada" }).focus();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });

    await page.getByLabel("Search users by name").fill("AD");
    await page.getByText("2 users").waitFor();
    await page.getByLabel("State").selectOption("no");
    await page.getByText("1 user", { exact: true }).waitFor();
    // The search waits for a pause of typing.
    await page.waitForURL((address) => address.searchParams.get("q") === "AD");
    await page.getByRole("link", { name: "ada" }).click();
    await panel.getByRole("button", { name: "Delete user" }).click();
    const confirm = page.getByRole("dialog", { name: "Delete user ada" });
    expect(await confirm.getByRole("button", { name: "Delete user" }).isDisabled()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await confirm.getByLabel("Type ada to confirm").fill("ada");
    await confirm.getByRole("button", { name: "Delete user" }).click();
    await page.getByText("No users match these filters.").waitFor();
  });

  it("show why they have each role", async () => {
    const id = await userInStaff();
    await signIn(opened, url, { path: `/console/users?open=${id}` });
    const panel = opened.page.getByRole("dialog", { name: "grace" });
    const roles = panel.getByRole("listitem").filter({ hasText: "on project" });
    await roles.first().waitFor();
    expect((await roles.allTextContents()).map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
      "member on project admin (Default) ← group staff2 ← inherited from domain Default",
      "reader on project admin (Default) ← implied by member ← group staff2 ← inherited from domain Default",
    ]);
  });

  it("can be worked with by the keyboard alone", async () => {
    const { page } = opened;
    await signIn(opened, url);
    await settled(page);
    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
    await settled(page);
    await page.keyboard.press("/");
    await page.keyboard.type("admin");
    await page.getByText("1 user", { exact: true }).waitFor();
    // From the search field out: shortcuts are not typed there.
    await page.keyboard.press("Tab");
    await page.getByRole("heading", { level: 1, name: "Users" }).focus();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "admin" });
    await panel.waitFor();
    await panel.getByText("from 127.0.0.1").first().waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent.trim()")).toBe("admin");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe("projects", () => {
  it("are created below others, and roles are granted in the matrix", async () => {
    const { page } = opened;
    await served.api("POST", "/v3/users", { user: { name: "hedy", domain_id: "default" } });
    await signIn(opened, url, { path: "/console/projects?domain=default" });
    await page.getByRole("link", { name: "Create project" }).click();
    await page.getByLabel("Project name").fill("shop");
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByRole("heading", { level: 1, name: "shop" }).waitFor();
    await page.getByRole("button", { name: "Create project below" }).click();
    await page.getByLabel("Project name").fill("shop-eu");
    await page.getByRole("dialog").getByRole("button", { name: "Create project" }).click();
    await page.getByRole("heading", { level: 1, name: "shop-eu" }).waitFor();

    await page.getByLabel("Add a user").fill("hed");
    await page.getByRole("option", { name: "hedy" }).click();
    await page.getByLabel("member for hedy").check();
    const reasons = page.getByRole("listitem").filter({ hasText: "hedy" });
    await reasons.filter({ hasText: "implied by member" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.reload();
    expect(await page.getByLabel("member for hedy").isChecked()).toBe(true);
    await page.getByLabel("member for hedy").uncheck();
    await reasons.first().waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Projects" }).first().click();
    const tree = page.getByRole("treegrid", { name: "Projects of Default" });
    await tree.getByRole("row", { name: "shop" }).focus();
    await page.keyboard.press("ArrowRight");
    await tree.getByRole("row", { name: "shop-eu" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "shop-eu" }).waitFor();
  });

  it("stay those of their addresses when another one answers late, and are disabled after a question", async () => {
    const { page } = opened;
    const above = await create("project", { name: "above", domain_id: "default" });
    const below = await create("project", { name: "below", domain_id: "default", parent_id: above });
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**/v3/projects/${above}?*`, async (route) => {
      await isAsked;
      await route.continue();
    });
    await signIn(opened, url, { path: `/console/projects/${below}` });
    const title = page.getByRole("heading", { level: 1 });
    await title.filter({ hasText: "below" }).waitFor();
    await page.evaluate(`history.pushState(null, "", "/console/projects/${above}")`);
    await page.waitForURL(`**/projects/${above}`);
    await title.filter({ hasText: /^Project$/ }).waitFor();
    await page.goBack();
    await title.filter({ hasText: "below" }).waitFor();
    answer();
    await settled(page);
    expect(await title.textContent()).toContain("below");

    await page.getByRole("button", { name: "Disable project" }).click();
    const question = page.getByRole("dialog", { name: "Disable project below" });
    await question.getByText("Tokens for it are revoked at once").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await question.getByRole("button", { name: "Disable project" }).click();
    await page.getByText("disabled", { exact: true }).waitFor();
    await page.route(`**/v3/projects/${below}`, (route) => route.fulfill({ status: 409, json: {} }));
    await page.getByRole("button", { name: "Enable project" }).click();
    await page.getByRole("alert").filter({ hasText: "Could not read or change the project" }).waitFor();
  });

  it("show what is granted after a grant that failed", async () => {
    const { page } = opened;
    const id = await create("project", { name: "refusing", domain_id: "default" });
    await create("user", { name: "radia", domain_id: "default" });
    await signIn(opened, url, { path: `/console/projects/${id}` });
    await page.getByLabel("Add a user").fill("rad");
    await page.getByRole("option", { name: "radia" }).click();
    const box = page.getByLabel("member for radia");
    await page.route("**/roles/*", (route) => route.fulfill({ status: 409, json: {} }));
    await box.focus();
    await page.keyboard.press("Space");
    const problem = page.getByRole("alert").filter({ hasText: "role assignments" });
    await problem.waitFor();
    await expect.poll(() => box.isChecked()).toBe(false);
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("member for radia");
    await page.unroute("**/roles/*");
    await page.keyboard.press("Space");
    await page.getByRole("listitem").filter({ hasText: "radia" }).first().waitFor();
    expect(await box.isChecked()).toBe(true);
    expect(await problem.count()).toBe(0);
  });

  it("of one domain don't stand under the name of another", async () => {
    const { page } = opened;
    const id = await create("domain", { name: "elsewhere" });
    await signIn(opened, url, { path: "/console/projects?domain=default" });
    await page.getByRole("treegrid", { name: "Projects of Default" }).waitFor();
    await page.route(`**/v3/projects?*${id}*`, (route) => route.fulfill({ status: 409, json: {} }));
    await page.getByRole("main").getByRole("combobox").selectOption({ label: "Domain elsewhere" });
    await page.getByRole("alert").filter({ hasText: "Could not list projects" }).waitFor();
    expect(await page.getByRole("treegrid").count()).toBe(0);
  });
});

describe("roles and the catalog", () => {
  it("make a role that implies another", async () => {
    const { page } = opened;
    await signIn(opened, url, { path: "/console/roles" });
    await page.getByRole("link", { name: "Create role" }).click();
    await page.getByLabel("Role name").fill("auditor");
    await page.getByRole("button", { name: "Create role" }).click();
    const panel = page.getByRole("dialog", { name: "auditor" });
    await panel.getByLabel("Imply a role").fill("read");
    await page.getByRole("option", { name: "reader" }).click();
    await panel.getByRole("button", { name: "Remove implied role reader" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it("make a region, a service and its endpoint", async () => {
    const { page } = opened;
    await signIn(opened, url, { path: "/console/catalog/regions" });
    await page.getByRole("link", { name: "Create region" }).click();
    await page.getByLabel("Region id").fill("north");
    await page.getByRole("button", { name: "Create region" }).click();
    await page.getByRole("link", { name: "north" }).waitFor();
    await page.getByRole("link", { name: "Services" }).click();
    await page.getByRole("link", { name: "Create service" }).click();
    await page.getByLabel("Service name").fill("nova");
    await page.getByLabel("Type").fill("compute");
    await page.getByRole("button", { name: "Create service" }).click();
    await page.getByRole("link", { name: "nova" }).waitFor();
    await page.getByRole("link", { name: "Endpoints" }).click();
    await page.getByRole("link", { name: "Create endpoint" }).click();
    const dialog = page.getByRole("dialog", { name: "Create endpoint" });
    await dialog.getByLabel("Service").selectOption("nova (compute)");
    await dialog.getByLabel("Region").selectOption("north");
    await dialog.getByLabel("URL").fill("https://compute.example.org/v2.1");
    await dialog.getByRole("button", { name: "Create endpoint" }).click();
    await page.getByRole("row", { name: "nova public north https://compute.example.org/v2.1" }).click();
    await page.getByRole("dialog", { name: "nova public" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe("a form of the catalog", () => {
  it("keeps what is typed while the services and regions to choose from still load", async () => {
    const { page } = opened;
    await page.route("**/v3/regions*", async (route) => {
      if (route.request().method() === "GET") await new Promise((loaded) => setTimeout(loaded, 1000));
      await route.continue();
    });
    await signIn(opened, url, { path: "/console/catalog/services?new=1" });
    const dialog = page.getByRole("dialog", { name: "Create service" });
    await dialog.getByLabel("Service name").fill("glance");
    await dialog.getByLabel("Type").fill("image");
    await page.waitForTimeout(1500);
    expect(await dialog.getByLabel("Service name").inputValue()).toBe("glance");
    await dialog.getByRole("button", { name: "Create service" }).click();
    await page.getByRole("link", { name: "glance" }).waitFor();
  });
});

describe("a list of one page", () => {
  it("is sorted by name", async () => {
    const { page } = opened;
    for (const name of ["role 10", "role 9", "Beta"])
      await served.api("POST", "/v3/roles", { role: { name } });
    await signIn(opened, url, { path: "/console/roles" });
    await page.getByRole("link", { name: "role 10" }).waitFor();
    const names = await page.locator("tbody a.open").allTextContents();
    const place = (name: string) => names.findIndex((each) => each.trim() === name);
    const order = ["admin", "Beta", "manager", "member", "reader", "role 9", "role 10", "service"].map(place);
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });
});

describe("the account", () => {
  it("makes an application credential, whose clouds.yaml logs in", async () => {
    const { page } = opened;
    await signIn(opened, url, { path: "/console/account/application-credentials" });
    await page.getByRole("main").getByRole("button", { name: "Change the scope" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^admin/ })
      .click();
    await page.getByRole("link", { name: "Create application credential" }).first().click();
    await page.getByLabel("Name").fill("ci");
    const form = page.getByRole("dialog");
    const boxes = await form.getByRole("group", { name: "Roles" }).getByRole("checkbox").all();
    for (const box of boxes) await box.uncheck();
    await form.getByRole("button", { name: "Create application credential" }).click();
    // The service takes no roles for all roles.
    await form.getByText("Roles: none is chosen; at least one is required").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    for (const box of boxes) await box.check();
    await form.getByLabel("admin").uncheck();
    await form.getByRole("button", { name: "Create application credential" }).click();
    await page.getByRole("button", { name: "Copy clouds.yaml" }).click();
    const yaml = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    const value = (key: string) => new RegExp(`${key}: "(.*)"`).exec(yaml)?.[1] ?? "";
    const login = await fetch(`${value("auth_url").replace(/\/$/, "")}/auth/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        auth: {
          identity: {
            methods: ["application_credential"],
            application_credential: {
              id: value("application_credential_id"),
              secret: value("application_credential_secret"),
            },
          },
        },
      }),
    });
    expect(login.status).toBe(201);
    const { token } = (await login.json()) as { token: { roles: { name: string }[] } };
    expect(token.roles.map(({ name }) => name)).not.toContain("admin");
  });

  it("makes and deletes an EC2 key", async () => {
    const { page } = opened;
    await signIn(opened, url, { path: "/console/account/ec2-keys" });
    await page.getByTitle("Change the scope").click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^admin/ })
      .click();
    await page.getByRole("button", { name: "Create EC2 key" }).first().click();
    await page.getByRole("button", { name: "Copy secret" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: /^Delete EC2 key/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete EC2 key" }).click();
    await page.getByText("You have no EC2 keys.").waitFor();
  });
});

async function create(kind: string, facts: object): Promise<string> {
  const answer = await served.api("POST", `/v3/${kind}s`, { [kind]: facts });
  return (answer as unknown as Record<string, { id: string }>)[kind]?.id ?? "";
}

async function userInStaff(): Promise<string> {
  const user = await create("user", { name: "grace", domain_id: "default" });
  const group = await create("group", { name: "staff2", domain_id: "default" });
  const { roles } = (await served.api("GET", "/v3/roles?name=member")) as unknown as {
    roles: { id: string }[];
  };
  await served.api("PUT", `/v3/groups/${group}/users/${user}`);
  await served.api(
    "PUT",
    `/v3/OS-INHERIT/domains/default/groups/${group}/roles/${roles[0]?.id}/inherited_to_projects`,
  );
  return user;
}
