/** The clock, passed as an argument: no code reads the system time itself. And timestamps of the API. */

/** Milliseconds since 1970 in UTC. */
export type Moment = number;

export interface Clock {
  now(): Moment;
}

export const systemClock: Clock = { now: () => Date.now() };

/** UTC with microseconds: `2026-11-21T02:57:02.000000Z` */
export function formatTimestamp(moment: Moment): string {
  return `${new Date(moment).toISOString().slice(0, -1)}000Z`;
}

/** As Keystone shows when passwords expire: without a zone. */
export function formatWithoutZone(moment: Moment): string {
  return formatTimestamp(moment).slice(0, -1);
}

/** The timestamp of the whole second. */
export function formatSeconds(moment: Moment): string {
  return formatTimestamp(Math.floor(moment / 1000) * 1000);
}
