import { readFile } from "node:fs/promises";

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { openLargeLog, scrollToEnd } from "./large-log.js";
import {
  adif,
  callsInTable,
  openLogText,
  closeQuietly,
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

const LOG = adif(
  {
    CALL: "W1AW",
    QSO_DATE: "20240601",
    TIME_ON: "1200",
    BAND: "20m",
    MODE: "CW",
    GRIDSQUARE: "FN31PR",
    QSL_RCVD: "Y",
  },
  { CALL: "JA1ABC", QSO_DATE: "20240601", TIME_ON: "1205", BAND: "15m", MODE: "FT8" },
  { CALL: "DH1TW", QSO_DATE: "20240601", TIME_ON: "1210", BAND: "20m", MODE: "FT8" },
  { CALL: "??", QSO_DATE: "20240699", TIME_ON: "1215", BAND: "20m", MODE: "CW" },
);

function lines(page: Page): Promise<number> {
  return page
    .getByRole("img")
    .locator("path.ends")
    .evaluate((path) => (path.getAttribute("d") ?? "").split("M").length - 1);
}

describe("a log", () => {
  it("is a table, a summary, a map, and what could not be read by line", async () => {
    opened = await site.open({ fragment: "#from=JN48QM" });
    const { page } = opened;
    await openLogText(page, "mine.adi", LOG);
    await expect.poll(() => callsInTable(page)).toEqual(["??", "DH1TW", "JA1ABC", "W1AW"]);
    await page.getByRole("cell", { name: "2024-06-01 12:00" }).waitFor();
    const summary = page.getByRole("region", { name: "Summary of the log" });
    expect(
      await summary.getByRole("region", { name: "Entities" }).getByRole("listitem").allTextContents(),
    ).toEqual(["Fed. Rep. of Germany 1", "Japan 1", "United States 1"]);
    expect(
      await summary.getByRole("region", { name: "Not read" }).getByRole("listitem").allTextContents(),
    ).toEqual([
      expect.stringMatching(/^Line 5 QSO_DATE: "20240699" is not a date/),
      "Line 5 ??: no country has this prefix",
    ]);
    await expect.poll(() => lines(page)).toBe(3);
    expect(await page.getByRole("img").locator("path.square.confirmed").count()).toBe(1);
  });

  it("is filtered by chips, table and map together", async () => {
    opened = await site.open({ fragment: "#from=JN48QM" });
    const { page } = opened;
    await openLogText(page, "mine.adi", LOG);
    await page.getByRole("group", { name: "Bands" }).getByRole("button", { name: "20m 3" }).click();
    await page.getByRole("group", { name: "Modes" }).getByRole("button", { name: "FT8 2" }).click();
    await page.getByText("1 of 4 QSOs").waitFor();
    await expect.poll(() => callsInTable(page)).toEqual(["DH1TW"]);
    await expect.poll(() => lines(page)).toBe(1);
    await page.getByRole("button", { name: "Show all QSOs" }).click();
    await expect.poll(() => callsInTable(page)).toHaveLength(4);
    await expect.poll(() => lines(page)).toBe(3);
  });

  it("is saved as ADIF and CSV with what was found, and each call looks itself up", async () => {
    opened = await site.open({ fragment: "#from=JN48QM" });
    const { page } = opened;
    await openLogText(page, "mine.adi", LOG);
    for (const [format, found] of [
      ["ADIF", "<COUNTRY:13>United States"],
      ["CSV", "United States"],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Save ${format}` }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(
        format === "CSV" ? "mine-annotated.csv" : "mine-annotated.adi",
      );
      expect(await readFile(await download.path(), "utf8")).toContain(found);
    }
    await page.getByRole("table").getByRole("button", { name: "W1AW" }).click();
    await page.getByRole("article", { name: "Result" }).getByRole("heading", { name: "W1AW" }).waitFor();
  });

  it.each([
    [
      "Cabrillo",
      "START-OF-LOG: 3.0\nCALLSIGN: DH1TW\nQSO: 14025 CW 2024-11-23 1200 DH1TW 599 14 W1AW 599 5\nEND-OF-LOG:\n",
    ],
    ["FLE", "mycall dh1tw\n2024-11-23 20m cw\n1200 w1aw\n"],
  ])("is opened by dropping it anywhere, in %s too", async (_, text) => {
    opened = await site.open();
    const { page } = opened;
    await page.evaluate((content) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], "contest.log"));
      for (const type of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }, text);
    await page.getByRole("heading", { name: "contest.log" }).waitFor();
    await expect.poll(() => callsInTable(page)).toEqual(["W1AW"]);
  });

  it("that isn't one is named", async () => {
    opened = await site.open();
    const { page } = opened;
    await page
      .getByLabel("Log file")
      .setInputFiles({ name: "a.pdf", mimeType: "text/plain", buffer: Buffer.from("%PDF-1.4") });
    await page.getByText(/a\.pdf.*expected a log/i).waitFor();
    expect(await page.getByRole("region", { name: "Log" }).count()).toBe(0);
  });

  it("with markup in every field is text", async () => {
    opened = await site.open({ fragment: "#from=JN48QM" });
    const { page } = opened;
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    const attack = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
    const name = "<img src=x onerror=alert(3)>.adi";
    await openLogText(
      page,
      name,
      adif(
        {
          CALL: attack,
          BAND: attack,
          MODE: attack,
          COUNTRY: attack,
          GRIDSQUARE: attack,
          QSO_DATE: attack,
          TIME_ON: "12",
        },
        { CALL: "W1AW", COUNTRY: attack, QSO_DATE: "20240601" },
      ),
    );
    await expect.poll(() => callsInTable(page)).toEqual(["W1AW", attack]);
    await page.getByRole("cell").getByRole("button").last().click();
    await page.getByText("is neither a locator nor a frequency").waitFor();
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    expect(dialogs).toBe(0);
  });

  it("of 50,000 QSOs is shown by the rows in view", async () => {
    opened = await site.open({ fragment: "#from=JN48QM" });
    const { page } = opened;
    await openLargeLog(page, 50_000);
    await page.getByText("50,000 QSOs", { exact: true }).waitFor();
    await scrollToEnd(page);
    expect(await page.getByRole("row").count()).toBeLessThan(150);
    await page.getByRole("button", { name: /^20m/ }).click();
    await page.getByText(/of 50,000 QSOs/).waitFor();
  });
});
