/** Times as people read them: relative under a day, else local; UTC on hover. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** `3 minutes ago`, `in 2 hours`, or date and time if that is a day or more away. */
export function timeText(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000);
  const size = Math.abs(seconds);
  if (size >= DAY) return absolute.format(date);
  if (size >= HOUR) return relative.format(Math.trunc(seconds / HOUR), "hour");
  if (size >= MINUTE) return relative.format(Math.trunc(seconds / MINUTE), "minute");
  return relative.format(seconds, "second");
}

/** `2026-11-23 07:04:05 UTC`. */
export function utcText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** The API's times: `2026-11-23T07:04:05.000000Z`, with or without `Z`. They are in UTC. */
export function parseTime(text: string): Date {
  return new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
}
