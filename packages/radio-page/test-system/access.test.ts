import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  adif,
  lookUpText,
  openLogText,
  openMore,
  closeQuietly,
  startSite,
  type RadioPage,
  type Site,
} from "./radio-page.js";
import { findings } from "./axe-findings.js";

let site: Site;
let opened: RadioPage;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
afterEach(async () => {
  await closeQuietly(site, opened);
});

const LOG = adif(
  ...["W1AW", "JA1ABC", "DH1TW", "??"].map((CALL) => ({
    CALL,
    QSO_DATE: "20240601",
    TIME_ON: "1200",
    BAND: "20m",
    MODE: "CW",
  })),
);

/** As wide as logs are: many bands and modes. */
const BANDS = ["160m", "80m", "60m", "40m", "30m", "20m", "17m", "15m", "12m", "10m", "6m", "2m", "70cm"];
const WIDE_LOG = adif(
  ...BANDS.map((BAND, index) => ({
    CALL: "W1AW",
    QSO_DATE: "20240601",
    BAND,
    MODE: ["CW", "SSB", "FT8", "FT4", "RTTY", "PSK", "JT65"][index % 7] ?? "",
  })),
);

/** The page with a card, the question for the locator, and a log. */
async function openEverything(options: Parameters<Site["open"]>[0]): Promise<Page> {
  opened = await site.open({ fragment: "#from=JN48QM&time=2024-06-01T12:00Z", ...options });
  const { page } = opened;
  await page.getByRole("img").waitFor();
  await lookUpText(page, "W1AW");
  await page.getByRole("article").waitFor();
  await openMore(page);
  await page.getByRole("button", { name: "From JN48QM" }).click();
  await openLogText(page, "mine.adi", LOG);
  await page.getByRole("table").getByRole("button", { name: "W1AW" }).waitFor();
  return page;
}

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };

describe("axe-core finds nothing", () => {
  it.each([
    ["light", WIDE],
    ["dark", WIDE],
    ["light", PHONE],
    ["dark", PHONE],
  ] as const)("%s, %o", async (colorScheme, viewport) => {
    opened = await site.open({ colorScheme, viewport });
    await opened.page.getByRole("img").waitFor();
    expect(await findings(opened.page)).toEqual([]);
    await opened.context.close();
    const page = await openEverything({ colorScheme, viewport });
    await openMore(page);
    if (colorScheme === "light") await page.getByLabel("Colors").selectOption("Light");
    expect(await findings(page)).toEqual([]);
    await page.getByRole("group", { name: "Bands" }).getByRole("button").first().click();
    await lookUpText(page, "14.074");
    await page.getByText("Expected a call or a locator").waitFor();
    expect(await findings(page)).toEqual([]);
  });
});

describe("the keyboard alone", () => {
  it("looks up a call, reaches every control, and filters a log", async () => {
    const page = await openEverything({});
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await page.getByRole("button", { name: "Close the result" }).press("Enter");
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("/");
    await page.keyboard.type("JA1ABC");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "JA1ABC" }).waitFor();
    const reached: string[] = [];
    const unseen: string[] = [];
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press("Tab");
      const { name, isSeen } = await page.evaluate(() => {
        const focused = document.activeElement;
        const style = focused === null ? undefined : getComputedStyle(focused);
        return {
          name: focused?.getAttribute("aria-label") ?? focused?.textContent?.trim() ?? "",
          isSeen: style?.outlineStyle !== "none" && (focused?.getBoundingClientRect().width ?? 0) > 1,
        };
      });
      reached.push(name);
      // Outside of the page, in the browser's own controls, there is no name.
      if (name !== "" && !isSeen) unseen.push(name);
      if (name === "Summary of the log") break;
    }
    const wanted = [
      "Look up",
      "Open log",
      "World map",
      "Zoom in",
      "Zoom out",
      "Whole world",
      "Close the result",
      "Copy link",
    ];
    wanted.push("World", "Azimuthal", "Layers", "−1 h, earlier", "Time in UTC", "+1 h, later", "Now");
    wanted.push(
      "From JN48QM",
      "Save PNG",
      "Save SVG",
      "Colors",
      "Save ADIF",
      "Save CSV",
      "Contacts",
      "Awards",
      "Close mine.adi",
      "Search the log",
      "From day",
      "Until day",
      "Confirmation",
      "Country",
      "20m 4",
      "CW 4",
      "QSOs",
      "W1AW",
    );
    expect(reached).toEqual(expect.arrayContaining([...wanted, "Summary of the log"]));
    expect(unseen).toEqual([]);
    await page.getByRole("button", { name: "20m 4" }).focus();
    await page.keyboard.press("Space");
    await page.getByText("4 of 4 QSOs").waitFor();
    expect(await page.getByRole("button", { name: "20m 4" }).getAttribute("aria-pressed")).toBe("true");
  });
});

describe("a small window", () => {
  it.each([
    ["a phone", PHONE, 1],
    ["200 % of 1440x900", { width: 720, height: 450 }, 2],
    ["400 % of 1280x1024", { width: 320, height: 256 }, 4],
  ] as const)("has everything without scrolling sideways: %s", async (_, viewport, deviceScaleFactor) => {
    const page = await openEverything({ viewport, deviceScaleFactor });
    await openLogText(page, "wide.adi", WIDE_LOG);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      viewport.width,
    );
    for (const name of [
      "Look up",
      "Open log",
      "Zoom in",
      "Copy link",
      "Azimuthal",
      "Now",
      "Save PNG",
      "Save ADIF",
      "Save locator",
    ]) {
      if (name === "Now") await openMore(page);
      const button = page.getByRole("button", { name, exact: true });
      await button.scrollIntoViewIfNeeded();
      const box = await button.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
    }
  });
});

describe("reduced motion", () => {
  it("moves nothing by itself", async () => {
    const page = await openEverything({ reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Zoom in" }).click();
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});

describe("a phone", () => {
  it("has targets of at least 40 pixels", async () => {
    const page = await openEverything({ viewport: PHONE, hasTouch: true, isMobile: true });
    const measure = () =>
      page.evaluate(() =>
        Array.from(document.querySelectorAll<HTMLElement>("button, select, input, summary, a[href]"))
          .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
          .flatMap((element) => {
            // A label is part of the target of its box.
            const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
            const name = element.getAttribute("aria-label") ?? element.textContent?.trim();
            // Cells of the table are lines, between which nothing else is.
            return Math.min(width, height) >= (element.closest("td") === null ? 40 : 39)
              ? []
              : [`${name}: ${width} x ${height}`];
          }),
      );
    expect(await measure()).toEqual([]);
    await page.locator("summary").filter({ hasText: "Layers" }).click();
    expect(await measure()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Awards" }).click();
    await page.getByRole("rowheader", { name: "All bands" }).waitFor();
    expect(await measure()).toEqual([]);
    await page.getByRole("button", { name: "Sky", exact: true }).click();
    await page.getByText("Solar activity").waitFor();
    expect(await measure()).toEqual([]);
  });

  it("has the log less than one swipe below the map", async () => {
    opened = await site.open({ fragment: "#from=JN48QM", viewport: PHONE, hasTouch: true, isMobile: true });
    const { page } = opened;
    await openLogText(page, "mine.adi", LOG);
    const top = await page
      .getByRole("region", { name: "Log", exact: true })
      .evaluate((log) => log.getBoundingClientRect().top + scrollY);
    expect(top).toBeLessThan(PHONE.height);
  });
});
