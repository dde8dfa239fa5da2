/** Dates (YYYYMMDD, from 1930) and times (HHMM or HHMMSS). */
import { fault, type FieldValue, type Fault } from "./fault.js";

const DATE = "a date as YYYYMMDD, from 1930";
const TIME = "a time as HHMM or HHMMSS";

export function dateFault(at: FieldValue): Fault | undefined {
  const value = at.value.trim();
  if (/^\d{8}$/.test(value)) return compactDateFault(at, value);
  if (/^\d{6}$/.test(value)) return fault(at, { rule: "date-two-digit-year", expected: DATE });
  const [, year = "", month = "", day = ""] = /^(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})$/.exec(value) ?? [];
  if (year !== "") {
    const to = dateOf(year, month, day);
    return fault(at, { level: to ? "warning" : "error", rule: "date-with-separators", expected: DATE, to });
  }
  return dayFirstFault(at, value) ?? fault(at, { level: "error", rule: "date-form", expected: DATE });
}

function compactDateFault(at: FieldValue, value: string): Fault | undefined {
  const [year, month, day] = [value.slice(0, 4), value.slice(4, 6), value.slice(6)];
  if (dateOf(year, month, day) === undefined) {
    const isOld = Number(year) < 1930 && dateOf("2000", month, day) !== undefined;
    return fault(at, {
      level: "error",
      rule: isOld ? "date-before-1930" : "date-impossible",
      expected: DATE,
    });
  }
  return value === at.value ? undefined : fault(at, { rule: "date-form", expected: DATE, to: value });
}

/** A date with the year last: repaired if only one of its numbers can be the month, or both are equal. */
function dayFirstFault(at: FieldValue, value: string): Fault | undefined {
  const [, first = "", second = "", year = ""] = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})$/.exec(value) ?? [];
  if (year === "") return undefined;
  const dates = new Set([dateOf(year, second, first), dateOf(year, first, second)]);
  dates.delete(undefined);
  const [to] = dates;
  if (dates.size === 1) {
    const rule = dateOf(year, second, first) === undefined ? "date-month-first" : "date-day-first";
    return fault(at, { rule, expected: DATE, to });
  }
  if (dates.size === 0) return fault(at, { level: "error", rule: "date-impossible", expected: DATE });
  return fault(at, { rule: "date-ambiguous", expected: `${DATE}: day and month can't be told apart` });
}

function dateOf(year: string, month: string, day: string): string | undefined {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!isReal || Number(year) < 1930) return undefined;
  return `${year}${month.padStart(2, "0")}${day.padStart(2, "0")}`;
}

export function timeFault(at: FieldValue): Fault | undefined {
  const digits = timeDigits(at.value.trim());
  if (digits === undefined) return fault(at, { level: "error", rule: "time-form", expected: TIME });
  if (!/^(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?$/.test(digits))
    return fault(at, { level: "error", rule: "time-impossible", expected: TIME });
  return digits === at.value ? undefined : fault(at, { rule: "time-form", expected: TIME, to: digits });
}

/** The digits of a time: also of `905`, `9:05`, `12:00:30Z`, `1200Z`, `12:00:30.5`. */
function timeDigits(value: string): string | undefined {
  const [, hour = "", minute = "", second = ""] =
    /^(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?\s*(?:Z|UTC)?$/i.exec(value) ?? [];
  if (hour !== "") return hour.padStart(2, "0") + minute + second;
  const [, digits = ""] = /^(\d{3,6})\s*(?:Z|UTC)?$/i.exec(value) ?? [];
  if (digits === "") return undefined;
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}
