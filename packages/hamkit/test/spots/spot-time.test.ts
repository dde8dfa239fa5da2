import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { datedTime, minutesOfDay, nearestTime } from "../../src/spots/line-fields.js";

describe("nearestTime", () => {
  it.each([
    ["23:59", "2024-03-01T00:01:00Z", "2024-02-29T23:59:00.000Z"],
    ["00:01", "2024-02-29T23:59:00Z", "2024-03-01T00:01:00.000Z"],
    ["00:00", "2023-12-31T23:59:59.999Z", "2024-01-01T00:00:00.000Z"],
    ["00:00", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z"],
    ["12:00", "2024-03-01T00:00:00Z", "2024-02-29T12:00:00.000Z"], // 12 hours either way: the past
    ["11:59", "2024-03-01T00:00:00Z", "2024-03-01T11:59:00.000Z"],
    ["00:00", "2024-03-01T12:00:00Z", "2024-03-01T00:00:00.000Z"],
    ["00:00", "2024-03-01T12:00:00.001Z", "2024-03-02T00:00:00.000Z"],
    ["17:54", "1969-12-31T17:00:00Z", "1969-12-31T17:54:00.000Z"],
  ])("finds the day of %s at %s", (time, now, expected) => {
    const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
    expect(nearestTime(minutes, Date.parse(now)).toISOString()).toBe(expected);
  });

  it("has the time of day, and is no more than 12 hours away", () => {
    const moment = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2200, 0) });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1439 }), moment, (minutes, now) => {
        const time = nearestTime(minutes, now);
        expect(time.getUTCHours() * 60 + time.getUTCMinutes()).toBe(minutes);
        expect(time.getTime() % 60_000).toBeCloseTo(0);
        const away = time.getTime() - now;
        expect(away).toBeGreaterThanOrEqual(-43_200_000);
        expect(away).toBeLessThan(43_200_000);
      }),
    );
  });
});

describe("minutesOfDay", () => {
  it.each([
    ["0000", 0],
    ["1754", 1074],
    ["2359", 1439],
    ["2400", undefined],
    ["1260", undefined],
    ["120", undefined],
    ["12 0", undefined],
    ["", undefined],
  ])("takes %j for %s", (digits, minutes) => {
    expect(minutesOfDay(digits)).toBe(minutes);
  });
});

describe("datedTime", () => {
  it.each([
    ["11-Apr-2014", "2014-04-11T17:11:00.000Z"],
    [" 1-Apr-2014", "2014-04-01T17:11:00.000Z"],
    ["1-JAN-1997", "1997-01-01T17:11:00.000Z"],
    ["29-feb-2024", "2024-02-29T17:11:00.000Z"],
    ["31-Apr-2014", undefined],
    ["29-Feb-2023", undefined],
    ["0-Apr-2014", undefined],
    ["11-Abr-2014", undefined],
    ["11-Apr-0014", undefined],
    ["11-Apr-14", undefined],
    ["-Apr-2014", undefined],
    ["111111111111111111111111-Apr-2014", undefined],
    ["11 Apr 2014", undefined],
    ["x1-Apr-2014", undefined],
    ["", undefined],
  ])("takes %j for %s", (date, expected) => {
    expect(datedTime(date, 17 * 60 + 11)?.toISOString()).toBe(expected);
  });
});
