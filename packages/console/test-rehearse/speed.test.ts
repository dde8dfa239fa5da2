/** How soon pages are usable, on a machine that does nothing else. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { signIn, startConsole, type ConsoleBrowser } from "../test-system/console-browser.js";

let served: ConsoleBrowser;
beforeAll(async () => {
  served = await startConsole();
});
afterAll(() => served.close());

it.each(["Users", "Projects", "Audit", "Overview"])("%s is usable in under a second", async (title) => {
  const opened = await served.open();
  const { page } = opened;
  await signIn(opened, served.service.url);
  const url = `${served.service.url}/console/${title === "Overview" ? "" : title.toLowerCase()}`;
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const start = performance.now();
    await page.goto(url);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    times.push(performance.now() - start);
  }
  expect(Math.min(...times)).toBeLessThan(1000);
  await page.context().close();
});
