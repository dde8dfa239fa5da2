import { readFile } from "node:fs/promises";

import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { lookUpText, closeQuietly, startSite, switchLayer, type RadioPage, type Site } from "./radio-page.js";

let site: Site;
let opened: RadioPage;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
afterEach(async () => {
  await closeQuietly(site, opened);
});

const FRAGMENT = "#from=JN48QM&time=2024-06-01T12:00Z";

function stageOf(page: Page): Locator {
  return page.getByRole("application", { name: "World map" });
}

/** The own mark on the last map that was drawn, in pixels of the stage, and how far the map is moved since. */
async function ownMark(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator(".mark.from").boundingBox();
  const stage = await stageOf(page).boundingBox();
  return {
    x: (box?.x ?? 0) + (box?.width ?? 0) / 2 - (stage?.x ?? 0),
    y: (box?.y ?? 0) + (box?.height ?? 0) / 2 - (stage?.y ?? 0),
  };
}

/** The zoom in the description of the map. */
async function zoomOf(page: Page): Promise<number> {
  const text = (await page.getByRole("img").locator("desc").textContent()) ?? "";
  return Number(/Enlarged ([\d.]+) times/.exec(text)?.[1] ?? 1);
}

async function open(options: Parameters<Site["open"]>[0] = {}): Promise<Page> {
  opened = await site.open({ fragment: FRAGMENT, ...options });
  await opened.page.getByRole("img").waitFor();
  await opened.page.locator(".mark.from").waitFor();
  return opened.page;
}

describe("the map", () => {
  it("is moved by dragging it, and looks up the place that is clicked", async () => {
    const page = await open();
    const before = await ownMark(page);
    await page.mouse.move(900, 500);
    await page.mouse.down();
    await page.mouse.move(1000, 480, { steps: 5 }); // as high as the stage, so that it only turns
    await page.mouse.up();
    await expect
      .poll(() => ownMark(page))
      .toEqual({
        x: expect.closeTo(before.x + 100, 0) as number,
        y: expect.closeTo(before.y, 0) as number,
      });
    expect(await page.getByRole("article").count()).toBe(0);
    await page.mouse.click(before.x + 100, before.y);
    await page.getByRole("article").getByRole("heading", { name: "JN48" }).waitFor();
  });

  it("grows under the wheel, around the pointer", async () => {
    const page = await open();
    const before = await ownMark(page);
    const zoom = await zoomOf(page);
    await page.mouse.move(before.x, before.y);
    await page.mouse.wheel(0, -250);
    await expect.poll(() => zoomOf(page)).toBeCloseTo(2 * zoom, 0);
    await expect
      .poll(() => ownMark(page))
      .toEqual({ x: expect.closeTo(before.x, -1) as number, y: expect.closeTo(before.y, -1) as number });
    await page.getByRole("button", { name: "Whole world" }).click();
    await expect.poll(() => zoomOf(page)).toBe(zoom);
  });

  it("is moved by one finger, and grows between two", async () => {
    const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const session = await opened.context.newCDPSession(page);
    const touch = (
      type: "touchStart" | "touchMove" | "touchEnd",
      ...touchPoints: { x: number; y: number; id: number }[]
    ) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
    const before = await ownMark(page);
    await touch("touchStart", { x: 200, y: 200, id: 1 });
    for (const x of [205, 215, 230]) await touch("touchMove", { x, y: 200, id: 1 });
    await touch("touchEnd");
    await expect.poll(async () => (await ownMark(page)).x).toBeCloseTo(before.x + 30, 0);
    await touch("touchStart", { x: 150, y: 200, id: 1 }, { x: 250, y: 200, id: 2 });
    await touch("touchMove", { x: 100, y: 200, id: 1 }, { x: 300, y: 200, id: 2 });
    await touch("touchEnd");
    await expect.poll(() => zoomOf(page)).toBeCloseTo(2, 0);
  });

  it("is moved and enlarged by keys, which also look up the middle", async () => {
    const page = await open();
    await stageOf(page).focus();
    const before = await ownMark(page);
    await page.keyboard.press("ArrowRight");
    await expect.poll(async () => (await ownMark(page)).x).toBeCloseTo(before.x - 80, 0);
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await expect.poll(() => zoomOf(page)).toBeCloseTo(1.2 * 1.5 * 1.5, 0);
    await page.keyboard.press("Enter");
    await page.getByRole("article").getByRole("heading").waitFor();
    await page.keyboard.press("0");
    await expect.poll(() => zoomOf(page)).toBeLessThan(1.5);
  });

  it("is azimuthal around the own place, with locator squares when it is large", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Azimuthal" }).click();
    await page.locator(".rose").waitFor();
    const { width = 0, height = 0 } = (await stageOf(page).boundingBox()) ?? {};
    await expect
      .poll(() => ownMark(page))
      .toEqual({ x: expect.closeTo(width / 2, 0) as number, y: expect.closeTo(height / 2, 0) as number });
    await switchLayer(page, "Locator grid");
    for (let step = 0; step < 9; step++) await page.getByRole("button", { name: "Zoom in" }).click();
    await page.locator(".field").getByText("JN59", { exact: true }).waitFor();
  });

  it("shows day and night of a chosen time", async () => {
    const page = await open();
    await page.getByRole("button", { name: "+1 h, later" }).click();
    await page
      .getByRole("img")
      .locator("desc")
      .getByText("Day and night at 2024-06-01 13:00 UTC")
      .waitFor({ state: "attached" });
    await page.getByLabel("Time in UTC").fill("2024-12-01T05:30");
    await page
      .getByRole("img")
      .locator("desc")
      .getByText("2024-12-01 05:30 UTC")
      .waitFor({ state: "attached" });
    await expect.poll(() => page.url()).toContain("time=2024-12-01T05:30Z");
    await page.getByRole("button", { name: "Now" }).click();
    await expect.poll(() => page.url()).not.toContain("time=");
  });

  it("is saved as SVG and PNG, with a caption", async () => {
    const page = await open();
    await lookUpText(page, "W1AW");
    await page.getByRole("img", { name: "W1AW" }).waitFor();
    const save = async (format: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Save ${format}` }).click(),
      ]);
      return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
    };
    const svg = await save("SVG");
    expect(svg.name).toBe("map-W1AW.svg");
    expect(svg.content.toString()).toMatch(/^<svg .*<style>.*JN48QM → W1AW/s);
    const png = await save("PNG");
    expect(png.content.subarray(1, 4).toString()).toBe("PNG");
    expect(png.content.readUInt32BE(16)).toBe(2 * 1440); // twice the pixels of the stage
  });
});
