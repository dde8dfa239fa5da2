/** Moments as the command line reads and writes them. */

const ISO_DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i;

const MINUTE_MS = 60_000;

/**
 * The moment that an ISO 8601 date shows, from the year alone to fractions of a second. Missing parts are the first
 * there are, a missing zone is UTC. `undefined` for anything else, the 30th of February included.
 */
export function parseMoment(text: string): Date | undefined {
  const match = ISO_DATE.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", fraction = "", zone] =
    match;
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const moment = new Date(`${date}Z`);
  // A day that the month doesn't have becomes one of the next month.
  if (Number.isNaN(moment.getTime()) || !moment.toISOString().startsWith(date)) return undefined;
  const offset = offsetMinutes(zone);
  const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
  return offset === undefined ? undefined : new Date(moment.getTime() + milliseconds - offset * MINUTE_MS);
}

/** How far a zone is ahead of UTC; `undefined` for one that can't be. */
function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (hours * 60 + minutes) * (zone.startsWith("-") ? -1 : 1);
}

/** A moment to the nearest second: "2024-06-30 18:30:00 UTC". */
export function momentText(moment: Date): string {
  const rounded = new Date(Math.round(moment.getTime() / 1000) * 1000);
  return rounded.toISOString().replace("T", " ").replace(".000Z", " UTC");
}

/** How long it is from one moment to a later one, to the minute: "in 7 h 05 min". */
export function waitText(from: Date, to: Date): string {
  const minutes = Math.round((to.getTime() - from.getTime()) / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `in ${minutes} min` : `in ${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
}
