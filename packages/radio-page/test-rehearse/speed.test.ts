/** How long the page lets its user wait, on a machine that does nothing else. */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { openLargeLog, scrollToEnd } from "../test-system/large-log.js";
import { closeQuietly, startSite, type RadioPage, type Site } from "../test-system/radio-page.js";

let site: Site;
let opened: RadioPage;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
afterEach(async () => {
  await closeQuietly(site, opened);
});

it("first answers in less than a second", async () => {
  const times: number[] = [];
  for (let visit = 0; visit < 5; visit++) {
    if (visit > 0) await opened.context.close();
    opened = await site.open({ fragment: "#call=JA1ABC&from=JN48QM" });
    const { page } = opened;
    await page.getByText("Short path", { exact: true }).waitFor();
    times.push(await page.evaluate(() => performance.now()));
    await page.getByRole("img").waitFor();
  }
  expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(1000);
});

it("reads a log of 50,000 QSOs, scrolls it and filters it without a task of 100 ms", async () => {
  opened = await site.open({ fragment: "#from=JN48QM" });
  const { page } = opened;
  await page.evaluate(`
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: "longtask" });
  `);
  await openLargeLog(page, 50_000);
  await page.getByText("50,000 QSOs", { exact: true }).waitFor();
  await scrollToEnd(page);
  await page.getByRole("button", { name: /^20m/ }).click();
  await page.getByText(/of 50,000 QSOs/).waitFor();
  expect(await page.evaluate("longest")).toBeLessThan(100);
});
