/** What an administrator does to several users at once, and to the credentials of one; and what a reader may not. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { signIn, startConsole, toSystem, type ConsoleBrowser } from "./console-browser.js";

let served: ConsoleBrowser;
/** Ids by the names of what the tests make. */
const ids: Record<string, string> = {};

async function create(
  kind: "user" | "group" | "project" | "credential",
  attributes: object,
): Promise<string> {
  const body = (await served.api("POST", `/v3/${kind}s`, { [kind]: attributes })) as unknown as Record<
    string,
    { id: string }
  >;
  return body[kind]?.id ?? "";
}

beforeAll(async () => {
  served = await startConsole();
  const named = { domain_id: "default" };
  for (let index = 1; index <= 12; index++)
    ids[`bulk-${index}`] = await create("user", { name: `bulk-${index}`, ...named });
  ids["staff"] = await create("group", { name: "staff", ...named });
  ids["web"] = await create("project", { name: "web", ...named });
  ids["kim"] = await create("user", { name: "kim", password: "kim-password", ...named });
  ids["reader"] = await create("user", { name: "rea", password: "rea-password", ...named });
  const { roles } = (await served.api("GET", "/v3/roles")) as unknown as {
    roles: { id: string; name: string }[];
  };
  const role = (name: string) => roles.find((each) => each.name === name)?.id ?? "";
  await served.api("PUT", `/v3/system/users/${ids["reader"]}/roles/${role("reader")}`);
  await served.api("PUT", `/v3/projects/${ids["web"]}/users/${ids["kim"]}/roles/${role("member")}`);
  for (const description of ["phone", "spare"]) {
    const blob = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await create("credential", { type: "totp", user_id: ids["kim"], blob, description });
  }
  // Only users themselves create application credentials.
  const user = { name: "kim", domain: { id: "default" }, password: "kim-password" };
  const login = await fetch(`${served.service.url}/v3/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      auth: {
        identity: { methods: ["password"], password: { user } },
        scope: { project: { id: ids["web"] } },
      },
    }),
  });
  await fetch(`${served.service.url}/v3/users/${ids["kim"]}/application_credentials`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-auth-token": login.headers.get("x-subject-token") ?? "",
    },
    body: JSON.stringify({ application_credential: { name: "deploy" } }),
  });
}, 60_000);
afterAll(() => served?.close());

it("adds selected users to a group, disables and enables them, and stops when asked to", async () => {
  const opened = await served.open({ reducedMotion: "reduce" });
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: "/console/users?q=bulk-" });
  await page.getByText("12 users", { exact: true }).waitFor();
  const bulk = page.getByRole("region", { name: "Selected users" });
  const enabledCount = async () => {
    const { users } = (await served.api("GET", "/v3/users?search=bulk-&enabled=true")) as unknown as {
      users: object[];
    };
    return users.length;
  };

  for (const name of ["bulk-1", "bulk-2"]) await page.getByLabel(`Select ${name}`, { exact: true }).check();
  await bulk.getByRole("button", { name: "Add to group" }).click();
  const dialog = page.getByRole("dialog", { name: "Add 2 users to a group" });
  await dialog.getByRole("combobox", { name: "Group" }).fill("staff");
  await page.getByRole("option", { name: "staff" }).click();
  await bulk.getByText("Added to group staff: 2 users").waitFor();
  const members = (await served.api("GET", `/v3/groups/${ids["staff"]}/users`)) as unknown as {
    users: { name: string }[];
  };
  expect(members.users.map(({ name }) => name).toSorted()).toEqual(["bulk-1", "bulk-2"]);

  await page.getByLabel("Select all users").check();
  await bulk.getByRole("button", { name: "Disable" }).click();
  await bulk.getByText("Disabled 12 users").waitFor();
  expect(await enabledCount()).toBe(0);

  // The requests under way end, no further one begins, and the rest stays selected.
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route("**/v3/users/*", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByLabel("Select all users").check();
  await bulk.getByRole("button", { name: "Enable" }).click();
  await bulk.getByText("0 of 12 users").waitFor();
  await bulk.getByRole("button", { name: "Stop" }).click();
  release();
  await bulk.getByText("Enabled 4 of 12 users").waitFor();
  expect(await bulk.getByText("not begun: stopped before").count()).toBe(8);
  await bulk.getByText("8 users selected").waitFor();
  expect(await enabledCount()).toBe(4);
  await page.unroute("**/v3/users/*");
  await bulk.getByRole("button", { name: "Enable" }).click();
  await bulk.getByText("Enabled 8 users").waitFor();
  expect(await enabledCount()).toBe(12);
  expect(faults).toEqual([]);
  await page.context().close();
});

it("deletes a user's credentials one by one", async () => {
  const opened = await served.open({ reducedMotion: "reduce" });
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: `/console/users?open=${ids["kim"]}` });
  const confirm = async (action: string) => {
    const dialog = page.getByRole("dialog", { name: action });
    await dialog.getByRole("button", { name: /^(Delete|Remove)/ }).click();
    await dialog.waitFor({ state: "detached" });
  };
  const button = (name: string | RegExp) => page.getByRole("button", { name });

  await button("Remove authenticator spare").click();
  await confirm("Remove authenticator spare of kim");
  await button("Remove authenticator spare").waitFor({ state: "detached" });
  expect(await button("Remove authenticator phone").count()).toBe(1);

  await button("Create EC2 key").click();
  const dialog = page.getByRole("dialog", { name: "Create EC2 key of kim" });
  await dialog.getByRole("combobox", { name: "Project" }).fill("web");
  await page.getByRole("option", { name: "web" }).click();
  await button(/^Delete EC2 key/).click();
  await confirm("Delete EC2 key");
  await button(/^Delete EC2 key/).waitFor({ state: "detached" });

  await button("Delete application credential deploy").click();
  await confirm("Delete application credential deploy");
  await button("Delete application credential deploy").waitFor({ state: "detached" });
  const left = (await served.api("GET", `/v3/credentials?user_id=${ids["kim"]}`)) as unknown as {
    credentials: { type: string; description: string }[];
  };
  expect(left.credentials.map(({ type, description }) => [type, description])).toEqual([["totp", "phone"]]);
  expect(faults).toEqual([]);
  await page.context().close();
});

it("shows a reader users and their credentials, and nothing that changes them", async () => {
  const opened = await served.open();
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { name: "rea", password: "rea-password" });
  await toSystem(page);
  await page.goto(`${served.service.url}/console/users?open=${ids["kim"]}`);
  const panel = page.getByRole("dialog", { name: "kim" });
  await panel.getByRole("heading", { name: "One-time codes" }).waitFor();
  await panel.getByText("phone").waitFor();
  await panel.getByRole("heading", { name: "EC2 keys" }).waitFor();
  const changes = page.getByRole("button", {
    name: /Delete|Remove|Reset|Create|Disable|Enable|Set password|End /,
  });
  expect(await changes.allTextContents()).toEqual([]);
  expect(await page.getByRole("checkbox").count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});
