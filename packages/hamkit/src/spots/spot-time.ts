/** Parses the times of cluster lines: hours and minutes in UTC, with or without a date. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DIGIT = 48;

/** Names as nodes write them, and in upper case for any other spelling. */
const MONTHS: ReadonlyMap<string, number> = new Map(
  ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].flatMap(
    (name, month) => [
      [name, month],
      [name.toUpperCase(), month],
    ],
  ),
);

/** Minutes since midnight of four digits such as 1754; `undefined` if they are not a time of day. */
export function minutesOfDay(digits: string): number | undefined {
  const time = digits.length === 4 ? wholeNumber(digits, 0, 4) : Number.NaN;
  const minutes = time % 100;
  return time < 2400 && minutes < 60 ? ((time - minutes) / 100) * 60 + minutes : undefined;
}

/**
 * The moment nearest to `now` with this time of day: at most 12 hours before, less than 12 hours after.
 *
 * A spot of 23:59 received at 00:01 is of yesterday; one of 00:01 received at 23:59, from a clock that is slightly fast,
 * is of tomorrow.
 *
 * @param now Milliseconds since 1970.
 */
export function nearestTime(minutes: number, now: number): Date {
  const today = Math.floor(now / DAY_MS) * DAY_MS + minutes * MINUTE_MS;
  if (today - now >= DAY_MS / 2) return new Date(today - DAY_MS);
  if (today - now < -DAY_MS / 2) return new Date(today + DAY_MS);
  return new Date(today);
}

/** The moment of a date such as `11-Apr-2014`, from the year 1000; `undefined` if it is not a valid date. */
export function datedTime(date: string, minutes: number): Date | undefined {
  const text = date.trim();
  const { length } = text;
  if (length < 10 || text[length - 9] !== "-" || text[length - 5] !== "-") return undefined;
  const name = text.slice(length - 8, length - 5);
  const month = MONTHS.get(name) ?? MONTHS.get(name.toUpperCase());
  const year = wholeNumber(text, length - 4, length);
  const day = wholeNumber(text, 0, length - 9);
  // Date.UTC maps years below 100 to the 20th century, and 31 April to 1 May.
  if (month === undefined || !(year >= 1000)) return undefined;
  const time = new Date(Date.UTC(year, month, day, 0, minutes));
  return time.getUTCDate() === day ? time : undefined;
}

/** The digits between two indexes as a number; NaN for other characters. */
function wholeNumber(text: string, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) {
    const digit = text.charCodeAt(index) - DIGIT;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
