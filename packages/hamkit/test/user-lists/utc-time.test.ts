import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { dateOf, dayAt, secondAt } from "../../src/user-lists/list-file.js";

describe("dayAt", () => {
  it.each([
    ["1970-01-01", 0],
    ["1969-12-31", -1],
    ["2000-02-29", 11_016],
    ["2000-03-01", 11_017],
    ["0001-01-01", -719_162],
  ])("counts %s from 1970", (text, day) => {
    expect(dayAt(text, 0)).toBe(day);
  });

  it("agrees with the calendar of Date for every day of every year from 1 to 9999", () => {
    const faults: string[] = [];
    for (let day = -719_162; day <= 2_932_896; day++) {
      const text = new Date(day * 86_400_000).toISOString().slice(0, 10);
      if (dayAt(text, 0) !== day) faults.push(text);
    }
    expect(faults).toEqual([]);
    expect(dayAt("9999-12-31", 0)).toBe(2_932_896);
  });

  it.each([
    "2023-02-29",
    "2023-02-30",
    "1900-02-29",
    "2023-04-31",
    "2023-12-32",
    "2023-13-01",
    "2023-00-10",
    "2023-01-00",
    "0000-00-00",
    "0000-10-03",
    "20-11-23",
    "2023-1-02",
    "2023-01-2",
    "2023/01/02",
    "2023-01",
    "2o23-01-02",
    "20x3-01-02",
    "+023-01-02",
    "２０２３-01-02",
    "",
  ])("finds no day in %o", (text) => {
    expect(dayAt(text, 0)).toBeUndefined();
  });

  it("reads at any index, and looks at nothing behind the day", () => {
    expect(dayAt("W1AW,1970-01-029", 5)).toBe(1);
  });
});

describe("secondAt", () => {
  it("agrees with Date for every second of a day", () => {
    const faults: string[] = [];
    for (let second = 0; second < 86_400; second++) {
      const text = new Date(second * 1000).toISOString().slice(11, 19);
      if (secondAt(text, 0) !== second) faults.push(text);
    }
    expect(faults).toEqual([]);
    expect(secondAt("23:59:59", 0)).toBe(86_399);
  });

  it.each(["24:00:00", "23:60:00", "23:59:60", "1:02:03", "01-02-03", "01:02", "ab:cd:ef", "-1:00:00", ""])(
    "finds no time of day in %o",
    (text) => {
      expect(secondAt(text, 0)).toBeUndefined();
    },
  );
});

describe("dateOf", () => {
  it("gives back the moment whose text was read", () => {
    const moments = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, (moment) => {
        const text = moment.toISOString();
        const read = dateOf(dayAt(text, 0) ?? Number.NaN, secondAt(text, 11) ?? Number.NaN);
        expect(read.toISOString()).toBe(`${text.slice(0, 19)}.000Z`);
      }),
    );
  });
});
