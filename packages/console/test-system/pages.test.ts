/** Every page in Chromium, in each look; axe, and the Content-Security-Policy. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  checkEveryLook,
  settled,
  signIn,
  startConsole,
  toSystem,
  type ConsoleBrowser,
} from "./console-browser.js";

let console_: ConsoleBrowser;
/** Addresses by the title that each page has, with the names of what the tests made. */
const PAGES: [title: string, path: string][] = [
  ["Overview", "/console"],
  ["Domains", "/console/domains"],
  ["Domains", "/console/domains?open=default"],
  ["Users", "/console/users"],
  ["Groups", "/console/groups"],
  ["Projects", "/console/projects"],
  ["Roles", "/console/roles"],
  ["Roles", "/console/roles?open=system"],
  ["Catalog", "/console/catalog"],
  ["Catalog", "/console/catalog/endpoints"],
  ["Catalog", "/console/catalog/regions"],
  ["Audit", "/console/audit"],
  ["Your account", "/console/account"],
  ["Your account", "/console/account/password"],
  ["Your account", "/console/account/one-time-codes"],
  ["Your account", "/console/account/application-credentials"],
  ["Your account", "/console/account/ec2-keys"],
  ["Page not found", "/console/nothing-here"],
];

beforeAll(async () => {
  console_ = await startConsole();
  const { user } = (await console_.api("POST", "/v3/users", {
    user: { name: "<img src=x onerror=alert(1)>", password: "secretpw", domain_id: "default" },
  })) as unknown as { user: { id: string } };
  const { project } = (await console_.api("POST", "/v3/projects", {
    project: { name: "web", domain_id: "default" },
  })) as unknown as { project: { id: string } };
  const { roles } = (await console_.api("GET", "/v3/roles?name=member")) as unknown as {
    roles: { id: string }[];
  };
  await console_.api("PUT", `/v3/projects/${project.id}/users/${user.id}/roles/${roles[0]?.id}`);
  PAGES.push(["Users", `/console/users?open=${user.id}`], ["web", `/console/projects/${project.id}`]);
});
afterAll(() => console_.close());

it("every page has a title and nothing that axe finds, fits the screen, and obeys its policy", async () => {
  const opened = await console_.open();
  const { page, faults } = opened;
  await page.goto(`${console_.service.url}/console`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await checkEveryLook(page, "sign-in");
  await signIn(opened, console_.service.url);
  for (const [title, path] of PAGES) {
    await page.goto(console_.service.url + path);
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await checkEveryLook(page, path.slice(1).replaceAll(/[/?=]/g, "-"));
  }
  expect(faults).toEqual([]);
  await page.context().close();
}, 240_000);

describe("a page", () => {
  it("stays as it is until the next one has been loaded", async () => {
    const rules = [{ remote: [{ type: "SUB" }], local: [{ user: { name: "{0}" } }] }];
    await console_.api("PUT", "/v3/OS-FEDERATION/mappings/people", { mapping: { rules } });
    const opened = await console_.open();
    await signIn(opened, console_.service.url);
    const { page, faults } = opened;
    await toSystem(page);
    await page.goto(`${console_.service.url}/console/mappings/people`);
    const addRule = page.getByRole("button", { name: "Add rule" });
    await addRule.waitFor();
    let load = () => {};
    const isLoading = new Promise<void>((resolve) => (load = resolve));
    await page.route("**/assets/MappingsPage*.js", async (route) => {
      await isLoading;
      await route.continue();
    });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole("main").getByRole("link", { name: "Mappings" }).click();
    await page.waitForURL("**/console/mappings");
    await page.waitForTimeout(500);
    const isShown = await addRule.isVisible();
    load();
    await page.getByRole("button", { name: "Create mapping" }).first().waitFor();
    expect(isShown).toBe(true);
    // The address has no mapping any more: none is read by an empty id.
    expect(asked.filter((path) => path.endsWith("/mappings/"))).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("shows names with HTML in them as text", async () => {
    const opened = await console_.open();
    await signIn(opened, console_.service.url, { path: "/console/users" });
    const { page, faults } = opened;
    await page.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).click();
    await page.getByRole("dialog", { name: "<img src=x onerror=alert(1)>" }).waitFor();
    await settled(page);
    expect(await page.locator("img").count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("keeps the token out of reach: not in storage, cookies or responses", async () => {
    const opened = await console_.open();
    const { page } = opened;
    const bodies: string[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/console/api/session"))
        bodies.push(JSON.stringify(response.headers()) + (await response.text()));
    });
    await signIn(opened, console_.service.url);
    await settled(page);
    expect(bodies.length).toBeGreaterThan(0);
    // The beginning of a Fernet token.
    expect(bodies.join(" ")).not.toMatch(/gAAAA/);
    expect(
      await page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie"),
    ).not.toMatch(/gAAAA|console=/);
    await page.context().close();
  });
});
