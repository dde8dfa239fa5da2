/** Reads the time of a QSO from its fields. */

/** A moment, in milliseconds since 1970 in UTC, and the problem with its fields. */
export interface QsoTime {
  readonly at: number;
  /** Message of the problem. */
  readonly fault?: string;
}

/** ADIF's dates begin here. */
const FIRST_YEAR = 1930;

const DAY_MS = 86_400_000;

/**
 * The time of a QSO: `QSO_DATE` and `TIME_ON`, in UTC. Without a time of day it is 00:00; without a date, or with an
 * invalid one, it is `now`.
 */
export function qsoTime(date: string | undefined, time: string | undefined, now: number): QsoTime {
  if (date === undefined) return { at: now, fault: "QSO_DATE is missing" };
  const day = dayOf(date);
  if (day === undefined)
    return { at: now, fault: `QSO_DATE: ${JSON.stringify(date)} is not a date YYYYMMDD from 1930 on` };
  if (day > now + DAY_MS) return { at: day, fault: `QSO_DATE: ${date} is in the future` };
  if (time === undefined) return { at: day, fault: "TIME_ON is missing" };
  const timeOfDay = millisecondsOf(time);
  if (timeOfDay !== undefined) return { at: day + timeOfDay };
  return { at: day, fault: `TIME_ON: ${JSON.stringify(time)} is not a time HHMM or HHMMSS` };
}

/** 00:00 of a day `YYYYMMDD`. */
function dayOf(text: string): number | undefined {
  if (!/^\d{8}$/.test(text)) return undefined;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(4, 6)), Number(text.slice(6))];
  const moment = Date.UTC(year, month - 1, day);
  // Date.UTC maps 31 April to 1 May.
  const exists = month >= 1 && month <= 12 && day >= 1 && new Date(moment).getUTCDate() === day;
  return exists && year >= FIRST_YEAR ? moment : undefined;
}

/** A time of day, `HHMM` or `HHMMSS`. */
function millisecondsOf(text: string): number | undefined {
  if (!/^\d{4}(?:\d\d)?$/.test(text)) return undefined;
  const [hour, minute, second] = [Number(text.slice(0, 2)), Number(text.slice(2, 4)), Number(text.slice(4))];
  return hour < 24 && minute < 60 && second < 60 ? ((hour * 60 + minute) * 60 + second) * 1000 : undefined;
}
