/** The clock, passed as an argument: no code reads the system time itself. And timestamps of the API. */

/** Milliseconds since 1970 in UTC. Whole ones, but for times of an imported Keystone, which have microseconds. */
export type Moment = number;

export interface Clock {
  now(): Moment;
}

export const systemClock: Clock = { now: () => Date.now() };

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
