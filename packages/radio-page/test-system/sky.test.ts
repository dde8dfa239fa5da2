import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { closeQuietly, startSite, type RadioPage, type Site } from "./radio-page.js";

let site: Site;
let opened: RadioPage;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
afterEach(async () => {
  await closeQuietly(site, opened);
});

it("the sky panel has sun and moon of both places, EME windows, and says that no report came", async () => {
  opened = await site.open({ fragment: "#call=W1AW,+FN31PR&from=JN48QM&time=2024-06-01T12:00Z" });
  const { page } = opened;
  await page.getByRole("button", { name: "Sky" }).click();
  const sky = page.getByRole("region", { name: "Sky", exact: true });
  await sky.getByText("No report yet").waitFor();
  const row = (name: string) =>
    sky
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name, exact: true }) })
      .textContent();
  // By PyEphem 4.1.4.
  await expect
    .poll(() => row("Moon"))
    .toMatch(/^Moon10° up, azimuth 259°, 367,\d{3} km48° up, azimuth 169°, 363,\d{3} km$/);
  expect(await row("Moonset")).toMatch(/^Moonset06-01 13:09, azimuth \d+°06-01 18:52, azimuth \d+°$/);
  const windows = sky.getByRole("region", { name: "EME windows" });
  expect(await windows.getByRole("row").nth(2).textContent()).toMatch(
    /^06-0206:47–14:25\d+°, \d+°\d+°, \d+°$/,
  );
});

it("the sky panel asks for a place where none is known", async () => {
  opened = await site.open();
  const { page } = opened;
  await page.getByRole("button", { name: "Sky" }).click();
  await page.getByText("Set your locator, or look up a station, for sun and moon.").waitFor();
});
