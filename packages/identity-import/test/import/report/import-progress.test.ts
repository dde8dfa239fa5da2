import { expect, it } from "vitest";

import { createProgressBar, describeProgress } from "../../../src/import/report/import-progress.js";

const HALF = { table: "assignment", done: 500_000, total: 1_000_000 };

it("shows a share, rows and the time left", () => {
  expect(describeProgress(HALF, 20_000)).toBe(
    "[###############               ] 50 %, 500,000 of 1,000,000 rows, 20 s left: assignment",
  );
  expect(describeProgress({ ...HALF, done: 100_000 }, 60_000)).toContain(
    "10 %, 100,000 of 1,000,000 rows, 9 min left",
  );
});

it("writes a line every five seconds where there is no terminal", () => {
  let now = 0;
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text) };
  const bar = createProgressBar({ stderr, isInteractive: false, clock: { now: () => now } });
  for (now = 0; now <= 12_000; now += 1000) bar.show(HALF);
  bar.end();
  expect(written).toHaveLength(2);
  expect(written[0]).toMatch(/^\[#+ +\] 50 %.*: assignment\n$/);
});
