import { expect, it } from "vitest";

import { newId, newRequestId, randomBytes } from "../../src/platform/ids.js";

it("an id has 32 hexadecimal digits, and is never given again", () => {
  const ids = new Set(Array.from({ length: 1000 }, newId));
  expect(ids.size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(newRequestId()).toMatch(/^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

it("never hands out the same bytes twice, also where the pool is refilled", () => {
  const seen = new Set<string>();
  for (let times = 0; times < 5000; times++) seen.add(randomBytes(16).toString("hex"));
  expect(seen.size).toBe(5000);
});

it("hands out bytes of the length asked for, none of them left from before", () => {
  for (const count of [1, 12, 16, 4095, 4096]) expect(randomBytes(count)).toHaveLength(count);
  // The chance of 64 zeros is 2^-512; bytes that were erased and handed out again would all be zero.
  for (let times = 0; times < 200; times++) expect(randomBytes(64).some((byte) => byte !== 0)).toBe(true);
  expect(() => randomBytes(4097)).toThrow("4097 random bytes, expected at most 4096");
});

it("keeps what was handed out from what comes later", () => {
  const first = randomBytes(16);
  const copy = Buffer.from(first);
  for (let times = 0; times < 1000; times++) randomBytes(16);
  expect(first).toEqual(copy);
});
