import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { fact, lookUpText, closeQuietly, startSite, type RadioPage, type Site } from "./radio-page.js";

let site: Site;
let opened: RadioPage;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
afterEach(async () => {
  await closeQuietly(site, opened);
});

describe("a search", () => {
  it("answers with country, zones, both paths and the sun, and draws the path", async () => {
    opened = await site.open({ fragment: "#time=2014-01-01T12:00Z&from=JN48QM" });
    const { page } = opened;
    await lookUpText(page, "w1aw, fn31pr, 14.074");
    await page.getByRole("heading", { name: "W1AW" }).waitFor();
    expect(await fact(page, "Zones")).toBe("CQ 5, ITU 8, NA");
    // by the haversine formula: 6168.6 km, 296.2°
    expect(await fact(page, "Short path")).toBe("6,169 km, 296°");
    expect(await fact(page, "Long path")).toBe("33,862 km, 116°");
    expect(await fact(page, "Frequency")).toBe("14.074 MHz, 20m, DIGITAL");
    // USNO: at 41.7° N 72.7° W the sun rises at 12:17 UTC on this day.
    expect(await fact(page, "Sunrise")).toMatch(/^12:1[678] UTC in 1[678] min$/);
    expect(await fact(page, "Sun there")).toMatch(/^Civil twilight, \d° below the horizon, on the grayline$/);
    const map = page.getByRole("img", { name: "Great circle from JN48QM to W1AW" });
    await map.waitFor();
    expect(await map.locator(".route.short").count()).toBe(1);
    expect(await map.locator(".route.long").count()).toBe(1);
    expect(await map.locator("path.night").count()).toBe(2);
  });

  it("asks for the own locator once, and keeps it on the device", async () => {
    opened = await site.open();
    const { page, requests } = opened;
    await lookUpText(page, "JA1ABC");
    await page.getByRole("heading", { name: "JA1ABC" }).waitFor();
    expect(await page.getByText("Short path", { exact: true }).count()).toBe(0);
    const own = page.getByRole("textbox", { name: "Your locator" });
    await own.fill("ZZ99");
    await page.getByRole("button", { name: "Save locator" }).click();
    await page.getByText("“ZZ99” is not a locator.").waitFor();
    await own.fill("jn48qm");
    await page.getByRole("button", { name: "Save locator" }).click();
    await page.getByText("Short path", { exact: true }).waitFor();
    await expect.poll(() => page.url()).not.toContain("JN48QM");
    await page.reload();
    await page.getByRole("heading", { name: "JA1ABC" }).waitFor();
    expect(await own.count()).toBe(0);
    expect(await page.getByText("Short path", { exact: true }).count()).toBe(1);
    expect(requests.filter((url) => /JN48QM|JA1ABC/i.test(url.replace(/#.*/, "")))).toEqual([]);
  });

  it("is shared by its address: call, own locator, time", async () => {
    opened = await site.open({
      permissions: ["clipboard-read", "clipboard-write"],
      fragment: "#from=JN48QM&time=2014-01-01T12:00Z",
    });
    const { page, context } = opened;
    await lookUpText(page, "HC2/DH1TW");
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Copied").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    // Behind it comes the section to which the map has moved, once it has settled.
    expect(link.replace(/&projection=equirectangular&center=[-\d.,]+&zoom=[\d.]+$/, "")).toBe(
      `${site.url}#call=HC2%2FDH1TW&from=JN48QM&time=2014-01-01T12:00Z`,
    );
    const other = await context.browser()?.newContext();
    const there = await other?.newPage();
    await there?.goto(link);
    await there?.getByRole("heading", { name: "HC2/DH1TW" }).waitFor();
    await there?.getByText("Ecuador").waitFor();
    expect(await there?.getByLabel("Time in UTC").inputValue()).toBe("2014-01-01T12:00");
    expect(await there?.getByRole("button", { name: "From JN48QM" }).count()).toBe(1);
    await other?.close();
  });

  it("says what it can't read, and what has no place", async () => {
    opened = await site.open({ fragment: "#from=JN48QM" });
    const { page } = opened;
    await lookUpText(page, "NOCALL");
    await page.getByText("No country has the prefix of NOCALL.").waitFor();
    await lookUpText(page, "DH1TW/MM");
    await page.getByText("Its place is known from its locator alone.").waitFor();
    await lookUpText(page, "14.074");
    await page.getByText("Expected a call or a locator").waitFor();
    expect(await page.getByRole("textbox", { name: "Call" }).getAttribute("aria-invalid")).toBe("true");
  });

  it("takes markup for text", async () => {
    const attack = "<img/src=x/onerror=alert(1)>";
    opened = await site.open({ fragment: `#call=${encodeURIComponent(attack)}&from=<b>` });
    const { page } = opened;
    await page.getByRole("heading", { name: attack.toUpperCase() }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
  });
});

describe("the colors", () => {
  const colorOf = async ({ page }: RadioPage) =>
    page.evaluate(() => document.documentElement.dataset["theme"]);

  it("are dark at night at the own locator, and as chosen", async () => {
    opened = await site.open();
    const { page } = opened;
    await page.clock.setFixedTime(new Date("2014-01-01T23:00Z"));
    await page.goto(`${site.url}#from=JN48QM`);
    await page.reload();
    await expect.poll(() => colorOf(opened)).toBe("dark");
    await page.getByLabel("Colors").selectOption("Light");
    expect(await colorOf(opened)).toBe("light");
    await page.reload();
    expect(await colorOf(opened)).toBe("light");
    await page.getByLabel("Colors").selectOption("Dark at night");
    await page.clock.setFixedTime(new Date("2014-01-01T12:00Z"));
    await page.reload();
    await expect.poll(() => colorOf(opened)).toBe("light");
  });
});
