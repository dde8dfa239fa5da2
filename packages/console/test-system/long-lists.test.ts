/** 10,000 users and 10,000 projects: pages stay quick, and scroll without stalls. */
import { randomUUID } from "node:crypto";

import Database from "libsql";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { axeFindings, settled, signIn, startConsole, type ConsoleBrowser } from "./console-browser.js";

const COUNT = 10_000;
/** What a page may be busy without a break. */
const MAX_STALL_MS = 200;

let served: ConsoleBrowser;

beforeAll(async () => {
  served = await startConsole();
  const named = { domain_id: "default" };
  await served.api("POST", "/v3/users", { user: { name: "template", ...named } });
  await served.api("POST", "/v3/projects", { project: { name: "template", ...named } });
  const users = Array.from({ length: COUNT }, (_, index) => ({ name: `user-${index}` }));
  // A hundred projects with ninety-nine below each.
  const projects = Array.from({ length: COUNT / 100 }, (_, top) => {
    const id = `team-${top}`;
    const below = Array.from({ length: 99 }, (_each, index) => ({ name: `${id}-${index}`, parent_id: id }));
    return [{ id, name: id }, ...below];
  });
  insertCopies("user", users);
  insertCopies("project", projects.flat());
});
afterAll(() => served.close());

/** By the database instead of 20,000 requests: copies of the row named `template`, with other values. */
function insertCopies(table: "user" | "project", changes: readonly Record<string, string>[]): void {
  // The service writes at times, too: waits for it.
  const database = new Database(served.databaseFile, { timeout: 30_000 });
  const template = database.prepare(`select * from ${table} where name = 'template'`).get() as Record<
    string,
    unknown
  >;
  const columns = Object.keys(template).filter((column) => column !== "_metadata");
  const insert = database.prepare(
    `insert into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
  );
  database.exec("begin");
  for (const change of changes) {
    const row: Record<string, unknown> = { ...template, id: randomUUID().replaceAll("-", ""), ...change };
    insert.run(columns.map((column) => row[column]));
  }
  database.exec("commit");
  database.close();
}

/** Scrolls the page to its end in jumps. @returns The longest time, in ms of processor time, that the page worked for one of them. */
async function longestStall(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  // Not the time that passes: other programs may hold up the machine.
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const busyMs = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN) * 1000;
  };
  let longest = 0;
  for (let step = 1; step <= 40; step++) {
    const before = await busyMs();
    await page.evaluate(`(async () => {
      const list = document.documentElement;
      list.scrollTop = (list.scrollHeight - list.clientHeight) * (${step} / 40);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    })()`);
    longest = Math.max(longest, (await busyMs()) - before);
  }
  await devtools.detach();
  return longest;
}

it("lists 10,000 users: the first page at once, others while scrolling, few rows in the page", async () => {
  const opened = await served.open();
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: "/console/users?domain=default" });
  await page.getByText("10,002 users, 200 loaded").waitFor();
  await expect
    .poll(
      async () => {
        await page.evaluate("scrollTo(0, 1e9)");
        return page.getByText("10,002 users", { exact: true }).count();
      },
      { timeout: 120_000, interval: 50 },
    )
    .toBeGreaterThan(0);
  await page.getByText("10,002 users").waitFor();
  expect(await page.getByRole("row").count()).toBeLessThan(80);
  expect(await longestStall(page)).toBeLessThanOrEqual(MAX_STALL_MS);
  expect(faults).toEqual([]);
  await page.context().close();
}, 300_000);

it("asks once for a page of users that fails, and for the same one by Try again", async () => {
  const opened = await served.open();
  const { page } = opened;
  await signIn(opened, served.service.url, { path: "/console/users?domain=default" });
  await page.getByText("10,002 users, 200 loaded").waitFor();
  let asked = 0;
  await page.route("**/v3/users?*marker=*", (route) => {
    asked++;
    return route.fulfill({ status: 409, json: {} });
  });
  const problem = page.getByRole("alert").filter({ hasText: "Could not list users" });
  await page.evaluate("scrollTo(0, 1e9)");
  await problem.waitFor();
  await settled(page);
  expect(asked).toBe(1);
  await page.unroute("**/v3/users?*marker=*");
  await problem.getByRole("button", { name: "Try again" }).click();
  await page.getByText("10,002 users, 400 loaded").waitFor();
  expect(await problem.count()).toBe(0);
  await page.context().close();
});

it("shows a tree of 10,000 projects, opens all of it, and moves to its end by the keyboard", async () => {
  const opened = await served.open();
  const { page, faults } = opened;
  await signIn(opened, served.service.url, { path: "/console/projects?domain=default" });
  await page.getByText("10,002 projects").waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Open all" }).click();
  const tree = page.getByRole("treegrid");
  await expect.poll(() => tree.getAttribute("aria-rowcount")).toBe("10003");
  await tree.getByRole("row").nth(1).focus();
  await page.keyboard.press("End");
  await tree.getByRole("row", { name: "template" }).waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("template");
  expect(await page.getByRole("row").count()).toBeLessThan(80);
  expect(await longestStall(page)).toBeLessThanOrEqual(MAX_STALL_MS);
  await page.getByLabel("Search projects by name").fill("team-57-5");
  await page.getByText("11 projects").waitFor();
  await settled(page);
  expect(faults).toEqual([]);
  await page.context().close();
}, 300_000);

it("has each member of a large group removed, and users added who are no members yet", async () => {
  const opened = await served.open();
  const { page } = opened;
  const named = { domain_id: "default" };
  const { group } = (await served.api("POST", "/v3/groups", {
    group: { name: "crowd", ...named },
  })) as unknown as { group: { id: string } };
  const names = Array.from({ length: 103 }, (_, index) => `crowd-${String(index).padStart(3, "0")}`);
  for (const name of [...names, "crowd-later"]) {
    const { user } = (await served.api("POST", "/v3/users", {
      user: { name, ...named },
    })) as unknown as { user: { id: string } };
    if (name !== "crowd-later") await served.api("PUT", `/v3/groups/${group.id}/users/${user.id}`);
  }
  await signIn(opened, served.service.url, { path: `/console/groups?open=${group.id}` });
  const panel = page.getByRole("dialog", { name: "crowd" });
  await panel.getByText("Members (103)").waitFor();
  expect(await panel.getByRole("button", { name: /^Remove / }).count()).toBe(100);
  await panel.getByRole("button", { name: "Show more of 103" }).click();
  await expect.poll(() => panel.getByRole("button", { name: /^Remove / }).count()).toBe(103);
  await panel.getByLabel("Filter members by name").fill("WD-102");
  expect(await axeFindings(page)).toEqual([]);
  await panel.getByRole("button", { name: "Remove crowd-102" }).click();
  await panel.getByText("Members (102)").waitFor();
  await panel.getByLabel("Add a user").fill("crowd-");
  await page.getByRole("option", { name: "crowd-102" }).waitFor();
  await page.getByRole("option", { name: "crowd-later" }).click();
  await panel.getByText("Members (103)").waitFor();
  await panel.getByLabel("Add a user").fill("crowd-later");
  await page.getByText("All that were found are in the list already").waitFor();
  await page.context().close();
});
