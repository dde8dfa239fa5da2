import { expect, it } from "vitest";

import { runOnEach } from "../../src/parts/run-on-each.ts";

it("goes on after a failure, which has its reason, with at most four actions at once", async () => {
  let running = 0;
  let most = 0;
  const counts: number[] = [];
  const { done, failed } = await runOnEach(
    [1, 2, 3, 4, 5, 6],
    async (row) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      if (row === 2) throw new Error("user 2 is locked");
    },
    { signal: new AbortController().signal, onprogress: (count) => counts.push(count) },
  );
  expect(new Set(done)).toEqual(new Set([1, 3, 4, 5, 6]));
  expect(failed).toEqual([{ row: 2, reason: "user 2 is locked" }]);
  expect(most).toBe(4);
  expect(counts.at(-1)).toBe(6);
});

it("begins no action after it was stopped", async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const { failed } = await runOnEach(
    [1, 2, 3, 4, 5, 6],
    async (row) => {
      begun.push(row);
      stop.abort();
      await Promise.resolve();
    },
    { signal: stop.signal, onprogress: () => undefined },
  );
  expect(begun).toEqual([1]);
  expect(failed.map(({ row }) => row)).toEqual([2, 3, 4, 5, 6]);
});
