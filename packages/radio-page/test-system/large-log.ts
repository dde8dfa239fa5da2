/** A log of many QSOs, opened as a user does. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "playwright-core";

import { adif } from "./radio-page.js";

/** From a file: to pass its content, the test itself would block the page. */
export async function openLargeLog(page: Page, count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "radio-page-"));
  try {
    await writeFile(join(folder, "large.adi"), adif(...manyQsos(count)));
    await page.getByLabel("Log file").setInputFiles(join(folder, "large.adi"));
    await page.getByRole("cell").getByRole("button").first().waitFor();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** In twenty jumps, to the last QSO. */
export async function scrollToEnd(page: Page): Promise<void> {
  const table = page.getByRole("region", { name: "QSOs" });
  for (let step = 1; step <= 20; step++) {
    await table.evaluate((element, share) => (element.scrollTop = element.scrollHeight * share), step / 20);
    await page.waitForTimeout(50);
  }
  const last = page.getByText(LAST_CALL, { exact: true });
  await page.getByRole("row").filter({ has: last }).first().waitFor();
}

const PREFIXES = [
  "DL1",
  "W1",
  "K5",
  "JA1",
  "G3",
  "F5",
  "I2",
  "EA3",
  "SP9",
  "OK1",
  "VK2",
  "ZL1",
  "PY2",
  "LU4",
  "ZS6",
];
const LAST_CALL = "ZS6ZZZ";

function manyQsos(count: number): Record<string, string>[] {
  const qsos = Array.from({ length: count }, (_, index) => {
    const letters = [index, index / 26, index / 676].map((value) =>
      String.fromCharCode(65 + (Math.floor(value) % 26)),
    );
    return {
      CALL: `${PREFIXES[index % PREFIXES.length]}${letters.join("")}`,
      QSO_DATE: `2024${String(1 + (index % 12)).padStart(2, "0")}${String(1 + (index % 28)).padStart(2, "0")}`,
      TIME_ON: `${String(index % 24).padStart(2, "0")}00`,
      BAND: ["160m", "80m", "40m", "20m", "15m", "10m"][index % 6] ?? "",
      MODE: ["CW", "SSB", "FT8"][index % 3] ?? "",
      GRIDSQUARE: `${["FN", "PM", "IO", "JO", "QF"][index % 5]}${String(index % 100).padStart(2, "0")}`,
      RST_SENT: "599",
      RST_RCVD: "599",
    };
  });
  // The oldest, which comes last.
  qsos[count - 1] = { ...qsos[count - 1], CALL: LAST_CALL, QSO_DATE: "20231231" } as (typeof qsos)[number];
  return qsos;
}
