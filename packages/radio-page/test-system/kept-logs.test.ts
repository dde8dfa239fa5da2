import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  adif,
  callsInTable,
  closeQuietly,
  openLogText,
  startSite,
  type RadioPage,
  type Site,
} from "./radio-page.js";

let site: Site;
let opened: RadioPage;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
afterEach(async () => {
  await closeQuietly(site, opened);
});

const MINE = adif(
  { CALL: "W1AW", QSO_DATE: "20240601", TIME_ON: "1200", BAND: "20m", MODE: "CW", QSL_RCVD: "Y" },
  { CALL: "JA1ABC", QSO_DATE: "20240603", TIME_ON: "1205", BAND: "15m", MODE: "FT8", NAME: "Kenji" },
  { CALL: "DH1TW", QSO_DATE: "20240602", TIME_ON: "1210", BAND: "40m", MODE: "SSB", LOTW_QSL_RCVD: "Y" },
);
const CLUB = adif({ CALL: "VK2ABC", QSO_DATE: "20250101", TIME_ON: "0900", BAND: "10m", MODE: "CW" });

async function open(options: Parameters<Site["open"]>[0] = {}): Promise<Page> {
  opened = await site.open({ fragment: "#from=JN48QM", ...options });
  return opened.page;
}

describe("logs on this device", () => {
  it("are there after a reload, each by its name, until they are closed", async () => {
    const page = await open();
    await openLogText(page, "mine.adi", MINE);
    await openLogText(page, "club.adi", CLUB);
    await expect.poll(() => callsInTable(page)).toEqual(["VK2ABC", "JA1ABC", "DH1TW", "W1AW"]);
    await page.reload();
    await page.getByRole("heading", { name: "club.adi" }).waitFor();
    await expect.poll(() => callsInTable(page)).toEqual(["VK2ABC", "JA1ABC", "DH1TW", "W1AW"]);
    await page.getByRole("button", { name: "Close club.adi" }).click();
    await expect.poll(() => callsInTable(page)).toEqual(["JA1ABC", "DH1TW", "W1AW"]);
    await page.reload();
    await page.getByRole("heading", { name: "mine.adi" }).waitFor();
    expect(await page.getByRole("heading", { name: "club.adi" }).count()).toBe(0);
    await page.getByRole("button", { name: "Close mine.adi" }).click();
    await expect.poll(() => page.getByRole("heading", { name: "mine.adi" }).count()).toBe(0);
    await page.reload();
    await page.getByRole("img").waitFor();
    expect(await page.getByRole("heading", { name: "mine.adi" }).count()).toBe(0);
    const names = await page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open("radio");
        opening.onsuccess = () => resolve(opening.result);
      });
      const request = database.transaction("logs").objectStore("logs").count();
      return new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    });
    expect(names).toBe(0);
  });

  it("replace an older version of the same name", async () => {
    const page = await open();
    await openLogText(page, "mine.adi", MINE);
    await expect.poll(() => callsInTable(page)).toHaveLength(3);
    await openLogText(page, "mine.adi", CLUB);
    await expect.poll(() => callsInTable(page)).toEqual(["VK2ABC"]);
    await page.reload();
    await expect.poll(() => callsInTable(page)).toEqual(["VK2ABC"]);
  });

  it.each([
    ["refuses to store them", "SecurityError", "the browser refuses to store it"],
    ["has no room", "QuotaExceededError", "the storage of this device is full"],
  ])("are shown, and said not to be kept, where the browser %s", async (_, name, text) => {
    const page = await open({ serviceWorkers: "block" }); // which would answer the request
    // The worker of the logs begins with the same refusal as the page.
    await page.route("**/radio-worker-*.js", async (route) => {
      const response = await route.fetch();
      const refusal = `indexedDB.open = () => { throw new DOMException("no", ${JSON.stringify(name)}); };`;
      await route.fulfill({ response, body: refusal + (await response.text()) });
    });
    await openLogText(page, "mine.adi", MINE);
    await page.getByText(text).waitFor();
    await expect.poll(() => callsInTable(page)).toHaveLength(3);
    (opened.faults as string[]).length = 0; // the browser's line on the service worker
  });
});

describe("the table of logs", () => {
  it("is sorted by each column, in both directions", async () => {
    const page = await open();
    await openLogText(page, "mine.adi", MINE);
    await expect.poll(() => callsInTable(page)).toEqual(["JA1ABC", "DH1TW", "W1AW"]);
    const sort = (name: string) => page.getByRole("columnheader", { name }).getByRole("button").click();
    await sort("Call");
    await expect.poll(() => callsInTable(page)).toEqual(["DH1TW", "JA1ABC", "W1AW"]);
    await sort("Call");
    await expect.poll(() => callsInTable(page)).toEqual(["W1AW", "JA1ABC", "DH1TW"]);
    expect(await page.getByRole("columnheader", { name: "Call" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
    await sort("Band");
    await expect.poll(() => callsInTable(page)).toEqual(["DH1TW", "W1AW", "JA1ABC"]); // by frequency
    await sort("km");
    await expect.poll(() => callsInTable(page)).toEqual(["DH1TW", "W1AW", "JA1ABC"]); // by number: 6,169 before 9,3xx
  });

  it("is searched, and filtered by day, confirmation and log", async () => {
    const page = await open();
    await openLogText(page, "mine.adi", MINE);
    await openLogText(page, "club.adi", CLUB);
    const search = page.getByRole("searchbox", { name: "Search the log" });
    await search.fill("kenji");
    await expect.poll(() => callsInTable(page)).toEqual(["JA1ABC"]);
    await page.getByText("1 of 4 QSOs").waitFor();
    await search.fill("");
    await page.getByLabel("From day").fill("2024-06-02");
    await page.getByLabel("Until day").fill("2024-06-03");
    await expect.poll(() => callsInTable(page)).toEqual(["JA1ABC", "DH1TW"]);
    await page.getByLabel("Confirmation").selectOption("By LoTW");
    await expect.poll(() => callsInTable(page)).toEqual(["DH1TW"]);
    await page.getByLabel("Confirmation").selectOption("Not confirmed");
    await expect.poll(() => callsInTable(page)).toEqual(["JA1ABC"]);
    await page.getByRole("button", { name: "Show all QSOs" }).click();
    await page.getByRole("button", { name: "Only club.adi" }).click();
    await expect.poll(() => callsInTable(page)).toEqual(["VK2ABC"]);
    await page.getByRole("button", { name: "Close club.adi" }).click();
    await expect.poll(() => callsInTable(page)).toHaveLength(3);
  });
});

describe("awards of the logs", () => {
  it("have what is worked, confirmed and missing on each band", async () => {
    const page = await open();
    await openLogText(page, "mine.adi", MINE);
    await page.getByRole("button", { name: "Awards" }).click();
    const awards = page.getByRole("region", { name: "Awards" });
    const row = async (name: string) =>
      (await awards
        .getByRole("row")
        .filter({ has: page.getByRole("rowheader", { name, exact: true }) })
        .textContent()) ?? "";
    await awards.getByRole("rowheader", { name: "All bands" }).waitFor();
    // Three entities of 340; the card of W1AW and the LoTW of DH1TW confirm.
    expect(await row("All bands")).toBe("All bands32337");
    expect(await row("20m")).toBe("20m11339");
    expect(await row("15m")).toBe("15m10339");
    await awards.getByRole("button", { name: "What is missing: DXCC, 20m" }).click();
    const missing = awards.getByRole("region", { name: "Missing: DXCC, 20m" });
    await missing.getByText("Japan (JA)").waitFor();
    expect(await missing.getByText("United States (K)").count()).toBe(0);
    await awards.getByRole("button", { name: "What is missing: DXCC, 15m" }).click();
    await awards.getByRole("region", { name: "Missing: DXCC, 15m" }).getByText("Not confirmed: 1").waitFor();
  });
});
