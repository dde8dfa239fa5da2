import { describe, expect, it } from "vitest";

import { momentText, parseMoment, waitText } from "../../../src/cli/input/moment.js";

describe("parseMoment", () => {
  it.each([
    ["2024", "2024-01-01T00:00:00.000Z"],
    ["2024-06", "2024-06-01T00:00:00.000Z"],
    ["2024-06-30", "2024-06-30T00:00:00.000Z"],
    ["2024-06-30T18:30", "2024-06-30T18:30:00.000Z"],
    ["2024-06-30 18:30:15", "2024-06-30T18:30:15.000Z"],
    ["2024-06-30t18:30:15.5z", "2024-06-30T18:30:15.500Z"],
    ["2024-06-30T18:30:15.123456789Z", "2024-06-30T18:30:15.123Z"],
    ["2024-06-30T20:30+02:00", "2024-06-30T18:30:00.000Z"],
    ["2024-06-30T20:30-0545", "2024-07-01T02:15:00.000Z"],
    [" 2024-02-29 ", "2024-02-29T00:00:00.000Z"],
    ["1945-01-01", "1945-01-01T00:00:00.000Z"],
  ])("reads %j, in UTC unless it names a zone", (text, expected) => {
    expect(parseMoment(text)?.toISOString()).toBe(expected);
  });

  it.each([
    "",
    "now",
    "yesterday",
    "24-06-30",
    "2024-6-3",
    "2024-13-01",
    "2024-00-01",
    "2023-02-29",
    "2024-02-30",
    "2024-04-31",
    "2024-06-30T24:00",
    "2024-06-30T18",
    "2024-06-30T18:60",
    "2024-06-30T18:30:60",
    "2024-06-30T18:30+24:00",
    "2024-06-30T18:30+02:60",
    "2024-06-30Z",
    "30.06.2024",
    "06/30/2024",
    "1719770400",
  ])("has no moment for %j", (text) => {
    expect(parseMoment(text)).toBeUndefined();
  });
});

describe("momentText", () => {
  it("rounds to the nearest second", () => {
    expect(momentText(new Date("2024-06-30T18:30:59.499Z"))).toBe("2024-06-30 18:30:59 UTC");
    expect(momentText(new Date("2024-06-30T23:59:59.500Z"))).toBe("2024-07-01 00:00:00 UTC");
  });
});

describe("waitText", () => {
  it("shows minutes, and hours where there are any", () => {
    const from = new Date("2024-06-30T12:00:00Z");
    expect(waitText(from, new Date("2024-06-30T12:00:20Z"))).toBe("in 0 min");
    expect(waitText(from, new Date("2024-06-30T12:59:29Z"))).toBe("in 59 min");
    expect(waitText(from, new Date("2024-06-30T12:59:30Z"))).toBe("in 1 h 00 min");
    expect(waitText(from, new Date("2024-07-01T12:18:00Z"))).toBe("in 24 h 18 min");
  });
});
