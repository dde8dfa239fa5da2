import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { serve, startCluster } from "./live-doubles.js";
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
  expect(await page.getByRole("region", { name: "Sun and moon" }).count()).toBe(0);
});

it("the sky panel has the latest reports of the server's cluster", async () => {
  const cluster = await startCluster();
  const served = await serve("--port", "0", "--connect", cluster.address, "--login", "N0CALL");
  try {
    await expect.poll(() => cluster.clients).toBe(1);
    cluster.send("WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms -> Minor w/G1");
    opened = await site.open();
    const { page, requests } = opened;
    await page.goto(served.url);
    await page.getByRole("button", { name: "Sky" }).click();
    const activity = page.getByRole("region", { name: "Solar activity" });
    await activity.getByText("SFI 120, A 5, K 2").waitFor();
    cluster.send("WCY de DK0WCY-1 <18> : K=3 expK=2 A=14 R=7 SFI=118 SA=qui GMF=act Au=no");
    await activity.getByText("SFI 118, A 14, K 3").waitFor();
    await activity.getByText("expected K 2, R 7").waitFor();
    expect(await activity.getByText("No report yet").count()).toBe(0);
    (requests as string[]).length = 0; // this page is of another server
  } finally {
    await served.stop();
    await cluster.close();
  }
});
