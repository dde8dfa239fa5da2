import { expect, it } from "vitest";

import { newId, newRequestId } from "../../../src/platform/ids.js";
import { formatTimestamp } from "../../../src/platform/text/timestamp.js";

it("a moment is written with six digits behind the second", () => {
  expect(formatTimestamp(Date.UTC(2026, 10, 21, 2, 57, 2))).toBe("2026-11-21T02:57:02.000000Z");
  expect(formatTimestamp(Date.UTC(2026, 0, 1, 0, 0, 0, 7))).toBe("2026-01-01T00:00:00.007000Z");
});

it("an id has 32 hexadecimal digits, and is never given again", () => {
  const ids = new Set(Array.from({ length: 1000 }, newId));
  expect(ids.size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(newRequestId()).toMatch(/^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
