import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  adif,
  closeQuietly,
  lookUpText,
  openLogText,
  startSite,
  switchLayer,
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

async function open(fragment: string, options: Parameters<Site["open"]>[0] = {}): Promise<Page> {
  opened = await site.open({ fragment, ...options });
  await opened.page.locator(".picture svg").waitFor();
  return opened.page;
}

const drawn = (page: Page, kind: string) =>
  page.locator(`.picture .${kind}`).first().waitFor({ state: "attached" });

describe("the layers of the map", () => {
  it("are switched on one by one, loaded then, and kept on the device", async () => {
    const page = await open("#call=W1AW&from=JN48QM&time=2026-11-28T18:00Z");
    const loaded = (part: string) => opened.requests.some((request) => request.includes(`/${part}-`));
    expect(["zone-layer", "area-layers"].filter(loaded)).toEqual([]);
    await switchLayer(page, "Borders");
    await drawn(page, "frontier");
    await switchLayer(page, "CQ zones");
    await drawn(page, "border");
    await switchLayer(page, "ITU zones");
    await expect.poll(() => page.locator(".picture .zone").getByText("90", { exact: true }).count()).toBe(1);
    await switchLayer(page, "Entity names");
    await page.locator(".picture .entity").getByText("Brazil").waitFor({ state: "attached" });
    await switchLayer(page, "Prefixes");
    await page.locator(".picture .entity").getByText("PY Brazil").waitFor({ state: "attached" });
    await switchLayer(page, "Moon");
    await drawn(page, "moon");
    await page.getByLabel("Beam to the station").selectOption("30°");
    await drawn(page, "beam");
    expect(["zone-layer", "area-layers"].filter(loaded)).toHaveLength(2);
    await page.reload();
    for (const kind of ["frontier", "moon", "beam", "zone"]) await drawn(page, kind);
  });

  it("shade the entities of a log", async () => {
    const page = await open("#from=JN48QM");
    await openLogText(
      page,
      "mine.adi",
      adif({ CALL: "PY2ABC", BAND: "20m", MODE: "CW", QSL_RCVD: "Y", QSO_DATE: "20240601" }),
    );
    expect(await page.locator(".picture .area").count()).toBe(0);
    await switchLayer(page, "Entities of the log");
    await drawn(page, "area.confirmed");
    await page.getByRole("list", { name: "Legend" }).getByText("Confirmed entity").waitFor();
  });

  it("that can't be loaded are named, and the rest of the map stays", async () => {
    const page = await open("#call=W1AW&from=JN48QM", { serviceWorkers: "block" });
    await page.route("**/area-layers-*", (route) => route.abort());
    await switchLayer(page, "Borders");
    await page.getByText("Some layers could not be loaded").waitFor();
    await drawn(page, "land");
    expect(await page.locator(".picture .frontier").count()).toBe(0);
    (opened.faults as string[]).length = 0; // the browser's line on the request that failed
  });

  it("close by Escape and by a click elsewhere", async () => {
    const page = await open("#from=JN48QM");
    const menu = page.locator("details.menu").filter({ hasText: "Layers" });
    await menu.locator("summary").press("Enter");
    await page.getByLabel("Borders", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    expect(await menu.getAttribute("open")).toBeNull();
    await menu.locator("summary").click();
    await page.mouse.click(900, 300);
    expect(await menu.getAttribute("open")).toBeNull();
  });
});

describe("the link of the map", () => {
  it("has projection, center and zoom, and opens them", async () => {
    const page = await open("#from=JN48QM");
    await page.getByRole("button", { name: "Azimuthal" }).click();
    for (let step = 0; step < 3; step++) await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("application", { name: "World map" }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.url()).toMatch(/projection=azimuthal&center=[-\d.]+,[-\d.]+&zoom=3\.38/);
    const address = new URL(page.url()).hash;
    // But for the minute, which may be the next one.
    const sectionOf = async (at: Page) =>
      (await at.getByRole("img").locator("desc").textContent())?.replace(/ Day and night at .*/, "");
    const before = await sectionOf(page);
    expect(before).toContain("Enlarged 3.4 times");
    await opened.context.close();
    const again = await open(address);
    await expect.poll(() => sectionOf(again)).toBe(before);
    await expect.poll(() => again.url()).toContain(address);
  });

  it("follows what is looked up, unless the link shows a section", async () => {
    const page = await open("#from=JN48QM&center=48.5,9.4&zoom=16");
    await lookUpText(page, "ZL1ABC");
    await expect.poll(() => page.locator(".picture .mark").count()).toBe(2);
    await opened.context.close();
    const linked = await open("#call=ZL1ABC&from=JN48QM&center=48.5,9.4&zoom=16");
    await linked.getByText("New Zealand").waitFor();
    await expect.poll(() => linked.url()).toContain("center=48.5,9.4&zoom=16");
  });
});
