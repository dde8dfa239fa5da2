/** Changes that are not saved, when their page is left, in Chromium. */
import type { Dialog, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startRecordedCloud, type RecordedCloud } from "./recorded-cloud.js";

let cloud: RecordedCloud;
let page: Page;
beforeAll(async () => {
  cloud = await startRecordedCloud();
  ({ page } = await cloud.signedIn());
}, 120_000);
afterAll(() => cloud.close());

const open = (path: string) => page.goto(`${cloud.service.url}/console${path}`);
/** Whether the browser would ask before the tab is closed. */
const isClosingHeld = () =>
  page.evaluate<boolean>(`!dispatchEvent(new Event("beforeunload", { cancelable: true }))`);

it("asks before unsaved rules are lost", async () => {
  await open("/mappings");
  await page.getByRole("link", { name: "people" }).click();
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByRole("button", { name: "Discard changes" }).waitFor();
  const asked: string[] = [];
  let isLeaving = false;
  const decide = (dialog: Dialog) => {
    asked.push(dialog.message());
    void (isLeaving ? dialog.accept() : dialog.dismiss());
  };
  page.on("dialog", decide);
  expect(await isClosingHeld()).toBe(true);
  const mappings = page.getByRole("main").getByRole("link", { name: "Mappings" });
  await mappings.click();
  await expect.poll(() => asked.length).toBe(1);
  await page.goBack();
  await expect.poll(() => asked.length).toBe(2);
  await page.getByRole("button", { name: "Discard changes" }).waitFor();
  await expect.poll(() => page.url()).toContain("/console/mappings/people");
  expect(asked).toEqual(Array(2).fill("Leave this page? Its changes are not saved, and are lost."));
  isLeaving = true;
  await mappings.click();
  await page.getByRole("heading", { name: "Mappings", level: 1 }).waitFor();
  expect(await isClosingHeld()).toBe(false);
  page.off("dialog", decide);
});

it("asks once while the next page is slow to load, and keeps the changes of a user who returns before", async () => {
  await open("/mappings/people");
  await page.getByRole("button", { name: "Add rule" }).click();
  const asked: string[] = [];
  const accept = (dialog: Dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  };
  page.on("dialog", accept);
  let release = () => {};
  const isReleased = new Promise<void>((done) => (release = done));
  const scripts = "**/*.js";
  await page.route(scripts, async (route) => {
    await isReleased;
    await route.continue();
  });
  const pages = page.getByRole("navigation", { name: "Pages" });
  const goTo = (name: string) => pages.getByRole("link", { name, exact: true }).click();
  await goTo("Audit");
  await expect.poll(() => page.url()).toContain("/console/audit");
  expect(await isClosingHeld()).toBe(false);
  await page.goBack();
  await expect.poll(() => page.url()).toContain("/console/mappings/people");
  expect(asked).toHaveLength(1);
  await page.getByRole("button", { name: "Discard changes" }).waitFor();
  expect(await isClosingHeld()).toBe(true);
  await goTo("Audit");
  await goTo("Roles");
  await page.getByRole("heading", { name: "people", level: 1 }).waitFor();
  expect(asked).toHaveLength(2);
  release();
  await page.getByRole("heading", { name: "Roles", level: 1 }).waitFor();
  expect(asked).toHaveLength(2);
  await page.unroute(scripts);
  page.off("dialog", accept);
});
