import { expect, it } from "vitest";

import { createLimitResponses } from "../../src/limits/limit-responses.js";

it("512 responses about limits are cached: one more replaces the oldest", async () => {
  const responses = createLimitResponses({ revision: () => 1 });
  const made: string[] = [];
  const get = (key: string) =>
    responses.get(key, async () => {
      made.push(key);
      return { key };
    });
  for (let number = 1; number <= 512; number++) await get(`r${number}`);
  expect(JSON.parse(String(await get("r1")))).toEqual({ key: "r1" });
  expect(made).toHaveLength(512);
  await get("r513");
  await get("r2");
  await get("r1");
  expect(made.slice(512)).toEqual(["r513", "r1"]);
});
