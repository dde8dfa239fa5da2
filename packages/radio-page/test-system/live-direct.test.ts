/** The page of any web server in Chromium, which asks services itself: doubles of them over HTTP and a web socket. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { parkSpot, startParks } from "./live-doubles.js";
import { startBroker } from "./psk-reporter-broker.js";
import { adif, openLogText, startSite, type Site } from "./radio-page.js";

let site: Site;
const cleanups: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const row = (page: Page, call: string) =>
  page
    .getByRole("region", { name: "Spots", exact: true })
    .getByRole("row")
    .filter({ has: page.getByRole("button", { name: call, exact: true }) });

describe("the page of any web server", () => {
  it("asks POTA once it is turned on, and says what its spots would be for the log that is open", async () => {
    const parks = await startParks([parkSpot("K1PRK", "US-6653")]);
    cleanups.push(() => parks.close());
    const { page, context, requests } = await site.open({ fragment: "#from=JN48QM" });
    cleanups.push(() => context.close());
    await page.getByRole("button", { name: "Live" }).click();
    await page.getByText("Turn on a source").waitFor();
    await page.getByText("Sources", { exact: true }).click();
    await page.getByLabel("Address of POTA").fill(parks.url);
    await page.getByLabel("Address of POTA").blur();
    expect(requests.filter((url) => !url.startsWith(site.url) && !url.startsWith("blob:"))).toEqual([]);
    expect(parks.requests).toBe(0);
    await page.getByLabel("POTA", { exact: true }).check();
    await row(page, "K1PRK").waitFor();
    expect(parks.requests).toBe(1);
    await openLogText(
      page,
      "log.adi",
      adif({ CALL: "W1AW", QSO_DATE: "20240601", TIME_ON: "1200", BAND: "20m", MODE: "CW", DXCC: "291" }),
    );
    await page.getByRole("button", { name: "Live" }).click();
    await expect.poll(() => row(page, "K1PRK").textContent()).toContain("New park US-6653");
    // It was turned on: the next visit asks it again.
    await page.reload();
    await row(page, "K1PRK").waitFor();
  });

  it("subscribes to PSK Reporter for the own square, and shows that the connection is lost", async () => {
    const broker = await startBroker();
    cleanups.push(() => broker.close());
    const { page, context } = await site.open({ fragment: "#from=JN48QM" });
    cleanups.push(() => context.close());
    await page.getByRole("button", { name: "Live" }).click();
    await page.getByText("Sources", { exact: true }).click();
    await page.getByLabel("Address of PSK Reporter").fill(broker.url);
    await page.getByLabel("Address of PSK Reporter").blur();
    await page.getByLabel("PSK Reporter", { exact: true }).check();
    await expect.poll(() => broker.topics).toEqual(["pskr/filter/v2/20m/+/+/+/+/JN48/+/+"]);
    const report = { f: 14_074_653, md: "FT8", rp: -5, t: Math.floor(Date.now() / 1000), b: "20m" };
    const stations = { sc: "SP2EWQ", sl: "JO93fn", rc: "DH1TW", rl: "JN48QM" };
    await broker.publish("pskr/filter/v2/20m/FT8/SP2EWQ/DH1TW/JO93/JN48/269/230", { ...report, ...stations });
    await row(page, "SP2EWQ").waitFor();
    expect(await row(page, "SP2EWQ").textContent()).toContain("Poland");
    await broker.close();
    await page.getByText(/PSK Reporter reconnecting in \d+ s/).waitFor();
  });
});
