import { expect, it } from "vitest";

import { describeClockSkew, measureClockSkew } from "../../../../src/platform/health/clock-watch.js";
import { openDatabase } from "../../../../src/platform/database/open-database.js";

it("is not measured where the database is a file of this machine", async () => {
  const database = openDatabase("sqlite::memory:");
  expect(await measureClockSkew(database, { now: () => 0 })).toBeUndefined();
  await database.close();
});

it.each([
  [0, "agrees with the database server's"],
  [75_300, "is 75.3 s ahead of the database server's"],
  [-1500, "is 1.5 s behind the database server's"],
])("of %i ms is told in words", (skewMs, words) => {
  expect(describeClockSkew(skewMs)).toBe(words);
});
