/**
 * Parses the dates and times of user lists in place.
 *
 * A list has hundreds of thousands of them: slicing each and parsing it with `Date` takes several times as long. Days and
 * seconds are small integers, which need no allocation.
 */

/** Days of a common year before each month, and at its end. */
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** Days from 0001-01-01 to 1970-01-01 in the Gregorian calendar. */
const DAYS_BEFORE_1970 = 719_162;

const HYPHEN = 45;
const COLON = 58;

/** The date of a day and a second of that day, as counted by {@link dayAt} and {@link secondAt}. */
export function dateOf(day: number, second: number): Date {
  return new Date((day * 86_400 + second) * 1000);
}

/** The day `YYYY-MM-DD` at an index of a text, counted from 1970; `undefined` if it is not a valid date. */
export function dayAt(text: string, index: number): number | undefined {
  if (text.charCodeAt(index + 4) !== HYPHEN || text.charCodeAt(index + 7) !== HYPHEN) return undefined;
  const year = twoDigitsAt(text, index) * 100 + twoDigitsAt(text, index + 2);
  const month = twoDigitsAt(text, index + 5);
  const day = twoDigitsAt(text, index + 8);
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1)) return undefined;

  const leapDay = isLeapYear(year) ? 1 : 0;
  const before = (DAYS_BEFORE[month - 1] ?? 0) + (month > 2 ? leapDay : 0);
  const after = (DAYS_BEFORE[month] ?? 0) + (month >= 2 ? leapDay : 0);
  return before + day > after ? undefined : daysBeforeYear(year) + before + day - 1 - DAYS_BEFORE_1970;
}

/** The time of day `HH:MM:SS` at an index of a text, in seconds; `undefined` if it is not a valid time. */
export function secondAt(text: string, index: number): number | undefined {
  if (text.charCodeAt(index + 2) !== COLON || text.charCodeAt(index + 5) !== COLON) return undefined;
  const hour = twoDigitsAt(text, index);
  const minute = twoDigitsAt(text, index + 3);
  const second = twoDigitsAt(text, index + 6);
  return hour < 24 && minute < 60 && second < 60 ? hour * 3600 + minute * 60 + second : undefined;
}

/** A number of two digits; `NaN` for other characters. */
function twoDigitsAt(text: string, index: number): number {
  const tens = text.charCodeAt(index) - 48;
  const ones = text.charCodeAt(index + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysBeforeYear(year: number): number {
  const past = year - 1;
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
}
