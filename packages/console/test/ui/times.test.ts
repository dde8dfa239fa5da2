import { expect, it } from "vitest";

import { parseTime, timeText, utcText } from "../../src/ui/values/times.ts";

const NOW = new Date("2026-11-23T12:00:00Z");

it.each([
  ["2026-11-23T12:00:00Z", "now"],
  ["2026-11-23T11:57:30Z", "2 minutes ago"],
  ["2026-11-23T14:30:00Z", "in 2 hours"],
  ["2026-11-22T13:00:00Z", "23 hours ago"],
])("shows %s as %s", (time, text) => {
  expect(timeText(parseTime(time), NOW)).toBe(text);
});

it("shows a date from a day on", () => {
  expect(timeText(parseTime("2026-11-22T12:00:00Z"), NOW)).toMatch(/2026/);
});

it("reads the API's times as UTC, with and without Z", () => {
  expect(utcText(parseTime("2026-11-23T07:04:05.000000"))).toBe("2026-11-23 07:04:05 UTC");
  expect(utcText(parseTime("2026-11-23T07:04:05.000000Z"))).toBe("2026-11-23 07:04:05 UTC");
});
