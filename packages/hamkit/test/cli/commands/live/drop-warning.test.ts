/** Warnings of what a slow reader has missed. */
import { expect, it } from "vitest";

import { dropWarning } from "../../../../src/cli/commands/live/drop-warning.js";

it("says how many were dropped, at once, then every five seconds at most, and counts each of them once", () => {
  const queue = { dropped: 0 };
  const lines: string[] = [];
  let time = 0;
  const check = dropWarning(queue, {
    what: "spots",
    reader: "the output",
    warn: (line) => void lines.push(line),
    now: () => time,
  });
  check();
  expect(lines).toEqual([]);
  for (const [at, dropped] of [
    [10, 3],
    [20, 4],
    [4000, 90],
    [5010, 100],
    [5020, 100],
    [99_000, 100],
    [99_001, 101],
  ] as const) {
    time = at;
    queue.dropped = dropped;
    check();
  }
  expect(lines).toEqual([
    "spots dropped, since the output is too slow: 3",
    "spots dropped, since the output is too slow: 97",
    "spots dropped, since the output is too slow: 1",
  ]);
});
