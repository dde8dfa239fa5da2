/** Domains in the console, and grants on domains, the system and projects below. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  axeFindings,
  checkEveryLook,
  signIn,
  startConsole,
  toSystem,
  type ConsoleBrowser,
  type ConsolePage,
} from "./console-browser.js";

let served: ConsoleBrowser;
let url: string;
let opened: ConsolePage;
const PASSWORD = "a-password-of-tests";

beforeAll(async () => {
  served = await startConsole();
  url = served.service.url;
});
afterAll(() => served.close());
beforeEach(async () => {
  opened = await served.open();
});
afterEach(async () => {
  await opened.page.context().close();
  if (opened.faults.length > 0) throw new Error(opened.faults.join("\n"));
});

async function create(kind: string, facts: object): Promise<string> {
  const answer = await served.api("POST", `/v3/${kind}s`, { [kind]: facts });
  return (answer as unknown as Record<string, { id: string }>)[kind]?.id ?? "";
}

async function roleId(name: string): Promise<string> {
  const { roles } = (await served.api("GET", `/v3/roles?name=${name}`)) as unknown as {
    roles: { id: string }[];
  };
  return roles[0]?.id ?? "";
}

describe("domains", () => {
  it("are created, found, changed, disabled and deleted with what is in them", async () => {
    const { page } = opened;
    await signIn(opened, url, { path: "/console/domains" });
    await page.getByRole("link", { name: "Create domain" }).click();
    const dialog = page.getByRole("dialog", { name: "Create domain" });
    await dialog.getByLabel("Domain name").fill("acme");
    await dialog.getByRole("button", { name: "Create domain" }).click();
    const panel = page.getByRole("dialog", { name: "acme", exact: true });
    await panel.getByText("enabled").waitFor();
    await panel.getByText("0 users").waitFor();
    await panel.getByText("none: users and groups are kept in the service").waitFor();

    const id = new URL(page.url()).searchParams.get("open") ?? "";
    await create("user", { name: "eve", domain_id: id });
    await create("group", { name: "staff", domain_id: id });
    await create("project", { name: "web", domain_id: id });
    await create("project", { name: "lab", domain_id: id });
    await page.reload();
    await panel.getByRole("link", { name: "2 projects" }).waitFor();
    await checkEveryLook(page, "domain");
    await panel.getByRole("button", { name: "Disable domain" }).click();
    const question = page.getByRole("dialog", { name: "Disable domain acme" });
    await question.getByText("It has 1 user, 1 group and 2 projects; they stay.").waitFor();
    await question.getByRole("button", { name: "Disable domain" }).click();
    await panel.getByText("disabled").waitFor();
    await panel.getByRole("button", { name: "Enable domain" }).click();
    await panel.getByText("enabled", { exact: true }).waitFor();

    await panel.getByRole("link", { name: "1 user" }).click();
    await page.getByRole("link", { name: "eve" }).waitFor();
    await page.getByRole("link", { name: "Create user" }).click();
    await page.getByRole("dialog", { name: "Create user" }).waitFor();
    expect(await page.getByRole("dialog").getByLabel("Domain").inputValue()).toBe(id);

    await page.goto(`${url}/console/domains?open=${id}`);
    await panel.getByRole("link", { name: "1 user" }).waitFor();
    await panel.getByRole("button", { name: "Delete domain" }).click();
    const loss = page.getByRole("dialog", { name: "Delete domain acme" });
    await loss.getByText("Deleted with it: 1 user, 1 group and 2 projects.").waitFor();
    await loss.getByText("The domain is disabled first.").waitFor();
    expect(await loss.getByRole("button", { name: "Delete domain" }).isDisabled()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await loss.getByLabel("Type acme to confirm").fill("acme");
    await loss.getByRole("button", { name: "Delete domain" }).click();
    await panel.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Default" }).waitFor();
    expect(await page.getByRole("link", { name: "acme" }).count()).toBe(0);
  });

  it("get projects, and a group with a role, without leaving the domain by the way", async () => {
    const { page } = opened;
    const id = await create("domain", { name: "day" });
    await signIn(opened, url);
    await toSystem(page);
    await page.goto(`${url}/console/domains?open=${id}`);
    await page.getByRole("dialog", { name: "day" }).getByRole("link", { name: "0 projects" }).click();
    for (const name of ["web", "lab", "shop"]) {
      await page.getByRole("link", { name: "Create project" }).first().click();
      await page.getByLabel("Project name").fill(name);
      await page.getByRole("button", { name: "Create project" }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      // By the rail, which names no domain.
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Projects" }).click();
      await page.getByRole("link", { name, exact: true }).waitFor();
    }
    await page.getByText("3 projects", { exact: true }).waitFor();

    await page.goto(`${url}/console/groups?domain=${id}&new=1`);
    await page.getByLabel("Group name").fill("readers");
    await page.getByRole("button", { name: "Create group" }).click();
    const panel = page.getByRole("dialog", { name: "readers", exact: true });
    expect(new URL(page.url()).searchParams.get("domain")).toBe(id);
    await panel.getByRole("button", { name: "Grant role" }).click();
    const dialog = page.getByRole("dialog", { name: "Grant role to readers" });
    await dialog.getByLabel("On").selectOption("domain");
    expect(await dialog.getByLabel("Domain", { exact: true }).inputValue()).toBe(id);
    await dialog.getByLabel("Role").selectOption({ label: "reader" });
    await dialog.getByLabel("Inherited by the projects below").check();
    await dialog.getByRole("button", { name: "Grant role" }).click();
    await dialog.waitFor({ state: "detached" });
    const grants = (await served.api("GET", "/v3/role_assignments?include_names=true")) as unknown as {
      role_assignments: { group?: { name: string }; scope: object; role: { name: string } }[];
    };
    expect(grants.role_assignments.find(({ group }) => group?.name === "readers")).toMatchObject({
      role: { name: "reader" },
      scope: { domain: { id }, "OS-INHERIT:inherited_to": "projects" },
    });
  });

  it("offer their managers nothing that the policy refuses", async () => {
    const { page } = opened;
    const id = await create("domain", { name: "managed" });
    const user = await create("user", { name: "mia", password: PASSWORD, domain_id: "default" });
    await served.api("PUT", `/v3/domains/${id}/users/${user}/roles/${await roleId("manager")}`);
    await signIn(opened, url, { name: "mia", password: PASSWORD });
    await page.evaluate(`fetch("/console/api/session/scope", {
      method: "PUT",
      headers: { "X-Console": "1", "Content-Type": "application/json" },
      body: JSON.stringify({ scope: { domain: { id: "${id}" } } }),
    })`);
    await page.goto(`${url}/console/domains?open=${id}`);
    const panel = page.getByRole("dialog", { name: "managed" });
    await panel.getByRole("link", { name: "0 users" }).waitFor();
    await panel.getByRole("button", { name: "Grant role" }).waitFor();
    expect(await page.getByText("Default", { exact: true }).count()).toBe(0);
    for (const name of ["Create domain", "Change domain", "Disable domain", "Delete domain"])
      expect(await page.getByText(name, { exact: true }).count()).toBe(0);
  });
});

describe("a role", () => {
  it("is granted to a user on the system and, inherited, on a domain, and revoked", async () => {
    const { page } = opened;
    const id = await create("user", { name: "ida", domain_id: "default" });
    await signIn(opened, url, { path: `/console/users?open=${id}` });
    const panel = page.getByRole("dialog", { name: "ida", exact: true });
    const dialog = page.getByRole("dialog", { name: "Grant role to ida" });
    await panel.getByRole("button", { name: "Grant role" }).click();
    await dialog.getByLabel("On", { exact: true }).selectOption("system");
    await dialog.getByLabel("Role", { exact: true }).selectOption("reader");
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Grant role" }).click();
    await panel.getByRole("button", { name: "Revoke reader on system" }).waitFor();

    await panel.getByRole("button", { name: "Grant role" }).click();
    await dialog.getByLabel("On", { exact: true }).selectOption("domain");
    await dialog.getByLabel("Domain", { exact: true }).selectOption("Default");
    await dialog.getByLabel("Role", { exact: true }).selectOption("member");
    await dialog.getByLabel("Inherited by the projects below").check();
    await dialog.getByRole("button", { name: "Grant role" }).click();
    await panel.getByText("for the projects below").waitFor();
    await panel.getByText("inherited from domain Default").first().waitFor();
    await panel.getByRole("button", { name: "Revoke member on domain Default" }).click();
    await panel.getByText("inherited from domain Default").first().waitFor({ state: "detached" });
    await panel.getByRole("button", { name: "Revoke reader on system" }).click();
    await panel.getByText("Nothing is granted.").waitFor();
  });

  it("is granted on a domain and on the projects below one, and listed for the system", async () => {
    const { page } = opened;
    const group = await create("group", { name: "ops", domain_id: "default" });
    const above = await create("project", { name: "above", domain_id: "default" });
    await signIn(opened, url, { path: "/console/domains?open=default" });
    const panel = page.getByRole("dialog", { name: "Default", exact: true });
    await panel.getByRole("button", { name: "Grant role" }).click();
    const dialog = page.getByRole("dialog", { name: /^Grant role on/ });
    await dialog.getByLabel("To", { exact: true }).selectOption("group");
    await dialog.getByLabel("Group").fill("op");
    await page.getByRole("option", { name: "ops" }).click();
    await dialog.getByLabel("Role", { exact: true }).selectOption("member");
    await dialog.getByRole("button", { name: "Grant role" }).click();
    await panel.getByRole("button", { name: "Revoke member of ops" }).waitFor();
    await served
      .api("GET", `/v3/domains/default/groups/${group}/roles`)
      .then(({ roles }) =>
        expect((roles as unknown as { name: string }[]).map(({ name }) => name)).toEqual(["member"]),
      );

    await page.goto(`${url}/console/projects/${above}`);
    await page.getByRole("button", { name: "Grant role" }).click();
    await dialog.getByLabel("User", { exact: true }).fill("adm");
    await page.getByRole("option", { name: "admin" }).click();
    await dialog.getByLabel("Role", { exact: true }).selectOption("reader");
    await dialog.getByRole("button", { name: "Grant role" }).click();
    await page.getByRole("button", { name: "Revoke reader of admin" }).waitFor();

    await page.goto(`${url}/console/roles`);
    await toSystem(page);
    await page.getByRole("link", { name: "Roles on the system" }).click();
    await page.getByRole("dialog", { name: "System" }).getByRole("link", { name: "admin" }).waitFor();
  });
});
