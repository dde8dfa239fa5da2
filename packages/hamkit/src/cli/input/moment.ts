/** Parses and formats the dates of the command line. */

const ISO_DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i;

const MINUTE_MS = 60_000;

/**
 * Parses an ISO 8601 date, from the year alone to fractions of a second. Missing parts default to the first possible
 * value, a missing zone to UTC. `undefined` for anything else, including 30 February.
 */
export function parseMoment(text: string): Date | undefined {
  const match = ISO_DATE.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", fraction = "", zone] =
    match;
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const moment = new Date(`${date}Z`);
  // Date maps 30 February to 1 March.
  if (Number.isNaN(moment.getTime()) || !moment.toISOString().startsWith(date)) return undefined;
  const offset = offsetMinutes(zone);
  const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
  return offset === undefined ? undefined : new Date(moment.getTime() + milliseconds - offset * MINUTE_MS);
}

/** Offset of a zone from UTC; `undefined` if it is invalid. */
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

/** The time from one moment to a later one, to the minute: "in 7 h 05 min". */
export function waitText(from: Date, to: Date): string {
  const minutes = Math.round((to.getTime() - from.getTime()) / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `in ${minutes} min` : `in ${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
}
