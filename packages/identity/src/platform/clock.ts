/** The clock, passed as an argument: no code reads the system time itself. And timestamps of the API. */

/** Milliseconds since 1970 in UTC. Whole ones, but for times of an imported Keystone, which have microseconds. */
export type Moment = number;

export interface Clock {
  now(): Moment;
}

export const systemClock: Clock = { now: () => Date.now() };

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Days in UTC since 1970. */
export function dayOf(moment: Moment): number {
  return Math.floor(moment / DAY_MS);
}

/** Whether both are in the same UTC day. */
export function isSameDay(one: Moment | null, other: Moment): boolean {
  return one !== null && dayOf(one) === dayOf(other);
}

/** UTC with microseconds: `2026-11-21T02:57:02.000000Z` */
export function formatTimestamp(moment: Moment): string {
  const micros = Math.round((moment - Math.floor(moment)) * 1000);
  return `${new Date(moment).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}

/** A moment with the microseconds behind its millisecond, which have a column of their own. */
export function withMicros(moment: Moment, micros: number | null): Moment {
  return moment + (micros ?? 0) / 1000;
}

/** As Keystone shows when passwords expire: without a zone. */
export function formatWithoutZone(moment: Moment): string {
  return formatTimestamp(moment).slice(0, -1);
}

/** The timestamp of the whole second. */
export function formatSeconds(moment: Moment): string {
  return formatTimestamp(Math.floor(moment / 1000) * 1000);
}
