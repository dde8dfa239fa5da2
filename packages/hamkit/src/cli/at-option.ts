/** `--at`: the moment for which an answer holds. */
import { InvalidArgumentError, Option } from "commander";

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i;

const MINUTE_MS = 60_000;

/** The option itself. */
export function atOption(): Option {
  const option = new Option("--at <date>", "the moment to answer for, UTC where it names no zone (default: now)");
  return option.argParser((text: string) => {
    const moment = parseMoment(text);
    if (moment !== undefined) return moment;
    throw new InvalidArgumentError("Expected a date such as 2024-06-30, 2024-06-30T18:30 or 2024-06-30T20:30+02:00.");
  });
}

/**
 * The moment that an ISO 8601 date tells, from the year alone to fractions of a second; missing parts are the first
 * there are. `undefined` for anything else, the 30th of February included.
 */
export function parseMoment(text: string): Date | undefined {
  const match = DATE.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", fraction = "", zone] = match;
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
  const moment = new Date(`${date}Z`);
  // Days that a month doesn't have roll over into the next one.
  if (Number.isNaN(moment.getTime()) || !moment.toISOString().startsWith(date)) return undefined;
  const offset = offsetMinutes(zone);
  return offset === undefined ? undefined : new Date(moment.getTime() + milliseconds - offset * MINUTE_MS);
}

/** How far a zone is ahead of UTC; `undefined` for one that does not exist. */
function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (hours * 60 + minutes) * (zone.startsWith("-") ? -1 : 1);
}

/** A moment as people read it, to the second. */
export function momentText(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
