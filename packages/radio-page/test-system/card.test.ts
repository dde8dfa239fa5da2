import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  adif,
  closeQuietly,
  fact,
  lookUpText,
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

const DAY = { QSO_DATE: "20240601", TIME_ON: "1200", BAND: "20m", MODE: "CW" };
/** Calls without a place, with locators, with coordinates, and from another own place. */
const LOG = adif(
  { CALL: "W1AW", ...DAY },
  { CALL: "ZL1ABC", ...DAY },
  { CALL: "JA1ABC", GRIDSQUARE: "PM95", ...DAY },
  { CALL: "K6ABC", LAT: "N037 30.000", LON: "W122 00.000", ...DAY },
  { CALL: "LU1ABC", GRIDSQUARE: "GF05", ANT_PATH: "L", ...DAY },
  { CALL: "VK2ABC", DISTANCE: "16000", ...DAY },
);

const open = async (options: Parameters<Site["open"]>[0] = {}): Promise<Page> => {
  opened = await site.open({ fragment: "#from=JN48QM&time=2024-06-01T12:00Z", ...options });
  return opened.page;
};
const card = (page: Page) => page.getByRole("article", { name: "Result" });

type Box = Pick<DOMRect, "x" | "y" | "width" | "height">;

/** Where an element is once it has stayed there for 20 frames. The map makes its marks anew when it is drawn. */
async function restingBox(element: Locator): Promise<Box> {
  const box = await element.evaluate(
    (node) =>
      new Promise<Box | undefined>((resolve) => {
        let last = "";
        let frames = 0;
        (function look() {
          const { x, y, width, height } = node.getBoundingClientRect();
          const place = [x, y, width, height].join(" ");
          frames = place === last ? frames + 1 : 0;
          last = place;
          if (!node.isConnected) resolve(undefined);
          // Until it is drawn anew, a picture is enlarged with its letters.
          else if (frames >= 20 && height < 40) resolve({ x, y, width, height });
          else requestAnimationFrame(look);
        })();
      }),
  );
  return box ?? restingBox(element);
}
const cellsOf = (page: Page, call: string) =>
  page
    .getByRole("table")
    .getByRole("row")
    .filter({ has: page.getByRole("button", { name: call, exact: true }) })
    .getByRole("cell")
    .allTextContents();

/** An address without the section of the map, which stays where the station was. */
function withoutSection(address: string): string {
  return address.replace(/&projection=.*$/, "");
}

describe("a QSO of the log", () => {
  it("has the same distance and heading on the card as in the table", async () => {
    const page = await open();
    await openLogText(page, "mine.adi", LOG);
    for (const call of ["W1AW", "ZL1ABC", "JA1ABC", "K6ABC", "LU1ABC", "VK2ABC"]) {
      await page.getByRole("table").getByRole("button", { name: call, exact: true }).click();
      await card(page).getByRole("heading", { name: call }).waitFor();
      const cells = await cellsOf(page, call);
      const path = await fact(page, call === "LU1ABC" ? "Long path" : "Short path");
      expect({ call, path }).toEqual({ call, path: `${cells[8]} km, ${cells[9]}` });
    }
  });

  it("has the distance that hamkit path prints: 7696.9 km to W1AW, 18424.6 km to ZL1ABC", async () => {
    const page = await open();
    await lookUpText(page, "W1AW");
    await card(page).getByRole("heading", { name: "W1AW" }).waitFor();
    expect(await fact(page, "Short path")).toBe("7,697 km, 304°");
    await lookUpText(page, "ZL1ABC");
    await card(page).getByRole("heading", { name: "ZL1ABC" }).waitFor();
    expect(await fact(page, "Short path")).toBe("18,425 km, 54°");
  });

  it("whose call is tapped on a phone has its card in sight, and going back returns to the table", async () => {
    const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await openLogText(page, "mine.adi", LOG);
    const call = page.getByRole("table").getByRole("button", { name: "ZL1ABC" });
    await call.scrollIntoViewIfNeeded();
    await call.tap();
    await expect
      .poll(async () => {
        const box = await card(page).boundingBox();
        return box !== null && box.y >= 0 && box.y + box.height <= 844;
      })
      .toBe(true);
    await page.goBack();
    await card(page).waitFor({ state: "detached" });
    await expect
      .poll(async () => {
        const box = await call.boundingBox();
        return box !== null && box.y >= 0 && box.y <= 844;
      })
      .toBe(true);
  });
});

describe("the card", () => {
  it("is closed by Escape from anywhere, and the focus returns to what opened it", async () => {
    const page = await open();
    await openLogText(page, "mine.adi", LOG);
    const call = page.getByRole("table").getByRole("button", { name: "JA1ABC" });
    await call.press("Enter");
    await card(page).waitFor();
    await page.getByRole("button", { name: "Copy link" }).focus();
    await page.keyboard.press("Escape");
    await card(page).waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("JA1ABC");
    await expect.poll(() => page.url()).not.toContain("call=");
  });

  it("is closed by going back, once for several searches, and opened by going forward", async () => {
    const page = await open();
    const start = page.url();
    await lookUpText(page, "W1AW");
    await card(page).getByRole("heading", { name: "W1AW" }).waitFor();
    await lookUpText(page, "ZL1ABC");
    await card(page).getByRole("heading", { name: "ZL1ABC" }).waitFor();
    await page.goBack();
    await card(page).waitFor({ state: "detached" });
    await expect.poll(() => withoutSection(page.url())).toBe(start);
    await page.goForward();
    await card(page).getByRole("heading", { name: "ZL1ABC" }).waitFor();
    await page.reload();
    await card(page).getByRole("heading", { name: "ZL1ABC" }).waitFor();
    await page.getByRole("button", { name: "Close the result" }).click();
    await card(page).waitFor({ state: "detached" });
    await expect.poll(() => withoutSection(page.url())).toBe(start);
  });

  it("is opened again by going forward, also after going back in the moment in which it appeared", async () => {
    const page = await open();
    await lookUpText(page, "W1AW");
    await card(page).getByRole("heading", { name: "W1AW" }).waitFor();
    await page.evaluate(() => {
      const seen = new MutationObserver(() => {
        if (!document.querySelector("article")?.textContent.includes("ZL1ABC")) return;
        seen.disconnect();
        history.back();
      });
      seen.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await lookUpText(page, "ZL1ABC");
    await card(page).waitFor({ state: "detached" });
    await page.goForward();
    const heading = card(page).getByRole("heading");
    await expect.poll(() => heading.allTextContents()).toContain("ZL1ABC");
  });

  it("of a link is closed by Escape, and a question for the locator before it", async () => {
    const page = await open({ fragment: "#call=W1AW&from=JN48QM" });
    await card(page).waitFor();
    await page.getByRole("button", { name: "From JN48QM" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "Your locator" }).waitFor({ state: "detached" });
    await card(page).waitFor();
    await page.keyboard.press("Escape");
    await card(page).waitFor({ state: "detached" });
    await expect.poll(() => withoutSection(page.url())).toBe(`${site.url}#from=JN48QM`);
  });
});

describe("the map", () => {
  it.each([
    ["World", "button"],
    ["World", "key"],
    ["Azimuthal", "button"],
  ])("%s keeps the station in view when it is enlarged by %s", async (projection, by) => {
    const page = await open();
    await page.getByRole("button", { name: projection, exact: true }).click();
    await lookUpText(page, "ZL1ABC");
    await card(page).waitFor();
    for (let step = 0; step < 8; step++) {
      if (by === "button") await page.getByRole("button", { name: "Zoom in" }).click();
      else await page.getByRole("application", { name: "World map" }).press("+");
    }
    const stage = await page.getByRole("application", { name: "World map" }).boundingBox();
    const box = await restingBox(page.getByRole("img").getByText("ZL1ABC", { exact: true }));
    expect(box.x).toBeGreaterThan(448); // not below the card
    expect(box.x + box.width).toBeLessThan(1440);
    expect(box.y).toBeGreaterThan(0);
    expect(box.y + box.height).toBeLessThan(stage?.height ?? 0);
  });

  it("keeps the station beside the card when a panel makes it small", async () => {
    const page = await open({ viewport: { width: 1024, height: 600 } });
    await lookUpText(page, "PY2AAA");
    await card(page).waitFor();
    const left = async () => (await page.locator(".mark.to").boundingBox())?.x;
    for (const action of ["Sky", "Whole world", "Azimuthal"]) {
      await page.getByRole("button", { name: action, exact: true }).click();
      await expect.poll(left).toBeGreaterThan(448); // the card ends there
      await page.waitForTimeout(300);
      expect(await left()).toBeGreaterThan(448);
    }
  });

  it("has a legend of what the log has on it alone", async () => {
    const page = await open();
    const entries = () => page.getByRole("list", { name: "Legend" }).getByRole("listitem").allTextContents();
    expect(await entries()).toEqual([]);
    await openLogText(page, "mine.adi", adif({ CALL: "W1AW", ...DAY }));
    await expect.poll(entries).toEqual(["Path of QSOs"]);
    await openLogText(page, "mine.adi", adif({ CALL: "W1AW", GRIDSQUARE: "FN31", ...DAY }));
    await expect.poll(entries).toEqual(["Worked square", "Path of QSOs"]);
    await openLogText(page, "mine.adi", adif({ CALL: "W1AW", GRIDSQUARE: "FN31", QSL_RCVD: "Y", ...DAY }));
    await expect.poll(entries).toEqual(["Confirmed square", "Path of QSOs"]);
    await openLogText(page, "mine.adi", adif({ CALL: "W1AW/MM", ...DAY }));
    await expect.poll(entries).toEqual([]);
  });
});

describe("times", () => {
  it.each(["en-US", "de-DE", "ja-JP"])(
    "have 24 hours and are UTC, whatever the browser's language: %s",
    async (locale) => {
      const page = await open({
        locale,
        timezoneId: "America/New_York",
        fragment: "#call=W1AW&from=JN48QM&time=2024-06-01T19:05Z",
      });
      await card(page).waitFor();
      const field = page.getByLabel("Time in UTC");
      expect(await field.inputValue()).toBe("2024-06-01T19:05");
      expect(await field.getAttribute("type")).toBeNull(); // the browser shows it as it is
      await field.fill("2024-12-01 18:30");
      await expect.poll(() => page.url()).toContain("time=2024-12-01T18:30Z");
      await field.fill("6:30 PM");
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      await field.blur();
      expect(await field.inputValue()).toBe("2024-12-01T18:30");
      await openLogText(page, "mine.adi", adif({ CALL: "W1AW", ...DAY, TIME_ON: "2359" }));
      await page.getByRole("cell", { name: "2024-06-01 23:59" }).waitFor();
      expect(await page.locator("body").innerText()).not.toMatch(/\d\s?[AP]M\b/i);
    },
  );
});
